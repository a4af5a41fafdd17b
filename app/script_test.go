package app_test

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app"
	"countersign/app/apptest"
	"countersign/internal/problem"
	"countersign/modules/automation"
	"countersign/modules/healthcheck"
	"countersign/modules/scriptpolicy"
	"countersign/script"
	"countersign/script/sdk"
	"countersign/script/typescript"
)

// testScript tests a script through the API of the module that it belongs to. It is tested again, as its author would do, when
// the machine was too busy to check its types in time or to say that the worker lives.
func testScript(t *testing.T, c *apptest.Client, context sdk.Context, source string, more map[string]any) (out script.TestOutput) {
	t.Helper()
	apptest.Eventually(t, "there is time for the script and its types", func() bool {
		out = script.TestOutput{}
		answer := c.Call(t, http.MethodPost, testsPath(context), scriptTest(context, source, more))
		if answer.Status == http.StatusServiceUnavailable {
			return false
		}
		require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
		answer.Decode(t, &out)
		return out.TypesReason != typescript.TooSlow.Text()
	})
	return out
}

func scriptTest(context sdk.Context, source string, more map[string]any) map[string]any {
	in := map[string]any{"context": context, "source": source}
	maps.Copy(in, more)
	return in
}

func testsPath(context sdk.Context) string {
	if strings.HasPrefix(string(context), "healthcheck") {
		return script.TestsPath("healthcheck")
	}
	return script.TestsPath("automation")
}

// warm waits until the engines run, which takes a busy machine longer than somebody waits for a test.
func warm(t *testing.T, p *apptest.Product) {
	t.Helper()
	for _, c := range []sdk.Context{sdk.HealthCheckScript, sdk.HealthCheckShell} {
		apptest.Eventually(t, "the sandbox is warm", func() bool {
			return p.Admin.Call(t, http.MethodPost, testsPath(c), scriptTest(c, "true", nil)).Status == http.StatusOK
		})
	}
}

// setScriptPolicy changes the script policy.
func setScriptPolicy(t *testing.T, c *apptest.Client, change func(*scriptpolicy.Policy)) {
	t.Helper()
	var stored scriptpolicy.Stored
	c.Get(t, "/api/script-policy", &stored)
	change(&stored.Policy)
	answer := c.Call(t, http.MethodPut, "/api/script-policy", stored.Policy)
	require.Equal(t, http.StatusOK, answer.Status, answer.Body)
}

// site is a server that a script can look at.
func site(t *testing.T, status int, body string) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	return server
}

// allow lets scripts reach a server.
func allow(t *testing.T, c *apptest.Client, server *httptest.Server) {
	t.Helper()
	host := strings.TrimPrefix(server.URL, "http://")
	setScriptPolicy(t, c, func(p *scriptpolicy.Policy) {
		p.Network, p.Allow = scriptpolicy.Allowlist, []string{host}
	})
}

func result(t *testing.T, out script.TestOutput) sdk.HealthCheckResult {
	t.Helper()
	require.Nil(t, out.Error, "%+v", out)
	var r sdk.HealthCheckResult
	require.NoError(t, json.Unmarshal(out.Result, &r))
	return r
}

