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

// Sessions are the turns that this process runs.
type Sessions struct {
	db     *store.DB
	events *stream.Log
	hub    *stream.Hub
	log    *slog.Logger
	opens  singleflight.Group

	mu   sync.Mutex
	open map[uuid.UUID]*Session
	// lost remembers turns that were taken over by another process, and when.
	lost map[uuid.UUID]time.Time
}

// NewSessions makes an empty set.
func NewSessions(db *store.DB, events *stream.Log, hub *stream.Hub, log *slog.Logger) *Sessions {
	return &Sessions{db: db, events: events, hub: hub, log: log, open: map[uuid.UUID]*Session{}, lost: map[uuid.UUID]time.Time{}}
}

// Open returns this process's session of the turn, claiming the turn if need be. ErrFinal means the turn is over,
// ErrElsewhere that it was lost to another process a moment ago.
func (s *Sessions) Open(ctx context.Context, id uuid.UUID) (*Session, error) {
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
		session, err := open(ctx, s.db, s.events, id)
		if err != nil {
			return nil, err
		}
		s.mu.Lock()
		s.open[id] = session
		delete(s.lost, id)
		s.mu.Unlock()
		return session, nil
	})
	if err != nil {
		return nil, err
	}
	return v.(*Session), nil //nolint:errcheck // the function above returns nothing else
}

// Fenced forgets a session whose turn another process has.
func (s *Sessions) Fenced(id uuid.UUID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, id)
	s.lost[id] = time.Now()
}

// Finish ends the turn and forgets it.
func (s *Sessions) Finish(ctx context.Context, session *Session, o Outcome) error {
	if err := session.Finish(ctx, s.hub, o); err != nil {
		return err
	}
	s.mu.Lock()
	delete(s.open, session.ID)
	s.mu.Unlock()
	return nil
}

// Subscription receives stop requests.
func (s *Sessions) Subscription() store.Subscription {
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
func (s *Sessions) Busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open) > 0
}

func (s *Sessions) stop(id uuid.UUID) {
	s.mu.Lock()
	session := s.open[id]
	s.mu.Unlock()
	if session != nil {
		session.Stop()
	}
}

// lookForStops finds requests whose notification was lost.
func (s *Sessions) lookForStops() {
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

func (s *Sessions) ids() []uuid.UUID {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := make([]uuid.UUID, 0, len(s.open))
	for id := range s.open {
		ids = append(ids, id)
	}
	return ids
}

// Prune drops sessions that have been idle for long, and old memories of lost turns.
func (s *Sessions) Prune() {
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
