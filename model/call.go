package model

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// call is one round trip. Reading from it resets the stall timer and counts towards the size limit.
type call struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	client *Client
	timer  *time.Timer
	// idle is the limit of the current silence: first until the answer begins, then the stall timeout.
	idle  time.Duration
	first time.Duration
	mu    sync.Mutex
	begun bool
	body  io.ReadCloser
	read  int64
}

// stallError is the cancellation cause set by the stall timer.
type stallError struct {
	after time.Duration
	// first says that nothing of the answer had come.
	first bool
}

func (e *stallError) Error() string {
	if e.first {
		return fmt.Sprintf("The model began no answer within %s.", inWords(e.after))
	}
	return fmt.Sprintf("The model sent nothing for %s in the middle of its answer.", inWords(e.after))
}

// failure is the failed call. The reason tells a wait for the beginning from one in an answer.
func (e *stallError) failure() *Error {
	failure := &Error{Class: Stalled, Message: e.Error(), cause: e}
	if e.first {
		failure.Reason = FirstToken
	}
	return failure
}

// inWords formats a limit in its largest sufficient unit.
func inWords(d time.Duration) string {
	count, unit := (d+time.Second-1)/time.Second, "second"
	if count >= 120 {
		count, unit = (d+time.Minute-1)/time.Minute, "minute"
	}
	if count != 1 {
		unit += "s"
	}
	return fmt.Sprintf("%d %s", count, unit)
}

// tooLargeError ends a response that exceeds Options.MaxResponseBytes, or whose answer exceeds Options.MaxAnswerBytes.
type tooLargeError struct{ limit int64 }

func (e *tooLargeError) Error() string {
	return fmt.Sprintf("The model provider's answer is larger than the limit of %d bytes.", e.limit)
}

// tooLong is the failure of an answer that exceeds a limit. It is not retryable: the same request would lead to the
// same answer and be charged again.
func tooLong(limit int64) *Error {
	err := &tooLargeError{limit}
	return &Error{Class: TooLong, Message: err.Error(), cause: err}
}

// newCall starts a call. Its provider may be silent for the time first before the answer begins.
func newCall(ctx context.Context, client *Client, first time.Duration) *call {
	c := &call{client: client, idle: first, first: first}
	c.ctx, c.cancel = context.WithCancelCause(ctx)
	c.timer = time.AfterFunc(first, func() { c.cancel(c.stalled()) })
	return c
}

// stalled is the cause for which the stall timer ends the call.
func (c *call) stalled() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.begun {
		return &stallError{c.first, true}
	}
	return &stallError{c.client.stall, false}
}

// begin says that the answer has begun: from now on the stall timeout bounds each silence.
func (c *call) begin() {
	if c.begun {
		return
	}
	c.mu.Lock()
	c.begun = true
	c.mu.Unlock()
	c.setIdle(c.client.stall)
}

// keepAliveLimit is the time for which a provider may send signs of life and no answer.
func (c *call) keepAliveLimit() time.Duration { return max(c.client.stall*keepAliveStalls, c.first) }

func (c *call) Read(p []byte) (int, error) {
	n, err := c.body.Read(p)
	if n > 0 {
		c.timer.Reset(c.idle)
		if c.read += int64(n); c.read > c.client.maxBytes {
			return 0, &tooLargeError{c.client.maxBytes}
		}
	}
	return n, err
}

// setIdle sets the idle timeout.
func (c *call) setIdle(idle time.Duration) {
	c.idle = min(c.client.stall, idle)
	c.timer.Reset(c.idle)
}

// drain reads the end of a finished answer so that the connection can be reused. Both limits keep a provider that
// leaves the response open from delaying the caller.
func (c *call) drain() {
	const drainTimeout, most = 20 * time.Millisecond, 4 << 10
	c.timer.Reset(drainTimeout)
	_, _ = io.CopyN(io.Discard, c.body, most)
}

func (c *call) close() {
	c.timer.Stop()
	if c.body != nil {
		_ = c.body.Close()
	}
	c.cancel(nil)
}

func (c *call) readError(err error) *Error {
	if tooLarge, ok := errors.AsType[*tooLargeError](err); ok {
		return tooLong(tooLarge.limit)
	}
	return transportError(c.ctx, err, true, c.client.secrets)
}
