package automation_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/automation/action"
	"countersign/event"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/secret"
	"countersign/internal/store"
	"countersign/internal/store/exactlyonce"
	"countersign/modules/automation"
	"countersign/sandbox"
	"countersign/sandbox/javascript"
	"countersign/sandbox/shell"
	"countersign/script"
	"countersign/script/sdk"
	"countersign/script/typescript"
)

func TestMain(m *testing.M) {
	typescript.RunIfChild()
	m.Run()
}

type object = map[string]any

// box has the actions over the real runner, in the place of the workflow that picks scripts up.
type box struct {
	*apitest.Server
	actions map[string]action.Action
	service *script.Service
	running sync.WaitGroup
	// lost lets a worker die when it has begun a script.
	lost bool
}

// StartScriptTest implements script.Starter.
func (b *box) StartScriptTest(ctx context.Context, id uuid.UUID, _ time.Duration) error {
	ctx = context.WithoutCancel(ctx)
	b.running.Go(func() {
		if b.lost {
			_, _ = b.DB.Conn(ctx).Exec(ctx, `UPDATE script_tests SET status = 'running' WHERE id = $1`, id)
		}
		_ = b.service.Execute(ctx, id)
	})
	return nil
}

// CancelScriptTest implements script.Starter.
func (*box) CancelScriptTest(context.Context, uuid.UUID) error { return nil }

// StartToolCall implements script.Starter.
func (*box) StartToolCall(context.Context, uuid.UUID, time.Duration) error { return nil }

// CancelToolCall implements script.Starter.
func (*box) CancelToolCall(context.Context, uuid.UUID) error { return nil }

// Effective implements script.Policies.
func (*box) Effective(context.Context) script.Policy { return script.Policy{} }

const tokenValue = "s3cr3t-value-of-the-token"

// Resolve implements automation.Secrets.
func (*box) Resolve(_ context.Context, p principal.Principal, names []string, _ string) (map[string]secret.Value, error) {
	if missing := p.Missing("vault.secret.read"); len(missing) > 0 {
		return nil, problem.MissingRule("use secrets", missing...)
	}
	values := map[string]secret.Value{}
	for _, name := range names {
		values[name] = secret.NewValue(tokenValue)
	}
	return values, nil
}

func newBox(t *testing.T) *box {
	t.Helper()
	b := &box{Server: apitest.New(t), actions: map[string]action.Action{}}
	keys, err := secret.New()
	require.NoError(t, err)
	compiler := typescript.New(typescript.Options{Processes: 1, Timeout: time.Minute})
	engine, err := javascript.New(t.Context(), javascript.Options{})
	require.NoError(t, err)
	commands, err := shell.New(t.Context(), shell.Options{})
	require.NoError(t, err)
	b.service = script.New(script.Options{
		DB: b.DB, Log: slog.New(slog.DiscardHandler), Starter: b, Sealer: keys,
		Runner: &script.Runner{Compiler: compiler, JavaScript: engine, Shell: commands, Policies: b},
	})
	listening, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	listener := store.NewListener(b.DB, slog.New(slog.DiscardHandler))
	listener.Subscribe(b.service.Subscriptions())
	var heard sync.WaitGroup
	heard.Go(func() { listener.Run(listening) })
	t.Cleanup(func() {
		b.running.Wait()
		stop()
		heard.Wait()
		compiler.Close()
		for _, e := range []sandbox.Runner{engine, commands} {
			require.NoError(t, e.Close(context.WithoutCancel(t.Context())))
		}
	})
	m := automation.NewActions(automation.ActionsOptions{Scripts: b.service, Once: exactlyonce.New(b.DB), Secrets: b})
	for _, a := range m.Actions() {
		b.actions[a.ID] = a
	}
	b.Mount(t, automation.New(automation.Options{Tester: b.service, Once: exactlyonce.New(b.DB), Types: registry}))
	return b
}

const (
	runScript = "integration-script.run_script"
	runShell  = "integration-script.run_shell"
)

