package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"countersign/audit"
	"countersign/internal/problem"
	"countersign/internal/secret/scrub"
	"countersign/internal/store"
	"countersign/internal/text"
	"countersign/internal/text/strictjson"
	"countersign/modules/agent/agentdb"
	"countersign/script"
)

// The limits of saved examples.
const (
	maxExampleArgs = 16 << 10
	// maxExampleBytes bounds all examples of a tool.
	maxExampleBytes = 128 << 10
)

// Examples are the saved calls of a tool.
type Examples struct {
	Examples []Example `json:"examples" maxItems:"20" nullable:"false"`
}

// ExampleRuns are the results of a tool's saved calls.
type ExampleRuns struct {
	ToolID string       `json:"tool_id"`
	OK     bool         `json:"ok" doc:"Whether each went as it is expected to."`
	Runs   []ExampleRun `json:"runs" nullable:"false"`
}

// ExampleRun is the result of one saved call.
type ExampleRun struct {
	Name string `json:"name"`
	OK   bool   `json:"ok" doc:"Whether it went as it is expected to."`
	Why  string `json:"why,omitempty" doc:"Why it did not."`
	// Answer is absent when the arguments or secrets of the example do not fit the tool any more.
	Answer *script.ToolAnswer `json:"answer,omitempty" doc:"What the tool answered; absent when the example does not fit the tool."`
}

// checked validates examples and returns their stored form.
func (in Examples) checked(v *problem.Issues) Examples {
	out := Examples{Examples: make([]Example, 0, len(in.Examples))}
	if len(in.Examples) > MaxExamples {
		v.Report("examples", "are %d, at most %d are allowed", len(in.Examples), MaxExamples)
		return out
	}
	for i, e := range in.Examples {
		at := fmt.Sprintf("examples[%d]", i)
		e.Name = text.Required(v, at+".name", text.Line(v, at+".name", e.Name, MaxName))
		if slices.ContainsFunc(out.Examples, func(o Example) bool { return strings.EqualFold(o.Name, e.Name) }) {
			v.Report(at+".name", "stands twice")
		}
		e.Args = canonicalJSON(v, at+".args", e.Args)
		if len(e.Args) == 0 || e.Args[0] != '{' {
			v.Report(at+".args", "must be a JSON object")
		}
		for _, issue := range issuesIn(DryRunInput{MockSecrets: e.MockSecrets}.validate()) {
			v.Report(at+"."+issue.Path, "%s", issue.Message)
		}
		for _, name := range slices.Sorted(maps.Keys(e.MockSecrets)) {
			// Every reader of the source sees examples. A real secret of unknown form cannot be told from an invented
			// one.
			if scrub.Text(e.MockSecrets[name]) != e.MockSecrets[name] {
				v.Report(
					at+".mock_secrets."+text.Shown(name, 64),
					"looks like a real credential, and everyone who sees the tool sees its examples; save an invented one, such as mock-token",
				)
			}
		}
		if len(e.MockSecrets) == 0 {
			e.MockSecrets = nil
		}
		if e.Expect != nil {
			e.Expect = new(e.Expect.checked(v, at+".expect"))
		}
		out.Examples = append(out.Examples, e)
	}
	if data, err := json.Marshal(out.Examples); err == nil && len(data) > maxExampleBytes {
		v.Report("examples", "have %d bytes, at most %d are allowed", len(data), maxExampleBytes)
	}
	return out
}

func (e Expectation) checked(v *problem.Issues, path string) Expectation {
	e.Result = canonicalJSON(v, path+".result", e.Result)
	switch {
	case e.OK && e.ErrorCode != "":
		v.Report(path+".error_code", "is for calls that are expected to fail")
	case !e.OK && len(e.Result) > 0:
		v.Report(path+".result", "is for calls that are expected to go well")
	case e.ErrorCode != "" && !slices.Contains(script.ToolCodes(), script.ToolCode(e.ErrorCode)):
		v.Report(path+".error_code", "is no code of a failed call")
	}
	return e
}

func issuesIn(err error) []problem.Issue {
	if err == nil {
		return nil
	}
	return problem.As(err).Issues
}

