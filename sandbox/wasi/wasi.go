// Package wasi provides the few functions of WASI preview 1 that a pure computation needs: time, randomness, and file
// descriptors, none of which exists. There are no files, no sockets, no arguments, and nothing to open.
//
// Each function is a separate wazero host function, so that an engine registers exactly its guest's imports.
package wasi

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// Module is the name of the import module.
const Module = "wasi_snapshot_preview1"

// The used error numbers of WASI.
const (
	success = 0
	badFile = 8
	fault   = 21
	inval   = 28
)

// clocks of clock_time_get.
const (
	realtime  = 0
	monotonic = 1
)

// start is the zero of the monotonic clock, which hides the host's uptime.
var start = time.Now()

// Function is one host function with its type.
type Function struct {
	Name    string
	Params  []api.ValueType
	Results []api.ValueType
	Call    api.GoModuleFunc
}

// Functions are clock_time_get, random_get, and fd_close, fd_fdstat_get, fd_seek and fd_write, which know no
// descriptor.
func Functions() []Function {
	const i32, i64 = api.ValueTypeI32, api.ValueTypeI64
	one := []api.ValueType{i32}
	return []Function{
		{"clock_time_get", []api.ValueType{i32, i64, i32}, one, ClockTimeGet},
		{"random_get", []api.ValueType{i32, i32}, one, RandomGet},
		{"fd_close", []api.ValueType{i32}, one, NoDescriptor},
		{"fd_fdstat_get", []api.ValueType{i32, i32}, one, NoDescriptor},
		{"fd_seek", []api.ValueType{i32, i64, i32, i32}, one, NoDescriptor},
		{"fd_write", []api.ValueType{i32, i32, i32, i32}, one, NoDescriptor},
	}
}

// Register adds functions to the import module that b builds.
func Register(b wazero.HostModuleBuilder, functions ...Function) {
	for _, f := range functions {
		b.NewFunctionBuilder().WithGoModuleFunction(f.Call, f.Params, f.Results).Export(f.Name)
	}
}

// ClockTimeGet returns the wall clock, or a monotonic clock that began with the process, in nanoseconds.
func ClockTimeGet(_ context.Context, m api.Module, stack []uint64) {
	var now int64
	switch api.DecodeU32(stack[0]) {
	case realtime:
		now = time.Now().UnixNano()
	case monotonic:
		now = int64(time.Since(start))
	default:
		stack[0] = inval
		return
	}
	if !m.Memory().WriteUint64Le(api.DecodeU32(stack[2]), uint64(now)) {
		stack[0] = fault
		return
	}
	stack[0] = success
}

// RandomGet fills memory with cryptographic randomness.
func RandomGet(_ context.Context, m api.Module, stack []uint64) {
	b, ok := m.Memory().Read(api.DecodeU32(stack[0]), api.DecodeU32(stack[1]))
	if !ok {
		stack[0] = fault
		return
	}
	_, _ = rand.Read(b) // never fails
	stack[0] = success
}

// NoDescriptor returns the error for an unknown file descriptor.
func NoDescriptor(_ context.Context, _ api.Module, stack []uint64) { stack[0] = badFile }

// Sleep waits, at most until ctx ends, and reports whether it slept to the end. wazero's own sleep ignores deadlines.
func Sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
