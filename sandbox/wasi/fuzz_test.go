package wasi_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"

	"countersign/sandbox/wasi"
)

// Whatever a guest passes, each function answers with an error number and writes nowhere but into the guest's memory.
func FuzzFunctionsTakeAnything(f *testing.F) {
	r := wazero.NewRuntimeWithConfig(f.Context(), wazero.NewRuntimeConfigInterpreter())
	f.Cleanup(func() { _ = r.Close(f.Context()) })
	m, err := r.Instantiate(f.Context(), []byte("\x00asm\x01\x00\x00\x00\x05\x03\x01\x00\x01"))
	require.NoError(f, err)
	f.Add(uint64(0), uint64(0), uint64(8), uint64(0))
	f.Add(uint64(1), uint64(1<<63), uint64(65535), uint64(1))
	f.Add(uint64(65536), uint64(1), uint64(1<<32-8), uint64(1<<64-1))
	f.Add(uint64(1<<32-1), uint64(1<<32-1), uint64(1<<32-1), uint64(1<<32-1))
	f.Fuzz(func(t *testing.T, a, b, c, d uint64) {
		for _, function := range wasi.Functions() {
			stack := []uint64{a, b, c, d}[:max(1, len(function.Params))]
			function.Call(t.Context(), m, stack)
			require.Contains(t, []uint64{0, 8, 21, 28}, stack[0], function.Name)
		}
	})
}
