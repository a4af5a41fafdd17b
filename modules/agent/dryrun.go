package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/secret/mask"
	"countersign/internal/store"
	"countersign/internal/text"
	"countersign/modules/agent/agentdb"
	"countersign/script"
	"countersign/script/typescript"
	"countersign/tool/kit"
)

// Runs executes compiled tools in a sandbox. *script.Service implements it.
type Runs interface {
	// CallTool returns an error only for a failure of the host or an exceeded quota; errors of the tool are answers.
	CallTool(ctx context.Context, c script.ToolCall) (script.ToolAnswer, error)
}

// The limits of a dry run.
const (
	maxMock  = 8 << 10
	maxMocks = 64 << 10
)

// DryRunInput is one call of a dry run.
type DryRunInput struct {
	Args        json.RawMessage   `json:"args" doc:"What the tool is called with: a JSON object that fits args_schema."`
	MockSecrets map[string]string `json:"mock_secrets,omitempty" doc:"What ctx.secrets.ref answers, by the name of a secret of the spec, at least 4 characters each. The others are placeholders. Stars stand in their place in what comes back."`
	Source      string            `json:"source,omitempty" maxLength:"500000" doc:"TypeScript in place of what is saved; for editors."`
	ArgsSchema  json.RawMessage   `json:"args_schema,omitempty" doc:"A JSON schema in place of the one that is saved; for editors."`
	Action      string            `json:"action,omitempty" maxLength:"100" doc:"The action to call, default when absent."`
}

// DryRun is the result of a dry run.
type DryRun struct {
	ToolID string `json:"tool_id"`
	script.ToolAnswer
	WouldAsk WouldAsk `json:"would_ask"`
	Warnings []string `json:"warnings" nullable:"false" doc:"What a real call would do differently."`
}

// WouldAsk lists the confirmations that a call of the live tool would need.
type WouldAsk struct {
	Approval bool   `json:"approval" doc:"The call would need a decision."`
	Identity string `json:"identity,omitempty" enum:"countersign" doc:"Who would have to call: countersign is a person who is signed in. Absent when it may be anybody."`
}

// trial is a callable tool with the settings of its revision.
type trial struct {
	id           string
	js           string
	sourceMap    []byte
	schema       json.RawMessage
	effect       Effect
	capabilities typescript.Capabilities
	spec         Spec
}

func trialOf(row agentdb.AgentTool, spec Spec) (trial, error) {
	capabilities, err := capabilitiesOf(row)
	return trial{row.ID, row.CompiledJs, row.SourceMap, row.ArgsSchema, Effect(row.Effect), capabilities, spec}, err
}

// DryRun calls a tool of a revision in any state, as saved or with another source. Errors of the tool are answers.
func (s *service) DryRun(ctx context.Context, agent, rev, id string, read func() (DryRunInput, error)) (DryRun, error) {
	row, head, err := s.findVisible(ctx, agent, rev)
	if err != nil {
		return DryRun{}, err
	}
	in, err := read()
	if err != nil {
		return DryRun{}, err
	}
	if err := in.validate(); err != nil {
		return DryRun{}, err
	}
	t, err := s.trialFor(ctx, row, head, id, in)
	if err != nil {
		return DryRun{}, err
	}
	return s.dryRun(ctx, row, t, in)
}

// findVisible finds a revision that the caller sees.
func (s *service) findVisible(ctx context.Context, agent, rev string) (agentdb.Agent, agentdb.RevisionHeadRow, error) {
	row, err := s.findAgent(ctx, agent)
	if err != nil {
		return row, agentdb.RevisionHeadRow{}, err
	}
	head, err := s.revision(ctx, row.ID, rev)
	return row, head, err
}

