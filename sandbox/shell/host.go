package shell

import (
	"context"
	"encoding/json"
	"time"

	"github.com/tetratelabs/wazero/api"

	"countersign/sandbox"
	"countersign/sandbox/wasi"
)

const (
	i32 = api.ValueTypeI32
	i64 = api.ValueTypeI64
)

// host registers the guest's imports: the functions below, and the WASI functions that Go needs, see system.
func (g *guest) host(ctx context.Context) error {
	env := g.runtime.NewHostModuleBuilder("env")
	wasi.Register(
		env,
		wasi.Function{Name: "host_interrupt", Results: []api.ValueType{i32}, Call: hostInterrupt},
		wasi.Function{Name: "host_job", Params: []api.ValueType{i32, i32}, Results: []api.ValueType{i32}, Call: hostJob},
		wasi.Function{Name: "host_write", Params: []api.ValueType{i32, i32, i32}, Call: hostWrite},
		wasi.Function{Name: "host_fetch", Params: []api.ValueType{i32, i32}, Results: []api.ValueType{i32}, Call: hostFetch},
		wasi.Function{Name: "host_fetched", Params: []api.ValueType{i32}, Results: []api.ValueType{i32}, Call: hostFetched},
		wasi.Function{Name: "host_take", Params: []api.ValueType{i32, i32, i32}, Call: hostTake},
		wasi.Function{Name: "host_end", Params: []api.ValueType{i32, i32}, Call: hostEnd},
	)
	if _, err := env.Instantiate(ctx); err != nil {
		return err
	}
	return g.system(ctx)
}

// hostInterrupt is called at zero fuel. It stops scripts that do not end by themselves.
func hostInterrupt(ctx context.Context, _ api.Module, stack []uint64) {
	stack[0] = 0
	r, now := of(ctx), time.Now()
	if ctx.Err() != nil || !r.deadline.IsZero() && !now.Before(r.deadline) || !r.giveWay(ctx, now) {
		if r.stopped == "" {
			r.stopped = sandbox.Timeout
		}
		stack[0] = 1
	}
}

// quantum is the time slice after which a script pauses and hands its slot to a waiting one.
const quantum = 20 * time.Millisecond

// read returns the bytes that the guest points to. A guest that points outside of its memory is broken.
func (r *run) read(m api.Module, at, size uint64) []byte {
	b, ok := m.Memory().Read(api.DecodeU32(at), api.DecodeU32(size))
	if !ok {
		r.stop(sandbox.Trap, "")
	}
	return b
}

func (r *run) store(m api.Module, at uint64, b []byte) {
	if !m.Memory().Write(api.DecodeU32(at), b) {
		r.stop(sandbox.Trap, "")
	}
}

func hostJob(ctx context.Context, m api.Module, stack []uint64) {
	r := of(ctx)
	if uint64(api.DecodeU32(stack[1])) >= uint64(len(r.text)) {
		r.store(m, stack[0], r.text)
	}
	stack[0] = api.EncodeU32(uint32(len(r.text)))
}

func hostWrite(ctx context.Context, m api.Module, stack []uint64) {
	r := of(ctx)
	stream := 0
	if api.DecodeU32(stack[0]) == 2 {
		stream = 1
	}
	r.out.write(stream, r.read(m, stack[1], stack[2]))
}

func hostEnd(ctx context.Context, m api.Module, stack []uint64) {
	r := of(ctx)
	r.ended = json.Unmarshal(r.read(m, stack[0], stack[1]), &r.ending) == nil
}
