package model

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// call is one round trip. Reading from it resets the stall timer and counts towards the size limit.
type call struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	client *Client
	timer  *time.Timer
	idle   time.Duration
	body   io.ReadCloser
	read   int64
}

// stallError is the cancellation cause set by the stall timer.
type stallError struct{ after time.Duration }

func (e *stallError) Error() string {
	return fmt.Sprintf("The model provider sent nothing for %s. Try again, or choose another model.", e.after)
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

func newCall(ctx context.Context, client *Client) *call {
	c := &call{client: client, idle: client.stall}
	c.ctx, c.cancel = context.WithCancelCause(ctx)
	c.timer = time.AfterFunc(client.stall, func() { c.cancel(&stallError{client.stall}) })
	return c
}

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

// wholeAnswerStalls is the number of stall timeouts that an answer may take that a caller wanted streamed and that
// comes as a whole.
const wholeAnswerStalls = 5

// allowWholeAnswer extends the stall timeout for such an answer.
func (c *call) allowWholeAnswer() {
	c.idle = c.client.stall * wholeAnswerStalls
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
