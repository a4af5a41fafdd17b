package tool

import (
	"context"
	"errors"
	"time"

	"countersign/problem"
)

// How long a call may take. A turn waits for it, so what takes longer is a workflow of its own.
const (
	DefaultTimeout = 30 * time.Second
	MaxTimeout     = 45 * time.Second
)

// TimeLimit is how long a read or a dry run of the tool may take. An apply has none of its own: it could have had its
// effect when it is given up, so its workflow repeats it.
func (d Definition) TimeLimit() time.Duration {
	if d.Timeout == 0 {
		return DefaultTimeout
	}
	return d.Timeout
}

// within gives a call up after its time, with a refusal that says so.
func within[Out any](ctx context.Context, limit time.Duration, call func(context.Context) (Out, error)) (Out, error) {
	late := problem.Errorf(problem.Unavailable, "The tool took longer than %s and was given up. Ask for less, or try again later.", limit)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, late)
	defer cancel()
	out, err := call(ctx)
	if err != nil && errors.Is(context.Cause(ctx), late) {
		err = late
	}
	return out, err
}
