package tool

import (
	"context"
	"encoding/json"
)

// Done is an applied change as it is stored. Before is what its preview kept of a deleted record; nil for nothing.
type Done struct {
	Payload json.RawMessage
	Diff    []Change
	Result  json.RawMessage
	Before  json.RawMessage
}

// Inverse returns the call that undoes a change: a tool and its input. ok is false where no call undoes all of it. The
// call is proposed like any other, and its dry run shows its effect on the current state.
type Inverse func(d Done) (tool string, input json.RawMessage, ok bool)

// Rebase adapts the input of an undo to the current state: it drops references to records that are gone, or that the
// caller may not use, and returns one sentence for each to the decider. The remaining references exist.
type Rebase func(ctx context.Context, c Caller, input json.RawMessage) (rebased json.RawMessage, dropped []string, err error)

// WithInverse declares how a change is undone.
func (d Definition) WithInverse(inverse Inverse) Definition {
	d.Impact.Inverse = inverse
	return d
}

// WithRebase declares how the input of an undo is adapted to the current state.
func (d Definition) WithRebase(rebase Rebase) Definition {
	d.Impact.Rebase = rebase
	return d
}
