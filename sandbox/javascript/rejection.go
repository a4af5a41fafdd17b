package javascript

import (
	"context"
	"errors"
	"slices"

	"github.com/tetratelabs/wazero/api"
)

// maxRejections bounds the tracked unhandled rejections of a run.
const maxRejections = 100

// rejection is a promise that was rejected without a handler.
type rejection struct {
	// identity is the engine's own value of the promise.
	identity        uint64
	promise, reason value
}

// noteRejection receives a promise, its reason and whether it is handled now: first when a promise without a handler is
// rejected, and again when a handler is added. The host has to free both values.
func noteRejection(ctx context.Context, module api.Module, stack []uint64) {
	promise, reason, handled := stack[0], stack[1], uint32(stack[2]) != 0
	r := runOf(ctx)
	if r == nil || r.busy {
		return
	}
	identity, ok := module.Memory().ReadUint64Le(uint32(promise))
	if !ok {
		panic(errBounds)
	}
	unused := []value{promise, reason}
	switch at := slices.IndexFunc(r.rejections, func(k rejection) bool { return k.identity == identity }); {
	case handled && at >= 0:
		unused = append(unused, r.rejections[at].promise, r.rejections[at].reason)
		r.rejections = slices.Delete(r.rejections, at, at+1)
	case !handled && at < 0 && len(r.rejections) < maxRejections:
		r.rejections, unused = append(r.rejections, rejection{identity, promise, reason}), nil
	}
	for _, v := range unused {
		if _, err := r.in.inner.call(ctx, "qjs_free_value", v); err != nil {
			panic(err)
		}
	}
}

// reportRejections logs unhandled rejections, once no job of the script is left. The promise of the result is exempt:
// its rejection is the outcome of the run.
func (r *run) reportRejections(ctx context.Context, result value) error {
	if len(r.rejections) == 0 {
		return nil
	}
	identity, ok := r.in.module.Memory().ReadUint64Le(uint32(result))
	if !ok {
		return errBounds
	}
	found := r.rejections
	r.rejections = nil
	for _, k := range found {
		if k.identity != identity {
			v, err := r.in.apply(ctx, r.in.rejected, k.reason)
			switch {
			case errors.As(err, new(*thrown)):
				if !r.mayGoOn() { // describing a reason can run code of the script
					return errStopped
				}
			case err != nil:
				return err
			default:
				if err := r.in.release(ctx, v); err != nil {
					return err
				}
			}
		}
		if err := r.in.release(ctx, k.promise); err != nil {
			return err
		}
	}
	return nil
}