// The tests of a product without a network; one product serves them all, since engines take a while to start.
//
//nolint:tparallel // the last one looks at what the others have left
func TestScriptsAreTestedInTheSandbox(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	warm(t, p)
	author := p.Admin
	check := func(t *testing.T, source string, more map[string]any) script.TestOutput {
		t.Helper()
		return testScript(t, author, sdk.HealthCheckScript, source, more)
	}

	t.Run("the starter examples run", func(t *testing.T) {
		for _, c := range sdk.Contexts() {
			if c == sdk.CustomTool {
				continue // dry runs are for tools
			}
			module := strings.Split(testsPath(c), "/")[2]
			var d sdk.Description
			author.Get(t, script.ContextsPath(module)+"/"+string(c), &d)
			require.Equal(t, c, d.Context)
			require.NotEmpty(t, d.Declarations)
			out := testScript(t, author, c, d.StarterExample, nil)
			require.Empty(t, out.Diagnostics, c)
			require.Empty(t, out.LimitsHit, c)
			require.Equal(t, c.Language() == sdk.TypeScript, out.TypesChecked, c)
		}
	})

	t.Run("a health check is told its sample context and configuration", func(t *testing.T) {
		out := check(t, `import { defineHealthCheck } from "@countersign/sdk/healthcheck";
export default defineHealthCheck(async (context) => {
  console.log(context.system.name, context.environment?.fields.baseUrl);
  return { success: true, message: context.check.name + " " + context.config.url, value: context.check.intervalSeconds };
});`, map[string]any{
			"config": map[string]any{"url": "x"},
			"sampleContext": map[string]any{
				"system":      map[string]any{"name": "Payments", "unknown": 1},
				"environment": map[string]any{"fields": map[string]any{"baseUrl": "https://pay"}},
				"other":       true,
			},
		})
		require.Equal(t, "Test x", result(t, out).Message)
		require.InDelta(t, 60, *result(t, out).Value, 0)
		require.Equal(t, "Payments https://pay\n", out.Stdout)
		require.Equal(t, []script.LogLine{{Level: "info", Text: "Payments https://pay"}}, out.Logs)
		require.True(t, out.TypesChecked)
	})

	t.Run("what a health check may return has one form", func(t *testing.T) {
		for returned, want := range map[string]string{
			"true": `{"success":true}`, "false": `{"success":false}`, "7": `{"success":true,"value":7}`, "undefined": `{"success":true}`,
			`{ success: false, message: "down" }`: `{"success":false,"message":"down"}`,
		} {
			require.JSONEq(t, want, string(check(t, "return "+returned+";", nil).Result), returned)
		}
		wrong := check(t, "return 'fine' as any;", nil)
		require.Equal(t, "ResultError", wrong.Error.Name)
		require.False(t, failed(t, wrong).Success)
	})

	t.Run("a type error has its place and the script runs", func(t *testing.T) {
		source := "const a: number = 1;\nconst b: string = a;\nreturn b === 1 as any;"
		out := check(t, source, nil)
		require.True(t, result(t, out).Success)
		require.Len(t, out.Diagnostics, 1)
		require.Equal(t, typescript.Types, out.Diagnostics[0].Rule)
		require.Equal(t, []int{2, 7}, []int{out.Diagnostics[0].Line, out.Diagnostics[0].Column})

		stopped := check(t, source, map[string]any{"stopOnTypeError": true})
		require.Equal(t, "TypeCheckError", stopped.Error.Name)
		require.Equal(t, []script.StackFrame{{Line: 2, Column: 7}}, stopped.Error.Stack)
		require.Empty(t, check(t, source, map[string]any{"checkTypes": false}).Diagnostics)
	})

	t.Run("an error is mapped to the line of the author", func(t *testing.T) {
		out := check(t, `import { defineHealthCheck } from "@countersign/sdk/healthcheck";

interface Unused { a: string }
function inner(): never {
  throw new RangeError("too far");
}
export default defineHealthCheck(async () => {
  inner();
});`, nil)
		require.Equal(t, "RangeError", out.Error.Name)
		require.Equal(t, "too far", out.Error.Message)
		require.Equal(t, "inner", out.Error.Stack[0].Function)
		require.Equal(t, 5, out.Error.Stack[0].Line)
		require.Equal(t, 8, out.Error.Stack[1].Line)
		require.Equal(t, "too far", failed(t, out).Message)
	})

	t.Run("a stack that the script writes leads to the line of the author", func(t *testing.T) {
		out := check(t, `interface Unused { a: string }
function inner(): never {
  throw new RangeError("too far");
}
setTimeout(() => inner(), 1);
await new Promise((resolve) => setTimeout(resolve, 20));
try {
  inner();
} catch (e) {
  console.log(e);
  return { success: false, message: (e as Error).stack };
}`, nil)
		require.Empty(t, out.Diagnostics)
		require.Contains(t, out.Stderr, "Uncaught RangeError: too far\n    at inner (script.ts:3:")
		require.Contains(t, out.Stdout, "RangeError: too far\n    at inner (script.ts:3:")
		require.Contains(t, out.Stdout, "(script.ts:8:")
		require.Contains(t, result(t, out).Message, "at inner (script.ts:3:")
		require.NotContains(t, encode(t, out), "prelude")
		require.NotContains(t, encode(t, out), "entry_default", "the author has not written that")
	})

	t.Run("a secret that the tester types in is used and comes back nowhere", func(t *testing.T) {
		const value = "Canary/51x7\"a9+Z"
		typed := map[string]any{
			"secretEnv":       map[string]any{"TOKEN": "${{ secrets.API_TOKEN }}", "KEY": "${{ secrets.KEY }}"},
			"secretOverrides": map[string]any{"TOKEN": value},
		}
		out := check(t, `const { TOKEN = "", KEY } = context.env;
if (TOKEN.length !== 16 || KEY !== "__SECRET_KEY__") return false;
console.log(TOKEN, [TOKEN], JSON.stringify({ TOKEN }), btoa(TOKEN), btoa("x:" + TOKEN), encodeURIComponent(TOKEN), encodeURI(TOKEN));
console.warn(new URL("https://example.com/" + TOKEN + "?q=" + TOKEN).href, new URLSearchParams({ q: TOKEN }), TOKEN.toLowerCase());
console.log(TOKEN.slice(0, 8));
console.log(TOKEN.slice(8));
try { await fetch("https://" + TOKEN.slice(0, 6) + "/" + TOKEN, { headers: { a: TOKEN } }); } catch (e) { console.error(e); }
throw new Error("cannot use " + TOKEN);`, typed)
		require.Equal(t, "cannot use ****", failed(t, out).Message)
		shell := testScript(
			t,
			author,
			sdk.HealthCheckShell,
			`echo "$TOKEN"; set -x; echo "$TOKEN" >&2; set +x; printf '%q\n' "$TOKEN"; echo -n "$TOKEN" | base64; printf 'u:%s' "$TOKEN" | base64
printf %s "$TOKEN" | jq -Rr @uri; jq -n --arg t "$TOKEN" '{$t}'; printf '%s' "${TOKEN:0:7}"; printf '%s\n' "${TOKEN:7}"`,
			typed,
		)
		require.Equal(t, 0, *shell.ExitCode, shell.Stderr)
		for _, part := range []string{"51x7", `a9+Z`, "a9%2BZ", "a9%2bz", "NTF4Ny", "UxeDci", "1MXg3I"} {
			require.NotContains(t, encode(t, out), part)
			require.NotContains(t, encode(t, shell), part)
		}
		require.NotContains(t, p.Log.String(), "51x7")
		undeclared := author.Refused(t, problem.Invalid, http.MethodPost, testsPath(sdk.HealthCheckShell),
			scriptTest(sdk.HealthCheckShell, "true", map[string]any{"secretOverrides": map[string]any{"TOKEN": value}}))
		require.Equal(t, "secretOverrides.TOKEN", undeclared.Issues[0].Path)
		require.NotContains(t, encode(t, undeclared), "51x7")
	})

	t.Run("what does not compile is not run", func(t *testing.T) {
		out := check(t, "const a = ;", nil)
		require.Equal(t, "SyntaxError", out.Error.Name)
		require.Equal(t, 1, out.Error.Stack[0].Line)
		require.False(t, out.TypesChecked)
		require.NotEmpty(t, out.TypesReason)
	})

	t.Run("limits end a script", func(t *testing.T) {
		slow := check(t, "while (true) {}", map[string]any{"timeoutMs": 200})
		require.True(t, slow.TimedOut)
		require.Equal(t, []script.Limit{script.TimeLimit}, slow.LimitsHit)
		require.Less(t, slow.DurationMs, int64(30_000))
		big := check(t, "const a: number[][] = []; while (true) a.push(new Array(100000).fill(1));", nil)
		require.Equal(t, []script.Limit{script.MemoryLimit}, big.LimitsHit)
		loud := check(t, "for (let i = 0; i < 10000; i++) console.log('x'.repeat(100));", nil)
		require.Equal(t, []script.Limit{script.OutputLimit}, loud.LimitsHit)
		require.True(t, result(t, loud).Success)
		late := testScript(t, author, sdk.HealthCheckShell, "while true; do :; done", map[string]any{"timeoutMs": 200})
		require.True(t, late.TimedOut)
	})

	t.Run("an action is told its trigger", func(t *testing.T) {
		out := testScript(
			t,
			author,
			sdk.ActionScript,
			`import { defineAction } from "@countersign/sdk/automation";
export default defineAction(async (context) => ({ id: context.trigger.payload.incidentId, event: context.trigger.event }));`,
			map[string]any{
				"sampleContext": map[string]any{"trigger": map[string]any{"event": "incident.created", "payload": map[string]any{"incidentId": "i1"}}},
			},
		)
		require.JSONEq(t, `{"id":"i1","event":"incident.created"}`, string(out.Result))
	})

	t.Run("a shell script has variables, secrets as placeholders, and an exit code", func(t *testing.T) {
		out := testScript(t, author, sdk.HealthCheckShell, `echo "$COUNTERSIGN_SYSTEM_NAME $MODE $TOKEN"; echo oops >&2; exit 3`, map[string]any{
			"sampleContext": map[string]any{"system": map[string]any{"name": "Payments"}},
			"env":           map[string]any{"MODE": "fast"}, "secretEnv": map[string]any{"TOKEN": "${{ secrets.API_TOKEN }}"},
		})
		require.Equal(t, "Payments fast __SECRET_API_TOKEN__\n", out.Stdout)
		require.Contains(t, out.Warnings, "These secrets do not exist: API_TOKEN. Create them under Admin, Secrets, or change the declaration.")
		require.Equal(t, "oops\n", out.Stderr)
		require.Equal(t, 3, *out.ExitCode)
		require.Nil(t, out.Error)
		require.Nil(t, out.Result)
	})

	t.Run("without network a request is refused", func(t *testing.T) {
		server := site(t, http.StatusOK, "{}")
		out := check(t, "await fetch('"+server.URL+"');", nil)
		require.NotNil(t, out.Error)
		require.False(t, out.NetworkAllowed)
		require.False(t, out.SandboxDowngraded, "there is a policy, and it says no")
	})

	t.Run("wrong input is refused with its place", func(t *testing.T) {
		for path, more := range map[string]map[string]any{
			"sampleContext.check.intervalSeconds": {"sampleContext": map[string]any{"check": map[string]any{"intervalSeconds": "often"}}},
			"env.COUNTERSIGN_X":                   {"env": map[string]any{"COUNTERSIGN_X": "1"}},
			"secretEnv.TOKEN":                     {"secretEnv": map[string]any{"TOKEN": "plain"}},
			"config":                              {"config": 7},
		} {
			answer := author.Call(t, http.MethodPost, testsPath(sdk.HealthCheckScript), scriptTest(sdk.HealthCheckScript, "return true;", more))
			refused := answer.Problem(t)
			require.Equal(t, problem.Invalid, refused.Code, path)
			require.True(
				t,
				slices.ContainsFunc(refused.Issues, func(i problem.Issue) bool { return i.Path == path }),
				"%s: %+v",
				path,
				refused.Issues,
			)
		}
		foreign := author.Call(t, http.MethodPost, script.TestsPath("automation"), scriptTest(sdk.HealthCheckScript, "return true;", nil))
		require.Equal(t, problem.Invalid, foreign.Problem(t).Code)
	})

	t.Run("each module has a rule of its own", func(t *testing.T) {
		for rule, allowed := range map[string]sdk.Context{healthcheck.Manage: sdk.HealthCheckShell, automation.Manage: sdk.ActionShell} {
			c := p.Person(t, p.Role(t, rule))
			require.Equal(t, "hi\n", testScript(t, c, allowed, "echo hi", nil).Stdout)
			other := sdk.HealthCheckShell
			if allowed == other {
				other = sdk.ActionShell
			}
			require.Equal(t, problem.Forbidden, c.Call(t, http.MethodPost, testsPath(other), scriptTest(other, "echo hi", nil)).Problem(t).Code)
		}
	})

	t.Run("nothing of a test stays", func(t *testing.T) {
		var rows int
		require.NoError(t, p.DB.Conn(t.Context()).QueryRow(t.Context(), `SELECT count(*) FROM script_tests`).Scan(&rows))
		require.Zero(t, rows)
	})
}

