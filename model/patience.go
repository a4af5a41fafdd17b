package model

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime/debug"
	"sync"
	"time"
)

// lateness is how long a transport gets to notice that the call is over. One that does not is given up: the call ends
// without it, and what it answers later is dropped.
const lateness = time.Second

// outcome is what something came to that ran beside its caller.
type outcome[T any] struct {
	value    T
	panicked any
}

// await runs do beside the caller, who is not held up by what heeds no context: when ctx is over and do does not end soon
// after, the call is not ended, and what do comes to arrives later.
func await[T any](ctx context.Context, do func() T) (got T, ended bool, later <-chan outcome[T]) {
	done := make(chan outcome[T], 1)
	go func() {
		var o outcome[T]
		defer func() {
			if v := recover(); v != nil {
				o.panicked = fmt.Sprintf("%v\n%s", v, debug.Stack())
			}
			done <- o
		}()
		o.value = do()
	}()
	var o outcome[T]
	select {
	case o = <-done:
	case <-ctx.Done():
		patience := time.NewTimer(lateness)
		defer patience.Stop()
		select {
		case o = <-done:
		case <-patience.C:
			return got, false, done
		}
	}
	if o.panicked != nil {
		panic(o.panicked)
	}
	return o.value, true, nil
}

// trip is what a round trip comes to.
type trip struct {
	response *http.Response
	err      error
}

// roundTrip makes a request, and does not wait for a transport that goes on when the call is over.
func (c *call) roundTrip(req *http.Request) (*http.Response, error) {
	t, ended, later := await(c.ctx, func() trip {
		response, err := c.client.http.Do(req) //nolint:bodyclose // whoever gets it closes it
		return trip{response, err}
	})
	if ended {
		return t.response, t.err
	}
	go func() {
		if late := (<-later).value; late.response != nil {
			_ = late.response.Body.Close()
		}
	}()
	return nil, context.Cause(c.ctx)
}

// patient reads a body into a buffer of its own, so that a read that was given up harms nobody when it ends.
type patient struct {
	ctx    context.Context //nolint:containedctx // that of the call that the body belongs to
	body   io.ReadCloser
	buffer *[readBuffer]byte
	// lost is set once a read was given up.
	lost bool
}

var buffers = sync.Pool{New: func() any { return new([readBuffer]byte) }}

func newPatient(ctx context.Context, body io.ReadCloser) *patient {
	//nolint:errcheck,forcetypeassert // the pool holds nothing else
	return &patient{
		ctx:    ctx,
		body:   body,
		buffer: buffers.Get().(*[readBuffer]byte),
	}
}

type piece struct {
	n   int
	err error
}

func (p *patient) Read(into []byte) (int, error) {
	if p.lost {
		return 0, context.Cause(p.ctx)
	}
	buffer := p.buffer[:min(len(into), readBuffer)]
	got, ended, _ := await(p.ctx, func() piece {
		n, err := p.body.Read(buffer)
		return piece{n, err}
	})
	if !ended {
		p.lost = true
		return 0, context.Cause(p.ctx)
	}
	return copy(into, buffer[:got.n]), got.err
}

// Close closes the body; one whose read was given up may wait for that.
func (p *patient) Close() error {
	if p.lost {
		go func() { _ = p.body.Close() }()
		return nil
	}
	buffers.Put(p.buffer)
	p.lost = true
	return p.body.Close()
}
