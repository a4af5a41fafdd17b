package script_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/internal/egress"
	"countersign/sandbox"
	"countersign/sandbox/javascript"
	bash "countersign/sandbox/shell"
	"countersign/script"
	"countersign/script/sdk"
	"countersign/script/typescript"
)

func TestMain(m *testing.M) {
	typescript.RunIfChild()
	m.Run()
}

// counting is a compiler that counts what it is asked.
type counting struct {
	script.Compiler
	asked atomic.Int32
}

func (c *counting) Transpile(ctx context.Context, source string, in sdk.Context) (typescript.Compiled, error) {
	c.asked.Add(1)
	return c.Compiler.Transpile(ctx, source, in)
}

// box are real engines and a real compiler.
type box struct {
	compiler          counting
	javascript, shell sandbox.Runner
}

// engines are those of all tests: they take seconds to start.
var engines = sync.OnceValues(func() (*box, error) {
	ctx := context.Background()
	js, failed := javascript.New(ctx, javascript.Options{})
	sh, err := bash.New(ctx, bash.Options{})
	compiler := typescript.New(typescript.Options{Processes: 1, Timeout: 2 * time.Minute})
	return &box{compiler: counting{Compiler: compiler}, javascript: js, shell: sh}, errors.Join(failed, err)
})

func newBox(t testing.TB) *box {
	started, err := engines()
	require.NoError(t, err)
	return &box{compiler: counting{Compiler: started.compiler.Compiler}, javascript: started.javascript, shell: started.shell}
}

func (b *box) under(p script.Policy) *script.Checks {
	return script.NewChecks(script.ChecksOptions{Compiler: &b.compiler, JavaScript: b.javascript, Shell: b.shell, Policies: policies(p)})
}

// generous is a policy without a network.
func generous() script.Policy { return script.Policy{Limits: sandbox.Limits{Timeout: time.Minute}} }

// fetching answers each request, or refuses it.
type fetching struct{ err error }

func (f fetching) Fetch(_ context.Context, r sandbox.Request) (sandbox.Response, error) {
	return sandbox.Response{Status: 200, StatusText: "OK", Body: []byte(r.URL)}, f.err
}

// inTypeScript is a check with a body.
func inTypeScript(body string) check.ScriptInput {
	return check.ScriptInput{
		Language: "typescript",
		Timeout:  20 * time.Second,
		Source:   "import { defineHealthCheck } from \"@countersign/sdk/healthcheck\";\nexport default defineHealthCheck(async (context) => {\n" + body + "\n});\n",
	}
}

func inShell(source string) check.ScriptInput {
	return check.ScriptInput{Language: "shell", Source: source, Timeout: 20 * time.Second}
}

func scope() check.Scope {
	return check.Scope{
		Check:       check.CheckScope{ID: uuid.New(), Name: "Orders", IntervalSeconds: 30},
		System:      check.SystemScope{ID: uuid.New(), Name: "Shop"},
		Environment: &check.EnvironmentScope{ID: uuid.New(), Name: "prod", Fields: map[string]any{"baseUrl": "https://shop.example.com"}},
	}
}

func TestScriptsOfChecks(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	checks := b.under(generous())
	told := inTypeScript(`const { config, env, check, system, environment } = context;
		return { success: true, message: [config.url, env.TOKEN, check.name, check.intervalSeconds, system.name, environment?.name, environment?.fields.baseUrl].join(" "), value: 4.5 };`)
	told.Scope, told.Config, told.Env = scope(), json.RawMessage(`{"url":"/health"}`), map[string]string{"TOKEN": "t0"}
	out, err := checks.Run(t.Context(), told)
	require.NoError(t, err)
	require.JSONEq(t, `{"success":true,"message":"/health t0 Orders 30 Shop prod https://shop.example.com","value":4.5}`, string(out.Result))
	require.Positive(t, out.Took)

	told = inShell(
		`echo "$TOKEN $COUNTERSIGN_CHECK_NAME $COUNTERSIGN_CHECK_INTERVAL_SECONDS $COUNTERSIGN_SYSTEM_NAME $COUNTERSIGN_ENV_NAME $COUNTERSIGN_ENV_BASE_URL"; echo oh >&2; exit 3`,
	)
	told.Scope, told.Env = scope(), map[string]string{"TOKEN": "t0"}
	out, err = checks.Run(t.Context(), told)
	require.NoError(t, err)
	require.Equal(t, "t0 Orders 30 Shop prod https://shop.example.com\n", out.Stdout)
	require.Equal(t, "oh\n", out.Stderr)
	require.Equal(t, 3, out.ExitCode)
}

