package automation

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"countersign/automation/action"
	"countersign/internal/problem"
	"countersign/internal/secret/reference"
	"countersign/internal/store/exactlyonce"
	"countersign/internal/text"
	"countersign/script"
	"countersign/script/sdk"
	"countersign/tool"
)

// scriptConfig is the config of both script actions.
type scriptConfig struct {
	Script    string            `json:"script" jsonschema:"minLength=1,maxLength=100000,description=The source. It reads the event and artifacts from its context; templates cannot stand in it."`
	Env       map[string]string `json:"env,omitempty" jsonschema:"description=Environment variables; TypeScript finds them in context.env."`
	SecretEnv map[string]string `json:"secretEnv,omitempty" jsonschema:"description=Variables that hold a secret of the vault: ${{ secrets.NAME }}."`
	Timeout   int               `json:"timeout,omitempty" jsonschema:"minimum=1000,maximum=300000,description=Milliseconds; 30000 when left out. The script policy may allow less."`
}

// scriptResult is the artifact of run_script.
type scriptResult struct {
	Result     any    `json:"result" jsonschema:"description=What the script returned."`
	ExternalID string `json:"externalId,omitempty" jsonschema:"description=The member externalId or id of the result."`
	Stdout     string `json:"stdout"`
	Stderr     string `json:"stderr"`
	DurationMs int64  `json:"durationMs"`
	TimedOut   bool   `json:"timedOut"`
}

// shellResult is the artifact of run_shell.
type shellResult struct {
	ExitCode   int    `json:"exitCode"`
	Stdout     string `json:"stdout"`
	Stderr     string `json:"stderr"`
	DurationMs int64  `json:"durationMs"`
	TimedOut   bool   `json:"timedOut"`
}

var (
	scriptArtifact = action.NewArtifactType[scriptResult]("script_result", "Script result", "What a script returned and wrote.")
	shellArtifact  = action.NewArtifactType[shellResult]("shell_result", "Shell result", "How a shell script ended and what it wrote.")
)

const (
	scriptCategory = "Scripts"
	// maxStream bounds stdout and stderr in an artifact each, and maxReturned what a script returns, in bytes.
	maxStream   = 12 << 10
	maxReturned = 32 << 10
	// actionTime bounds an attempt: the longest script, and the wait for a sandbox before it.
	actionTime = script.MaxActionTimeout + time.Minute
)

func (a *Actions) scriptAction() action.Action {
	return action.Permitted(action.Action{
		ID: "integration-script.run_script", Name: "Run a TypeScript script", Category: scriptCategory, Effect: tool.Mutate,
		Description: "Runs TypeScript in the sandbox. What it returns is the artifact; an exception fails the step.",
		Config:      action.Config[scriptConfig](), Produces: []action.ArtifactType{scriptArtifact}, Rules: []string{RunScripts},
		Timeout: actionTime, Validate: validateScript, DryRun: previewScript,
		Do: func(ctx context.Context, c action.Call) (action.Result, error) {
			out, err := a.run(ctx, c, sdk.ActionScript)
			if err != nil {
				return action.Result{}, err
			}
			if len(out.Result) > maxReturned {
				return action.Result{}, problem.Errorf(problem.TooLarge,
					"The script returned %d bytes of JSON; steps pass on %d at most. Return less.", len(out.Result), maxReturned)
			}
			var returned any
			if len(out.Result) > 0 {
				if err := json.Unmarshal(out.Result, &returned); err != nil {
					return action.Result{}, fmt.Errorf("read result of a script: %w", err)
				}
			}
			return action.Made(scriptArtifact, scriptResult{
				Result: returned, ExternalID: sdk.ExternalID(out.Result), Stdout: shortened(out.Stdout), Stderr: shortened(out.Stderr),
				DurationMs: out.DurationMs,
			}, fmt.Sprintf("The script ended after %d ms", out.DurationMs))
		},
	})
}