func failed(t *testing.T, out script.TestOutput) sdk.HealthCheckResult {
	t.Helper()
	require.NotNil(t, out.Error)
	var r sdk.HealthCheckResult
	require.NoError(t, json.Unmarshal(out.Result, &r))
	require.False(t, r.Success)
	return r
}

// A network, and a chat whose model drafts, tests and proposes.
func TestScriptsReachWhatThePolicyAllows(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	warm(t, p)
	server := site(t, http.StatusOK, `{"status":"green"}`)
	allow(t, p.Admin, server)
	const source = `import { defineHealthCheck } from "@countersign/sdk/healthcheck";
export default defineHealthCheck(async (context) => {
  const answer = await fetch(String(context.config.url));
  const body = (await answer.json()) as { status: string };
  return { success: answer.ok && body.status === "green", message: body.status, value: answer.status };
});`
	config := map[string]any{"config": map[string]any{"url": server.URL}}
	out := testScript(t, p.Admin, sdk.HealthCheckScript, source, config)
	require.Equal(t, sdk.HealthCheckResult{Success: true, Message: "green", Value: result(t, out).Value}, result(t, out))
	require.InDelta(t, 200, *result(t, out).Value, 0)
	require.True(t, out.NetworkAllowed)
	require.Empty(t, out.Diagnostics)
	shell := testScript(t, p.Admin, sdk.HealthCheckShell, `curl -s "$URL"`, map[string]any{"env": map[string]any{"URL": server.URL}})
	require.JSONEq(t, `{"status":"green"}`, shell.Stdout)
	// A value that the tester types in leaves with the request; what comes back is without it.
	mirror := httptest.NewServer(
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Header.Get("Authorization")) }),
	)
	t.Cleanup(mirror.Close)
	setScriptPolicy(t, p.Admin, func(p *scriptpolicy.Policy) { p.Allow = append(p.Allow, strings.TrimPrefix(mirror.URL, "http://")) })
	var mirrored script.TestOutput
	apptest.Eventually(t, "the policy is in effect", func() bool {
		mirrored = testScript(t, p.Admin, sdk.ActionScript, `const sent = "Bearer " + context.env.TOKEN;
const answer = await fetch(context.trigger.payload.url, { headers: { Authorization: sent } });
const text = await answer.text();
return { same: text === sent, text };`, map[string]any{
			"sampleContext": map[string]any{"trigger": map[string]any{"payload": map[string]any{"url": mirror.URL}}},
			"secretEnv":     map[string]any{"TOKEN": "${{ secrets.API_TOKEN }}"}, "secretOverrides": map[string]any{"TOKEN": "canary-77e1"},
		})
		return mirrored.Error == nil
	})
	require.JSONEq(t, `{"same":true,"text":"Bearer ****"}`, string(mirrored.Result))

	other := site(t, http.StatusOK, "secret")
	require.NotNil(
		t,
		testScript(t, p.Admin, sdk.HealthCheckScript, source, map[string]any{"config": map[string]any{"url": other.URL}}).Error,
		"it is not on the list",
	)

	// In a chat the test runs as a tool; what it read makes auto mode ask.
	input := encode(t, map[string]any{"context": sdk.HealthCheckScript, "source": source, "config": config["config"]})
	directives := `r1.tool=healthcheck.getScriptContext r1.input={"context":"healthcheck-script"} ` +
		`r2.tool=healthcheck.testScript r2.input=` + input + ` r3.tool=catalog.createSystem r3.input={"name":"Green"} text=Done.`
	chat := p.Admin.Conversation(t, apptest.Settings{"permissionMode": "auto"})
	turn := chat.Perform(t, directives)
	require.Contains(t, turn.Card(t, "proposal").WhyConfirm, "content from outside")
	calls := turn.ToolCalls()
	require.Len(t, calls, 3)
	require.Contains(t, encode(t, calls[0]), "defineHealthCheck")
	require.Contains(t, encode(t, calls[1]), `"message":"green"`)
	require.Equal(t, 1, p.Count(t, `SELECT count(*) FROM ai_proposals WHERE tool_name = 'healthcheck.testScript' AND status = 'applied'`))

	// Without network nothing comes from outside, so auto mode applies.
	setScriptPolicy(t, p.Admin, func(policy *scriptpolicy.Policy) { policy.Network, policy.Allow = scriptpolicy.Off, []string{} })
	offline := p.Admin.Conversation(t, apptest.Settings{"permissionMode": "auto"}).Perform(t, directives)
	require.Contains(t, encode(t, offline.ToolCalls()[1]), `"networkAllowed":false`)
	require.NotContains(t, offline.Types(), "data-proposal")
	require.Contains(t, names(t, p.Admin), "Green")

	// A policy that cannot be used is the tightest one, and everybody is told.
	_, err := p.DB.Conn(t.Context()).Exec(t.Context(), `UPDATE script_policy SET document = '{"network":"everything"}'`)
	require.NoError(t, err)
	apptest.Eventually(t, "the processes have read the policy again", func() bool {
		return testScript(t, p.Admin, sdk.HealthCheckShell, "echo hi", nil).SandboxDowngraded
	})
	downgraded := testScript(t, p.Admin, sdk.HealthCheckScript, source, config)
	require.True(t, downgraded.SandboxDowngraded)
	require.False(t, downgraded.NetworkAllowed)
	require.NotNil(t, downgraded.Error)
	require.Contains(t, encode(t, downgraded.Warnings), "2000 ms")
}

