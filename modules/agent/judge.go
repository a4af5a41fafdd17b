package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"countersign/internal/problem"
	"countersign/internal/secret"
	"countersign/internal/secret/mask"
	"countersign/internal/secret/reference"
	"countersign/internal/secret/scrub"
	"countersign/internal/text"
	"countersign/internal/text/strictjson"
	"countersign/modules/agent/agentdb"
	"countersign/script"
)

// verifier collects the findings about a bundle before it is sealed.
type verifier struct {
	*service

	errors, warnings []Finding
	// cache are the findings of an earlier freeze; nil starts without and has no deadline.
	cache *freezeCache
}

// maxFindings limits the findings of one answer.
const maxFindings = 200

func (j *verifier) fail(pointer, code, format string, args ...any) {
	if len(j.errors) < maxFindings {
		j.errors = append(j.errors, Finding{code, fmt.Sprintf(format, args...), pointer})
	}
}

func (j *verifier) warn(pointer, code, format string, args ...any) {
	if len(j.warnings) < maxFindings {
		j.warnings = append(j.warnings, Finding{code, fmt.Sprintf(format, args...), pointer})
	}
}

func (j *verifier) verdict(c content) Verdict {
	return Verdict{
		OK: len(j.errors) == 0, RevisionID: c.id, RevisionState: c.state,
		Errors: append([]Finding{}, j.errors...), Warnings: append([]Finding{}, j.warnings...),
	}
}

// verify recompiles the tools of a bundle in place and compares them with the spec.
func (j *verifier) verify(ctx context.Context, c *content) error {
	if len(c.tools) == 0 {
		j.warn("/tools", "no_tools", "The revision has no tools.")
	}
	used, anything := map[string]bool{}, false
	for i, tool := range c.tools {
		made, err := j.recompile(ctx, tool)
		if err != nil {
			return err
		}
		at := "/tools/" + tool.ID
		for _, d := range made.errors {
			j.fail(at+"/source", "tool_compile_failed", "Line %d of %s: %s", d.Line, tool.ID, d.Message)
		}
		for _, d := range made.warnings {
			j.warn(at+"/source", "tool_"+d.Code, "Line %d of %s: %s", d.Line, tool.ID, d.Message)
		}
		if len(made.errors) > 0 {
			continue
		}
		c.tools[i] = made.toRow(tool.Examples)
		for _, name := range made.capabilities.SecretRefs {
			used[name] = true
		}
		anything = anything || made.capabilities.DynamicSecretRefs
		j.checkCapabilities(c.spec, tool, made)
	}
	for _, named := range c.spec.Secrets {
		if !used[named.Name] && !anything {
			j.warn("/spec/secrets", "secret_unused", "No tool refers to the secret %s.", named.Name)
		}
	}
	for id := range c.spec.Tools {
		if !slices.ContainsFunc(c.tools, func(t agentdb.AgentTool) bool { return t.ID == id }) {
			j.fail("/spec/tools/"+id, "unknown_tool", "The spec speaks of a tool %s, which the revision does not have.", id)
		}
	}
	if err := j.secretsExist(ctx, c.spec); problem.Is(err, problem.Invalid) {
		j.fail("/spec/secrets", "secret_not_found", "%s", problem.As(err).Detail)
	} else if err != nil {
		return err
	}
	slices.SortStableFunc(j.errors, func(a, b Finding) int { return strings.Compare(a.Pointer, b.Pointer) })
	return nil
}

// recompile returns the tool as the current compiler compiles it.
func (j *verifier) recompile(ctx context.Context, row agentdb.AgentTool) (compiled, error) {
	if j.cache != nil {
		return j.cache.recompile(ctx, row)
	}
	return j.compile(ctx, row.ID, inputOf(row))
}

// checkCapabilities checks the capabilities of a tool against the spec.
func (j *verifier) checkCapabilities(spec Spec, tool agentdb.AgentTool, made compiled) {
	at, rule := "/tools/"+tool.ID, spec.Tools[tool.ID]
	for _, name := range made.capabilities.SecretRefs {
		if _, declared := spec.Secret(name); !declared {
			j.fail(at, "secret_not_declared", "The tool %s refers to the secret %s, which the spec does not name.", tool.ID, secretName(name))
		}
	}
	if made.capabilities.DynamicSecretRefs && !rule.AllowDynamicRefs {
		j.fail(
			at,
			"dynamic_secret_refs",
			"The tool %s refers to secrets in a way that cannot be listed. Write ctx.secrets.ref(\"NAME\"), or set "+
				"allow_dynamic_secret_refs for it in the spec.",
			tool.ID,
		)
	}
	reaches := len(made.capabilities.SecretRefs) > 0 || made.capabilities.DynamicSecretRefs
	if Effect(tool.Effect) == ReadEffect && reaches && !rule.ReadWithSecrets {
		j.fail(
			at,
			"read_with_secrets",
			"The tool %s can reach secrets, so its effect cannot be read. Make it mutate, or set read_with_secrets for it in the spec.",
			tool.ID,
		)
	}
}

// secretName returns the name of a secret for a message, or a placeholder for an invalid name.
func secretName(name string) string {
	if reference.ValidName(name) {
		return name
	}
	return "with a name that no secret can have"
}

