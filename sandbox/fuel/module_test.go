package fuel_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"countersign/sandbox/fuel"
)

const i32 = 0x7f

// leb is an unsigned number.
func leb(v int) []byte {
	var b []byte
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

// part is a section, list one of several entries.
func part(id byte, body []byte) []byte { return slices.Concat([]byte{id}, leb(len(body)), body) }

func list(entries ...[]byte) []byte { return append(leb(len(entries)), slices.Concat(entries...)...) }

func name(s string) []byte { return append(leb(len(s)), s...) }

var magic = []byte("\x00asm\x01\x00\x00\x00")

// guest assembles a module with one imported function (type 0: () -> i32), a memory of one page, and functions of type 1,
// (i32) -> i32, with two locals. The last one is exported as main. Function 0 is the import.
func guest(bodies ...[]byte) []byte {
	types := list([]byte{0x60, 0, 1, i32}, []byte{0x60, 1, i32, 1, i32})
	functions := make([][]byte, len(bodies))
	code := make([][]byte, len(bodies))
	for i, b := range bodies {
		functions[i] = []byte{1}
		whole := slices.Concat([]byte{1, 2, i32}, b, []byte{0x0b})
		code[i] = append(leb(len(whole)), whole...)
	}
	return slices.Concat(magic,
		part(1, types),
		part(2, list(slices.Concat(name("env"), name("host_interrupt"), []byte{0, 0}))),
		part(3, list(functions...)),
		part(5, []byte{1, 0, 1}),
		part(7, list(slices.Concat(name("main"), []byte{0, byte(len(bodies))}))),
		part(10, list(code...)),
	)
}

// ends is what a module does: the answer of main or its error, and how often it called the host.
type ends struct {
	answer uint64
	err    error
	calls  int
}

// run calls main. The host ends the guest at that call of host_interrupt.
func run(t testing.TB, wasm []byte, argument uint64, endAt int) ends {
	t.Helper()
	ctx := t.Context()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	defer r.Close(context.WithoutCancel(ctx))
	var e ends
	_, err := r.NewHostModuleBuilder("env").NewFunctionBuilder().WithGoModuleFunction(
		api.GoModuleFunc(func(_ context.Context, _ api.Module, stack []uint64) {
			e.calls++
			stack[0] = 0
			if e.calls == endAt {
				stack[0] = 1
			}
		}), nil, []api.ValueType{api.ValueTypeI32}).Export("host_interrupt").Instantiate(ctx)
	require.NoError(t, err)
	module, err := r.Instantiate(ctx, wasm)
	require.NoError(t, err)
	answer, err := module.ExportedFunction("main").Call(ctx, argument)
	if e.err = err; err == nil {
		e.answer = answer[0]
	}
	return e
}

func instrument(t testing.TB, wasm []byte, interval int32) []byte {
	t.Helper()
	out, err := fuel.Instrument(wasm, fuel.Options{Interval: interval})
	require.NoError(t, err)
	return out
}
