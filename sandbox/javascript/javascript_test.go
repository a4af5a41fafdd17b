package javascript_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/sandbox"
	"countersign/sandbox/javascript"
)

var shared = sync.OnceValues(func() (*javascript.Engine, error) {
	return javascript.New(context.Background(), javascript.Options{})
})

// engine is one for all tests: isolation between runs is what it promises.
func engine(t testing.TB) *javascript.Engine {
	t.Helper()
	e, err := shared()
	require.NoError(t, err)
	return e
}

func run(t testing.TB, j sandbox.Job) sandbox.Outcome {
	t.Helper()
	if j.Limits.Timeout == 0 {
		j.Limits.Timeout = patience
	}
	o, err := engine(t).Run(t.Context(), j)
	require.NoError(t, err)
	if o.Kind == sandbox.OK {
		require.True(t, json.Valid(o.Result), "%s", o.Result)
		require.Nil(t, o.Failure)
	} else {
		require.Nil(t, o.Result)
		require.NotEmpty(t, o.Failure.Message)
	}
	require.Equal(t, -1, o.ExitCode)
	return o
}

// result runs a script that must end well, and answers its result.
func result(t testing.TB, source string) string {
	t.Helper()
	o := run(t, sandbox.Job{Source: source})
	require.Equal(t, sandbox.OK, o.Kind, "%+v", o.Failure)
	return string(o.Result)
}

func TestTheDefaultExportIsTheResultOrCalledForIt(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		`export default 1`:                                          `1`,
		`export default {a: [1, null]}`:                             `{"a":[1,null]}`,
		`export default undefined`:                                  `null`,
		`export default () => {}`:                                   `null`,
		`export default (input) => input.x + 1`:                     `5`,
		`export default async (input) => input.x + 1`:               `5`,
		`export default function named() { return context.x }`:      `4`,
		`export default { run(i) { return i.x + this.y }, y: 2 }`:   `6`,
		`export default Promise.resolve("later")`:                   `"later"`,
		`const v = await Promise.resolve(7); export default v`:      `7`,
		`export default (i) => i === context`:                       `true`,
		`export default () => "\ud800"`:                             `"\ud800"`,
		`export default () => ({toJSON: () => "own"})`:              `"own"`,
		`const define = (f) => f; export default define(() => "s")`: `"s"`,
		`export { x as default }; let x = 3`:                        `3`,
	} {
		o := run(t, sandbox.Job{Source: source, Input: json.RawMessage(`{"x":4}`)})
		require.Equal(t, sandbox.OK, o.Kind, "%s: %+v", source, o.Failure)
		require.Equal(t, want, string(o.Result), source)
	}
	require.Equal(t, "[null,true]", result(t, `export default (input) => [input, "context" in globalThis]`))
}

func TestEachWayToEndHasItsKind(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]sandbox.Kind{
		`export default () => { throw new TypeError("boom") }`:        sandbox.Failed,
		`export default () => { throw "text" }`:                       sandbox.Failed,
		`let a = ;`:                                                   sandbox.Failed,
		`export const a = 1`:                                          sandbox.Failed,
		`export default missing`:                                      sandbox.Failed,
		`const f = () => f() + 1; export default f`:                   sandbox.Failed,
		`export default () => { for (;;); }`:                          sandbox.Timeout,
		`for (;;);`:                                                   sandbox.Timeout,
		`export default async () => { for (;;) await null }`:          sandbox.Timeout,
		`export default () => new Promise((r) => setTimeout(r, 1e9))`: sandbox.Timeout,
		`export default () => ({ toJSON() { for (;;); } })`:           sandbox.Timeout,
		`export default () => { throw { get message() { for (;;); }, __proto__: Error.prototype } }`:                          sandbox.Timeout,
		`export default () => { const e = new Error(); Object.defineProperty(e, "stack", { get() { for (;;); } }); throw e }`: sandbox.Timeout,
		`export default () => { const a = []; for (;;) a.push(new Uint8Array(1 << 20)) }`:                                     sandbox.Memory,
		`export default () => { let s = "x"; for (;;) s += s }`:                                                               sandbox.Memory,
		`export default () => "x".repeat(99)`:                                                                                 sandbox.ResultTooLarge,
		`export default () => { const a = {}; a.a = a; return a }`:                                                            sandbox.ResultNotJSON,
		`export default () => 5n`:                     sandbox.ResultNotJSON,
		`export default () => () => 1`:                sandbox.ResultNotJSON,
		`export default () => Symbol("x")`:            sandbox.ResultNotJSON,
		`export default () => new Promise(() => {})`:  sandbox.Stalled,
		`await new Promise(() => {})`:                 sandbox.Stalled,
		`import fs from "node:fs"; export default 1`:  sandbox.ImportRefused,
		`import "./other.js"; export default 1`:       sandbox.ImportRefused,
		`export default () => import("n" + "ode:os")`: sandbox.ImportRefused,
	} {
		limits := sandbox.Limits{Result: 100}
		if want == sandbox.Timeout {
			limits.Timeout = 200 * time.Millisecond
		}
		o := run(t, sandbox.Job{Source: source, Limits: limits})
		require.Equal(t, want, o.Kind, "%s: %+v", source, o.Failure)
	}
	deep := run(t, sandbox.Job{Source: `export default () => { let a = []; for (let i = 0; i < 1.2e4; i++) a = [a]; return a }`})
	require.Equal(t, sandbox.ResultNotJSON, deep.Kind, "what Go cannot read is no result")
	require.Equal(t, `"the module \"x\" does not exist for a script"`, result(t, `export default () => import("x").catch((e) => e.message)`))
}