func (a *Actions) shellAction() action.Action {
	return action.Permitted(action.Action{
		ID: "integration-script.run_shell", Name: "Run a shell script", Category: scriptCategory, Effect: tool.Mutate,
		Description: "Runs a shell script in the sandbox. An exit code other than 0 fails the step.",
		Config:      action.Config[scriptConfig](), Produces: []action.ArtifactType{shellArtifact}, Rules: []string{RunScripts},
		Timeout: actionTime, Validate: validateScript, DryRun: previewScript,
		Do: func(ctx context.Context, c action.Call) (action.Result, error) {
			out, err := a.run(ctx, c, sdk.ActionShell)
			switch {
			case err != nil:
				return action.Result{}, err
			case out.ExitCode == nil:
				return action.Result{}, errors.New("a shell script has ended without an exit code")
			case *out.ExitCode != 0:
				return action.Result{}, problem.Errorf(problem.Conflict, "The script ended with exit code %d.%s", *out.ExitCode, tail(out.Stderr)).
					With("exitCode", *out.ExitCode)
			}
			return action.Made(shellArtifact, shellResult{
				ExitCode: 0, Stdout: shortened(out.Stdout), Stderr: shortened(out.Stderr), DurationMs: out.DurationMs,
			}, fmt.Sprintf("The script ended after %d ms", out.DurationMs))
		},
	})
}

// validateScript refuses templates in a source: values of events would become code.
func validateScript(config json.RawMessage, templated []string) error {
	var issues []problem.Issue
	for _, path := range templated {
		if path == "script" || path == "secretEnv" || strings.HasPrefix(path, "secretEnv.") {
			issues = append(issues, problem.Issue{
				Path: path, Message: "cannot hold a template; give values to the script in env, or read them from its context",
			})
		}
	}
	var in scriptConfig
	if err := json.Unmarshal(config, &in); err == nil {
		if _, err := reference.ParseEnv(in.SecretEnv); err != nil {
			issues = append(issues, problem.As(err).Issues...)
		}
	}
	if len(issues) == 0 {
		return nil
	}
	return problem.InvalidInput("The script cannot be run as it is.", issues...)
}

func previewScript(ctx context.Context, c action.Call) (action.Preview, error) {
	in, err := action.Decode[scriptConfig](ctx, c)
	if err != nil {
		return action.Preview{}, err
	}
	p := action.Preview{
		Summary: fmt.Sprintf("Run a script of %d lines in the sandbox", 1+strings.Count(strings.TrimSpace(in.Script), "\n")),
		Effects: []string{"It may reach what the script policy lets scripts reach."},
	}
	names, err := reference.ParseEnv(in.SecretEnv)
	if len(names) > 0 {
		p.Effects = append(p.Effects, "It is given the secrets "+strings.Join(names.Names(), ", ")+".")
	}
	return p, err
}

// run runs the script of a call once. Errors are those of the script, and of what nobody knows.
func (a *Actions) run(ctx context.Context, c action.Call, where sdk.Context) (script.TestOutput, error) {
	in, err := action.Decode[scriptConfig](ctx, c)
	if err != nil {
		return script.TestOutput{}, err
	}
	scope, err := scopeOf(c)
	if err != nil {
		return script.TestOutput{}, err
	}
	timeout := time.Duration(in.Timeout) * time.Millisecond
	if timeout == 0 {
		timeout = script.DefaultActionTimeout
	}
	hash := sha256.Sum256(c.Config)
	once := exactlyonce.Call{
		Principal: c.Caller.Principal, Key: c.Key, Hash: hash[:], Timeout: timeout + script.TestOverhead,
		Unknown: problem.Errorf(problem.Unknown, "The script began, and how it ended is not known. It is not run again, because it may "+
			"have changed something."),
	}
	out, err := exactlyonce.Do(ctx, a.Once, once, func(ctx context.Context) (script.TestOutput, error) {
		secrets, err := a.secrets(ctx, c, in.SecretEnv)
		if err != nil {
			return script.TestOutput{}, err
		}
		out, err := a.Scripts.Act(ctx, script.ActionInput{
			Context: where, Source: in.Script, Scope: scope, Env: in.Env, SecretEnv: in.SecretEnv, Secrets: secrets, Timeout: timeout,
		})
		if err != nil && !errors.Is(err, script.ErrNotRun) && !problem.Is(err, problem.Invalid) && !problem.Is(err, problem.Forbidden) {
			err = once.Unknown.WithCause(err)
		}
		return out, err
	})
	if err != nil {
		return out, err
	}
	return out, failureOf(out, timeout)
}

