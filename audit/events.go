package audit

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"countersign/audit/auditdb"
)

// EventName is the name of the event ToolCalled.
const EventName = "ai.toolCalled"

const (
	eventBatch     = 500
	handlerTimeout = 15 * time.Second
	maxBackoff     = 30 * time.Second
)

// Subscriber receives tool calls.
type Subscriber interface {
	// Name is the key of the stored cursor. It must not change.
	Name() string
	// Handle gets events in order, at least once: they come again if it fails, takes longer than 15 seconds, or its
	// process dies; Seq identifies repeats. A failing subscriber does not stop the others.
	Handle(ctx context.Context, events []ToolCalled) error
}

// feed delivers events to one subscriber.
type feed struct {
	chain      *Chain
	subscriber Subscriber
	log        *slog.Logger

	registered bool
	failures   int
	retry      time.Time
}

// step delivers pending events and logs failures; failed deliveries are retried with backoff.
func (f *feed) step(ctx context.Context) error {
	if time.Now().Before(f.retry) {
		return nil
	}
	if err := f.drain(ctx); err != nil && ctx.Err() == nil {
		f.failures++
		f.retry = time.Now().Add(min(time.Second<<min(f.failures-1, 6), maxBackoff))
		f.log.Warn("Events not delivered", "subscriber", f.subscriber.Name(), "failures", f.failures, "error", err)
		return nil
	}
	f.failures = 0
	return nil
}

// drain continues from the stored cursor, whichever process stored it.
func (f *feed) drain(ctx context.Context) error {
	q := auditdb.New(f.chain.db.Conn(ctx))
	if !f.registered {
		if err := q.Register(ctx, f.subscriber.Name()); err != nil {
			return fmt.Errorf("register subscriber: %w", err)
		}
		f.registered = true
	}
	for ctx.Err() == nil {
		rows, err := q.EventsFor(ctx, auditdb.EventsForParams{Subscriber: f.subscriber.Name(), MaxRows: eventBatch})
		if err != nil {
			return fmt.Errorf("read events: %w", err)
		}
		if len(rows) == 0 {
			return nil
		}
		if err := f.deliver(ctx, rows); err != nil {
			return err
		}
	}
	return nil
}

func (f *feed) deliver(ctx context.Context, rows []auditdb.EventsForRow) error {
	events := make([]ToolCalled, 0, len(rows))
	for _, r := range rows {
		switch {
		case r.Version == callForm && settled(r.Status):
			events = append(events, ToolCalled{
				Seq: r.Seq, ID: r.CallID, At: r.At, PrincipalKind: r.PrincipalKind, PrincipalID: r.PrincipalID,
				Transport: r.Transport, ToolName: r.ToolName, Effect: r.Effect, Status: r.Status, Count: 1,
			})
		case r.Version == changeForm && r.Action == string(Refused):
			event, err := calledAgain(r)
			if err != nil {
				return err
			}
			events = append(events, event)
		}
	}
	if len(events) > 0 {
		limited, cancel := context.WithTimeout(ctx, handlerTimeout)
		defer cancel()
		if err := f.subscriber.Handle(limited, events); err != nil {
			return err
		}
	}
	// Progress is stored even when the chores are being stopped.
	err := auditdb.New(f.chain.db.Conn(ctx)).Advance(context.WithoutCancel(ctx), auditdb.AdvanceParams{
		Subscriber: f.subscriber.Name(), Seq: rows[len(rows)-1].Seq,
	})
	if err != nil {
		return fmt.Errorf("store place of subscriber: %w", err)
	}
	return nil
}
