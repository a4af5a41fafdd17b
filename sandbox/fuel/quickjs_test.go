package fuel_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"countersign/sandbox/fuel"
	"countersign/sandbox/wasi"
)

// programs are evaluated by an instrumented engine and by a plain one.
var programs = []string{
	`1 + 1`, `"a".repeat(1000).length`, `[3,1,2].sort().join()`, `JSON.stringify({a:[1,{b:null}]})`,
	`let s = 0; for (let i = 0; i < 100000; i++) s += i; s`, `(function f(n) { return n < 2 ? n : f(n-1) + f(n-2) })(18)`,
	`/^(a|b)*c$/.test("abababac")`, `(2n ** 500n).toString()`, `new Uint8Array(100000).fill(7).reduce((a, b) => a + b)`,
	`new Date(86400000).toISOString()`, `try { null.x } catch (e) { e.message }`, `[...function* () { yield* [1,2,3] }()].join()`,
	`"äöü€😀".split("").length`, `Array.from({length: 1000}, (_, i) => i * i).filter((x) => x % 3 === 0).length`,
	`try { (function f() { f() })() } catch (e) { e.name }`, `Math.sin(1).toFixed(10)`, `parseFloat("1e300") * 1e10`,
	`new Map(Object.entries({a: 1})).get("a")`, `throw new Error("x")`, `let x = ;`, `"x".padStart(5, "ab")`, `(0.1 + 0.2).toString(7)`,
	`new Proxy({}, { get: (_, k) => k }).hello`, `Reflect.ownKeys(class { static a = 1 }).join()`, `structure = 1; typeof structure`,
}

func TestTheInstrumentedJavaScriptEngineAnswersTheSame(t *testing.T) {
	t.Parallel()
	original, made := engines(t)
	plain, fueled := evaluate(t, original), evaluate(t, made)
	for i, program := range programs {
		require.Equal(t, plain[i], fueled[i], program)
	}
	require.Equal(t, "2", plain[0])
	require.Contains(t, plain[len(plain)-7], "Error: x")
}

// engines are the module from npm as it is, and what the sandbox makes of it: optimized and instrumented.
func engines(t *testing.T) (original, made []byte) {
	t.Helper()
	original, err := os.ReadFile("../javascript/engine/node_modules/quickjs-wasi/quickjs.wasm")
	require.NoError(t, err, "run make build")
	made, err = os.ReadFile("../javascript/engine/dist/quickjs.wasm")
	require.NoError(t, err, "run make build")
	require.NotEqual(t, original, made)
	return original, instrument(t, made, 1000)
}

func BenchmarkInstrument(b *testing.B) {
	wasm, err := os.ReadFile("../javascript/engine/dist/quickjs.wasm")
	require.NoError(b, err)
	for b.Loop() {
		_, err := fuel.Instrument(wasm, fuel.Options{})
		require.NoError(b, err)
	}
}

// evaluate answers what each program evaluates to.
func evaluate(t *testing.T, wasm []byte) []string {
	t.Helper()
	eval := boot(t, wasm)
	answers := make([]string, len(programs))
	for i, program := range programs {
		answers[i] = eval(program)
	}
	return answers
}

// compiled keeps what takes longest.
var compiled = wazero.NewCompilationCache()

// boot starts an engine without a prelude. Its eval answers what a program evaluates to, or throws, as text.
func boot(t *testing.T, wasm []byte) (eval func(program string) string) {
	t.Helper()
	ctx := t.Context()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithCompilationCache(compiled))
	t.Cleanup(func() { _ = r.Close(context.WithoutCancel(ctx)) })
	system := r.NewHostModuleBuilder(wasi.Module)
	wasi.Register(system, wasi.Functions()...)
	_, err := system.Instantiate(ctx)
	require.NoError(t, err)
	env := r.NewHostModuleBuilder("env")
	zero := api.GoModuleFunc(func(_ context.Context, _ api.Module, stack []uint64) {
		if len(stack) > 0 {
			stack[0] = 0
		}
	})
	one := []api.ValueType{api.ValueTypeI32}
	for name, n := range map[string]int{"host_get_timezone_offset": 2, "host_interrupt": 0, "host_module_normalize": 2, "host_module_load": 2, "host_call": 5} {
		wasi.Register(env, wasi.Function{Name: name, Params: []api.ValueType(strings.Repeat("\x7f", n)), Results: one, Call: zero})
	}
	wasi.Register(env, wasi.Function{Name: "host_promise_rejection", Params: []api.ValueType("\x7f\x7f\x7f"), Call: zero})
	_, err = env.Instantiate(ctx)
	require.NoError(t, err)
	module, err := r.InstantiateWithConfig(ctx, wasm, wazero.NewModuleConfig().WithStartFunctions())
	require.NoError(t, err)
	call := func(name string, args ...uint64) uint64 {
		out, err := module.ExportedFunction(name).Call(ctx, args...)
		require.NoError(t, err, name)
		if len(out) == 0 {
			return 0
		}
		return out[0]
	}
	text := func(s string) uint64 {
		p := call("wasm_malloc", uint64(len(s)+1))
		require.True(t, module.Memory().Write(uint32(p), append([]byte(s), 0)))
		return p
	}
	call("_initialize")
	require.Zero(t, call("qjs_init"))
	call("qjs_set_max_stack_size", 512<<10)
	return func(program string) string {
		t.Helper()
		v := call("qjs_eval", text(program), uint64(len(program)), text("p.js"), 0)
		if call("qjs_is_exception", v) != 0 {
			v = call("qjs_get_exception")
		}
		for int32(call("qjs_execute_pending_job")) > 0 {
		}
		length := call("wasm_malloc", 4)
		p := call("qjs_get_string_len", v, length)
		n, _ := module.Memory().ReadUint32Le(uint32(length))
		b, ok := module.Memory().Read(uint32(p), n)
		require.True(t, ok)
		return string(b)
	}
}
