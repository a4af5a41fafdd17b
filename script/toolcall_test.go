package script_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/sandbox"
	"countersign/sandbox/javascript"
	"countersign/script"
	"countersign/script/sdk"
	"countersign/script/typescript"
)

// toolJS is a tool as the compiler makes it, of an expression for its default export or statements that end in one.
func toolJS(t *testing.T, body string) string {
	t.Helper()
	const loading = `await import("script.ts")`
	require.Contains(t, sdk.ToolEntry(), loading)
	return strings.Replace(sdk.ToolEntry(), loading, "await (async () => {\n"+body+"\n})().then((tool) => ({ default: tool }))", 1)
}

// action is a tool with one action.
func action(body string) string {
	return "return { actions: { default: async (args, ctx) => {\n" + body + "\n} } };"
}

// toolEngine is one for all tests, and outlives each of them.
var toolEngine = sync.OnceValues(func() (*javascript.Engine, error) {
	return javascript.New(context.Background(), javascript.Options{Slots: 2})
})

// call calls a tool in a sandbox of its own.
func call(t *testing.T, c script.ToolCall) script.ToolAnswer {
	t.Helper()
	engine, err := toolEngine()
	require.NoError(t, err)
	r := &script.Runner{JavaScript: engine, Policies: policies{Limits: sandbox.Limits{Memory: 32 << 20, Result: 10_000}}}
	if c.Timeout == 0 {
		c.Timeout = script.MaxTimeout
	}
	a, err := r.Call(t.Context(), c)
	require.NoError(t, err)
	return a.ToolAnswer
}

func TestAToolAnswersWhatItReturns(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`return { sum: args.a + args.b };`: `{"sum":3}`,
		`return;`:                          `null`,
		`return null;`:                     `null`,
		`return Object.assign(Object.create(null), { __proto__: 1 });`: `{}`,
		`return { ok: false, error: { code: "timeout" } };`:            `{"ok":false,"error":{"code":"timeout"}}`,
		`return { refused: { code: "action_not_found" } };`:            `{"refused":{"code":"action_not_found"}}`,
		`return ctx.secrets.ref("TOKEN");`:                             `"nonce_1"`,
		`return [typeof fetch("http://localhost"), typeof context];`:   `["object","undefined"]`,
	} {
		a := call(
			t,
			script.ToolCall{JS: toolJS(t, action(body)), Args: json.RawMessage(`{"a":1,"b":2}`), Secrets: map[string]string{"TOKEN": "nonce_1"}},
		)
		require.True(t, a.OK, "%s: %+v", body, a.Error)
		require.JSONEq(t, want, string(a.Result), body)
		require.NotNil(t, a.Logs)
		require.NotNil(t, a.LimitsHit)
		require.Positive(t, a.DurationMs)
	}
}

