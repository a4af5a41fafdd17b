package agent_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/access"
	"countersign/internal/problem"
	"countersign/modules/agent"
	"countersign/script"
)

// runs answers the arguments of a call, or fails for a tool that says FAILING.
type runs struct {
	a     *app
	mu    sync.Mutex
	calls []script.ToolCall
	err   error
}

// CallTool implements agent.Runs.
func (r *runs) CallTool(ctx context.Context, c script.ToolCall) (script.ToolAnswer, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return script.ToolAnswer{}, r.err
	}
	r.calls = append(r.calls, c)
	if c.Record != nil {
		if err := r.a.DB.InTx(ctx, c.Record); err != nil {
			return script.ToolAnswer{}, err
		}
	}
	a := script.ToolAnswer{Logs: []script.ToolLog{}, LimitsHit: []script.Limit{}, DurationMs: 0.5}
	if strings.Contains(c.JS, "FAILING") {
		a.Error = &script.ToolError{Code: script.ToolFailed, Message: "no", Line: 2, Stack: []script.StackFrame{}}
		return a, nil
	}
	a.OK, a.Result = true, c.Args
	return a, nil
}

func (r *runs) last() script.ToolCall {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.calls[len(r.calls)-1]
}

const dryRun = "/tools/echo/dry_run"

// tried is the answer to a dry run.
func (a *app) tried(t testing.TB, path string, body compactObject) agent.DryRun {
	t.Helper()
	return apitest.Decode[agent.DryRun](t, a.ok(t, http.MethodPost, path+dryRun, body))
}

func TestASavedToolIsTriedInEveryState(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.agent(t, "helper")
	path := a.draft(t, "helper")
	a.ok(t, http.MethodPut, path+"/tools/echo", tool("one"))
	a.ok(
		t,
		http.MethodPut,
		path+"/spec",
		spec(
			compactObject{
				"limits": compactObject{"timeout_ms": 700},
				"tools":  compactObject{"echo": compactObject{"requires_identity": "countersign"}},
			},
		),
	)
	for _, next := range []string{"", "/freeze", "/promote", "/archive"} {
		if next != "" {
			a.ok(t, http.MethodPost, path+next, nil)
		}
		out := a.tried(t, path, compactObject{"args": compactObject{"a": 1}})
		require.Equal(t, "echo", out.ToolID)
		require.True(t, out.OK)
		require.JSONEq(t, `{"a":1}`, string(out.Result))
		require.Equal(t, agent.WouldAsk{Approval: true, Identity: "countersign"}, out.WouldAsk)
		require.Empty(t, out.Warnings)
	}
	c := a.runs.last()
	require.Equal(t, "test 1\none", c.JS)
	require.True(t, c.DryRun)
	require.Equal(t, 700*time.Millisecond, c.Timeout)
	require.NotEmpty(t, c.SourceMap)
	require.Equal(t, 4, a.Count(t, `SELECT count(*) FROM ai_audit_entries WHERE action = 'ran'`), "each is on record")
}

func TestWhatIsNotSavedIsForEditors(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.Person("viewer", agent.Read)
	a.Person("stranger")
	made := a.agent(t, "helper")
	path := a.draft(t, "helper")
	a.ok(t, http.MethodPut, path+"/tools/echo", tool("one", compactObject{"effect": "read"}))
	require.Equal(t, http.StatusOK, a.Do(t, "viewer", http.MethodPost, path+dryRun, compactObject{"args": compactObject{}}).Status)
	for _, unsaved := range []compactObject{{"args": compactObject{}, "source": "two"}, {"args": compactObject{}, "args_schema": compactObject{}}} {
		a.Do(t, "viewer", http.MethodPost, path+dryRun, unsaved).Refused(t, problem.Forbidden)
		a.Do(t, "stranger", http.MethodPost, path+dryRun, unsaved).Refused(t, problem.NotFound)
	}
	a.Exec(
		t,
		`INSERT INTO relation_tuples (object_type, object_id, relation, subject_type, subject_id) VALUES ('agent.agent', $1, $2, 'user', $3)`,
		made.ID,
		access.Edit,
		a.Principal("viewer").ID,
	)
	before := a.rows(t)
	answer := apitest.Decode[agent.DryRun](
		t,
		a.Do(t, "viewer", http.MethodPost, path+dryRun, compactObject{"args": compactObject{}, "source": "two"}),
	)
	require.True(t, answer.OK)
	require.False(t, answer.WouldAsk.Approval)
	require.Equal(t, "test 1\ntwo", a.runs.last().JS)
	require.NotEqual(t, before, a.rows(t), "it is on record")
	require.Equal(t, "one", a.text(t, `SELECT source FROM agent_tools`), "nothing is saved")

	// A tool that does not exist yet can be tried too, and one with errors says them where they are.
	require.Equal(
		t,
		http.StatusOK,
		a.Do(t, "root", http.MethodPost, path+"/tools/new/dry_run", compactObject{"args": compactObject{}, "source": "three"}).Status,
	)
	a.Do(t, "root", http.MethodPost, path+"/tools/new/dry_run", compactObject{"args": compactObject{}}).Refused(t, problem.NotFound)
	refused := a.Do(
		t,
		"root",
		http.MethodPost,
		path+dryRun,
		compactObject{"args": compactObject{}, "source": "fine\nWRONG"},
	).Refused(
		t,
		problem.Invalid,
	)
	require.Equal(t, "tool_compile_failed", refused.Extra["error"])
	require.Contains(t, refused.Detail, "line 2")
}