// A process without the exec queue runs no script, and says so instead of waiting for ever. A process beside it does.
func TestAScriptThatNobodyPicksUpIsAnswered(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{Env: map[string]string{"COUNTERSIGN_WORKER_QUEUES": "turns"}})
	in := scriptTest(sdk.HealthCheckShell, "echo hi", nil)
	refused := p.Admin.Refused(t, problem.Unavailable, http.MethodPost, testsPath(sdk.HealthCheckShell), in)
	require.Contains(t, refused.Detail, "No sandbox worker")
	require.Zero(t, p.Count(t, `SELECT count(*) FROM script_tests`))

	exec := apptest.Start(
		t,
		apptest.Options{Beside: p, Roles: app.Roles{Worker: true}, Env: map[string]string{"COUNTERSIGN_WORKER_QUEUES": "exec"}},
	)
	apptest.Eventually(t, "the sandbox is warm", func() bool {
		answer := p.Admin.Call(t, http.MethodPost, testsPath(sdk.HealthCheckShell), in)
		return answer.Status == http.StatusOK && strings.Contains(string(answer.Body), `"stdout":"hi\n"`)
	})
	require.Equal(t, "Done.", strings.TrimSpace(p.Admin.Conversation(t, nil).Perform(t, "text=Done.").Text()), "turns run elsewhere")

	// A script that runs when its process is told to stop comes to its end.
	done := make(chan script.TestOutput, 1)
	go func() {
		var out script.TestOutput
		p.Admin.Post(t, testsPath(sdk.HealthCheckShell), scriptTest(sdk.HealthCheckShell, "sleep 1; echo end", nil), &out)
		done <- out
	}()
	apptest.Eventually(
		t,
		"the script runs",
		func() bool { return p.Count(t, `SELECT count(*) FROM script_tests WHERE status = 'running'`) == 1 },
	)
	exec.Stop(t)
	require.Equal(t, "end\n", (<-done).Stdout)
}