func TestAFailureSaysWhatAndWhere(t *testing.T) {
	t.Parallel()
	o := run(
		t,
		sandbox.Job{
			Name:   "check.ts",
			Source: "const inner = () => {\n  throw new RangeError('too far')\n}\nexport default async function main() {\n  await null\n  inner()\n}",
		},
	)
	require.Equal(t, &sandbox.Failure{Name: "RangeError", Message: "too far", Stack: []sandbox.Frame{
		{Function: "inner", File: "check.ts", Line: 2, Column: 13}, {Function: "main", File: "check.ts", Line: 6, Column: 3},
	}}, o.Failure)

	syntax := run(t, sandbox.Job{Name: "check.ts", Source: "\n\nlet a = ;"})
	require.Equal(t, "SyntaxError", syntax.Failure.Name)
	require.Equal(t, []sandbox.Frame{{File: "check.ts", Line: 3, Column: 9}}, syntax.Failure.Stack)

	thrown := run(t, sandbox.Job{Source: `export default () => { throw {code: 7} }`})
	require.Equal(t, &sandbox.Failure{Name: "Error", Message: "{ code: 7 }", Code: "7"}, thrown.Failure)
}

func TestOutputIsOrderedAndCut(t *testing.T) {
	t.Parallel()
	o := run(t, sandbox.Job{Source: `
		console.log("a %s %d", "b", 4, {c: [1, "x"]}); console.warn(new Map([["k", null]])); console.debug(undefined, 5n);
		console.error(new TypeError("bad").message); console.info("ünï", [], {}, null, -0, new Date(0), /x/g, () => 1);
		const loop = {}; loop.loop = loop; console.log(loop); export default 1`})
	require.Equal(t, []sandbox.Log{
		{Level: "info", Text: "a b 4 { c: [ 1, 'x' ] }"},
		{Level: "warn", Text: "Map(1) { 'k' => null }"},
		{Level: "debug", Text: "undefined 5n"},
		{Level: "error", Text: "bad"},
		{Level: "info", Text: "ünï [] {} null -0 1970-01-01T00:00:00.000Z /x/g [Function (anonymous)]"},
		{Level: "info", Text: "{ loop: [Circular] }"},
	}, o.Logs)
	require.Equal(t, "Map(1) { 'k' => null }\nbad\n", o.Stderr)
	require.Equal(t, 4, strings.Count(o.Stdout, "\n"))
	require.False(t, o.OutputCut)

	cut := run(
		t,
		sandbox.Job{Source: `for (let i = 0; i < 1e4; i++) console.log("äääää"); export default "still"`, Limits: sandbox.Limits{Output: 100}},
	)
	require.Equal(t, sandbox.OK, cut.Kind)
	require.True(t, cut.OutputCut)
	require.LessOrEqual(t, len(cut.Stdout), 110)
	empty := run(
		t,
		sandbox.Job{Source: `for (let i = 0; i < 1e4; i++) console.log(""); export default 1`, Limits: sandbox.Limits{Output: 100}},
	)
	require.True(t, empty.OutputCut)
	require.Len(t, empty.Logs, 100)
}

// Each file runs the same in Node.js, whose answers its tables are.
func TestTheGlobalsOfTheWebBehave(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/globals/*.js")
	require.NoError(t, err)
	require.Len(t, files, 5)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			source, err := os.ReadFile(file)
			require.NoError(t, err)
			o := run(t, sandbox.Job{Source: string(source), Name: filepath.Base(file)})
			require.Equal(t, sandbox.OK, o.Kind, "%+v", o.Failure)
			require.JSONEq(t, "[]", string(o.Result))
		})
	}
}

func TestAScriptReachesNothingOfTheHost(t *testing.T) {
	t.Parallel()
	require.JSONEq(t, `["undefined","undefined","undefined","undefined","undefined","undefined","undefined"]`, result(t, `
		const F = (async () => {}).constructor;
		export default async () => [typeof host, typeof process, typeof require, typeof std, typeof os,
			await F("return typeof host")(), (0, eval)("typeof __host")]`))
}

func TestRandomNumbersDifferBetweenRuns(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 20 {
		seen[result(t, `export default [Math.random(), crypto.randomUUID()]`)] = true
	}
	require.Len(t, seen, 20)
	require.Equal(
		t,
		"true",
		result(t, `let sum = 0; for (let i = 0; i < 1e4; i++) { const r = Math.random(); if (r < 0 || r >= 1) sum = NaN; sum += r }
		export default Math.abs(sum - 5000) < 300`),
	)
}