func TestArgumentsOfADryRunFitTheSchema(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.agent(t, "helper")
	path := a.draft(t, "helper")
	schema := compactObject{
		"type":                 "object",
		"properties":           compactObject{"city": compactObject{"type": "string"}},
		"required":             []string{"city"},
		"additionalProperties": false,
	}
	a.ok(t, http.MethodPut, path+"/tools/echo", tool("one", compactObject{"args_schema": schema}))
	a.tried(t, path, compactObject{"args": compactObject{"city": "Bern"}})
	for _, c := range []struct{ args, path string }{
		{`{}`, "args.city"}, {`{"city":1}`, "args.city"}, {`{"city":"a","town":1}`, "args.town"}, {`[]`, "args"}, {`"city"`, "args"}, {`null`, "args"},
	} {
		refused := a.Do(t, "root", http.MethodPost, path+dryRun, compactObject{"args": json.RawMessage(c.args)}).Refused(t, problem.Invalid)
		require.NotEmpty(t, refused.Issues, c.args)
		require.Equal(t, c.path, refused.Issues[0].Path, "%s: %+v", c.args, refused)
	}
	a.Do(t, "root", http.MethodPost, path+dryRun, compactObject{}).Refused(t, problem.Invalid)
	refused := a.Do(
		t,
		"root",
		http.MethodPost,
		path+dryRun,
		compactObject{"args": compactObject{}, "args_schema": compactObject{"type": "text"}},
	).Refused(
		t,
		problem.Invalid,
	)
	require.True(t, strings.HasPrefix(refused.Issues[0].Path, "args_schema"), "%+v", refused)
	require.Len(t, a.runs.calls, 1, "what does not fit is not run")
}

func TestSecretsOfADryRun(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.secret(t, "TOKEN")
	a.secret(t, "OTHER")
	a.agent(t, "helper")
	path := a.draft(t, "helper")
	hosts := []string{"api.example.com"}
	a.ok(
		t,
		http.MethodPut,
		path+"/spec",
		spec(compactObject{"secrets": []compactObject{{"name": "TOKEN", "allowed_hosts": hosts}, {"name": "OTHER", "allowed_hosts": hosts}}}),
	)
	a.ok(t, http.MethodPut, path+"/tools/echo", tool(`ref("TOKEN") ref("UNDECLARED")`))

	out := a.tried(t, path, compactObject{"args": compactObject{}})
	made := a.runs.last().Secrets
	require.Len(t, made, 1, "only what the tool refers to and the spec names")
	require.Regexp(t, `^nonce_[0-9a-f]{32}$`, made["TOKEN"])
	require.Len(t, out.Warnings, 1)
	require.Contains(t, out.Warnings[0], "UNDECLARED")

	out = a.tried(t, path, compactObject{"args": compactObject{}, "mock_secrets": compactObject{"TOKEN": "made-up-1", "OTHER": "made-up-2"}})
	require.Equal(t, map[string]string{"TOKEN": "made-up-1"}, a.runs.last().Secrets)
	require.Contains(t, a.runs.last().Masked, "TOKEN")
	require.Len(t, out.Warnings, 2)

	for value, want := range map[string]compactObject{
		"is no secret of the spec": {"UNDECLARED": "made-up"}, "characters": {"TOKEN": "abc"}, "bytes": {"TOKEN": strings.Repeat("a", 9_000)},
	} {
		refused := a.Do(
			t,
			"root",
			http.MethodPost,
			path+dryRun,
			compactObject{"args": compactObject{}, "mock_secrets": want},
		).Refused(
			t,
			problem.Invalid,
		)
		require.True(t, strings.HasPrefix(refused.Issues[0].Path, "mock_secrets."), "%+v", refused)
		require.Contains(t, refused.Issues[0].Message, value)
		require.NotContains(t, refused.Detail, "made-up")
	}

	// Where it cannot be known what a tool refers to, it gets all that the spec names.
	a.ok(t, http.MethodPut, path+"/tools/echo", tool("DYNAMIC"))
	a.tried(t, path, compactObject{"args": compactObject{}})
	require.Len(t, a.runs.last().Secrets, 2)
}

