package wasi_test

import (
	"context"
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"countersign/sandbox/wasi"
)

// memory is a module that has nothing but one page of memory.
func memory(t *testing.T) api.Module {
	t.Helper()
	ctx := t.Context()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	t.Cleanup(func() { _ = r.Close(context.WithoutCancel(ctx)) })
	m, err := r.Instantiate(ctx, []byte("\x00asm\x01\x00\x00\x00\x05\x03\x01\x00\x01\x07\x0a\x01\x06memory\x02\x00"))
	require.NoError(t, err)
	return m
}

func call(t *testing.T, f api.GoModuleFunc, m api.Module, args ...uint64) uint64 {
	t.Helper()
	f(t.Context(), m, args)
	return args[0]
}

func TestClocks(t *testing.T) {
	t.Parallel()
	m := memory(t)
	read := func() time.Duration {
		b, _ := m.Memory().Read(8, 8)
		return time.Duration(binary.LittleEndian.Uint64(b))
	}
	require.Zero(t, call(t, wasi.ClockTimeGet, m, 0, 0, 8))
	require.WithinDuration(t, time.Now(), time.Unix(0, int64(read())), time.Minute)
	require.Zero(t, call(t, wasi.ClockTimeGet, m, 1, 0, 8))
	first := read()
	require.Less(t, first, time.Hour, "the monotonic clock begins with the process")
	require.Zero(t, call(t, wasi.ClockTimeGet, m, 1, 0, 8))
	require.GreaterOrEqual(t, read(), first)
	require.EqualValues(t, 28, call(t, wasi.ClockTimeGet, m, 2, 0, 8), "no clock of the processor")
	require.EqualValues(t, 21, call(t, wasi.ClockTimeGet, m, 0, 0, 65532), "outside of the memory")
}

func TestRandomness(t *testing.T) {
	t.Parallel()
	m := memory(t)
	require.Zero(t, call(t, wasi.RandomGet, m, 100, 32))
	b, _ := m.Memory().Read(100, 32)
	require.NotEqual(t, make([]byte, 32), b)
	require.EqualValues(t, 21, call(t, wasi.RandomGet, m, 65530, 32))
}

func TestThereIsNoFileDescriptor(t *testing.T) {
	t.Parallel()
	for _, f := range wasi.Functions() {
		if f.Name != "clock_time_get" && f.Name != "random_get" {
			require.EqualValues(t, 8, call(t, f.Call, memory(t), 1, 0, 0, 0), f.Name)
		}
	}
}

func TestSleepEndsWithItsContext(t *testing.T) {
	t.Parallel()
	require.True(t, wasi.Sleep(t.Context(), time.Millisecond))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.False(t, wasi.Sleep(ctx, time.Hour))
	require.False(t, wasi.Sleep(ctx, 0))
}