// validate validates what does not depend on the tool.
func (in DryRunInput) validate() error {
	var v problem.Issues
	if !utf8.ValidString(in.Action) {
		v.Report("action", "is not text")
	}
	size := 0
	for _, name := range slices.Sorted(maps.Keys(in.MockSecrets)) {
		value := in.MockSecrets[name]
		size += len(value)
		switch path := "mock_secrets." + text.Shown(name, 64); {
		case len(value) > maxMock:
			v.Report(path, "has %d bytes, at most %d are allowed", len(value), maxMock)
		case !utf8.ValidString(value):
			v.Report(path, "is not text")
		case mask.TooShort(value):
			v.Report(path, "must have at least %d characters besides spaces, or it could not be hidden in what comes back", mask.MinLength)
		}
	}
	if size > maxMocks {
		v.Report("mock_secrets", "have %d bytes, at most %d are allowed", size, maxMocks)
	}
	return v.Err()
}

// trialFor loads or compiles the tool of a dry run.
func (s *service) trialFor(
	ctx context.Context,
	agent agentdb.Agent,
	head agentdb.RevisionHeadRow,
	id string,
	in DryRunInput,
) (trial, error) {
	q := s.queries(ctx)
	stored, err := q.RevisionSpec(ctx, head.ID)
	if err != nil {
		return trial{}, fmt.Errorf("read a spec: %w", err)
	}
	spec, err := specOf(stored)
	if err != nil {
		return trial{}, err
	}
	row, err := q.Tool(ctx, agentdb.ToolParams{RevisionID: head.ID, ID: id})
	saved := !store.NoRows(err)
	if saved && err != nil {
		return trial{}, fmt.Errorf("read a tool: %w", err)
	}
	unsaved := in.Source != "" || len(in.ArgsSchema) > 0
	if unsaved {
		if err := kind.Sight(ctx).Permit(ctx, s.DB, agent.ID, agent.Name, nil, access.Edit); err != nil {
			return trial{}, hideMissing(agent.ID.String(), err)
		}
	}
	switch {
	case !saved && in.Source == "":
		return trial{}, missingTool(id)
	case !unsaved && (State(head.State) != Draft || row.Compiler == s.CompilerID):
		return trialOf(row, spec)
	}
	// Another source, or a source compiled by another release
	next := ToolInput{Description: "Tried out", ArgsSchema: json.RawMessage("{}"), Effect: MutateEffect}
	if saved {
		next = inputOf(row)
	}
	if in.Source != "" {
		next.Source = in.Source
	}
	if len(in.ArgsSchema) > 0 {
		next.ArgsSchema = in.ArgsSchema
	}
	var v problem.Issues
	next = next.checked(&v, "")
	if err := v.Err(); err != nil {
		return trial{}, err
	}
	made, err := s.compile(ctx, id, next)
	switch {
	case err != nil:
		return trial{}, err
	case len(made.errors) > 0:
		return trial{}, notRunnable(id, made.errors)
	}
	return trialOf(made.toRow(nil), spec)
}

// dryRun calls a tool like a live one, with placeholders and typed mocks for secrets.
func (s *service) dryRun(ctx context.Context, agent agentdb.Agent, t trial, in DryRunInput) (DryRun, error) {
	if s.Runs == nil {
		return DryRun{}, problem.Errorf(problem.Unavailable, "This process calls no tools.")
	}
	if err := t.checkArguments(ctx, in.Args); err != nil {
		return DryRun{}, err
	}
	secrets, warnings, err := t.secretsFor(in.MockSecrets)
	if err != nil {
		return DryRun{}, err
	}
	answer, err := s.Runs.CallTool(ctx, script.ToolCall{
		Tool: t.id, JS: t.js, SourceMap: t.sourceMap, Args: in.Args, Action: in.Action, Secrets: secrets,
		Masked: slices.Sorted(maps.Keys(in.MockSecrets)), Timeout: t.spec.timeout(), DryRun: true,
		Record: func(ctx context.Context) error {
			if principal.FromContext(ctx).TurnID != uuid.Nil {
				return nil
			}
			return s.record(ctx, audit.Ran, agent, "A tool was tried out", nil)
		},
	})
	if err != nil {
		return DryRun{}, err
	}
	return DryRun{ToolID: t.id, ToolAnswer: answer, WouldAsk: t.wouldAsk(), Warnings: append([]string{}, warnings...)}, nil
}

