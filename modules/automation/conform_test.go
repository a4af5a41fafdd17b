package automation_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/automation/action"
	"countersign/event"
	"countersign/internal/durable"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store/exactlyonce"
	"countersign/modules/automation"
	"countersign/script"
	"countersign/script/sdk"
	"countersign/tool"
)

// tester tests nothing.
type tester struct{}

// Test implements script.Tester.
func (tester) Test(context.Context, []sdk.Context, script.TestInput) (script.TestOutput, error) {
	return script.TestOutput{}, nil
}

// Network implements script.Tester.
func (tester) Network(context.Context) bool { return false }

// accounts has one application, with every right that the actions of tests need.
type accounts struct{ id uuid.UUID }

func (a accounts) Application(_ context.Context, id uuid.UUID) (string, bool, []string, error) {
	if id != a.id {
		return "", false, nil, problem.Errorf(problem.NotFound, "No application has this id.")
	}
	return "Robot", true, []string{"catalog.system.read", automation.Read}, nil
}

func (a accounts) Names(context.Context, []uuid.UUID) (map[uuid.UUID]string, error) {
	return map[uuid.UUID]string{a.id: "Robot"}, nil
}

func (a accounts) All(context.Context) ([]automation.Named, error) {
	return []automation.Named{{ID: a.id, Name: "Robot"}}, nil
}

// Holds refuses the person "lesser".
func (accounts) Holds(_ context.Context, actor principal.Principal, _ uuid.UUID, doing string) error {
	if actor.Name == "lesser" {
		return problem.Errorf(problem.Forbidden, "You cannot %s.", doing)
	}
	return nil
}

// engine starts nothing.
type engine struct{}

func (engine) Start(context.Context, durable.Execution) error        { return nil }
func (engine) Signal(context.Context, string, durable.Message) error { return nil }
func (engine) Query(context.Context, string, string, any) error      { return nil }
func (engine) Cancel(context.Context, string) error                  { return nil }
func (engine) State(context.Context, string) (durable.State, error)  { return durable.Running, nil }

// acting lets every run act.
type acting struct{}

func (acting) Begin(context.Context, automation.Acting) error { return nil }
func (acting) Principal(context.Context, uuid.UUID) (principal.Principal, error) {
	return principal.Principal{Kind: principal.Application}, nil
}
func (acting) End(context.Context, uuid.UUID) error { return nil }

// nap is an action.
func nap() action.Action {
	return action.Action{
		ID: "test.nap", Name: "Nap", Description: "Does nothing.", Config: []byte(`{"type":"object","additionalProperties":false}`),
		Effect: tool.Mutate, Rules: []string{"catalog.system.read"}, Timeout: 3 * time.Minute,
		Do: func(context.Context, action.Call) (action.Result, error) { return action.Result{}, nil },
	}
}

// text is a definition with a name.
func text(name string) string {
	return fmt.Sprintf("name: %s\ntriggers:\n  - event: automation.manual\nactions:\n  - action: test.nap\n    config: {}\n", name)
}

type fixture struct {
	*apitest.Server
	module   *automation.Module
	account  uuid.UUID
	temporal *workflows
}

func newFixture(t *testing.T) fixture {
	t.Helper()
	s := apitest.New(t)
	account, temporal := uuid.New(), &workflows{states: map[string]durable.State{}}
	var m *automation.Module
	types, err := event.NewRegistry()
	if err != nil {
		t.Fatal(err)
	}
	if err := types.Declare(happenings()...); err != nil {
		t.Fatal(err)
	}
	m = automation.New(automation.Options{
		DB:           s.DB,
		Log:          slog.New(slog.DiscardHandler),
		Tester:       tester{},
		Once:         exactlyonce.New(s.DB),
		Engine:       temporal,
		Runs:         acting{},
		Events:       event.NewOutbox(s.DB, types),
		Applications: accounts{account},
		Names:        accounts{account},
		Types:        func() *event.Registry { return types },
		Actions:      func() []action.Action { return []action.Action{nap()} },
		Zone:         "UTC",
		Poll:         20 * time.Millisecond,
	})
	if err := types.Declare(append(m.EventTypes(), stateEvents()...)...); err != nil {
		t.Fatal(err)
	}
	s.Mount(t, m)
	s.Person("root", principal.Admin)
	return fixture{s, m, account, temporal}
}

func TestAutomationsConform(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	fresh := func(name string) map[string]any { return map[string]any{"text": text(name), "runAs": f.account} }
	made := decode[automation.Automation](t, f.Do(t, "root", http.MethodPost, "/api/automations", fresh("Read")))
	started := decode[automation.Started](t, f.Do(t, "root", http.MethodPost, "/api/automations/"+made.ID.String()+"/run", map[string]any{}))
	apitest.Conform(t, apitest.Subject{
		Server: f.Server, Module: f.module,
		Records: []apitest.Record{{
			Path: "/api/automations", Change: map[string]any{"status": "disabled"},
			New:   func(n int) map[string]any { return fresh(fmt.Sprintf("Automation %d", n)) },
			Parts: map[string]any{"/run": map[string]any{}, "/rollback": map[string]any{"revision": 1}},
		}},
		Calls: map[string]apitest.Call{
			"automation.getScriptContext":    apitest.Input(map[string]any{"context": sdk.ActionShell}),
			"automation.testScript":          apitest.Input(map[string]any{"context": sdk.ActionShell, "source": "true"}),
			"automation.propose":             apitest.Input(fresh("Proposed")),
			"automation.update":              apitest.About("/api/automations", "id", map[string]any{"status": "disabled"}),
			"automation.delete":              apitest.About("/api/automations", "id", nil),
			"automation.runNow":              apitest.About("/api/automations", "id", map[string]any{}),
			"automation.get":                 apitest.Input(map[string]any{"id": made.ID}),
			"automation.explainRun":          apitest.Input(map[string]any{"runId": started.Run.ID}),
			"automation.getCapabilitySchema": apitest.Input(map[string]any{"kind": "test.nap"}),
		},
	})
}

func decode[T any](t testing.TB, answer apitest.Answer) T {
	t.Helper()
	require.Less(t, answer.Status, 300, answer.Body)
	return apitest.Decode[T](t, answer)
}

// Ids of systems are texts in expressions.
func TestTheIdOfASystemIsComparedWithAText(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const compares = `conditions: ['health.systems["0199aa00-0000-7000-8000-000000000001"].id == "0199aa00-0000-7000-8000-000000000001"']`
	v := decode[automation.Verdict](t, f.Do(t, "root", http.MethodPost, "/api/automations/validate",
		map[string]any{"text": text("Compares") + compares + "\n"}))
	require.True(t, v.Valid, "%v", v.Issues)
}
