package shell

import (
	"context"
	"errors"

	"github.com/tetratelabs/wazero/api"

	"countersign/sandbox"
	"countersign/sandbox/wasi"
)

// ReadRequest is what is made of the bytes of a guest.
var ReadRequest = readRequest

// HostFunctions are those that take pointers or numbers of a guest.
func HostFunctions() map[string]api.GoModuleFunc {
	return map[string]api.GoModuleFunc{
		"job": hostJob, "write": hostWrite, "fetch": hostFetch, "fetched": hostFetched, "take": hostTake, "end": hostEnd,
		"fd_write": fdWrite, "poll": poll, "none": none, "clock": wasi.ClockTimeGet, "random": wasi.RandomGet,
	}
}

// HostContext is the context of a job.
func HostContext(ctx context.Context, j sandbox.Job) context.Context {
	return context.WithValue(ctx, runKey{}, newRun(j, 0))
}

// Ends says whether a panic of a host function is how it ends a guest.
func Ends(v any) bool {
	err, ok := v.(error)
	return ok && errors.Is(err, errStop)
}

// Idle is how many instances are kept once no job runs.
func (e *Engine) Idle(ctx context.Context) (int, error) {
	if err := e.alive.Acquire(ctx, e.most); err != nil {
		return 0, err
	}
	defer e.alive.Release(e.most)
	return len(e.idle), nil
}
