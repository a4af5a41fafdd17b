package event

import (
	"context"
	"fmt"
	"math"
	"time"

	"countersign/event/eventdb"
	"countersign/internal/principal"
	"countersign/internal/store"
)

// Log is the readers' view of events.
type Log struct {
	db       *store.DB
	registry *Registry
	notifier *Notifier
}

// NewLog makes a log.
func NewLog(db *store.DB, registry *Registry, notifier *Notifier) *Log {
	return &Log{db: db, registry: registry, notifier: notifier}
}

// Query selects events.
type Query struct {
	// Types selects all types when empty.
	Types []string
	// Subjects are those that the caller has found visible to the reader. All is for readers who may see every subject.
	// With neither, List leaves out what the type's check refuses the reader, so that a page can be shorter.
	Subjects []string
	All      bool
	// Bare leaves payloads out, for readers that need the subjects alone.
	Bare bool
	// Before is the Next of the page before; zero for the newest.
	Before int64
	// Limit is 50 when zero, and 200 at most.
	Limit int
}

// Page is a page of events, newest first. Next is the cursor of the next page, zero when there is none.
type Page struct {
	Events []Event `json:"events"`
	Next   int64   `json:"next,omitempty"`
}

// List returns the events of a query whose types the reader may see.
func (l *Log) List(ctx context.Context, reader principal.Principal, q Query) (Page, error) {
	page := Page{Events: []Event{}}
	types := l.registry.Readable(reader, q.Types...)
	if len(types) == 0 {
		return page, nil
	}
	limit := min(q.Limit, 200)
	if limit <= 0 {
		limit = 50
	}
	before := q.Before
	if before <= 0 {
		before = math.MaxInt64
	}
	var rows []eventdb.Event
	var err error
	db := eventdb.New(l.db.CustomPlans(ctx))
	if len(q.Subjects) == 0 {
		rows, err = db.OfTypes(ctx, eventdb.OfTypesParams{Types: types, Before: before, MaxRows: int32(limit + 1)})
	} else {
		rows, err = db.OfSubjects(ctx, eventdb.OfSubjectsParams{Subjects: q.Subjects, Types: types, Before: before, MaxRows: int32(limit + 1)})
	}
	if err != nil {
		return page, fmt.Errorf("list events: %w", err)
	}
	if len(rows) > limit {
		rows = rows[:limit]
		page.Next = rows[limit-1].ID
	}
	page.Events = fromRows(rows)
	if !q.All && len(q.Subjects) == 0 {
		if page.Events, err = l.registry.visible(ctx, reader, page.Events); err != nil {
			return page, err
		}
	}
	page.Events, err = l.payloads(ctx, reader, q, page.Events)
	return page, err
}

// payloads returns events with the payloads that a query asks for and the reader may see.
func (l *Log) payloads(ctx context.Context, reader principal.Principal, q Query, events []Event) ([]Event, error) {
	if !q.Bare {
		return l.registry.redacted(ctx, reader, events)
	}
	for i := range events {
		events[i].Payload = nil
	}
	return events, nil
}

// Settled waits for the running transactions and returns the visibility watermark: what they append has a higher id, or
// can be read when it returns.
func (l *Log) Settled(ctx context.Context) (int64, error) {
	h := watermark{db: l.db}
	for {
		reached, pending, err := h.advance(ctx)
		if err != nil || !pending {
			return reached, err
		}
		waitFor(ctx, nil, pendingPoll)
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
	}
}

// tailPoll is the polling interval of a tail when no events come.
const tailPoll = time.Second

// Tail follows events as they come, for pages that show them live.
type Tail struct {
	log       *Log
	reader    principal.Principal
	watermark watermark
	query     Query
	types     []string
	after     int64
	pace      pace
}

// Follow makes a tail of the events of a query after an id; after 0, of new events.
func (l *Log) Follow(ctx context.Context, reader principal.Principal, q Query, after int64) (*Tail, error) {
	t := &Tail{
		log: l, reader: reader, watermark: watermark{db: l.db}, query: q, types: l.registry.Readable(reader, q.Types...), after: after,
	}
	if after <= 0 {
		var err error
		if t.after, err = eventdb.New(l.db.Conn(ctx)).LastID(ctx); err != nil {
			return nil, fmt.Errorf("read last event: %w", err)
		}
	}
	return t, nil
}

// Next waits for further events, in the order of their ids. It must not be called in a transaction.
func (t *Tail) Next(ctx context.Context) ([]Event, error) {
	if len(t.types) == 0 || (!t.query.All && len(t.query.Subjects) == 0) {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	subjects := t.query.Subjects
	if t.query.All {
		subjects = []string{}
	}
	for {
		changed := t.log.notifier.Changed()
		reached, pending, err := t.watermark.advance(ctx)
		if err != nil {
			return nil, err
		}
		rows, err := eventdb.New(t.log.db.CustomPlans(ctx)).Following(ctx, eventdb.FollowingParams{
			After: t.after, Upto: reached, Types: t.types, Subjects: subjects, MaxRows: 200,
		})
		if err != nil {
			return nil, fmt.Errorf("follow events: %w", err)
		}
		if len(rows) > 0 {
			events, err := t.log.payloads(ctx, t.reader, t.query, fromRows(rows))
			if err != nil {
				return nil, err
			}
			t.after = rows[len(rows)-1].ID
			t.pace.active()
			if len(events) == 0 {
				continue
			}
			return events, nil
		}
		t.after = max(t.after, reached)
		t.pace.wait(ctx, changed, pending, tailPoll)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
}