// canonicalJSON canonicalises a JSON value to compact form; an absent one stays absent.
func canonicalJSON(v *problem.Issues, path string, data json.RawMessage) json.RawMessage {
	if len(data) == 0 {
		return nil
	}
	if len(data) > maxExampleArgs {
		v.Report(path, "has %d bytes, at most %d are allowed", len(data), maxExampleArgs)
		return nil
	}
	if err := strictjson.Check(data); err != nil {
		v.Report(path, "is not valid JSON: %s", err)
		return nil
	}
	compact, err := json.Marshal(data)
	if err != nil {
		v.Report(path, "is not valid JSON")
		return nil
	}
	return compact
}

// Examples returns the saved calls of a tool of a revision in any state.
func (s *service) Examples(ctx context.Context, agent, rev, id string) (Examples, int64, error) {
	_, head, err := s.findVisible(ctx, agent, rev)
	if err != nil {
		return Examples{}, 0, err
	}
	row, err := s.toolRow(ctx, head, id)
	if err != nil {
		return Examples{}, 0, err
	}
	list, err := examplesOf(row)
	return Examples{list}, head.Revision, err
}

func (s *service) toolRow(ctx context.Context, head agentdb.RevisionHeadRow, id string) (agentdb.AgentTool, error) {
	row, err := s.queries(ctx).Tool(ctx, agentdb.ToolParams{RevisionID: head.ID, ID: id})
	if store.NoRows(err) {
		return row, missingTool(id)
	}
	if err != nil {
		return row, fmt.Errorf("read a tool: %w", err)
	}
	return row, nil
}

func examplesOf(row agentdb.AgentTool) ([]Example, error) {
	list := []Example{}
	if err := json.Unmarshal(row.Examples, &list); err != nil {
		return nil, fmt.Errorf("read examples: %w", err)
	}
	return list, nil
}

// PutExamples replaces the saved calls of a tool of a draft.
func (s *service) PutExamples(ctx context.Context, t Target, id string, read func() (Examples, error)) (Written, int64, error) {
	check := func(v *problem.Issues, in Examples) Examples { return in.checked(v) }
	return writePart(
		ctx,
		s,
		t,
		read,
		check,
		"Examples of a tool of a draft written",
		func(ctx context.Context, draft agentdb.LockRevisionRow, in Examples) (audit.Fields, error) {
			if _, err := s.toolRow(ctx, agentdb.RevisionHeadRow{ID: draft.ID}, id); err != nil {
				return nil, err
			}
			data, err := json.Marshal(in.Examples)
			if err != nil {
				return nil, fmt.Errorf("write examples: %w", err)
			}
			n, err := s.queries(ctx).SetExamples(ctx, agentdb.SetExamplesParams{RevisionID: draft.ID, ID: id, Examples: data})
			if err != nil {
				return nil, fmt.Errorf("write examples: %w", err)
			}
			var fields audit.Fields
			if n > 0 {
				fields.Compare("tool", "", id)
			}
			return fields, nil
		},
	)
}

// RunExamples runs the saved calls of a tool one by one and compares each with its expectation.
func (s *service) RunExamples(ctx context.Context, agent, rev, id string) (ExampleRuns, error) {
	row, head, err := s.findVisible(ctx, agent, rev)
	if err != nil {
		return ExampleRuns{}, err
	}
	stored, err := s.toolRow(ctx, head, id)
	if err != nil {
		return ExampleRuns{}, err
	}
	list, err := examplesOf(stored)
	if err != nil {
		return ExampleRuns{}, err
	}
	t, err := s.trialFor(ctx, row, head, id, DryRunInput{})
	if err != nil {
		return ExampleRuns{}, err
	}
	out := ExampleRuns{ToolID: id, OK: true, Runs: make([]ExampleRun, 0, len(list))}
	for _, e := range list {
		run := ExampleRun{Name: e.Name}
		switch answer, err := s.dryRun(ctx, row, t, DryRunInput{Args: e.Args, MockSecrets: e.MockSecrets}); {
		case problem.Is(err, problem.Invalid):
			run.Why = problem.As(err).Detail
		case err != nil:
			return ExampleRuns{}, err
		default:
			run.Answer = &answer.ToolAnswer
			run.Why = e.Judge(outcomeOf(answer.ToolAnswer))
		}
		run.OK = run.Why == ""
		out.OK = out.OK && run.OK
		out.Runs = append(out.Runs, run)
	}
	return out, nil
}
