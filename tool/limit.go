package tool

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"countersign/internal/problem"
)

// Timeouts of a call. A turn waits for it, so longer work is a workflow of its own.
const (
	DefaultTimeout = 30 * time.Second
	MaxTimeout     = 45 * time.Second
)

// TimeLimit bounds a read or a dry run of the tool. An apply is not bounded: it could have had its effect when
// abandoned, so its workflow retries it.
func (d Definition) TimeLimit() time.Duration {
	if d.Timeout == 0 {
		return DefaultTimeout
	}
	return d.Timeout
}

// maxHung bounds the hanging calls of one tool in this process. Each costs memory until its code returns.
const maxHung = 256

// PanicError is a panic in the code of a tool. The same call would panic again.
type PanicError struct {
	Tool  string
	Value any
	Stack []byte
}

func (e *PanicError) Error() string {
	const most = 2_000
	return fmt.Sprintf("the tool %s panicked: %v\n%.*s", e.Tool, e.Value, most, e.Stack)
}

// guarded turns a panic in the code of a tool into an error.
func guarded[Out any](name string, call func() (Out, error)) (out Out, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Tool: name, Value: v, Stack: debug.Stack()}
		}
	}()
	return call()
}

type ended[Out any] struct {
	out Out
	err error
}

// within abandons a call at its timeout, with a refusal, or when ctx ends, even if its code ignores the context: such a
// tool would block its turn, its slot among the running steps and its waiting callers. Late results are dropped.
func within[Out any](ctx context.Context, t Tool, call func(context.Context) (Out, error)) (Out, error) {
	var none Out
	limit := t.TimeLimit()
	if t.hung.Load() >= maxHung {
		return none, problem.Errorf(
			problem.Unavailable,
			"Too many calls of %s have not come to an end. Try again later, and tell an administrator if that lasts.",
			t.Name,
		)
	}
	late := problem.Errorf(problem.Unavailable, "The tool took longer than %s and was given up. Ask for less, or try again later.", limit)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, late)
	defer cancel()
	done := make(chan ended[Out], 1)
	t.hung.Add(1)
	go func() {
		defer t.hung.Add(-1)
		out, err := guarded(t.Name, func() (Out, error) { return call(ctx) })
		done <- ended[Out]{out, err}
	}()
	select {
	case e := <-done:
		if e.err != nil && errors.Is(context.Cause(ctx), late) {
			e.err = late
		}
		return e.out, e.err
	case <-ctx.Done():
		return none, context.Cause(ctx)
	}
}