func TestEachWayToFailHasItsCode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		body    string
		code    script.ToolCode
		message string
		limits  []script.Limit
	}{
		{`throw new TypeError("not so");`, script.ToolFailed, "TypeError: not so", nil},
		{`throw null;`, script.ToolFailed, "null", nil},
		{`throw undefined;`, script.ToolFailed, "undefined", nil},
		{`throw { code: "timeout" };`, script.ToolFailed, "timeout", nil},
		{`throw new Proxy({}, { get() { throw 1; } });`, script.ToolFailed, "", nil},
		{`return 1n;`, script.ToolNotJSON, "", nil},
		{`const a = {}; a.a = a; return a;`, script.ToolNotJSON, "", nil},
		{`return () => 1;`, script.ToolNotJSON, "function", nil},
		{`return Symbol("a");`, script.ToolNotJSON, "symbol", nil},
		{`return { toJSON() { throw new Error("no"); } };`, script.ToolNotJSON, "no", nil},
		{`return "a".repeat(20_000);`, script.ToolResultTooLarge, "10000", []script.Limit{script.ResultLimit}},
		{`await new Promise(() => {});`, script.ToolStalled, "promise", nil},
		{`const f = () => f() + 1; return f();`, script.ToolFailed, "stack", nil},
		{`const a = []; for (;;) a.push(new Array(10_000).fill("x"));`, script.ToolMemory, "memory", []script.Limit{script.MemoryLimit}},
		{`return "a".repeat(2 ** 29).length + new ArrayBuffer(2 ** 30).byteLength;`, script.ToolMemory, "memory", []script.Limit{script.MemoryLimit}},
		{`return ctx.secrets.ref("OTHER");`, script.ToolNoSecret, `"OTHER"`, nil},
		{`return ctx.secrets.ref("constructor");`, script.ToolNoSecret, `"constructor"`, nil},
		{`return ctx.secrets.ref("__proto__");`, script.ToolNoSecret, `"__proto__"`, nil},
		{`return ctx.secrets.ref({ toString: () => "TOKEN" });`, script.ToolNoSecret, "", nil},
	} {
		a := call(t, script.ToolCall{JS: toolJS(t, action(c.body)), Secrets: map[string]string{"TOKEN": "nonce_1"}})
		require.False(t, a.OK, c.body)
		require.NotNil(t, a.Error, c.body)
		require.Equal(t, c.code, a.Error.Code, "%s: %+v", c.body, a.Error)
		require.Contains(t, a.Error.Message, c.message, c.body)
		require.NotEmpty(t, a.Error.Message, c.body)
		require.Nil(t, a.Result, c.body)
		require.ElementsMatch(t, c.limits, a.LimitsHit, c.body)
	}
}

func TestATimeIsHardHoweverItIsSpent(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`for (;;);`, `await new Promise((r) => setTimeout(r, 3_600_000));`, `for (;;) await null;`, `/(a+)+b/.test("a".repeat(100_000));`,
		`try { for (;;); } finally { for (;;); }`, `await new Promise((r) => setInterval(() => {}, 1));`,
	} {
		a := call(t, script.ToolCall{JS: toolJS(t, action(body)), Timeout: 150 * time.Millisecond})
		require.NotNil(t, a.Error, body)
		require.Equal(t, script.ToolTimeout, a.Error.Code, body)
		require.Equal(t, []script.Limit{script.TimeLimit}, a.LimitsHit)
	}
}

// What a tool throws or changes can look like anything; the code stays that of the product.
func TestAToolCannotChooseACode(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`throw Object.assign(new Error("x"), { code: "timeout" });`,
		`throw Object.assign(new Error("x"), { code: "secret_not_provisioned" });`,
		`throw Object.assign(new Error("out of memory"), { name: "InternalError", code: "memory_exceeded" });`,
		`throw new (globalThis.InternalError ?? Error)("out of memory");`,
		`try { ctx.secrets.ref("NONE"); } catch (e) { throw Object.assign(new Error(e.message), e); }`,
		`Object.prototype.toJSON = () => ({ refused: { code: "timeout", message: "", stack: "" } }); throw Object.assign(new Error("x"), { code: 7 });`,
		`WeakMap.prototype.get = () => ({ code: "action_not_found", message: "forged", stack: "" }); throw new Error("x");`,
		`Reflect.apply = () => ({ code: "action_not_found" }); throw new Error("x");`,
		`Object.hasOwn = () => true; JSON.stringify = () => '{"refused":{"code":"timeout"}}'; throw new Error("x");`,
	} {
		a := call(t, script.ToolCall{JS: toolJS(t, action(body))})
		require.NotNil(t, a.Error, body)
		require.Equal(t, script.ToolFailed, a.Error.Code, body)
	}
	a := call(t, script.ToolCall{JS: toolJS(t, action(`throw Object.assign(new Error("x"), { code: "ENOENT" });`))})
	require.Equal(t, "ENOENT", a.Error.Detail, "what it calls itself is shown beside")
	a = call(
		t,
		script.ToolCall{
			JS: toolJS(t, action(`try { ctx.secrets.ref("NONE"); } catch (e) { e.message = "forged"; e.code = "timeout"; throw e; }`)),
		},
	)
	require.Equal(t, script.ToolNoSecret, a.Error.Code, "a refusal stays one")
	require.NotContains(t, a.Error.Message, "forged")
	a = call(
		t,
		script.ToolCall{JS: toolJS(t, action(`Object.prototype.toJSON = () => 1; Array.prototype.toJSON = () => 2; return { a: 1 };`))},
	)
	require.True(t, a.OK)
	require.JSONEq(t, `1`, string(a.Result), "it has changed its own result and not the answer")
}

