package audit

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"countersign/store"
	"countersign/tool/audit/auditdb"
)

// EventName is the name of Event for those who subscribe by name.
const EventName = "ai.toolCalled"

const (
	eventBatch = 500
	lease      = 30 * time.Second
	// renewal leaves a handler more than half of the lease.
	renewal        = 10 * time.Second
	handlerTimeout = 15 * time.Second
	maxBackoff     = 30 * time.Second
)

// Subscriber hears about tool calls.
type Subscriber interface {
	// Name is the key under which its place is stored. It must not change.
	Name() string
	// Handle gets events in order. They come again if it fails, is not done within 15 seconds, or its process dies; Seq
	// tells. While one subscriber fails, the others go on.
	Handle(ctx context.Context, events []Event) error
}

// feed brings one subscriber up to date, in whichever process holds its lease.
type feed struct {
	chain      *Chain
	subscriber Subscriber
	holder     uuid.UUID
	log        *slog.Logger

	registered bool
	leased     time.Time
	seq        int64
	failures   int
	retry      time.Time
}

// step handles what is there and reports failures to the log; the next step tries again, later each time.
func (f *feed) step(ctx context.Context) {
	if time.Now().Before(f.retry) {
		return
	}
	err := f.drain(ctx)
	if err == nil || ctx.Err() != nil {
		f.failures = 0
		return
	}
	f.failures++
	f.retry = time.Now().Add(min(time.Second<<min(f.failures-1, 6), maxBackoff))
	f.log.Warn("Events not delivered", "subscriber", f.subscriber.Name(), "after", f.seq, "failures", f.failures, "error", err)
}

func (f *feed) drain(ctx context.Context) error {
	for ctx.Err() == nil {
		if ours, err := f.hold(ctx); err != nil || !ours {
			return err
		}
		rows, err := auditdb.New(f.chain.db.Conn(ctx)).EventsAfter(ctx, auditdb.EventsAfterParams{After: f.seq, MaxRows: eventBatch})
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

// hold takes or renews the lease. A process that gets it goes on where the last one has stored that it was.
func (f *feed) hold(ctx context.Context) (bool, error) {
	if time.Since(f.leased) < renewal {
		return true, nil
	}
	q := auditdb.New(f.chain.db.Conn(ctx))
	if !f.registered {
		if err := q.Register(ctx, f.subscriber.Name()); err != nil {
			return false, fmt.Errorf("register subscriber: %w", err)
		}
		f.registered = true
	}
	asked := time.Now()
	seq, err := q.Lease(ctx, auditdb.LeaseParams{Subscriber: f.subscriber.Name(), Holder: &f.holder, LeaseSeconds: lease.Seconds()})
	if store.NoRows(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("lease subscriber: %w", err)
	}
	f.seq, f.leased = seq, asked
	return true, nil
}

func (f *feed) deliver(ctx context.Context, rows []auditdb.EventsAfterRow) error {
	events := make([]Event, 0, len(rows))
	for _, r := range rows {
		if settled(r.Status) {
			events = append(events, Event{
				Seq: r.Seq, ID: r.CallID, At: r.At, PrincipalKind: r.PrincipalKind, PrincipalID: r.PrincipalID,
				Transport: r.Transport, ToolName: r.ToolName, Effect: r.Effect, Status: r.Status,
			})
		}
	}
	if len(events) > 0 {
		limited, cancel := context.WithTimeout(ctx, handlerTimeout)
		defer cancel()
		if err := f.subscriber.Handle(limited, events); err != nil {
			return err
		}
	}
	last := rows[len(rows)-1].Seq
	n, err := auditdb.New(f.chain.db.Conn(ctx)).Advance(context.WithoutCancel(ctx), auditdb.AdvanceParams{
		Subscriber: f.subscriber.Name(), Holder: &f.holder, Seq: last,
	})
	if err != nil {
		return fmt.Errorf("store place of subscriber: %w", err)
	}
	if n == 0 {
		// Another process has taken over; it may repeat what was just handled.
		f.leased = time.Time{}
		return nil
	}
	f.seq = last
	return nil
}
