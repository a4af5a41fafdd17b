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
	"countersign/crash"
	"countersign/store"
)

// StopChannel is the PostgreSQL notification channel that asks the process of a turn to stop it; the payload is its id.
const StopChannel = "turn_stops"

const (
	// fencePause is a little longer than a process takes to notice that its workflow code is stale: its next heartbeat, at
	// 80 % of a workflow task timeout, is refused, and nothing of that code runs any more.
	fencePause = 6 * time.Second
	// claimTrust is shorter than any way on which a turn comes to another process and back.
	claimTrust = 250 * time.Millisecond
	// idleLimit is when a session that nobody used is dropped; the next step opens it again.
	idleLimit = 10 * time.Minute
)

// ErrElsewhere means that another process has the turn; trying again later is right.
var ErrElsewhere = errors.New("another process runs this turn")

// errNotFirst is ErrFinal of those who would have taken only what nobody had claimed.
var errNotFirst = fmt.Errorf("not the first to claim: %w", ErrElsewhere)

// Claimed is a session with the memo in which the steps of its turn leave what they know for each other.
type Claimed[M any] struct {
	*Session

	Memo M
}

// Sessions are the turns that this process runs, each with a memo of type M.
type Sessions[M any] struct {
	// Pause is how long a process that has lost a turn leaves it alone: either its workflow code is stale and gone by then, or
	// that of the process that has taken the turn is, and the turn is taken back.
	Pause time.Duration
	// Trust is how long a claim that was seen in the row is believed without another look.
	Trust time.Duration
	// Settle records what calls have come to that made a proposal and left no record; it may be nil where no turn makes
	// any. stopped says that the person has stopped the turn.
	Settle func(ctx context.Context, session *Session, stopped bool) error
	// Process is by what others see that the turns of this process have lost it; nil when they cannot.
	Process *store.ProcessLease

	db     *store.DB
	events *stream.Log
	hub    *stream.Hub
	log    *slog.Logger
	opens  singleflight.Group

	mu   sync.Mutex
	open map[uuid.UUID]*Claimed[M]
	// opening are the turns that are being claimed, and whether somebody has asked to stop them meanwhile.
	opening map[uuid.UUID]bool
	// expected are turns that were accepted as claimed by this process and not opened yet, and since when.
	expected map[uuid.UUID]time.Time
	// lost remembers turns that were taken over by another process, and when.
	lost map[uuid.UUID]time.Time
}

// SessionsOptions are what Sessions work with.
type SessionsOptions struct {
	DB     *store.DB
	Events *stream.Log
	Hub    *stream.Hub
	Log    *slog.Logger
}

// NewSessions makes an empty set.
func NewSessions[M any](o SessionsOptions) *Sessions[M] {
	return &Sessions[M]{
		Pause: fencePause, Trust: claimTrust, db: o.DB, events: o.Events, hub: o.Hub, log: o.Log,
		open: map[uuid.UUID]*Claimed[M]{}, opening: map[uuid.UUID]bool{}, expected: map[uuid.UUID]time.Time{}, lost: map[uuid.UUID]time.Time{},
	}
}

// Open returns this process's session of the turn, claiming the turn if need be. ErrFinal means the turn is over,
// ErrElsewhere that it was lost to another process a moment ago.
func (s *Sessions[M]) Open(ctx context.Context, id uuid.UUID) (*Claimed[M], error) {
	for {
		session, err := s.held(ctx, id)
		if session != nil || err != nil {
			return session, err
		}
		// A claim that OpenNew began in this process may be in the way.
		if session, err = s.claim(ctx, id, false); !errors.Is(err, errNotFirst) {
			return session, err
		}
	}
}

// OpenNew is Open for those who run ahead of the workflow: it takes the turn from no process.
func (s *Sessions[M]) OpenNew(ctx context.Context, id uuid.UUID) (*Claimed[M], error) {
	session, err := s.held(ctx, id)
	if session != nil || err != nil {
		return session, err
	}
	return s.claim(ctx, id, true)
}

// Expect says that the turn was accepted as claimed by this process, before anybody opens it.
func (s *Sessions[M]) Expect(id uuid.UUID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expected[id] = time.Now()
}

