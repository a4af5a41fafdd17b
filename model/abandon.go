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

// abandonAfter is the time a transport gets to honour cancellation. After that the call ends without it, and its late
// result is dropped.
const abandonAfter = time.Second

// outcome is the result of a function that ran beside its caller.
type outcome[T any] struct {
	value    T
	panicked any
}

// await runs do on a goroutine of its own, so that an operation that ignores its context cannot block the caller. When
// ctx ends and do does not return within abandonAfter, ended is false and the result arrives on later.
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
		timer := time.NewTimer(abandonAfter)
		defer timer.Stop()
		select {
		case o = <-done:
		case <-timer.C:
			return got, false, done
		}
	}
	if o.panicked != nil {
		panic(o.panicked)
	}
	return o.value, true, nil
}

// trip is the result of a round trip.
type trip struct {
	response *http.Response
	err      error
}

// roundTrip sends a request and abandons a transport that ignores the end of the call.
func (c *call) roundTrip(req *http.Request) (*http.Response, error) {
	t, ended, later := await(c.ctx, func() trip {
		response, err := c.client.http.Do(req) //nolint:bodyclose // the caller closes it
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

// abandonableBody reads into a buffer of its own, so that an abandoned read cannot write into the caller's.
type abandonableBody struct {
	ctx    context.Context //nolint:containedctx // that of the call that the body belongs to
	body   io.ReadCloser
	buffer *[readBuffer]byte
	// abandoned is set once a read was given up.
	abandoned bool
}

var buffers = sync.Pool{New: func() any { return new([readBuffer]byte) }}

func newAbandonableBody(ctx context.Context, body io.ReadCloser) *abandonableBody {
	//nolint:errcheck,forcetypeassert // the pool holds nothing else
	return &abandonableBody{
		ctx:    ctx,
		body:   body,
		buffer: buffers.Get().(*[readBuffer]byte),
	}
}

type piece struct {
	n   int
	err error
}

func (p *abandonableBody) Read(into []byte) (int, error) {
	if p.abandoned {
		return 0, context.Cause(p.ctx)
	}
	buffer := p.buffer[:min(len(into), readBuffer)]
	got, ended, _ := await(p.ctx, func() piece {
		n, err := p.body.Read(buffer)
		return piece{n, err}
	})
	if !ended {
		p.abandoned = true
		return 0, context.Cause(p.ctx)
	}
	return copy(into, buffer[:got.n]), got.err
}

// Close closes the body, in the background when a read was abandoned.
func (p *abandonableBody) Close() error {
	if p.abandoned {
		go func() { _ = p.body.Close() }()
		return nil
	}
	buffers.Put(p.buffer)
	p.abandoned = true
	return p.body.Close()
}