func TestAnActionIsOneThatTheToolHas(t *testing.T) {
	t.Parallel()
	js := toolJS(t, `return { actions: { default: () => 1, other() { return this.default() + 1; } } };`)
	require.JSONEq(t, `2`, string(call(t, script.ToolCall{JS: js, Action: "other"}).Result))
	for _, name := range []string{"none", "constructor", "__proto__", "toString"} {
		a := call(t, script.ToolCall{JS: js, Action: name})
		require.NotNil(t, a.Error, name)
		require.Equal(t, script.ToolNoAction, a.Error.Code)
		require.Contains(t, a.Error.Message, name)
	}
	for _, body := range []string{`return 1;`, `return { actions: null };`, `return undefined;`} {
		require.Equal(t, script.ToolNoAction, call(t, script.ToolCall{JS: toolJS(t, body)}).Error.Code, body)
	}
	require.Equal(t, script.ToolFailed, call(t, script.ToolCall{JS: toolJS(t, `throw new Error("at the top");`)}).Error.Code)
}

func TestAToolCanBeLoadedAlone(t *testing.T) {
	t.Parallel()
	a := call(t, script.ToolCall{JS: toolJS(t, `return { actions: { default() { throw 1; }, other() {} } };`), LoadOnly: true})
	require.True(t, a.OK, "%+v", a.Error)
	require.JSONEq(t, `["default","other"]`, string(a.Result))
	require.Equal(
		t,
		script.ToolNoAction,
		call(t, script.ToolCall{JS: toolJS(t, `return { actions: { other() {} } };`), LoadOnly: true}).Error.Code,
	)
	require.Equal(t, script.ToolFailed, call(t, script.ToolCall{JS: toolJS(t, `throw new Error("at the top");`), LoadOnly: true}).Error.Code)
}

// The same bytes from the source of an author to what they are told: places are those of the TypeScript.
func TestWhatGoesWrongIsFoundInTheSource(t *testing.T) {
	t.Parallel()
	c := typescript.New(typescript.Options{Processes: 1, Timeout: 2 * time.Minute})
	t.Cleanup(c.Close)
	compiled, err := c.CompileTool(
		t.Context(),
		typescript.ToolSource{ID: "broken", ArgsSchema: []byte("{}"), Source: `import type { CustomTool } from "@countersign/sdk/tool";

interface Args { deep: number }
const dig = (n: number): number => {
  if (n === 0) throw Object.assign(new RangeError("too deep"), { code: "EDEEP" });
  return dig(n - 1);
};
export default {
  actions: {
    default: async (args: Args, ctx) => {
      console.error(new Error("on the way"));
      if (args.deep < 0) ctx.secrets.ref("TOKEN");
      return dig(args.deep);
    },
  },
} satisfies CustomTool;
`},
	)
	require.NoError(t, err)
	require.NotEmpty(t, compiled.JS, "%+v", compiled.Diagnostics)
	h, _ := newHost(t, &engine{})
	h.Runner.JavaScript, err = toolEngine()
	require.NoError(t, err)
	h.start = func(id uuid.UUID) error { return h.ExecuteCall(t.Context(), id) }
	ask := func(args string) script.ToolAnswer {
		a, err := h.CallTool(
			asSomebody(t),
			script.ToolCall{JS: compiled.JS, SourceMap: compiled.SourceMap, Args: json.RawMessage(args), Timeout: script.MaxTimeout},
		)
		require.NoError(t, err)
		return a
	}
	a := ask(`{"deep":1}`)
	require.Equal(t, script.ToolError{
		Code:    script.ToolFailed,
		Message: "RangeError: too deep",
		Detail:  "EDEEP",
		Line:    5,
		Column:  40,
		Stack: []script.StackFrame{
			{Function: "dig", Line: 5, Column: 40},
			{Function: "dig", Line: 6, Column: 18},
			{Function: "default", Line: 13, Column: 18},
		},
	}, *a.Error)
	require.Contains(t, a.Logs[0].Message, "script.ts:11:", "stacks in logs, too")
	require.NotContains(t, a.Logs[0].Message, "refuse")
	a = ask(`{"deep":-1}`)
	require.Equal(t, script.ToolNoSecret, a.Error.Code)
	require.Equal(t, 12, a.Error.Line, "%+v", a.Error)
}