// timeout returns the timeout of a call.
func (s Spec) timeout() time.Duration {
	if s.Limits != nil && s.Limits.TimeoutMs > 0 {
		return time.Duration(s.Limits.TimeoutMs) * time.Millisecond
	}
	return defaultTimeout
}

const defaultTimeout = 10 * time.Second

// runSmoke loads each tool in the sandbox and runs its examples.
func (j *verifier) runSmoke(ctx context.Context, c content) error {
	if len(j.errors) > 0 {
		return nil
	}
	if j.Smoke == nil {
		j.warn("/tools", "not_tried", "No tool was tried.")
		return nil
	}
	for _, tool := range c.tools {
		if err := j.smokeTool(ctx, c.spec, tool); err != nil {
			return err
		}
	}
	return nil
}

// smokeTool loads one tool, and runs its examples if it loads.
func (j *verifier) smokeTool(ctx context.Context, spec Spec, tool agentdb.AgentTool) error {
	at, loads := "/tools/"+tool.ID, true
	trial := Trial{Tool: tool.ID, JS: tool.CompiledJs, SourceMap: tool.SourceMap, Timeout: spec.timeout()}
	err := j.cache.runOnce(ctx, []any{"loaded", trial}, func() (bool, error) {
		loaded, err := j.Smoke.Try(ctx, trial)
		if err != nil {
			return false, fmt.Errorf("load the tool %s: %w", tool.ID, err)
		}
		if loads = loaded.OK; !loads {
			j.fail(at, "smoke_failed", "The tool %s cannot be loaded: %s", tool.ID, loaded.text())
		}
		return loads, nil
	})
	if err != nil {
		return err
	}
	j.cache.progress.ToolsDone++
	if !loads {
		return nil
	}
	examples, err := examplesOf(tool)
	if err != nil {
		return err
	}
	called, err := trialOf(tool, spec)
	if err != nil {
		return err
	}
	for i, e := range examples {
		secrets, why, err := called.exampleSecrets(ctx, e)
		if err != nil {
			return err
		}
		if why == "" {
			trial.Action, trial.Args, trial.Secrets, trial.Masked = script.DefaultAction, e.Args, secrets, slices.Sorted(maps.Keys(e.MockSecrets))
			err = j.cache.runOnce(ctx, []any{"ran", trial, e.Expect}, func() (bool, error) {
				outcome, err := j.Smoke.Try(ctx, trial)
				if err != nil {
					return false, fmt.Errorf("run an example of %s: %w", tool.ID, err)
				}
				why = e.Judge(outcome)
				return why == "", nil
			})
			if err != nil {
				return err
			}
		}
		if why != "" {
			j.fail(fmt.Sprintf("%s/examples/%d", at, i), "example_failed", "The example %s of %s: %s", e.Name, tool.ID, why)
		}
		j.cache.progress.ExamplesDone++
	}
	return nil
}

func (o Outcome) text() string {
	if o.Line > 0 {
		return fmt.Sprintf("%s (%s, line %d)", o.Message, o.Code, o.Line)
	}
	return fmt.Sprintf("%s (%s)", o.Message, o.Code)
}

// Judge compares an outcome with the example's expectation and returns the mismatch, "" for none.
func (e Example) Judge(o Outcome) string {
	if e.Expect == nil {
		if o.OK {
			return ""
		}
		return "it failed: " + e.failureText(o)
	}
	switch want := *e.Expect; {
	case want.OK && !o.OK:
		return "it failed: " + e.failureText(o)
	case !want.OK && o.OK:
		return "it went well, and was expected to fail. It answered " + e.maskedValue(o.Result) + "."
	case !want.OK && want.ErrorCode != "" && want.ErrorCode != o.Code:
		return fmt.Sprintf("it failed, and was expected to fail with %s: %s", want.ErrorCode, e.failureText(o))
	case want.OK && len(want.Result) > 0 && !strictjson.Same(want.Result, o.Result):
		return fmt.Sprintf("it answered %s, and was expected to answer %s.", e.maskedValue(o.Result), e.maskedValue(want.Result))
	}
	return ""
}

// maxShown limits the characters of an answer in a finding.
const maxShown = 500

// maskedValue returns a value for a finding, with masked secrets: the example's mocks and texts that look like a secret.
func (e Example) maskedValue(value json.RawMessage) string {
	if len(value) == 0 {
		return "nothing"
	}
	return e.scrubbed(string(e.masker().JSON(value)))
}

// failureText returns the text of a failure, masked likewise.
func (e Example) failureText(o Outcome) string { return e.scrubbed(e.masker().Text(o.text())) }

// masker masks the mocks of an example. Values too short to mask were refused when saved.
func (e Example) masker() *mask.Masker {
	var values []secret.Value
	for _, name := range slices.Sorted(maps.Keys(e.MockSecrets)) {
		if value := e.MockSecrets[name]; !mask.TooShort(value) {
			values = append(values, secret.NewValue(value))
		}
	}
	m, err := mask.New(values...)
	if err != nil {
		return nil
	}
	return m
}

func (Example) scrubbed(shown string) string { return text.Shown(scrub.Text(shown), maxShown) }