// checkArguments checks the arguments against the tool's schema.
func (t trial) checkArguments(ctx context.Context, args json.RawMessage) error {
	schema, err := kit.ParseSchema(t.schema)
	if e := problem.As(err); err != nil && e.Code == problem.Invalid {
		return problem.InvalidInput(e.Detail, underPath("args_schema", e.Issues)...)
	}
	if err != nil {
		return err
	}
	err = schema.Validate(ctx, args)
	if e := problem.As(err); err != nil && e.Code == problem.Invalid {
		return problem.InvalidInput(e.Detail, underPath("args", e.Issues)...)
	}
	return err
}

// underPath prefixes the paths of issues.
func underPath(path string, issues []problem.Issue) []problem.Issue {
	moved := make([]problem.Issue, len(issues))
	for i, issue := range issues {
		moved[i] = problem.Issue{Path: path, Message: issue.Message}
		switch {
		case issue.Path == "":
		case issue.Path[0] == '[' || issue.Path[0] == '/':
			moved[i].Path += issue.Path
		default:
			moved[i].Path += "." + issue.Path
		}
	}
	return moved
}

// secretsFor returns the secrets of a call, each as the typed mock or a placeholder. Names that the spec does not have
// are refused.
func (t trial) secretsFor(mocks map[string]string) (secrets map[string]string, warnings []string, err error) {
	names, others := t.spec.secretsFor(t.capabilities)
	secrets = make(map[string]string, len(names))
	for _, name := range names {
		secrets[name] = placeholder(name)
	}
	for _, name := range others {
		warnings = append(
			warnings,
			fmt.Sprintf("The tool refers to the secret %s, which the spec does not name, so no call is given it.", secretName(name)),
		)
	}
	var v problem.Issues
	for _, name := range slices.Sorted(maps.Keys(mocks)) {
		_, declared := t.spec.Secret(name)
		_, given := secrets[name]
		switch {
		case !declared:
			v.Report("mock_secrets."+text.Shown(name, 64), "is no secret of the spec; declare it there first")
		case !given:
			warnings = append(warnings, fmt.Sprintf("The tool does not refer to the secret %s, so it is not given it.", name))
		default:
			secrets[name] = mocks[name]
		}
	}
	return secrets, warnings, v.Err()
}

// placeholder returns the placeholder of a secret in a dry run. It looks like a live one, has no value, and is
// constant, so that examples can expect it.
func placeholder(name string) string { return "nonce_" + sha([]byte("dry run of " + name))[:32] }

// exampleSecrets returns the secrets of an example's call, or why the example does not fit the tool.
func (t trial) exampleSecrets(ctx context.Context, e Example) (secrets map[string]string, why string, err error) {
	if err = t.checkArguments(ctx, e.Args); err == nil {
		secrets, _, err = t.secretsFor(e.MockSecrets)
	}
	if problem.Is(err, problem.Invalid) {
		return nil, problem.As(err).Detail, nil
	}
	return secrets, "", err
}

func (t trial) wouldAsk() WouldAsk {
	rule := t.spec.Tools[t.id]
	return WouldAsk{Approval: rule.needsDecision(t.effect), Identity: rule.RequiresIdentity}
}

// sandboxSmoke adapts Runs to Smoke.
type sandboxSmoke struct{ Runs }

// Try implements Smoke.
func (r sandboxSmoke) Try(ctx context.Context, t Trial) (Outcome, error) {
	a, err := r.CallTool(ctx, script.ToolCall{
		Tool:      t.Tool,
		JS:        t.JS,
		SourceMap: t.SourceMap,
		Action:    t.Action,
		LoadOnly:  t.Action == "",
		Args:      t.Args,
		Secrets:   t.Secrets,
		Masked:    t.Masked,
		Timeout:   t.Timeout,
		DryRun:    true,
	})
	if err != nil {
		return Outcome{}, err
	}
	return outcomeOf(a), nil
}

func outcomeOf(a script.ToolAnswer) Outcome {
	o := Outcome{OK: a.OK, Result: a.Result}
	if a.Error != nil {
		o.Code, o.Message, o.Line = string(a.Error.Code), a.Error.Message, a.Error.Line
	}
	return o
}
