package typescript_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/microsoft/typescript-go/shim"
	"github.com/stretchr/testify/require"

	"countersign/sandbox"
	"countersign/sandbox/javascript"
	"countersign/script/sdk"
	"countersign/script/typescript"
)

// surface is what the engine has: for each global the names that it and its prototype have, its own and all.
type surface map[string]struct {
	Function           bool
	Own, All           []string
	OwnProto, AllProto []string
}

const describeGlobals = `
const name = (k) => typeof k === "symbol" ? "[" + k.description + "]" : k;
const own = (o) => Reflect.ownKeys(o).map(name);
const all = (o) => { const found = []; for (; o !== null && o !== undefined;
	o = Object.getPrototypeOf(o)) found.push(...own(o)); return found };
export default () => Object.fromEntries(Object.getOwnPropertyNames(globalThis).map((g) => {
	const v = globalThis[g];
	if (v === null || (typeof v !== "object" && typeof v !== "function") || v === globalThis) return [g, { own: [], all: [], ownProto: [], allProto: [] }];
	const p = typeof v === "function" ? v.prototype : undefined;
	return [g, { function: typeof v === "function", own: own(v), all: all(v), ownProto: p ? own(p) : [], allProto: all(p) }];
}))`

func engine(t *testing.T) *javascript.Engine {
	e, err := javascript.New(t.Context(), javascript.Options{Slots: 1})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close(context.WithoutCancel(t.Context()))) })
	return e
}

func globals(t *testing.T) surface {
	e := engine(t)
	o, err := e.Run(t.Context(), sandbox.Job{Source: describeGlobals, Limits: sandbox.Limits{Timeout: time.Minute}})
	require.NoError(t, err)
	require.Equal(t, sandbox.OK, o.Kind, "%+v", o.Failure)
	var s surface
	require.NoError(t, json.Unmarshal(o.Result, &s))
	return s
}

// declared are the members of a type and of what it extends.
func declared(l shim.Library, name string) []string {
	name, _, _ = strings.Cut(name, "<")
	found := slices.Clone(l.Members[name])
	for _, base := range l.Bases[name] {
		found = append(found, declared(l, base)...)
	}
	return found
}

// prototype is the type of what a constructor's prototype has.
func prototype(of string) string {
	if of == "Iterator" {
		return "IteratorObject" // the type Iterator is the protocol
	}
	return of
}

// ofInstances are members that each object has for itself, and no prototype.
var ofInstances = []string{"cause", "errors", "error", "suppressed", "lastIndex", "onabort", "prototype", "next", "return", "throw"}

// untyped reports whether the engine's name is one that nobody has to know: TypeScript leaves it out, or does not know it yet.
func untyped(name string) bool {
	return strings.HasSuffix(name, ".[Symbol.toStringTag]") || strings.HasSuffix(name, "_ERR") ||
		strings.HasPrefix(name, "Object.prototype.__") ||
		strings.HasSuffix(name, "mmutable") && strings.HasPrefix(name, "ArrayBuffer.prototype.") ||
		slices.Contains([]string{
			"Date.prototype.getYear",
			"Date.prototype.setYear",
			"Date.prototype.toGMTString",
			"Error.captureStackTrace",
			"Error.prepareStackTrace",
			"Error.stackTraceLimit",
			"Function.prototype.columnNumber",
			"Function.prototype.fileName",
			"Function.prototype.lineNumber",
			"InternalError",
			"Iterator.concat",
			"Iterator.zip",
			"Iterator.zipKeyed",
			"Iterator.prototype.chunks",
			"Iterator.prototype.includes",
			"Iterator.prototype.join",
			"Iterator.prototype.windows",
			"JSON.isRawJSON",
			"JSON.rawJSON",
			"Math.sumPrecise",
			"globalThis",
			"undefined",
		}, name)
}