func TestLogsComeBackInOrder(t *testing.T) {
	t.Parallel()
	a := call(t, script.ToolCall{JS: toolJS(t, action(`
		ctx.log("info", "one", { n: 1, s: "\u0001" });
		ctx.log("warn", "two\nlines");
		ctx.log("error", { three: 3 });
		ctx.log("loud", "four", undefined);
		const cyclic = {}; cyclic.cyclic = cyclic;
		ctx.log("info", "five", cyclic);
		console.log("six", { a: 1 });
		console.log("\u0001forged", "seven");
		Array.prototype.toJSON = Object.prototype.toJSON = String.prototype.toJSON = () => "no";
		ctx.log("info", "eight");`))})
	require.True(t, a.OK, "%+v", a.Error)
	require.Equal(t, []script.ToolLog{
		{Level: "info", Message: "one", Meta: json.RawMessage(`{"n":1,"s":"\u0001"}`)},
		{Level: "warn", Message: "two\nlines"},
		{Level: "error", Message: `{"three":3}`},
		{Level: "info", Message: "four"},
		{Level: "info", Message: "five", Meta: json.RawMessage(`{"omitted":"meta has no JSON form"}`)},
		{Level: "info", Message: "six { a: 1 }"},
		{Level: "info", Message: "forged seven"},
		{Level: "info", Message: "eight"},
	}, a.Logs)
}

func TestLogsAreBounded(t *testing.T) {
	t.Parallel()
	for body, lines := range map[string]int{
		`for (let i = 0; i < 100_000; i++) ctx.log("info", "line " + i, { i });`:                       500,
		`for (let i = 0; i < 100; i++) ctx.log("info", "a".repeat(10_000), { a: "b".repeat(9_000) });`: 20,
		`console.log("a".repeat(1_000_000));`:                                                          1,
	} {
		a := call(t, script.ToolCall{JS: toolJS(t, action(body))})
		require.True(t, a.OK, "%s: %+v", body, a.Error)
		require.LessOrEqual(t, len(a.Logs), lines, body)
		require.Equal(t, []script.Limit{script.OutputLimit}, a.LimitsHit)
		data, err := json.Marshal(a.Logs)
		require.NoError(t, err)
		require.Less(t, len(data), 160_000)
	}
}

func TestNothingStaysForTheNextCall(t *testing.T) {
	t.Parallel()
	js := toolJS(t, "let calls = 0;\n"+action(`globalThis.seen = (globalThis.seen ?? 0) + 1; return [++calls, globalThis.seen];`))
	for range 5 {
		require.JSONEq(t, `[1,1]`, string(call(t, script.ToolCall{JS: js}).Result))
	}
}

