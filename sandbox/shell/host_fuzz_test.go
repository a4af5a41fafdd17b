package shell_test

import (
	"context"
	"encoding/binary"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"

	"countersign/sandbox"
	"countersign/sandbox/shell"
)

func FuzzARequestIsReadOrRefused(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("\x02\x00\x00\x00{}body"))
	f.Add([]byte("\xff\xff\xff\xff{}"))
	f.Add([]byte("\x1f\x00\x00\x00" + `{"method":"GET","headers":null}body`))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := shell.ReadRequest(b)
		if err == nil {
			require.GreaterOrEqual(t, len(b), 4)
			size := int(binary.LittleEndian.Uint32(b))
			require.Equal(t, string(b[4+size:]), string(r.Body))
		}
	})
}

// empty is a module with one page of memory and nothing else.
var empty = []byte("\x00asm\x01\x00\x00\x00\x05\x03\x01\x00\x01")

// Whatever a guest passes, a host function answers or ends the guest.
func FuzzHostFunctionsTakeAnything(f *testing.F) {
	ctx := context.Background()
	r := wazero.NewRuntime(ctx)
	f.Cleanup(func() { _ = r.Close(ctx) })
	m, err := r.Instantiate(ctx, empty)
	require.NoError(f, err)
	f.Add(uint64(0), uint64(0), uint64(1), uint64(8), []byte("\x01\x00\x00\x00{}"))
	f.Add(uint64(2), uint64(0), uint64(1), uint64(65535), []byte{16, 0, 0, 0, 4, 0, 0, 0})
	f.Add(uint64(1<<32-1), uint64(1<<32-1), uint64(1<<32-1), uint64(1<<63), []byte{})
	f.Fuzz(func(t *testing.T, a, b, c, d uint64, memory []byte) {
		whole := make([]byte, 64<<10)
		copy(whole, memory)
		require.True(t, m.Memory().Write(0, whole))
		job, cancel := context.WithCancel(shell.HostContext(ctx, sandbox.Job{Source: "echo", Fetch: web{}}))
		// Nothing waits.
		cancel()
		for _, name := range hostFunctions {
			survives(func() { shell.HostFunctions()[name](job, m, []uint64{a, b, c, d}) })
		}
	})
}

// hostFunctions are the names of the host functions in a lasting order.
var hostFunctions = slices.Sorted(maps.Keys(shell.HostFunctions()))

// survives reports whether a guest goes on after a call.
func survives(call func()) (goesOn bool) {
	defer func() {
		if v := recover(); v != nil && !shell.Ends(v) {
			panic(v)
		}
	}()
	call()
	return true
}

// A guest that has begun requests may ask for them, and for others, in any order and as often as it likes.
func FuzzHostFunctionsTakeAnySequence(f *testing.F) {
	ctx := context.Background()
	r := wazero.NewRuntime(ctx)
	f.Cleanup(func() { _ = r.Close(ctx) })
	m, err := r.Instantiate(ctx, empty)
	require.NoError(f, err)
	of := func(name string) byte { return byte(slices.Index(hostFunctions, name)) }
	request := []byte("\x02\x00\x00\x00{}body")
	f.Add([]byte{of("fetch"), 0, 10, 0, of("fetched"), 0, 0, 0, of("take"), 0, 100, 255}, request)
	f.Add([]byte{of("fetch"), 0, 10, 0, of("take"), 0, 100, 1, of("fetched"), 0, 0, 0}, request)
	f.Add([]byte{of("fetch"), 0, 10, 0, of("take"), 0, 100, 255, of("take"), 0, 100, 255}, request)
	f.Add(
		[]byte{of("fetch"), 0, 200, 0, of("fetched"), 7, 0, 0, of("write"), 2, 0, 255, of("end"), 0, 20, 0, of("job"), 0, 255, 0},
		[]byte(`{"exitCode":-1,"line":9}`),
	)
	f.Fuzz(func(t *testing.T, calls, memory []byte) {
		whole := make([]byte, 64<<10)
		copy(whole, memory)
		require.True(t, m.Memory().Write(0, whole))
		job, cancel := context.WithCancel(shell.HostContext(ctx, sandbox.Job{
			Source: "echo",
			Fetch:  &recorder{answer: sandbox.Response{Status: 200, Body: []byte("body")}},
			Limits: sandbox.Limits{HostCalls: 4, HostBytes: 4096, Output: 512},
		}))
		defer cancel()
		argument := func(b byte) uint64 {
			if b >= 250 { // the last ones reach to the end of the memory, and beyond the end of all numbers
				return []uint64{1 << 16, 1<<16 - 1, 1<<32 - 1, 1 << 31, 1<<63 | 1, 4096}[b-250]
			}
			return uint64(b)
		}
		for ; len(calls) >= 4; calls = calls[4:] {
			name := hostFunctions[int(calls[0])%len(hostFunctions)]
			stack := []uint64{argument(calls[1]), argument(calls[2]), argument(calls[3]), 64}
			if !survives(func() { shell.HostFunctions()[name](job, m, stack) }) {
				return
			}
			if name == "fetch" {
				begun := []uint64{stack[0]}
				require.Eventually(t, func() bool {
					asked := slices.Clone(begun)
					shell.HostFunctions()["fetched"](job, m, asked)
					return int32(asked[0]) >= 0
				}, time.Minute, 10*time.Microsecond)
			}
		}
	})
}