// modern are the forms that a health check may use: the engine runs them, and the checker lets them pass.
var modern = []string{
	`[1, 2].findLast((n) => n > 1) === 2`,
	`[2, 1].toSorted()[0] === 1`,
	`[1].with(0, 2).at(-1) === 2`,
	`[1, 2].toSpliced(0, 1).length === 1`,
	`Object.groupBy([1, 2], (n) => n > 1 ? "big" : "small").big?.length === 1`,
	`Map.groupBy([1], () => 1).size === 1`,
	`(await Array.fromAsync([1])).length === 1`,
	`structuredClone({ a: 1 }).a === 1`,
	`typeof Promise.withResolvers<number>().resolve === "function"`,
	`(await Promise.try(() => 1)) === 1`,
	`new Set([1]).union(new Set([2])).size === 2`,
	`[1, 2].values().map((n) => n + 1).toArray()[1] === 3`,
	`Iterator.from([1]).take(1).toArray().length === 1`,
	`"a".isWellFormed()`,
	`/[\p{L}--[a-z]]/v.test("B")`,
	`/(?<a>b)/d.exec("b")?.indices?.[0]?.[0] === 0`,
	`RegExp.escape("a.b").length > 3`,
	`Error.isError(new Error("a", { cause: 1 }))`,
	`new Uint8Array([1]).toBase64() === "AQ=="`,
	`new AggregateError([new Error("a")]).errors.length === 1`,
	`new ArrayBuffer(1, { maxByteLength: 2 }).resizable`,
	`new Float16Array(1).length === 1`,
	`(1234.5).toLocaleString().length > 0`,
	`new Date(0).toLocaleDateString().length > 0`,
	`"a".localeCompare("b") < 0`,
	`10n.toLocaleString() === "10"`,
	`"a-b".replaceAll("-", "").at(-1) === "b"`,
	`Object.hasOwn({ a: 1 }, "a")`,
	`new Map([[1, 2]]).getOrInsert(1, 3) === 2`,
}

func TestWhatTheEngineRunsHasNoTypeErrors(t *testing.T) {
	t.Parallel()
	c, e := compiler(t, patient()), engine(t)
	for _, form := range modern {
		compiled := compile(t, c, sdk.HealthCheckScript, "return "+form+";\n")
		require.Empty(t, compiled.Diagnostics, form)
		require.True(t, compiled.Checked)
		o, err := e.Run(t.Context(), sandbox.Job{Source: compiled.JS, Limits: sandbox.Limits{Timeout: time.Minute}})
		require.NoError(t, err)
		require.Equal(t, "true", string(o.Result), "%s: %+v", form, o.Failure)
	}
}

func TestWhatTheTypesDeclareIsWhatTheEngineHas(t *testing.T) {
	t.Parallel()
	there, types := globals(t), typescript.DeclaredLibrary()
	require.Contains(t, types.Globals, "Map")
	require.Contains(t, declared(types, "Array"), "map")

	var missing, unknown []string
	for name, typ := range types.Globals {
		has, ok := there[name]
		if !ok {
			missing = append(missing, name)
			continue
		}
		own := declared(types, "typeof "+name)
		if typ != "" && typ != name {
			own = append(own, declared(types, typ)...)
		}
		proto := declared(types, prototype(name))
		if !has.Function {
			own, proto = append(own, proto...), nil
		}
		for _, m := range own {
			if !slices.Contains(has.All, m) {
				missing = append(missing, name+"."+m)
			}
		}
		for _, m := range proto {
			if !slices.Contains(has.AllProto, m) && !slices.Contains(ofInstances, m) {
				missing = append(missing, name+".prototype."+m)
			}
		}
	}
	for name, has := range there {
		typ, ok := types.Globals[name]
		if !ok {
			unknown = append(unknown, name)
			continue
		}
		known := slices.Concat(declared(types, "typeof "+name), declared(types, typ), declared(types, "Object"), declared(types, "Function"))
		if !has.Function {
			known = append(known, declared(types, name)...)
		}
		for _, m := range has.Own {
			if !slices.Contains(known, m) && m != "prototype" {
				unknown = append(unknown, name+"."+m)
			}
		}
		known = slices.Concat(declared(types, prototype(name)), declared(types, "Object"))
		for _, m := range has.OwnProto {
			if !slices.Contains(known, m) {
				unknown = append(unknown, name+".prototype."+m)
			}
		}
	}
	unknown = slices.DeleteFunc(unknown, untyped)
	slices.Sort(missing)
	slices.Sort(unknown)
	require.Empty(t, missing, "declared, and not there")
	require.Empty(t, unknown, "there, and not declared")
}
