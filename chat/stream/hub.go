package stream

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"countersign/chat/stream/streamdb"
	"countersign/store"
)

// Channel is the PostgreSQL notification channel that announces committed events: "<process> <turn>,<turn>,...".
const Channel = "turn_events"

// maxPayload keeps a notification under PostgreSQL's limit of 8,000 bytes.
const maxPayload = 7500

// pollInterval is how often a reader looks at the rows although nothing woke it: it only matters when a turn ends
// without its last chunk.
const pollInterval = 5 * time.Second

// Hub lets readers in this process follow turns, wherever they run.
type Hub struct {
	db      *store.DB
	process string

	mu        sync.Mutex
	followers map[uuid.UUID]map[*follower]struct{}
}

// NewHub makes a hub; subscribe it to Channel.
func NewHub(db *store.DB) *Hub {
	return &Hub{db: db, process: uuid.NewString(), followers: map[uuid.UUID]map[*follower]struct{}{}}
}

// Subscription receives the notifications of other processes.
func (h *Hub) Subscription() store.Subscription {
	return store.Subscription{Notify: h.notified, Resync: func() { h.markStale(nil) }}
}

func (h *Hub) notified(payload string) {
	process, turns, ok := strings.Cut(payload, " ")
	if !ok || process == h.process {
		return
	}
	for text := range strings.SplitSeq(turns, ",") {
		if id, err := uuid.Parse(text); err == nil {
			h.markStale(&id)
		}
	}
}

// markStale makes followers of the turn, or of every turn, re-read rows.
func (h *Hub) markStale(turn *uuid.UUID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for id, set := range h.followers {
		if turn == nil || id == *turn {
			for f := range set {
				f.push(nil, true)
			}
		}
	}
}

// Reread makes readers of the turn in this process look at the rows, where its events were written and nobody knows by which attempt.
func (h *Hub) Reread(turn uuid.UUID) { h.markStale(&turn) }

// publish hands events that were committed by this process to their readers.
func (h *Hub) publish(turn uuid.UUID, events []Event) {
	if len(events) == 0 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for f := range h.followers[turn] {
		f.push(events, false)
	}
}

// payloads are the notifications for the turns of one flush.
func (h *Hub) payloads(turns []uuid.UUID) []string {
	var payloads []string
	var b strings.Builder
	for _, id := range turns {
		if b.Len() > maxPayload {
			payloads = append(payloads, b.String())
			b.Reset()
		}
		if b.Len() == 0 {
			b.WriteString(h.process + " ")
		} else {
			b.WriteByte(',')
		}
		b.WriteString(id.String())
	}
	if b.Len() > 0 {
		payloads = append(payloads, b.String())
	}
	return payloads
}

// Announce is the notification that this process must send, in the transaction that writes events past the Log, and
// publish is to be called once it has committed.
func (h *Hub) Announce(turn uuid.UUID, events []Event) (payload string, publish func()) {
	return h.payloads([]uuid.UUID{turn})[0], func() { h.publish(turn, events) }
}

type follower struct {
	mu     sync.Mutex
	events []Event
	stale  bool
	wake   chan struct{}
}

func (f *follower) push(events []Event, stale bool) {
	f.mu.Lock()
	f.events = append(f.events, events...)
	f.stale = f.stale || stale
	f.mu.Unlock()
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

func (f *follower) take() (events []Event, stale bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	events, stale = f.events, f.stale
	f.events, f.stale = nil, false
	return events, stale
}

// Reader follows one turn from its beginning. Make it before the turn can start, so that nothing is missed in memory.
type Reader struct {
	hub  *Hub
	turn uuid.UUID
	f    *follower
	last int64
}

// Follow starts to collect the turn's events; Close the reader when done.
func (h *Hub) Follow(turn uuid.UUID) *Reader {
	f := &follower{wake: make(chan struct{}, 1)}
	h.mu.Lock()
	defer h.mu.Unlock()
	set, ok := h.followers[turn]
	if !ok {
		set = map[*follower]struct{}{}
		h.followers[turn] = set
	}
	set[f] = struct{}{}
	return &Reader{hub: h, turn: turn, f: f, last: -1}
}

// Close stops following.
func (r *Reader) Close() {
	r.hub.mu.Lock()
	defer r.hub.mu.Unlock()
	delete(r.hub.followers[r.turn], r.f)
	if len(r.hub.followers[r.turn]) == 0 {
		delete(r.hub.followers, r.turn)
	}
}

// Since is the event after which a client goes on that names this one as its last: 0, for the beginning, when the turn has no
// such event. What is of another turn, or of a database that was restored since, would hide all that comes.
func (r *Reader) Since(ctx context.Context, last int64) (int64, error) {
	if last <= 0 {
		return 0, nil
	}
	known, err := streamdb.New(r.hub.db.Conn(ctx)).EventExists(ctx, streamdb.EventExistsParams{TurnID: r.turn, Seq: last})
	if err != nil {
		return 0, fmt.Errorf("look at the last event: %w", err)
	}
	if !known {
		return 0, nil
	}
	return last, nil
}

// Next waits for events after those it has returned, in order. ended reports that the turn is over and no more will
// come; its last events may come with it.
func (r *Reader) Next(ctx context.Context) (events []Event, ended bool, err error) {
	if r.last < 0 {
		r.last = 0
		if events, err = r.read(ctx); err != nil || len(events) > 0 {
			return events, endsWith(events), err
		}
	}
	poll := time.NewTimer(pollInterval)
	defer poll.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil, false, context.Cause(ctx)
		case <-r.f.wake:
			events, err = r.woken(ctx)
		case <-poll.C:
			return r.polled(ctx)
		}
		if err != nil || len(events) > 0 {
			return events, endsWith(events), err
		}
	}
}

func (r *Reader) woken(ctx context.Context) ([]Event, error) {
	events, stale := r.f.take()
	fresh := events[:0]
	for _, e := range events {
		if e.Seq > r.last {
			// Another claim means another writer, whose rows this process may not have seen.
			stale = stale || (claimOf(e.Seq) != claimOf(r.last) && r.last != 0)
			fresh = append(fresh, e)
		}
	}
	if stale {
		return r.read(ctx)
	}
	if len(fresh) > 0 {
		r.last = fresh[len(fresh)-1].Seq
	}
	return fresh, nil
}

func (r *Reader) polled(ctx context.Context) ([]Event, bool, error) {
	// The status first: a turn that ended before this look has all of its rows by now.
	ended, err := streamdb.New(r.hub.db.Conn(ctx)).TurnEnded(ctx, r.turn)
	if err != nil && !store.NoRows(err) {
		return nil, false, fmt.Errorf("look at turn: %w", err)
	}
	events, readErr := r.read(ctx)
	return events, ended || store.NoRows(err) || endsWith(events), readErr
}

func (r *Reader) read(ctx context.Context) ([]Event, error) {
	rows, err := streamdb.New(r.hub.db.Conn(ctx)).EventsAfter(ctx, streamdb.EventsAfterParams{TurnID: r.turn, Seq: r.last})
	if err != nil {
		return nil, fmt.Errorf("read events: %w", err)
	}
	events := make([]Event, len(rows))
	for i, row := range rows {
		events[i] = Event{Seq: row.Seq, Step: int(row.Step), Chunk: row.Chunk}
		r.last = row.Seq
	}
	return events, nil
}

func endsWith(events []Event) bool {
	return len(events) > 0 && Ends(events[len(events)-1].Chunk)
}