// held is the open session of the turn if the turn is still this process's; nil when none is open.
func (s *Sessions[M]) held(ctx context.Context, id uuid.UUID) (*Claimed[M], error) {
	s.mu.Lock()
	session := s.open[id]
	lost, wasLost := s.lost[id]
	s.mu.Unlock()
	if wasLost && time.Since(lost) < s.Pause {
		return nil, ErrElsewhere
	}
	if session == nil {
		return nil, nil //nolint:nilnil // there is none
	}
	holds, err := session.holds(ctx, s.Trust)
	switch {
	case errors.Is(err, ErrFinal):
		s.Forget(session.Session)
		return nil, err
	case err != nil:
		return nil, err
	case !holds:
		s.log.Warn("Turn was taken over by another process", "turn", id)
		s.Fenced(session.Session)
		return s.held(ctx, id)
	}
	return session, nil
}

// claim opens the turn once for all who ask at the same time.
func (s *Sessions[M]) claim(ctx context.Context, id uuid.UUID, first bool) (*Claimed[M], error) {
	v, err, _ := s.opens.Do(id.String(), func() (any, error) {
		s.mu.Lock()
		if session, ok := s.open[id]; ok {
			// The one before has just ended.
			s.mu.Unlock()
			return session, nil
		}
		s.opening[id] = false
		_, expected := s.expected[id]
		s.mu.Unlock()
		opened, err := s.load(ctx, id, expected, first)
		s.mu.Lock()
		defer s.mu.Unlock()
		stop := s.opening[id]
		delete(s.opening, id)
		if err == nil || errors.Is(err, ErrFinal) {
			delete(s.expected, id)
		}
		if first && errors.Is(err, ErrFinal) {
			return nil, errNotFirst
		}
		if err != nil {
			return nil, err
		}
		if stop {
			opened.Stop()
		}
		session := &Claimed[M]{Session: opened}
		s.open[id] = session
		delete(s.lost, id)
		return session, nil
	})
	if err != nil {
		return nil, err
	}
	return v.(*Claimed[M]), nil //nolint:errcheck // the function above returns nothing else
}

// load opens the turn. What was expected and is not there any more was taken by another process.
func (s *Sessions[M]) load(ctx context.Context, id uuid.UUID, expected, first bool) (*Session, error) {
	if expected {
		opened, err := open(ctx, s.db, s.events, id, s.Process.LockKey(), turndb.Held)
		if !errors.Is(err, ErrFinal) {
			return opened, err
		}
	}
	way := turndb.Take
	if first {
		way = turndb.First
	}
	return open(ctx, s.db, s.events, id, s.Process.HeldKey(), way)
}

// Fenced forgets a session whose turn another process has, and leaves the turn alone for a while. A later session of the same
// turn stays.
func (s *Sessions[M]) Fenced(session *Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.evict(session) {
		s.lost[session.ID] = time.Now()
	}
}

// Forget drops a session that does not know all of its turn; the next step opens the turn anew.
func (s *Sessions[M]) Forget(session *Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.evict(session)
}

// Current reports whether the session is the one of its turn, as far as this process knows.
func (s *Sessions[M]) Current(session *Session) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	current, ok := s.open[session.ID]
	return ok && current.Session == session
}

// evict reports whether the session was the one of its turn. The lock is held.
func (s *Sessions[M]) evict(session *Session) bool {
	current, ok := s.open[session.ID]
	if !ok || current.Session != session {
		return false
	}
	delete(s.open, session.ID)
	return true
}

// Finish ends the turn and forgets it. Every proposal of the turn stands in its message: what left no record is settled first.
func (s *Sessions[M]) Finish(ctx context.Context, session *Session, o Outcome) error {
	err := session.Finish(ctx, s.hub, o)
	if errors.Is(err, errUnsettled) && s.Settle != nil {
		if err = s.Settle(ctx, session, o.Status == Stopped); err == nil {
			err = session.Finish(ctx, s.hub, o)
		}
	}
	if err != nil {
		return err
	}
	s.Forget(session)
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

// stop ends a turn of this process. One that is being claimed is ended once it is: what the claim has read may be older.
func (s *Sessions[M]) stop(id uuid.UUID) {
	s.mu.Lock()
	session := s.open[id]
	if _, claiming := s.opening[id]; claiming {
		s.opening[id] = true
	}
	s.mu.Unlock()
	if session != nil {
		session.Stop()
	}
	crash.Point("stop.heard", id)
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
	ids := make([]uuid.UUID, 0, len(s.open)+len(s.opening))
	for id := range s.open {
		ids = append(ids, id)
	}
	for id := range s.opening {
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
	for id, since := range s.expected {
		if time.Since(since) > idleLimit {
			delete(s.expected, id)
		}
	}
	for id, when := range s.lost {
		if time.Since(when) > s.Pause {
			delete(s.lost, id)
		}
	}
}
