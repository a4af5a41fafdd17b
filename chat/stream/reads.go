package stream

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"

	"countersign/chat/stream/streamdb"
	"countersign/internal/store"
)

const (
	// mostReads bounds the readers in one query.
	mostReads = 500
	// readTime bounds one query.
	readTime = 10 * time.Second
)

// reads batches the queries of a process's readers: reads that arrive during a query share the next one, so that a
// notification about two hundred turns costs one query.
type reads struct {
	db      *store.DB
	process uuid.UUID

	mu      sync.Mutex
	pending []*readRequest
	busy    bool
}

// readRequest is one read: the events of a turn after a seq.
type readRequest struct {
	turn  uuid.UUID
	after int64
	// follow registers the process as having readers of the turn, and look finds out whether the turn has ended, both
	// before the read.
	follow, checkEnded bool

	done   chan struct{}
	events []Event
	ended  bool
	err    error
}

// answer waits for the result of w.
func (r *reads) answer(ctx context.Context, w *readRequest) error {
	w.done = make(chan struct{})
	r.mu.Lock()
	r.pending = append(r.pending, w)
	begin := !r.busy
	r.busy = true
	r.mu.Unlock()
	if begin {
		go r.work(context.WithoutCancel(ctx))
	}
	select {
	case <-w.done:
		return w.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// work runs queries until no read is pending.
func (r *reads) work(ctx context.Context) {
	for {
		r.mu.Lock()
		wants := r.pending[:min(len(r.pending), mostReads)]
		r.pending = r.pending[len(wants):]
		r.busy = len(wants) > 0
		r.mu.Unlock()
		if len(wants) == 0 {
			return
		}
		err := r.read(ctx, wants)
		for _, w := range wants {
			w.err = err
			close(w.done)
		}
	}
}

func (r *reads) read(ctx context.Context, wants []*readRequest) error {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	q := streamdb.New(r.db.Conn(ctx))
	events := streamdb.EventsOfTurnsParams{}
	var followed, looked []uuid.UUID
	for _, w := range wants {
		events.TurnIds, events.Afters = append(events.TurnIds, w.turn), append(events.Afters, w.after)
		if w.follow {
			followed = append(followed, w.turn)
		}
		if w.checkEnded {
			looked = append(looked, w.turn)
		}
	}
	// Committed before the rows are read: later writers find this process, and earlier writes are read.
	if len(followed) > 0 {
		if err := q.FollowTurns(ctx, streamdb.FollowTurnsParams{Process: r.process, TurnIds: followed}); err != nil {
			return fmt.Errorf("follow turns: %w", err)
		}
	}
	// The status comes first: a turn that ended before this read has all of its rows by now.
	running := map[uuid.UUID]bool{}
	if len(looked) > 0 {
		ids, err := q.RunningTurns(ctx, looked)
		if err != nil {
			return fmt.Errorf("look at turns: %w", err)
		}
		for _, id := range ids {
			running[id] = true
		}
	}
	rows, err := q.EventsOfTurns(ctx, events)
	if err != nil {
		return fmt.Errorf("read events: %w", err)
	}
	for _, row := range rows {
		w := wants[row.Place-1]
		w.events = append(w.events, Event{Seq: row.Seq, Step: int(row.Step), Chunk: row.Chunk})
	}
	for _, w := range wants {
		w.ended = w.checkEnded && !running[w.turn]
	}
	return nil
}
