package shell

import (
	"context"
	"encoding/binary"
	"time"

	"github.com/tetratelabs/wazero/api"

	"countersign/sandbox"
	"countersign/sandbox/wasi"
)

// Error numbers of WASI.
const (
	success = 0
	badFile = 8
	invalid = 28
)

// maxDiagnostics bounds the output of the Go runtime when it crashes.
const maxDiagnostics = 4 << 10

// system registers the guest's WASI imports. There are no arguments, no variables, no files; descriptor 2 takes the
// crash output of the Go runtime. Every other descriptor is unknown.
func (g *guest) system(ctx context.Context) error {
	known := map[string]api.GoModuleFunc{
		"clock_time_get":    wasi.ClockTimeGet,
		"random_get":        wasi.RandomGet,
		"args_sizes_get":    none,
		"args_get":          ok,
		"environ_sizes_get": none,
		"environ_get":       ok,
		"sched_yield":       ok,
		"proc_exit":         func(context.Context, api.Module, []uint64) { panic(errStop) },
		"fd_write":          fdWrite,
		"poll_oneoff":       poll,
	}
	builder := g.runtime.NewHostModuleBuilder(wasi.Module)
	for _, f := range g.compiled.ImportedFunctions() {
		from, name, _ := f.Import()
		if from != wasi.Module {
			continue
		}
		call := known[name]
		if call == nil {
			call = wasi.NoDescriptor
		}
		wasi.Register(builder, wasi.Function{Name: name, Params: f.ParamTypes(), Results: f.ResultTypes(), Call: call})
	}
	_, err := builder.Instantiate(ctx)
	return err
}

func ok(_ context.Context, _ api.Module, stack []uint64) { stack[0] = success }

// none returns an empty list.
func none(ctx context.Context, m api.Module, stack []uint64) {
	r := of(ctx)
	r.store(m, stack[0], make([]byte, 4))
	r.store(m, stack[1], make([]byte, 4))
	stack[0] = success
}

// fdWrite keeps the beginning of the output to descriptor 2.
func fdWrite(ctx context.Context, m api.Module, stack []uint64) {
	r := of(ctx)
	if api.DecodeU32(stack[0]) != 2 {
		stack[0] = badFile
		return
	}
	count := api.DecodeU32(stack[2])
	if count > 1024 {
		stack[0] = invalid
		return
	}
	list := r.read(m, stack[1], uint64(count)*8)
	written := uint32(0)
	for ; len(list) > 0; list = list[8:] {
		b := r.read(m, uint64(binary.LittleEndian.Uint32(list)), uint64(binary.LittleEndian.Uint32(list[4:])))
		written += uint32(len(b))
		if space := maxDiagnostics - len(r.diagnostics); space > 0 {
			r.diagnostics = append(r.diagnostics, b[:min(len(b), space)]...)
		}
	}
	r.store(m, stack[3], binary.LittleEndian.AppendUint32(nil, written))
	stack[0] = success
}

// poll waits for the earliest of some clocks, at most until the end of the job, and lets others compute meanwhile.
// Other subscriptions fail.
func poll(ctx context.Context, m api.Module, stack []uint64) {
	const subscription, event, clock = 48, 32, 0
	r := of(ctx)
	count := api.DecodeU32(stack[2])
	if count == 0 || count > 64 {
		stack[0] = invalid
		return
	}
	list := r.read(m, stack[0], uint64(count)*subscription)
	wait := time.Hour
	var events []byte
	for ; len(list) > 0; list = list[subscription:] {
		if list[8] != clock {
			e := make([]byte, event)
			copy(e, list[:8])
			e[8], e[10] = badFile, list[8]
			events = append(events, e...)
			wait = 0
			continue
		}
		timeout := binary.LittleEndian.Uint64(list[24:])
		if binary.LittleEndian.Uint16(list[40:])&1 != 0 {
			// Go asks for relative times only.
			stack[0] = invalid
			return
		}
		if d := time.Duration(min(timeout, uint64(time.Hour))); d < wait {
			wait = d
		}
		e := make([]byte, event)
		copy(e, list[:8])
		events = append(events, e...)
	}
	if !r.wait(ctx, wait) {
		r.stop(sandbox.Timeout, "")
	}
	r.store(m, stack[1], events)
	r.store(m, stack[3], binary.LittleEndian.AppendUint32(nil, uint32(len(events)/event)))
	stack[0] = success
}
