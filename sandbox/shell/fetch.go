package shell

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/tetratelabs/wazero/api"

	"countersign/sandbox"
)

// A fetch is a pending request. The guest may read its answer once done is closed.
type fetch struct {
	done   chan struct{}
	answer []byte
	taken  bool
	// counted is the number of response bytes counted during reading.
	counted int
}

type answer struct {
	sandbox.Response

	Refusal string `json:"refusal,omitempty"`
}

// carry counts bytes between guest and host.
func (r *run) carry(n int) {
	if !r.bytes.Add(n) {
		r.stop(sandbox.HostCalls, fmt.Sprintf("The requests and responses of the script are larger than %d bytes.", r.limits.HostBytes))
	}
}

func hostFetch(ctx context.Context, m api.Module, stack []uint64) {
	r := of(ctx)
	if r.calls++; r.calls > r.limits.HostCalls {
		r.calls--
		r.stop(sandbox.HostCalls, fmt.Sprintf("The script made more than %d requests.", r.limits.HostCalls))
	}
	text := r.read(m, stack[0], stack[1])
	r.carry(len(text))
	f := &fetch{done: make(chan struct{})}
	request, err := readRequest(text)
	switch {
	case err != nil:
		f.refuse("the request is not readable")
	case r.job.Fetch == nil:
		f.refuse("the script has no access to the network")
	default:
		go f.run(ctx, r, request)
	}
	r.fetches = append(r.fetches, f)
	stack[0] = api.EncodeU32(uint32(len(r.fetches) - 1))
}

// readRequest decodes a request of the guest: the length of a JSON text, the text, the body.
func readRequest(b []byte) (sandbox.Request, error) {
	var r sandbox.Request
	if len(b) < 4 {
		return r, errCut
	}
	size := uint64(binary.LittleEndian.Uint32(b))
	if b = b[4:]; size > uint64(len(b)) {
		return r, errCut
	}
	if err := json.Unmarshal(b[:size], &r); err != nil {
		return r, err
	}
	// The guest's memory changes after this call.
	r.Body = bytes.Clone(b[size:])
	return r, nil
}

var errCut = errors.New("the request is cut off")

// answered encodes an answer for the guest in the same form.
func (f *fetch) answered(a answer) {
	body := a.Body
	a.Body = nil
	head, _ := json.Marshal(a)
	f.answer = make([]byte, 0, 4+len(head)+len(body))
	f.answer = binary.LittleEndian.AppendUint32(f.answer, uint32(len(head)))
	f.answer = append(append(f.answer, head...), body...)
	close(f.done)
}

func (f *fetch) refuse(message string) { f.answered(answer{Refusal: message}) }

func (f *fetch) run(ctx context.Context, r *run, request sandbox.Request) {
	select {
	case r.inFlight <- struct{}{}:
		defer func() { <-r.inFlight }()
	case <-ctx.Done():
		f.refuse(ctx.Err().Error())
		return
	}
	response, err := r.bytes.Metered(ctx, r.job.Fetch, request)
	if err != nil {
		f.refuse(err.Error())
		return
	}
	f.counted = len(response.Body)
	f.answered(answer{Response: response})
}

// finished returns a request whose answer is there. A guest that asks for an unknown or consumed request is broken.
func (r *run) finished(number uint64) (*fetch, bool) {
	n := api.DecodeU32(number)
	if uint64(n) >= uint64(len(r.fetches)) || r.fetches[n].taken {
		r.stop(sandbox.Trap, "")
	}
	f := r.fetches[n]
	select {
	case <-f.done:
		return f, true
	default:
		return f, false
	}
}

func hostFetched(ctx context.Context, _ api.Module, stack []uint64) {
	r := of(ctx)
	f, done := r.finished(stack[0])
	switch {
	case !done:
		stack[0] = api.EncodeI32(-1)
	case len(f.answer) > math.MaxInt32:
		r.carry(len(f.answer))
	default:
		stack[0] = api.EncodeI32(int32(len(f.answer)))
	}
}

func hostTake(ctx context.Context, m api.Module, stack []uint64) {
	r := of(ctx)
	f, done := r.finished(stack[0])
	if !done || uint64(api.DecodeU32(stack[2])) < uint64(len(f.answer)) {
		r.stop(sandbox.Trap, "")
	}
	if ctx.Err() != nil {
		// The answer may be the job's timeout: its script must not observe that and continue.
		r.stop(sandbox.Timeout, "")
	}
	r.carry(len(f.answer) - f.counted)
	r.store(m, stack[1], f.answer)
	f.answer, f.taken = nil, true
}
