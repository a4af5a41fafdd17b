package sdk_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/sandbox"
	"countersign/script/sdk"
	"countersign/script/typescript"
)

// What Node.js 20 answers to the same expressions.
func TestTheModulesOfToolsAnswerWhatNodeJSAnswers(t *testing.T) {
	t.Parallel()
	engine := newEngine(t)
	c := typescript.New(typescript.Options{Processes: 1, Timeout: 2 * time.Minute})
	t.Cleanup(c.Close)
	for _, tc := range []struct{ imports, expression, want string }{
		{`import { createHash } from "crypto"`, `createHash("sha256").update("abc").digest("hex")`, `"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"`},
		{`import crypto from "node:crypto"`, `crypto.createHash("md5").update("a").update("bc").digest("base64")`, `"kAFQmDzST7DWlj99KOF/cg=="`},
		{`import * as crypto from "crypto"`, `crypto.createHash("SHA1").update("abc", "utf8").digest("hex")`, `"a9993e364706816aba3e25717850c26c9cd0d89d"`},
		{`import { createHash } from "crypto"`, `createHash("sha512").update("").digest("base64url").slice(0, 20)`, `"z4PhNX7vuL3xVChQ1m2A"`},
		{`import { createHash } from "crypto"`, `createHash("sha3-256").update("abc").digest("hex").slice(0, 16)`, `"3a985da74fe225b2"`},
		{`import { createHash } from "crypto"`, `createHash("ripemd160").update("abc").digest("hex")`, `"8eb208f7e05d987a9b044a8e98c6b087f15a0bfc"`},
		{`import { createHmac } from "crypto"`, `createHmac("sha256", "key").update("The quick brown fox jumps over the lazy dog").digest("hex")`, `"f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8"`},
		{`import { createHash } from "crypto"`, `createHash("sha256").update("616263", "hex").digest("hex").slice(0, 8)`, `"ba7816bf"`},
		{`import { createHash } from "crypto"`, `[...createHash("md5").update(new Uint8Array([1])).digest()].length`, `16`},
		{`import { pbkdf2Sync } from "crypto"`, `[...pbkdf2Sync("password", "salt", 2, 4, "sha1")]`, `[234,108,1,77]`},
		{`import { hkdfSync } from "crypto"`, `hkdfSync("sha256", "key", "salt", "info", 8).byteLength`, `8`},
		{`import { timingSafeEqual } from "crypto"`, `[timingSafeEqual(new Uint8Array([1, 2]), new Uint8Array([1, 2])), timingSafeEqual(new Uint8Array([1, 2]), new Uint8Array([1, 3]))]`, `[true,false]`},
		{`import { randomUUID, randomBytes, randomInt } from "crypto"`, `[randomUUID().length, randomBytes(70000).length, randomInt(1, 2)]`, `[36,70000,1]`},
		{`import path from "path"`, `[path.join("/a", "../b", "c.txt"), path.extname("x.tar.gz"), path.resolve("a"), path.relative("/a/b", "/a/c"), path.basename("/x/y.js", ".js")]`, `["/b/c.txt",".gz","/a","../c","y"]`},
		{`import { posix } from "node:path"`, `posix.parse("/home/u/file.txt")`, `{"root":"/","dir":"/home/u","base":"file.txt","ext":".txt","name":"file"}`},
		{`import { URL, URLSearchParams } from "url"`, `[new URL("../b", "https://x.example/a/c").href, new URLSearchParams({ q: "ä b" }).toString()]`, `["https://x.example/b","q=%C3%A4+b"]`},
		{`import url from "node:url"`, `url.parse("https://u:p@Host.example:8080/p/a?x=1#h")`, `{"protocol":"https:","slashes":true,"auth":"u:p","host":"host.example:8080","port":"8080","hostname":"host.example","hash":"#h","search":"?x=1","query":"x=1","pathname":"/p/a","path":"/p/a?x=1","href":"https://u:p@Host.example:8080/p/a?x=1#h"}`},
		{`import { format, resolve } from "url"`, `[format({ protocol: "https", hostname: "x.example", port: 1, pathname: "/p", query: { a: "b" } }), resolve("/one/two", "three")]`, `["https://x.example:1/p?a=b","/one/three"]`},
		{`import qs from "querystring"`, `[qs.stringify({ a: [1, 2], b: "x y", c: true }), qs.parse("a=1&a=2&b=x%20y+z&c").a, qs.parse("c").c]`, `["a=1&a=2&b=x%20y&c=true",["1","2"],""]`},
		{`import util from "util"`, `[util.format("%s is %d, %j %%", "x", 42, { a: 1 }, "more"), util.inspect({ a: [1, "b", null], c: new Map([[1, 2]]) }), util.isDeepStrictEqual({ a: [1] }, { a: [1] })]`, `["x is 42, {\"a\":1} % more","{ a: [ 1, 'b', null ], c: Map(1) { 1 => 2 } }",true]`},
		{`import { promisify } from "node:util"`, `await promisify((n: number, done: (e: unknown, v: number) => void) => done(null, n + 1))(1)`, `2`},
		{
			`import { isDate, isMap, isUint8Array, isPromise, isBoxedPrimitive, isAsyncFunction, isGeneratorFunction } from "node:util/types"`,
			`[isDate(new Date()), isDate("x"), isMap(new Map()), isUint8Array(new Uint8Array(1)), isPromise(Promise.resolve()), ` +
				`isBoxedPrimitive(Object(1)), isBoxedPrimitive(1), isAsyncFunction(async () => 1), ` +
				`isGeneratorFunction(() => 1)]`,
			`[true,false,true,true,true,true,false,true,false]`,
		},
		{
			`import types from "util/types"; import { types as same } from "util"; import util from "util"`,
			`[types === same, util.types === same, same.isRegExp(/a/), types.isMapIterator(new Map().keys()), ` +
				`types.isGeneratorObject((function* () {})()), types.isNativeError(new TypeError("x")), ` +
				`types.isTypedArray(new DataView(new ArrayBuffer(1)))]`,
			`[true,true,true,true,true,true,false]`,
		},
		{`import { EventEmitter } from "events"`, `await new Promise((ok) => new EventEmitter().once("x", (a: number, b: number) => ok(a + b)).emit("x", 1, 2))`, `3`},
		{`import EventEmitter, { once } from "node:events"`, `await (async () => { const e = new EventEmitter(); const p = once(e, "x"); e.emit("x", 5); return p; })()`, `[5]`},
		{`import assert from "assert"`, `(() => { try { assert.deepStrictEqual({ a: 1 }, { a: 2 }); } catch (e) { return (e as Error).name; } })()`, `"AssertionError"`},
		{`import { ok, throws } from "node:assert/strict"`, `(() => { ok(true); throws(() => { throw new TypeError("x"); }, TypeError); return 1; })()`, `1`},
		{``, `(await import("crypto")).createHash("md5").update("").digest("hex")`, `"d41d8cd98f00b204e9800998ecf8427e"`},
	} {
		source := tc.imports + ";\nexport default { actions: { async default() { return " + tc.expression + "; } } };\n"
		compiled, err := c.CompileTool(t.Context(), typescript.ToolSource{Source: source})
		require.NoError(t, err)
		require.Empty(t, compiled.Diagnostics, source)
		o := runIn(t, engine, compiled.JS, sdk.ToolInput{Action: "default"})
		require.Equal(t, sandbox.OK, o.Kind, "%s: %+v", source, o.Failure)
		require.JSONEq(t, `{"result":`+tc.want+`}`, string(o.Result), source)
	}
}

func TestAToolBringsOnlyWhatItImports(t *testing.T) {
	t.Parallel()
	c := typescript.New(typescript.Options{Processes: 1, Timeout: 2 * time.Minute})
	t.Cleanup(c.Close)
	for source, most := range map[string]int{
		`export default { actions: { default: () => 1 } };`: 5_500,
		`import { createHash } from "crypto"; export default { actions: { default: () => createHash("md5").update("").digest("hex") } };`: 80_000,
		`import { join } from "path"; export default { actions: { default: () => join("a", "b") } };`:                                     25_000,
		`import { join } from "path"; export default { actions: { default: () => 1 } };`:                                                  5_500,
	} {
		compiled, err := c.CompileTool(t.Context(), typescript.ToolSource{Source: source})
		require.NoError(t, err)
		require.NotEmpty(t, compiled.JS, compiled.Diagnostics)
		require.Less(t, len(compiled.JS), most, source)
	}
}