func TestWhatAScriptReturnsHasOneForm(t *testing.T) {
	t.Parallel()
	checks := newBox(t).under(generous())
	for body, want := range map[string]string{
		`return false;`: `{"success":false}`, `return;`: `{"success":true}`, `return 7;`: `{"success":true,"value":7}`,
		`return { success: false, message: "queue is long", value: 90 };`: `{"success":false,"message":"queue is long","value":90}`,
	} {
		out, err := checks.Run(t.Context(), inTypeScript(body))
		require.NoError(t, err)
		require.JSONEq(t, want, string(out.Result))
	}
	for body, want := range map[string]string{
		`throw new Error("the shop is closed");`:     "the shop is closed",
		"const order: any = null;\nreturn order.id;": "TypeError: cannot read property 'id' of null (line 4)",
	} {
		out, err := checks.Run(t.Context(), inTypeScript(body))
		require.NoError(t, err)
		require.Equal(t, want, out.Error)
		require.Nil(t, out.Result)
	}
}

// TestAScriptThatCannotBeRunSaysNothingAboutItsTarget has scripts whose authors have something to do.
func TestAScriptThatCannotBeRunSaysNothingAboutItsTarget(t *testing.T) {
	t.Parallel()
	checks := newBox(t).under(generous())
	for words, in := range map[string]check.ScriptInput{
		"The script cannot be run: line 3": inTypeScript(`return {;`),
		"import":                           {Language: "typescript", Source: `import fs from "fs"; export default () => true;`, Timeout: time.Second},
		"success of the health check's result must be": inTypeScript(`return { ok: true } as any;`),
		"waits for a promise":                          inTypeScript(`await new Promise(() => {});`),
		"more memory":                                  inTypeScript(`const all = []; for (;;) all.push(new Array(1e6).fill(1));`),
		"(line 1)":                                     inShell(`if then`),
		"typescript or shell":                          {Language: "perl", Source: "1"},
	} {
		_, err := checks.Run(t.Context(), in)
		failure, ok := errors.AsType[*check.Failure](err)
		require.True(t, ok, "%s: %v", words, err)
		require.Equal(t, check.NotRunnable, failure.Cause)
		require.Contains(t, failure.Message, words)
	}
}

func TestAScriptEndsWithItsTime(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	forever := inTypeScript(`for (;;) {}`)
	forever.Timeout = 200 * time.Millisecond
	out, err := b.under(generous()).Run(t.Context(), forever)
	require.NoError(t, err)
	require.True(t, out.TimedOut)
	require.Empty(t, out.Withheld)

	t.Log("a script has the time of the run, whether it asks for more or for nothing")
	for _, asked := range []time.Duration{0, 30 * time.Second} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		forever.Timeout = asked
		out, err = b.under(generous()).Run(ctx, forever)
		cancel()
		require.NoError(t, err)
		require.True(t, out.TimedOut)
		require.Empty(t, out.Withheld, "its run was not cut by others")
	}
	forever.Timeout = 200 * time.Millisecond

	tight := generous()
	tight.Limits.Timeout = 100 * time.Millisecond
	out, err = b.under(tight).Run(t.Context(), forever)
	require.NoError(t, err)
	require.True(t, out.TimedOut)
	require.Equal(t, "The script policy gives a script at most 100 ms, and this one did not end in them.", out.Withheld)
}

func TestTheNetworkOfAScriptIsThatOfThePolicy(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	fetches := inTypeScript(`const answer = await fetch("https://shop.example.com/"); return answer.ok;`)
	curls := inShell(`curl -sf https://shop.example.com/`)
	open, closed, refusing, down := generous(), generous(), generous(), generous()
	open.Fetch = fetching{}
	refusing.Fetch = fetching{fmt.Errorf("it is on no list: %w", egress.ErrRefused)}
	down.Downgraded = true
	for name, c := range map[string]struct {
		policy   script.Policy
		withheld string
	}{
		"open": {open, ""}, "closed": {closed, "scripts have no network"}, "refusing": {refusing, "it is on no list"}, "downgraded": {down, "policy"},
	} {
		out, err := b.under(c.policy).Run(t.Context(), fetches)
		require.NoError(t, err, name)
		require.Equal(t, c.withheld == "", out.Error == "", name)
		require.Contains(t, out.Withheld, c.withheld, name)
		require.Equal(t, c.withheld == "", out.Withheld == "", name)

		out, err = b.under(c.policy).Run(t.Context(), curls)
		require.NoError(t, err, name)
		require.Equal(t, c.withheld == "", out.ExitCode == 0, name)
		require.Contains(t, out.Withheld, c.withheld, name)
	}
	out, err := b.under(down).Run(t.Context(), inTypeScript(`return true;`))
	require.NoError(t, err)
	require.Contains(t, out.Withheld, "missing or cannot be used", "whoever looks is told")
	require.False(t, out.Refused, "it asked for nothing")

	t.Log("a refused request is known of, whatever the script makes of it")
	withoutNetwork := map[bool]check.Scripts{true: b.under(closed), false: draftsUnder(t, closed)}
	refused := map[bool]check.Scripts{true: b.under(refusing), false: draftsUnder(t, refusing)}
	for _, planned := range []bool{true, false} {
		for _, in := range []check.ScriptInput{
			inTypeScript(`await fetch("https://shop.example.com/").catch(() => {}); return true;`),
			inShell(`curl -s https://shop.example.com/ || true`),
		} {
			for words, scripts := range map[string]check.Scripts{"scripts have no network": withoutNetwork[planned], "it is on no list": refused[planned]} {
				out, err := scripts.Run(t.Context(), in)
				require.NoError(t, err, in.Source)
				require.Empty(t, out.Error)
				require.Zero(t, max(out.ExitCode, 0), in.Source)
				require.True(t, out.Refused, in.Source)
				require.Contains(t, out.Withheld, words)
			}
		}
	}
}