func TestWhatSomebodyHasTypedDoesNotComeBack(t *testing.T) {
	t.Parallel()
	const typed = "hunter2-hunter2"
	secrets := map[string]string{"TYPED": typed, "MADE": "nonce_0123456789"}
	for _, body := range []string{
		`return { token: ctx.secrets.ref("TYPED"), made: ctx.secrets.ref("MADE") };`,
		`return btoa(ctx.secrets.ref("TYPED"));`,
		`throw new Error(ctx.secrets.ref("TYPED"));`,
		`throw Object.assign(new Error("x"), { code: ctx.secrets.ref("TYPED") });`,
		`ctx.log("info", ctx.secrets.ref("TYPED"), { a: ctx.secrets.ref("TYPED") });`,
		`console.error(new Error(ctx.secrets.ref("TYPED")));`,
	} {
		a := call(t, script.ToolCall{JS: toolJS(t, action(body)), Secrets: secrets, Masked: []string{"TYPED"}})
		data, err := json.Marshal(a)
		require.NoError(t, err)
		require.NotContains(t, string(data), typed, body)
		require.NotContains(t, string(data), "aHVudGVyMi1odW50ZXIy", body)
		if strings.Contains(body, "MADE") {
			require.Contains(t, string(data), "nonce_0123456789", "a placeholder is no secret")
		}
	}
}

// refused is what the sandbox says when the runtime of tools has refused nothing and the tool has returned 1.
var returned = sandbox.Outcome{Kind: sandbox.OK, Result: json.RawMessage(`{"result":1}`)}

func TestACallComesBack(t *testing.T) {
	t.Parallel()
	e := &engine{outcome: returned}
	h, db := newHost(t, e)
	h.start = func(id uuid.UUID) error { return h.ExecuteCall(t.Context(), id) }
	recorded := false
	a, err := h.CallTool(asSomebody(t), script.ToolCall{
		Tool: "sum", JS: "x", Args: json.RawMessage(`{"a":1}`), Secrets: map[string]string{"TOKEN": "nonce_1"},
		Record: func(context.Context) error { recorded = true; return nil },
	})
	require.NoError(t, err)
	require.JSONEq(t, `1`, string(a.Result))
	require.True(t, recorded)
	job := e.last()
	require.JSONEq(t, `{"args":{"a":1},"secrets":{"TOKEN":"nonce_1"},"action":"default"}`, string(job.Input))
	require.Nil(t, job.Fetch, "a tool has no network, whatever the script policy says")
	require.Zero(t, rows(t, db))
}

func TestACallThatIsNotRecordedIsNotMade(t *testing.T) {
	t.Parallel()
	h, db := newHost(t, &engine{})
	h.start = func(uuid.UUID) error { panic("it is not made") }
	_, err := h.CallTool(asSomebody(t), script.ToolCall{JS: "x", Record: func(context.Context) error { return errors.New("no record") }})
	require.ErrorContains(t, err, "no record")
	require.Zero(t, rows(t, db))
}

func TestTheRowOfACallShowsNoSecret(t *testing.T) {
	t.Parallel()
	h, db := newHost(t, &engine{outcome: returned})
	h.start = func(id uuid.UUID) error {
		var request []byte
		require.NoError(t, db.Conn(t.Context()).QueryRow(t.Context(), `SELECT request FROM script_tests WHERE id = $1`, id).Scan(&request))
		require.Contains(t, string(request), "TOKEN")
		require.NotContains(t, string(request), "hunter2")
		return h.ExecuteCall(t.Context(), id)
	}
	_, err := h.CallTool(
		asSomebody(t),
		script.ToolCall{JS: "x", Secrets: map[string]string{"TOKEN": "hunter2-hunter2"}, Masked: []string{"TOKEN"}},
	)
	require.NoError(t, err)
}

// A process dies while it calls a tool. A tool computes and changes nothing, so another process calls it again, once.
func TestACallWhoseProcessDiesIsMadeOnceMore(t *testing.T) {
	t.Parallel()
	e := &engine{hold: make(chan struct{}), outcome: returned}
	h, _ := newHost(t, e)
	died := make(chan error, 2)
	begun := func(n int) {
		require.Eventually(t, func() bool {
			e.mu.Lock()
			defer e.mu.Unlock()
			return len(e.jobs) == n
		}, time.Minute, time.Millisecond)
	}
	h.start = func(id uuid.UUID) error {
		go func() { died <- h.ExecuteCall(context.WithoutCancel(t.Context()), id) }()
		begun(1)
		go func() { died <- h.ExecuteCall(context.WithoutCancel(t.Context()), id) }()
		begun(2)
		return h.ExecuteCall(t.Context(), id)
	}
	_, err := h.CallTool(asSomebody(t), script.ToolCall{JS: "x"})
	require.True(t, problem.Is(err, problem.Unavailable), "%v", err)
	require.ErrorContains(t, err, "died")
	require.Len(t, e.jobs, 2, "two attempts and no more")
	close(e.hold)
	require.NoError(t, <-died)
	require.NoError(t, <-died)
}