func TestWhoHasTooManyDryRunsIsToldWhenToComeBack(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.agent(t, "helper")
	path := a.draft(t, "helper")
	a.ok(t, http.MethodPut, path+"/tools/echo", tool("one"))
	a.runs.err = problem.Errorf(problem.Throttled, "You have 8 dry runs running already.").After(time.Second)
	answer := a.Do(t, "root", http.MethodPost, path+dryRun, compactObject{"args": compactObject{}})
	require.Equal(t, http.StatusTooManyRequests, answer.Status)
	require.Equal(t, "1", answer.Header.Get("Retry-After"))
}

const examples = "/tools/echo/examples"

func TestExamplesAreSavedAndRun(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.Person("viewer", agent.Read)
	a.agent(t, "helper")
	path := a.draft(t, "helper")
	a.Do(t, "root", http.MethodGet, path+examples, nil).Refused(t, problem.NotFound)
	schema := compactObject{"properties": compactObject{"a": compactObject{"type": "number"}}}
	a.ok(t, http.MethodPut, path+"/tools/echo", tool("one", compactObject{"args_schema": schema}))
	list := []compactObject{
		{"name": "it answers", "args": compactObject{"a": 1}},
		{"name": "it answers so", "args": compactObject{"a": 1}, "expect": compactObject{"ok": true, "result": compactObject{"a": 1.0}}},
		{"name": "it answers otherwise", "args": compactObject{"a": 1}, "expect": compactObject{"ok": true, "result": compactObject{"a": 2}}},
		{"name": "it fails", "args": compactObject{"a": 1}, "expect": compactObject{"ok": false, "error_code": "timeout"}},
		{"name": "it does not fit", "args": compactObject{"a": "b"}},
		{"name": "its secret is none", "args": compactObject{}, "mock_secrets": compactObject{"TOKEN": "made-up"}},
	}
	etag := a.Do(t, "root", http.MethodGet, path+examples, nil).Header.Get("ETag")
	saved := a.ok(t, http.MethodPut, path+examples, compactObject{"examples": list}, "If-Match", etag)
	require.NotEqual(t, etag, saved.Header.Get("ETag"))
	require.True(t, apitest.Decode[agent.Written](t, saved).Changed)
	require.False(
		t,
		apitest.Decode[agent.Written](t, a.ok(t, http.MethodPut, path+examples, compactObject{"examples": list})).Changed,
		"the same again changes nothing",
	)
	a.Do(t, "root", http.MethodPut, path+examples, compactObject{"examples": []any{}}, "If-Match", etag).Refused(t, problem.Precondition)
	a.Do(t, "viewer", http.MethodPut, path+examples, compactObject{"examples": []any{}}).Refused(t, problem.Forbidden)
	read := apitest.Decode[agent.Examples](t, a.Do(t, "viewer", http.MethodGet, path+examples, nil))
	require.Len(t, read.Examples, len(list))
	require.JSONEq(t, `{"a":1}`, string(read.Examples[0].Args))

	ran := apitest.Decode[agent.ExampleRuns](t, a.Do(t, "viewer", http.MethodPost, path+examples+"/run", nil))
	require.False(t, ran.OK)
	var verdicts []bool
	for _, r := range ran.Runs {
		verdicts = append(verdicts, r.OK)
		require.Equal(t, r.OK, r.Why == "", r.Name)
	}
	require.Equal(t, []bool{true, true, false, false, false, false}, verdicts)
	require.NotNil(t, ran.Runs[3].Answer)
	require.Nil(t, ran.Runs[4].Answer)

	// Freezing says the same of them.
	refused := report(t, a.Do(t, "root", http.MethodPost, path+"/freeze", nil).Refused(t, problem.Invalid))
	require.Equal(t, []string{
		"example_failed /tools/echo/examples/2",
		"example_failed /tools/echo/examples/3",
		"example_failed /tools/echo/examples/4",
		"example_failed /tools/echo/examples/5",
	}, codes(refused.Errors))
	a.ok(t, http.MethodPut, path+examples, compactObject{"examples": list[:2]})
	a.ok(t, http.MethodPost, path+"/freeze", nil)
	a.Do(t, "root", http.MethodPut, path+examples, compactObject{"examples": []any{}}).Refused(t, problem.Conflict)
	require.True(
		t,
		apitest.Decode[agent.ExampleRuns](t, a.ok(t, http.MethodPost, path+examples+"/run", nil)).OK,
		"they can be run in every state",
	)
}