func TestASourceIsCompiledOnce(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	checks := b.under(generous())
	failed := make(chan error, 50)
	for i := range 50 {
		go func() {
			_, err := checks.Run(t.Context(), inTypeScript(strings.Repeat("return true;", 1+i%2)))
			failed <- err
		}()
	}
	for range 50 {
		require.NoError(t, <-failed)
	}
	require.EqualValues(t, 2, b.compiler.asked.Load())
	for range 2 {
		_, err := checks.Run(t.Context(), inTypeScript(`return {;`))
		require.Error(t, err)
	}
	require.EqualValues(t, 3, b.compiler.asked.Load(), "why a source cannot be run is kept, too")
}

func TestCompiledSourcesAreBounded(t *testing.T) {
	t.Parallel()
	compiler := &counting{Compiler: compiler{}}
	e := &engine{outcome: sandbox.Outcome{Kind: sandbox.OK, Result: json.RawMessage(`true`)}}
	checks := script.NewChecks(
		script.ChecksOptions{Compiler: compiler, JavaScript: e, Shell: e, Policies: policies(generous()), CacheBytes: 3 << 10},
	)
	for _, i := range []int{1, 2, 1, 3, 1, 2} {
		_, err := checks.Run(t.Context(), check.ScriptInput{Language: "typescript", Source: strings.Repeat("x", 800+i), Timeout: time.Second})
		require.NoError(t, err)
	}
	require.EqualValues(t, 4, compiler.asked.Load(), "only 2 was gone when it came again")
}

// TestScriptsThatWaitForTheirTurnAreNoFailureOfTheirTarget has an engine whose only place is taken.
func TestScriptsThatWaitForTheirTurnAreNoFailureOfTheirTarget(t *testing.T) {
	t.Parallel()
	e := &engine{outcome: sandbox.Outcome{Kind: sandbox.OK, Result: json.RawMessage(`true`)}, hold: make(chan struct{})}
	checks := script.NewChecks(script.ChecksOptions{Compiler: compiler{}, JavaScript: e, Shell: e, Policies: policies(generous()), AtOnce: 1})
	first := make(chan error, 1)
	go func() {
		_, err := checks.Run(t.Context(), inTypeScript("return true;"))
		first <- err
	}()
	require.Eventually(t, func() bool { e.mu.Lock(); defer e.mu.Unlock(); return len(e.jobs) == 1 }, time.Minute, time.Millisecond)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := checks.Run(ctx, inTypeScript("return true;"))
	failure, ok := errors.AsType[*check.Failure](err)
	require.True(t, ok)
	require.Equal(t, check.Overloaded, failure.Cause)
	close(e.hold)
	require.NoError(t, <-first)
}

// BenchmarkChecks is how many scripts of checks a process runs in a second: the goal is 333 on two cores.
func BenchmarkChecks(b *testing.B) {
	box := newBox(b)
	checks := box.under(generous())
	for name, in := range map[string]check.ScriptInput{
		"typescript": inTypeScript(`return { success: context.system.name === "Shop", value: 1 };`), "shell": inShell(`[ "$COUNTERSIGN_SYSTEM_NAME" = Shop ]`),
	} {
		in.Scope = scope()
		b.Run(name, func(b *testing.B) {
			_, err := checks.Run(b.Context(), in)
			require.NoError(b, err)
			b.ReportAllocs()
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if out, err := checks.Run(b.Context(), in); err != nil || out.Error != "" {
						b.Error(err, out.Error)
					}
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
		})
	}
}