func TestAFaultOfOneProcessIsLeftToAnother(t *testing.T) {
	t.Parallel()
	e := &engine{err: errors.New("wasm: secret detail")}
	h, _ := newHost(t, e)
	h.start = func(id uuid.UUID) error {
		require.ErrorContains(t, h.ExecuteCall(t.Context(), id), "secret detail", "Temporal tries it again")
		e.err, e.outcome = nil, returned
		return h.ExecuteCall(t.Context(), id)
	}
	a, err := h.CallTool(asSomebody(t), script.ToolCall{JS: "x"})
	require.NoError(t, err)
	require.True(t, a.OK)

	e.err = errors.New("wasm: secret detail")
	h.start = func(id uuid.UUID) error {
		require.Error(t, h.ExecuteCall(t.Context(), id))
		require.Error(t, h.ExecuteCall(t.Context(), id))
		return nil
	}
	_, err = h.CallTool(asSomebody(t), script.ToolCall{JS: "x"})
	require.True(t, problem.Is(err, problem.Unavailable))
	require.NotContains(t, err.Error(), "secret detail")
}

func TestACallIsCanceledWithItsContext(t *testing.T) {
	t.Parallel()
	h, db := newHost(t, &engine{})
	ctx, leave := context.WithCancelCause(asSomebody(t))
	gone := errors.New("gone")
	h.start = func(uuid.UUID) error {
		leave(gone)
		return nil
	}
	_, err := h.CallTool(ctx, script.ToolCall{JS: "x"})
	require.ErrorIs(t, err, gone)
	require.Len(t, h.canceled, 1)
	require.Zero(t, rows(t, db))
	require.NoError(t, h.ExecuteCall(t.Context(), h.canceled[0]), "nobody waits for it any more")
}

func TestDryRunsAndCallsAndTestsHavePlacesOfTheirOwn(t *testing.T) {
	t.Parallel()
	h, db := newHost(t, &engine{})
	h.start = func(uuid.UUID) error { return nil }
	ctx, leave := context.WithCancel(asSomebody(t))
	var waiting sync.WaitGroup
	for range 8 {
		waiting.Go(func() { _, _ = h.CallTool(ctx, script.ToolCall{JS: "x", DryRun: true}) })
	}
	require.Eventually(t, func() bool { return rows(t, db) == 8 }, time.Minute, 5*time.Millisecond)
	_, err := h.CallTool(ctx, script.ToolCall{JS: "x", DryRun: true})
	require.True(t, problem.Is(err, problem.Throttled), "%v", err)
	require.Positive(t, problem.As(err).RetryAfter)
	waiting.Go(func() { _, _ = h.CallTool(ctx, script.ToolCall{JS: "x"}) })
	waiting.Go(func() { _, _ = h.Test(ctx, nil, shell("x")) })
	require.Eventually(t, func() bool { return rows(t, db) == 10 }, time.Minute, 5*time.Millisecond)
	leave()
	waiting.Wait()
	require.Zero(t, rows(t, db))
}

func TestACallThatNobodyTakesIsAnswered(t *testing.T) {
	t.Parallel()
	h, _ := newHost(t, &engine{})
	h.start = func(id uuid.UUID) error { return h.UnservedCall(t.Context(), id) }
	ctx := principal.NewContext(t.Context(), principal.Principal{Kind: principal.User, ID: uuid.New()})
	_, err := h.CallTool(ctx, script.ToolCall{JS: "x"})
	require.True(t, problem.Is(err, problem.Unavailable))
	require.ErrorContains(t, err, "tool")
}