func TestExamplesAreBounded(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.agent(t, "helper")
	path := a.draft(t, "helper")
	a.ok(t, http.MethodPut, path+"/tools/echo", tool("one"))
	before := a.rows(t)
	many := make([]compactObject, 21)
	for i := range many {
		many[i] = compactObject{"name": strings.Repeat("a", i+1), "args": compactObject{}}
	}
	large := make([]compactObject, 10)
	for i := range large {
		large[i] = compactObject{"name": strings.Repeat("a", i+1), "args": compactObject{"a": strings.Repeat("b", 15_000)}}
	}
	for name, list := range map[string][]compactObject{
		"many": many, "large": large,
		"no name":           {{"name": " ", "args": compactObject{}}},
		"twice":             {{"name": "a", "args": compactObject{}}, {"name": "A", "args": compactObject{}}},
		"no object":         {{"name": "a", "args": 1}},
		"large args":        {{"name": "a", "args": compactObject{"a": strings.Repeat("b", 20_000)}}},
		"short secret":      {{"name": "a", "args": compactObject{}, "mock_secrets": compactObject{"A": "b"}}},
		"real secret":       {{"name": "a", "args": compactObject{}, "mock_secrets": compactObject{"A": "ghp_" + strings.Repeat("a1B2", 9)}}},
		"unknown code":      {{"name": "a", "args": compactObject{}, "expect": compactObject{"ok": false, "error_code": "EACCES"}}},
		"code of a success": {{"name": "a", "args": compactObject{}, "expect": compactObject{"ok": true, "error_code": "timeout"}}},
		"result of failure": {{"name": "a", "args": compactObject{}, "expect": compactObject{"ok": false, "result": 1}}},
		"unknown member":    {{"name": "a", "args": compactObject{}, "expected": compactObject{"ok": false}}},
	} {
		answer := a.Do(t, "root", http.MethodPut, path+examples, compactObject{"examples": list})
		require.Equal(t, http.StatusUnprocessableEntity, answer.Status, "%s: %s", name, answer.Body)
	}
	require.Equal(t, before, a.rows(t))
}

// Freezing runs all examples of a revision, so there are only so many.
func TestARevisionHasSoManyExamples(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.agent(t, "helper")
	path := a.draft(t, "helper")
	list := make([]compactObject, agent.MaxExamples)
	for i := range list {
		list[i] = compactObject{"name": strings.Repeat("a", i+1), "args": compactObject{}}
	}
	for i := range agent.MaxBundleExamples/agent.MaxExamples + 1 {
		at := path + "/tools/t" + strings.Repeat("x", i)
		a.ok(t, http.MethodPut, at, tool("one"))
		answer := a.Do(t, "root", http.MethodPut, at+"/examples", compactObject{"examples": list})
		if i < agent.MaxBundleExamples/agent.MaxExamples {
			require.Equal(t, http.StatusOK, answer.Status, answer.Body)
			continue
		}
		require.Contains(t, answer.Refused(t, problem.Invalid).Detail, "at most 300 examples")
	}
}
