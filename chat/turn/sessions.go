package turn

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/singleflight"

	"countersign/chat/stream"
	"countersign/chat/turn/turndb"
	"countersign/store"
)

// StopChannel is the PostgreSQL notification channel that asks the process of a turn to stop it; the payload is its id.
const StopChannel = "turn_stops"

const (
	// fencePause is how long a process that has lost a turn leaves it alone. Its own stale workflow code is dropped by
	// the Temporal server within a workflow task timeout; until then it must not take the turn back.
	fencePause = 12 * time.Second
	// idleLimit is when a session that nobody used is dropped; the next step opens it again.
	idleLimit = 10 * time.Minute
)

// ErrElsewhere means that another process has the turn; trying again later is right.
var ErrElsewhere = errors.New("another process runs this turn")

// Claimed is a session with the memo in which the steps of its turn leave what they know for each other.
type Claimed[M any] struct {
	*Session

	Memo M
}

// Sessions are the turns that this process runs, each with a memo of type M.
type Sessions[M any] struct {
	db     *store.DB
	events *stream.Log
	hub    *stream.Hub
	log    *slog.Logger
	opens  singleflight.Group

	mu   sync.Mutex
	open map[uuid.UUID]*Claimed[M]
	// lost remembers turns that were taken over by another process, and when.
	lost map[uuid.UUID]time.Time
}

// NewSessions makes an empty set.
func NewSessions[M any](db *store.DB, events *stream.Log, hub *stream.Hub, log *slog.Logger) *Sessions[M] {
	return &Sessions[M]{db: db, events: events, hub: hub, log: log, open: map[uuid.UUID]*Claimed[M]{}, lost: map[uuid.UUID]time.Time{}}
}

// Open returns this process's session of the turn, claiming the turn if need be. ErrFinal means the turn is over,
// ErrElsewhere that it was lost to another process a moment ago.
func (s *Sessions[M]) Open(ctx context.Context, id uuid.UUID) (*Claimed[M], error) {
	s.mu.Lock()
	session, ok := s.open[id]
	lost, wasLost := s.lost[id]
	s.mu.Unlock()
	if wasLost && time.Since(lost) < fencePause {
		return nil, ErrElsewhere
	}
	if ok {
		session.mu.Lock()
		session.lastUse = time.Now()
		session.mu.Unlock()
		return session, nil
	}
	v, err, _ := s.opens.Do(id.String(), func() (any, error) {
		opened, err := open(ctx, s.db, s.events, id)
		if err != nil {
			return nil, err
		}
		session := &Claimed[M]{Session: opened}
		s.mu.Lock()
		s.open[id] = session
		delete(s.lost, id)
		s.mu.Unlock()
		return session, nil
	})
	if err != nil {
		return nil, err
	}
	return v.(*Claimed[M]), nil //nolint:errcheck // the function above returns nothing else
}

// Fenced forgets a session whose turn another process has.
func (s *Sessions[M]) Fenced(id uuid.UUID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, id)
	s.lost[id] = time.Now()
}

// Finish ends the turn and forgets it.
func (s *Sessions[M]) Finish(ctx context.Context, session *Session, o Outcome) error {
	if err := session.Finish(ctx, s.hub, o); err != nil {
		return err
	}
	s.mu.Lock()
	delete(s.open, session.ID)
	s.mu.Unlock()
	return nil
}

// Subscription receives stop requests.
func (s *Sessions[M]) Subscription() store.Subscription {
	return store.Subscription{
		Notify: func(payload string) {
			if id, err := uuid.Parse(payload); err == nil {
				s.stop(id)
			}
		},
		Resync: func() { go s.lookForStops() },
	}
}

// Busy reports whether this process runs a turn.
func (s *Sessions[M]) Busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open) > 0
}

func (s *Sessions[M]) stop(id uuid.UUID) {
	s.mu.Lock()
	session := s.open[id]
	s.mu.Unlock()
	if session != nil {
		session.Stop()
	}
}

// lookForStops finds requests whose notification was lost.
func (s *Sessions[M]) lookForStops() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	for _, id := range s.ids() {
		stopped, err := turndb.New(s.db.Conn(ctx)).StopRequested(ctx, id)
		if err != nil {
			s.log.Warn("Stop request not read", "turn", id, "error", fmt.Errorf("query: %w", err))
			continue
		}
		if stopped {
			s.stop(id)
		}
	}
}

func (s *Sessions[M]) ids() []uuid.UUID {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := make([]uuid.UUID, 0, len(s.open))
	for id := range s.open {
		ids = append(ids, id)
	}
	return ids
}

// Prune drops sessions that have been idle for long, and old memories of lost turns.
func (s *Sessions[M]) Prune() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, session := range s.open {
		session.mu.Lock()
		idle := time.Since(session.lastUse) > idleLimit && len(session.flights) == 0
		session.mu.Unlock()
		if idle {
			delete(s.open, id)
		}
	}
	for id, when := range s.lost {
		if time.Since(when) > fencePause {
			delete(s.lost, id)
		}
	}
}
