package event

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/principal"
)

// Cause is what led to an event, from the context of its change. Its zero value is an unknown cause.
type Cause struct {
	// Request is the operation of the REST API that made the change, such as update-system.
	Request string `json:"request,omitempty"`
	// Proposal is the applied one, and Turn the chat turn that acted.
	Proposal uuid.UUID `json:"proposal,omitzero"`
	Turn     uuid.UUID `json:"turn,omitzero"`
	// Run is the id of the run, or of another workflow, that acted.
	Run string `json:"run,omitempty"`
	// Event is the event whose consumer acted, and Depth the number of events that led to this one: 0 when a person, a
	// program or the product itself acted first. A turn that an event led to has both, and passes them on to what it does:
	// a consumer that starts work bounds loops by Depth.
	Event int64 `json:"event,omitempty"`
	Depth int   `json:"depth,omitempty"`
}

type causeKey struct{}

// WithCause notes the cause of the events that are appended under ctx.
func WithCause(ctx context.Context, c Cause) context.Context {
	return context.WithValue(ctx, causeKey{}, c)
}

// CauseOf returns the cause of the events that are appended under ctx.
func CauseOf(ctx context.Context) Cause {
	c, _ := ctx.Value(causeKey{}).(Cause)
	who := principal.FromContext(ctx)
	if c.Turn == uuid.Nil {
		c.Turn = who.TurnID
	}
	if c.Run == "" && who.Run != nil {
		c.Run = who.Run.ID.String()
	}
	return c
}

// Inherited is the part of the cause of ctx that a turn passes on to what it does, as JSON; nil when a person or a program
// began it. event_cause adds the depth.
func Inherited(ctx context.Context) (json.RawMessage, error) {
	c := CauseOf(ctx)
	return Cause{Run: c.Run, Event: c.Event, Depth: c.Depth}.encode()
}

// ForWorkflow notes a dispatched workflow as the cause of the events of its steps, by its id; another workflow changes nothing.
func ForWorkflow(ctx context.Context, workflowID string) context.Context {
	parts := strings.SplitN(workflowID, "/", 4)
	if len(parts) < 3 || parts[0] != runKind {
		return ctx
	}
	id, err := strconv.ParseInt(parts[2], 10, 64)
	if err != nil {
		return ctx
	}
	return WithCause(ctx, Cause{Run: workflowID, Event: id})
}

// next is the cause of what a consumer of e does.
func (e Event) next() Cause {
	c := Cause{Event: e.ID, Depth: 1}
	if e.Cause != nil {
		c.Proposal, c.Turn, c.Run, c.Depth = e.Cause.Proposal, e.Cause.Turn, e.Cause.Run, e.Cause.Depth+1
	}
	return c
}

// encode is the stored form, nil for an unknown cause.
func (c Cause) encode() (json.RawMessage, error) {
	if c == (Cause{}) {
		return nil, nil
	}
	stored, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("write cause: %w", err)
	}
	return stored, nil
}

// decodeCause reads the stored form. An unreadable cause of a later version is an unknown one.
func decodeCause(stored json.RawMessage) *Cause {
	if len(stored) == 0 {
		return nil
	}
	var c Cause
	if json.Unmarshal(stored, &c) != nil {
		return nil
	}
	return &c
}
