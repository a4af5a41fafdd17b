package stream

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"countersign/chat/stream/streamdb"
	"countersign/internal/store"
)

// Channel is the PostgreSQL notification channel for committed events towards processes of the version before, which
// announce no followed turns: "<process> <turn>,<turn>,...". Each process also has a channel of its own, for turns that
// it follows.
const Channel = "turn_events"

// pollInterval is the fallback polling interval of a reader: it only matters when a turn ends without its last chunk.
const pollInterval = 5 * time.Second

// localWait is how long a reader waits for local events of a turn before it registers with other processes: most turns
// run in the process that has accepted them.
const localWait = 100 * time.Millisecond

// Hub lets readers in this process follow turns of any process.
type Hub struct {
	// Elsewhere is set in a process that runs no turns: readers register with other processes at once.
	Elsewhere bool

	db            *store.DB
	process       uuid.UUID
	reads         *reads
	announcements *announcements
	// notifiedAt rises whenever notifications or registrations of this process may have been lost.
	notifiedAt atomic.Int64

	mu        sync.Mutex
	followers map[uuid.UUID]map[*follower]struct{}
}

// NewHub makes a hub; call Listen next.
func NewHub(db *store.DB) *Hub {
	h := &Hub{db: db, process: uuid.New(), announcements: newAnnouncements(), followers: map[uuid.UUID]map[*follower]struct{}{}}
	h.reads = &reads{db: db, process: h.process}
	h.notifiedAt.Store(1)
	return h
}

// Listen subscribes the hub to notifications of other processes.
func (h *Hub) Listen(l *store.Listener) {
	l.Subscribe(store.Subscriptions{Channel: {Notify: h.notified}, channelOf(h.process): {Notify: h.notified, Resync: func() {
		h.notifiedAt.Add(1)
		h.markStale(nil)
	}}})
}

func (h *Hub) notified(payload string) {
	process, turns, ok := strings.Cut(payload, " ")
	if !ok || process == h.process.String() {
		return
	}
	for text := range strings.SplitSeq(turns, ",") {
		if id, err := uuid.Parse(text); err == nil {
			h.markStale(&id)
		}
	}
}

// markStale makes followers of the turn, or of every turn, read its rows again.
func (h *Hub) markStale(turn *uuid.UUID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if turn != nil {
		stale(h.followers[*turn])
		return
	}
	for _, set := range h.followers {
		stale(set)
	}
}

func stale(set map[*follower]struct{}) {
	for f := range set {
		f.push(nil, true)
	}
}

// Reread makes readers of the turn in this process read its rows, after an attempt with an unknown outcome wrote them.
func (h *Hub) Reread(turn uuid.UUID) { h.markStale(&turn) }

// publish passes events that this process has committed to their local readers.
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

// unread returns the turns without a reader in this process.
func (h *Hub) unread(turns []uuid.UUID) []uuid.UUID {
	h.mu.Lock()
	defer h.mu.Unlock()
	unread := []uuid.UUID{}
	for _, id := range turns {
		if len(h.followers[id]) == 0 {
			unread = append(unread, id)
		}
	}
	return unread
}

// Publish passes events that were committed past the Log to their readers in all processes.
func (h *Hub) Publish(turn uuid.UUID, events []Event) {
	h.publish(turn, events)
	h.announce(turn)
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

// Reader follows one turn from its first event. Make it before the turn can start, so that it misses no event in
// memory.
type Reader struct {
	hub  *Hub
	turn uuid.UUID
	f    *follower
	last int64
	// local is set once the turn had an event in this process; follow, once the reader registers with other processes, and
	// followed is the number of that registration.
	local, follow bool
	followed      int64
	// looked is when the rows were last read for the turn's end, or events came. It outlives calls of Next, which
	// heartbeats end sooner than the next poll is due.
	looked time.Time
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
	return &Reader{hub: h, turn: turn, f: f, last: -1, looked: time.Now()}
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

// Since is the event after which a client continues that names this one as its last: 0, for the first, when the turn
// has no such event. An id of another turn, or of a database restored since, would hide all later events.
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

// Next waits for the next events, in order. ended reports that the turn has ended; its last events may come with it.
func (r *Reader) Next(ctx context.Context) (events []Event, ended bool, err error) {
	defer func() {
		if len(events) > 0 {
			r.looked = time.Now()
		}
	}()
	if r.last < 0 {
		r.last, r.follow = 0, r.hub.Elsewhere
		if events, _, err = r.read(ctx, false); err != nil || len(events) > 0 {
			return events, endsWith(events), err
		}
	}
	poll := time.NewTimer(time.Until(r.looked.Add(pollInterval)))
	defer poll.Stop()
	var silence <-chan time.Time
	if !r.local && !r.follow {
		wait := time.NewTimer(localWait)
		defer wait.Stop()
		silence = wait.C
	}
	for {
		select {
		case <-ctx.Done():
			return nil, false, context.Cause(ctx)
		case <-r.f.wake:
			events, err = r.woken(ctx)
		case <-silence:
			r.follow = true
			events, _, err = r.read(ctx, false)
		case <-poll.C:
			r.follow = true
			return r.polled(ctx)
		}
		if err != nil || len(events) > 0 {
			return events, endsWith(events), err
		}
	}
}

func (r *Reader) woken(ctx context.Context) ([]Event, error) {
	events, stale := r.f.take()
	r.local = r.local || len(events) > 0
	fresh := events[:0]
	for _, e := range events {
		if e.Seq > r.last {
			// Another claim means another writer, whose rows this process may not have read.
			stale = stale || (claimOf(e.Seq) != claimOf(r.last) && r.last != 0)
			fresh = append(fresh, e)
		}
	}
	if stale {
		events, _, err := r.read(ctx, false)
		return events, err
	}
	if len(fresh) > 0 {
		r.last = fresh[len(fresh)-1].Seq
	}
	return fresh, nil
}

func (r *Reader) polled(ctx context.Context) ([]Event, bool, error) {
	events, ended, err := r.read(ctx, true)
	if err == nil {
		r.looked = time.Now()
	}
	return events, ended || endsWith(events), err
}

// read reads the rows after the returned ones and, if look is set, whether the turn has ended: all of its rows are
// there then.
func (r *Reader) read(ctx context.Context, look bool) ([]Event, bool, error) {
	heard := r.hub.notifiedAt.Load()
	w := &readRequest{turn: r.turn, after: r.last, checkEnded: look, follow: r.follow && r.followed != heard}
	if err := r.hub.reads.answer(ctx, w); err != nil {
		return nil, false, err
	}
	if w.follow {
		r.followed = heard
	}
	if len(w.events) > 0 {
		r.last = w.events[len(w.events)-1].Seq
	}
	return w.events, w.ended, nil
}

func endsWith(events []Event) bool {
	return len(events) > 0 && Ends(events[len(events)-1].Chunk)
}
