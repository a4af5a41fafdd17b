package event

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"countersign/event/eventdb"
	"countersign/internal/store"
)

// Channel is notified when events are committed; the payload is empty.
const Channel = "countersign_events"

// Outbox appends events (transactional outbox).
type Outbox struct {
	db       *store.DB
	registry *Registry
	// announced is when this process last notified, in nanoseconds since 1970.
	announced atomic.Int64
}

// NewOutbox makes an outbox for events of the types of a registry.
func NewOutbox(db *store.DB, registry *Registry) *Outbox { return &Outbox{db: db, registry: registry} }

// Append implements Appender. It refuses unregistered types, invalid payloads and subjects, and calls outside of a
// transaction: an event is stored if and only if its change is. Its cause is that of ctx.
func (o *Outbox) Append(ctx context.Context, events ...New) error {
	if len(events) == 0 {
		return nil
	}
	if !o.db.InTransaction(ctx) {
		return errors.New("events are appended in the transaction in which they happen")
	}
	cause, err := CauseOf(ctx).encode()
	if err != nil {
		return err
	}
	add := eventdb.AddEventsParams{Cause: cause}
	for _, n := range events {
		payload, err := o.registry.encode(n)
		if err != nil {
			return err
		}
		add.Types = append(add.Types, n.Type)
		add.Subjects = append(add.Subjects, n.Subject)
		add.ContextKeys = append(add.ContextKeys, n.ContextKey)
		add.Payloads = append(add.Payloads, payload)
	}
	q := eventdb.New(o.db.Conn(ctx))
	if err := q.AddEvents(ctx, add); err != nil {
		return fmt.Errorf("append events: %w", err)
	}
	now, last := time.Now().UnixNano(), o.announced.Load()
	if time.Duration(now-last) < announceEvery || !o.announced.CompareAndSwap(last, now) {
		return nil
	}
	if err := q.Announce(ctx, Channel); err != nil {
		return fmt.Errorf("announce events: %w", err)
	}
	return nil
}

var _ Appender = (*Outbox)(nil)