// secrets are the values of the secrets that a script declares, by variable.
func (a *Actions) secrets(ctx context.Context, c action.Call, declared map[string]string) (map[string]string, error) {
	env, err := reference.ParseEnv(declared)
	if err != nil || len(env) == 0 {
		return nil, err
	}
	if a.Secrets == nil {
		return nil, problem.Errorf(problem.Conflict, "This installation has no vault, so scripts have no secrets.")
	}
	values, err := a.Secrets.Resolve(ctx, c.Caller.Principal, env.Names(), "run "+c.Run.String()+" of an automation")
	if err != nil {
		return nil, err
	}
	return env.Fill(values)
}

// failureOf is why a script has not succeeded, nil for a shell script that came to its end.
func failureOf(out script.TestOutput, timeout time.Duration) error {
	switch {
	case out.TimedOut:
		return problem.Errorf(problem.Conflict, "The script did not end within %s.%s", timeout, tail(out.Stderr)).With("timedOut", true)
	case out.Error != nil:
		place := ""
		if len(out.Error.Stack) > 0 {
			place = fmt.Sprintf(" (line %d)", out.Error.Stack[0].Line)
		}
		return problem.Errorf(problem.Conflict, "The script failed: %s%s.", text.Shown(strings.TrimRight(out.Error.Message, "."), maxTail), place)
	case out.SandboxDowngraded && out.RequestRefused != "":
		return problem.Errorf(problem.Conflict, "%s", out.RequestRefused)
	}
	return nil
}

// scopeOf is the context of the script of a call. Artifacts are those of each step by its id; those of a type that one step
// alone has made are there by the type as well.
func scopeOf(c action.Call) (sdk.AutomationContext, error) {
	var scope sdk.AutomationContext
	steps := map[string]map[string]any{}
	for root, into := range map[string]any{
		"trigger": &scope.Trigger, "artifacts": &steps, "var": &scope.Var, "repeat": &scope.Repeat, "automation": &scope.Automation,
	} {
		if raw := c.Scope[root]; len(raw) > 0 {
			if err := json.Unmarshal(raw, into); err != nil {
				return scope, fmt.Errorf("root %s of a step: %w", root, err)
			}
		}
	}
	scope.Automation.RunID, scope.Automation.AutomationID = c.Run.String(), c.Automation.String()
	scope.Artifacts = map[string]any{}
	makers := map[string]int{}
	for _, made := range steps {
		for kind, value := range made {
			makers[kind]++
			scope.Artifacts[kind] = value
		}
	}
	maps.DeleteFunc(scope.Artifacts, func(kind string, _ any) bool { return makers[kind] > 1 })
	for _, id := range slices.Sorted(maps.Keys(steps)) {
		if _, taken := scope.Artifacts[id]; !taken {
			scope.Artifacts[id] = steps[id]
		}
	}
	return scope, nil
}

// shortened is the output of a script without its middle, where it is long.
func shortened(output string) string {
	const left = "\n(...)\n"
	output = strings.ToValidUTF8(output, "\uFFFD")
	if len(output) <= maxStream {
		return output
	}
	begin, end := output[:maxStream/2], output[len(output)-maxStream/2+len(left):]
	for !utf8.ValidString(begin) {
		begin = begin[:len(begin)-1]
	}
	for !utf8.ValidString(end) {
		end = end[1:]
	}
	return begin + left + end
}

// maxTail bounds what an error quotes of a script.
const maxTail = 400

// tail is the end of what a script wrote about its failure.
func tail(stderr string) string {
	stderr = strings.TrimSpace(strings.ToValidUTF8(stderr, "\uFFFD"))
	if stderr == "" {
		return ""
	}
	runes := []rune(stderr)
	return " " + text.Shown(string(runes[max(0, len(runes)-maxTail):]), maxTail)
}
