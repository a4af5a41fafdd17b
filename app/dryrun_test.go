package app_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/app"
	"countersign/app/apptest"
	"countersign/internal/problem"
	"countersign/modules/agent"
	"countersign/script"
)

const weatherTool = `import type { CustomTool } from "@countersign/sdk/tool";

interface Args { city: string; busyMs?: number }

const headers = (token: string) => {
  if (!token.startsWith("nonce_")) throw Object.assign(new Error("no placeholder"), { code: "ENONCE" });
  return { authorization: ` + "`Bearer ${token}`" + ` };
};

export default {
  actions: {
    default: async (args: Args, ctx) => {
      ctx.log("info", "called", { city: args.city });
      const end = Date.now() + (args.busyMs ?? 0);
      while (Date.now() < end);
      return { url: ` + "`https://api.example.com/${encodeURIComponent(args.city)}`" + `, headers: headers(ctx.secrets.ref("TOKEN")) };
    },
  },
} satisfies CustomTool;
`

var weatherSchema = map[string]any{
	"type":       "object",
	"properties": map[string]any{"city": map[string]any{"type": "string"}, "busyMs": map[string]any{"type": "number"}},
	"required":   []string{"city"},
}

// weather is the path of a tool in a draft.
func weather(t *testing.T, p *apptest.Product) (draft, tool string) {
	t.Helper()
	p.Admin.Post(t, "/api/secrets", map[string]any{"name": "TOKEN", "value": "correct horse"}, nil)
	s := stage{t, p}
	path := s.agent()
	draft = path + "/revisions/" + s.made(path+"/revisions", map[string]any{})
	s.put(draft+"/spec", map[string]any{"spec": map[string]any{
		"secrets": []any{
			map[string]any{"name": "TOKEN", "allowed_hosts": []string{"api.example.com"}},
		},
		"limits": map[string]any{"timeout_ms": 20_000},
	}})
	s.put(draft+"/tools/weather", map[string]any{"description": "Weather.", "args_schema": weatherSchema, "source": weatherTool})
	return draft, draft + "/tools/weather"
}

// A process that serves the API has no sandbox: what it is asked for crosses PostgreSQL and Temporal to a worker of the exec queue,
// and the same bytes are frozen and tried again.
func TestAToolIsTriedByAWorkerOfItsOwn(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{Roles: app.Roles{API: true}})
	draft, tool := weather(t, p)
	unserved := p.Admin.Refused(
		t,
		problem.Unavailable,
		http.MethodPost,
		tool+"/dry_run",
		map[string]any{"args": map[string]any{"city": "Bern"}},
	)
	require.Contains(t, unserved.Detail, "No sandbox worker picked the tool up")

	apptest.Start(t, apptest.Options{Beside: p, Roles: app.Roles{Worker: true}, Env: map[string]string{"COUNTERSIGN_WORKER_QUEUES": "exec"}})
	try := func(body map[string]any) (out agent.DryRun) {
		t.Helper()
		p.Admin.Post(t, tool+"/dry_run", body, &out)
		return out
	}
	apptest.Eventually(t, "the sandbox is warm", func() bool {
		return p.Admin.Call(t, http.MethodPost, tool+"/dry_run", map[string]any{"args": map[string]any{"city": "Bern"}}).Status == http.StatusOK
	})
	good := try(map[string]any{"args": map[string]any{"city": "Zürich"}})
	require.True(t, good.OK, "%+v", good.Error)
	var result struct {
		URL     string
		Headers map[string]string
	}
	require.NoError(t, json.Unmarshal(good.Result, &result))
	require.Equal(t, "https://api.example.com/Z%C3%BCrich", result.URL)
	require.Regexp(t, "^Bearer nonce_[0-9a-f]{32}$", result.Headers["authorization"])
	require.Equal(t, []script.ToolLog{{Level: "info", Message: "called", Meta: json.RawMessage(`{"city":"Zürich"}`)}}, good.Logs)
	require.True(t, good.WouldAsk.Approval)

	bad := try(map[string]any{"args": map[string]any{"city": "Bern"}, "mock_secrets": map[string]any{"TOKEN": "made-up-by-hand"}})
	require.False(t, bad.OK)
	require.Equal(t, script.ToolFailed, bad.Error.Code)
	require.Equal(t, []any{"no placeholder", "ENONCE", 6}, []any{bad.Error.Message, bad.Error.Detail, bad.Error.Line})
	p.Admin.Refused(t, problem.Invalid, http.MethodPost, tool+"/dry_run", map[string]any{"args": map[string]any{}})

	stage{t, p}.put(tool+"/examples", map[string]any{"examples": []any{
		map[string]any{"name": "Bern", "args": map[string]any{"city": "Bern"}},
		map[string]any{
			"name":         "By hand",
			"args":         map[string]any{"city": "Bern"},
			"mock_secrets": map[string]any{"TOKEN": "made-up-by-hand"},
			"expect":       map[string]any{"ok": false, "error_code": "tool_invoke_failed"},
		},
	}})
	p.Admin.Post(t, draft+"/freeze", nil, nil)
	frozen := try(map[string]any{"args": map[string]any{"city": "Zürich"}})
	require.JSONEq(t, string(good.Result), string(frozen.Result))
	var ran agent.ExampleRuns
	p.Admin.Post(t, tool+"/examples/run", nil, &ran)
	require.True(t, ran.OK, "%+v", ran)
	require.Zero(t, p.Count(t, `SELECT count(*) FROM script_tests`))
}

// A tool computes and changes nothing, so another process makes the call again when the first is killed.
func TestACallWhoseWorkerIsKilledIsMadeAgain(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{Roles: app.Roles{API: true}})
	exec := map[string]string{"COUNTERSIGN_WORKER_QUEUES": "exec"}
	first := p.Spawn(t, "worker", exec)
	_, tool := weather(t, p)
	apptest.Eventually(t, "the sandbox is warm", func() bool {
		return p.Admin.Call(t, http.MethodPost, tool+"/dry_run", map[string]any{"args": map[string]any{"city": "Bern"}}).Status == http.StatusOK
	})
	answered := make(chan apptest.Answer, 1)
	go func() {
		body := map[string]any{"args": map[string]any{"city": "Bern", "busyMs": 6_000}}
		answer, _ := p.Admin.Send(context.WithoutCancel(t.Context()), http.MethodPost, tool+"/dry_run", body)
		answered <- answer
	}()
	apptest.Eventually(t, "the tool runs", func() bool {
		return p.Count(t, `SELECT count(*) FROM script_tests WHERE status = 'running' AND attempts = 1`) == 1
	})
	first.Kill()
	killed := time.Now()
	p.Spawn(t, "worker", exec)
	answer := <-answered
	t.Logf("answered %s after the kill", time.Since(killed).Round(100*time.Millisecond))
	require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
	var out agent.DryRun
	require.NoError(t, json.Unmarshal(answer.Body, &out))
	require.True(t, out.OK, "%+v", out.Error)
	require.True(t, strings.HasPrefix(string(out.Result), `{`))
	require.Zero(t, p.Count(t, `SELECT count(*) FROM script_tests`))
}