func TestScriptsRunAsStepsOfAutomations(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	act := func(id, key string, config object, scope map[string]string, rules ...string) (action.Result, error) {
		b.SignIn("robot", principal.Principal{Kind: principal.Application, ID: uuid.UUID{9}, Rules: append(rules, automation.RunScripts)})
		call := action.Call{Caller: b.Caller("robot"), Key: key, Run: uuid.UUID{1}, Automation: uuid.UUID{2}, Scope: map[string]json.RawMessage{}}
		var err error
		call.Config, err = json.Marshal(config)
		require.NoError(t, err)
		for root, value := range scope {
			call.Scope[root] = json.RawMessage(value)
		}
		return b.actions[id].Do(t.Context(), call)
	}
	b.ConformActions(t, values(b.actions), map[string]func() apitest.Acting{
		"automation.log": func() apitest.Acting { return apitest.Acting{Config: object{"message": "Hello", "level": "warn"}} },
		runScript: func() apitest.Acting {
			return apitest.Acting{Config: object{"script": sdk.ActionScript.Starter()}, Effects: b.ran(t)}
		},
		runShell: func() apitest.Acting {
			return apitest.Acting{Config: object{"script": sdk.ActionShell.Starter()}, Effects: b.ran(t)}
		},
	})
	scope := map[string]string{
		"trigger":    `{"event":"incident.created","payload":{"incident":{"id":7},"tags":["a","b"]}}`,
		"automation": `{"contextKey":"k7"}`,
		"artifacts":  `{"open":{"incident":{"incidentId":"i1"}},"build":{"shell_result":{"exitCode":0}},"test":{"shell_result":{"exitCode":3}}}`,
		"var":        `{"region":"eu"}`, "repeat": `{"index":2,"item":{"name":"x"}}`,
	}
	result, err := act(runScript, "ts", object{
		"script": `return { id: 41, all: context, token: context.env.TOKEN };`, "env": object{"PLAIN": "p"},
		"secretEnv": object{"TOKEN": "${{ secrets.API_TOKEN }}"},
	}, scope, "vault.secret.read")
	require.NoError(t, err)
	var made struct {
		Result struct {
			All   json.RawMessage `json:"all"`
			Token string          `json:"token"`
		} `json:"result"`
		ExternalID string `json:"externalId"`
	}
	require.NoError(t, json.Unmarshal(result.Artifacts["script_result"], &made))
	require.Equal(t, "41", made.ExternalID)
	require.Equal(t, "****", made.Result.Token)
	require.JSONEq(t, `{"trigger":{"event":"incident.created","payload":{"incident":{"id":7},"tags":["a","b"]}},
		"artifacts":{"open":{"incident":{"incidentId":"i1"}},"incident":{"incidentId":"i1"},"build":{"shell_result":{"exitCode":0}},
			"test":{"shell_result":{"exitCode":3}}},
		"var":{"region":"eu"},"repeat":{"index":2,"item":{"name":"x"}},"env":{"PLAIN":"p","TOKEN":"****"},
		"automation":{"runId":"01000000-0000-0000-0000-000000000000","automationId":"02000000-0000-0000-0000-000000000000","contextKey":"k7"}}`,
		string(made.Result.All))
	require.Zero(t, b.Count(t, `SELECT count(*) FROM http_requests WHERE answer::text LIKE '%' || $1 || '%'`, tokenValue))

	result, err = act(
		runShell,
		"sh",
		object{"script": `echo "$COUNTERSIGN_TRIGGER_EVENT $COUNTERSIGN_TRIGGER_PAYLOAD_INCIDENT_ID $COUNTERSIGN_TRIGGER_PAYLOAD_TAGS
$COUNTERSIGN_ARTIFACT_INCIDENT_INCIDENTID $COUNTERSIGN_ARTIFACT_TEST_SHELL_RESULT_EXITCODE $COUNTERSIGN_VAR_REGION
$COUNTERSIGN_REPEAT_INDEX $COUNTERSIGN_REPEAT_ITEM_NAME $COUNTERSIGN_CONTEXT_KEY"`},
		scope,
	)
	require.NoError(t, err)
	var wrote struct{ Stdout string }
	require.NoError(t, json.Unmarshal(result.Output, &wrote))
	require.Equal(t, "incident.created 7 a\nb\ni1 3 eu\n2 x k7\n", wrote.Stdout)

	for name, tc := range map[string]struct {
		id     string
		config object
		says   string
	}{
		"exit code":  {runShell, object{"script": "echo no >&2; exit 3"}, "exit code 3. no"},
		"exception":  {runScript, object{"script": "const a = 1;\nthrow new Error('closed');"}, "closed (line 2)"},
		"timeout":    {runScript, object{"script": "for (;;) {}", "timeout": 1000}, "did not end within 1s"},
		"too short":  {runScript, object{"script": "return 1", "timeout": 999}, "timeout"},
		"no secrets": {runScript, object{"script": "return 1", "secretEnv": object{"T": "${{ secrets.A }}"}}, "vault.secret.read"},
		"long":       {runScript, object{"script": "return 'x'.repeat(40000)"}, "returned 40002 bytes"},
	} {
		_, err := act(tc.id, uuid.NewString(), tc.config, scope)
		require.ErrorContains(t, err, tc.says, name)
	}
	result, err = act(runShell, "long", object{"script": `i=0; while [ $i -lt 3000 ]; do echo "line $i"; i=$((i+1)); done`}, scope)
	require.NoError(t, err)
	require.Less(t, len(result.Output), action.MaxOutput)
	require.Contains(t, string(result.Output), "(...)")

	b.lost = true
	config := object{"script": "return 1"}
	_, err = act(runScript, "lost", config, scope)
	require.True(t, problem.Is(err, problem.Unknown), "%v", err)
	b.lost = false
	_, err = act(runScript, "lost", config, scope)
	require.True(t, problem.Is(err, problem.Unknown), "nobody runs it again: %v", err)
}

// ran counts the scripts that have run.
func (b *box) ran(t *testing.T) func() int {
	return func() int { return b.Count(t, `SELECT count(*) FROM http_requests`) }
}

func values(m map[string]action.Action) []action.Action {
	var list []action.Action
	for _, a := range m {
		list = append(list, a)
	}
	return list
}

func TestASourceHoldsNoTemplates(t *testing.T) {
	t.Parallel()
	for _, a := range automation.NewActions(automation.ActionsOptions{}).Actions() {
		if !strings.HasPrefix(a.ID, "integration-script.") {
			continue
		}
		require.NoError(t, a.Validate(json.RawMessage(`{"script":"true"}`), []string{"env.TITLE", "timeout"}))
		err := a.Validate(json.RawMessage(`{}`), []string{"script"})
		require.Equal(t, "script", problem.As(err).Issues[0].Path)
		err = a.Validate(json.RawMessage(`{"script":"true","secretEnv":{"T":"plain"}}`), nil)
		require.Equal(t, "secretEnv.T", problem.As(err).Issues[0].Path)
	}
}

// registry is one without types of events.
func registry() *event.Registry {
	r, err := event.NewRegistry()
	if err != nil {
		panic(err)
	}
	return r
}
