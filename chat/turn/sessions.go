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
	"countersign/internal/crash"
	"countersign/internal/process"
	"countersign/internal/store"
)

// StopChannel is the PostgreSQL notification channel for stop requests; the payload is the turn's id.
const StopChannel = "turn_stops"

const (
	// fencePause is a little longer than a process takes to notice that its workflow code is stale: its next heartbeat, at
	// 80 % of a workflow task timeout, is refused, and that code stops.
	fencePause = 6 * time.Second
	// claimCacheTTL is shorter than the fastest way of a turn to another process and back.
	claimCacheTTL = 250 * time.Millisecond
	// idleLimit is the idle time after which a session is evicted; the next step opens it again.
	idleLimit = 10 * time.Minute
)

// ErrElsewhere means that another process has the turn; a later retry may succeed.
var ErrElsewhere = errors.New("another process runs this turn")

// errAlreadyClaimed is ErrFinal for callers that claim only unclaimed turns.
var errAlreadyClaimed = fmt.Errorf("not the first to claim: %w", ErrElsewhere)

// ClaimedSession is a session with the memo that the steps of its turn share.
type ClaimedSession[M any] struct {
	*Session

	Memo M
}

// Sessions are the claimed turns of this process, each with a memo of type M.
type Sessions[M any] struct {
	// LostPause is how long a process does not claim a turn again after losing it. By then the stale workflow code is
	// gone, be it its own or that of the process that has claimed the turn.
	LostPause time.Duration
	// ClaimTTL is how long a claim that was read from the row is cached.
	ClaimTTL time.Duration
	// SettleUnrecorded records the outcome of calls that made a proposal and left no record; nil where no turn makes any.
	// stopped says that the person has stopped the turn.
	SettleUnrecorded func(ctx context.Context, session *Session, stopped bool) error

	db     *store.DB
	events *stream.Log
	hub    *stream.Hub
	log    *slog.Logger
	opens  singleflight.Group

	mu   sync.Mutex
	open map[uuid.UUID]*ClaimedSession[M]
	// claiming are the turns that are being claimed, and whether a stop was requested meanwhile.
	claiming map[uuid.UUID]bool
	// accepted are turns that were accepted as claimed by this process and not opened yet, with the time of acceptance.
	accepted map[uuid.UUID]time.Time
	// lostAt holds turns that another process has claimed, and when.
	lostAt map[uuid.UUID]time.Time
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
		LostPause: fencePause,
		ClaimTTL:  claimCacheTTL,
		db:        o.DB,
		events:    o.Events,
		hub:       o.Hub,
		log:       o.Log,
		open:      map[uuid.UUID]*ClaimedSession[M]{},
		claiming:  map[uuid.UUID]bool{},
		accepted:  map[uuid.UUID]time.Time{},
		lostAt:    map[uuid.UUID]time.Time{},
	}
}

// Open returns this process's session of the turn, claiming the turn if necessary. ErrFinal means that the turn has
// ended, ErrElsewhere that another process claimed it a moment ago.
func (s *Sessions[M]) Open(ctx context.Context, id uuid.UUID) (*ClaimedSession[M], error) {
	for {
		session, err := s.cached(ctx, id)
		if session != nil || err != nil {
			return session, err
		}
		// A concurrent claim of OpenUnclaimed in this process may be in the way.
		if session, err = s.claim(ctx, id, false); !errors.Is(err, errAlreadyClaimed) {
			return session, err
		}
	}
}

// OpenUnclaimed is Open for callers beside the workflow: it takes the turn from no process.
func (s *Sessions[M]) OpenUnclaimed(ctx context.Context, id uuid.UUID) (*ClaimedSession[M], error) {
	session, err := s.cached(ctx, id)
	if session != nil || err != nil {
		return session, err
	}
	return s.claim(ctx, id, true)
}

// RegisterAccepted registers a turn that was accepted as claimed by this process, before it is opened.
func (s *Sessions[M]) RegisterAccepted(id uuid.UUID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.accepted[id] = time.Now()
}

// cached is the open session of the turn if this process still has the claim; nil without one.
func (s *Sessions[M]) cached(ctx context.Context, id uuid.UUID) (*ClaimedSession[M], error) {
	s.mu.Lock()
	session := s.open[id]
	lost, wasLost := s.lostAt[id]
	s.mu.Unlock()
	if wasLost && time.Since(lost) < s.LostPause {
		return nil, ErrElsewhere
	}
	if session == nil {
		return nil, nil //nolint:nilnil // there is none
	}
	holds, err := session.holdsClaim(ctx, s.ClaimTTL)
	switch {
	case errors.Is(err, ErrFinal):
		s.Evict(session.Session)
		return nil, err
	case err != nil:
		return nil, err
	case !holds:
		s.log.Warn("Turn claimed by another process", "turn", id)
		s.MarkLost(session.Session)
		return s.cached(ctx, id)
	}
	return session, nil
}

// claim opens the turn once for all concurrent callers.
func (s *Sessions[M]) claim(ctx context.Context, id uuid.UUID, first bool) (*ClaimedSession[M], error) {
	v, err, _ := s.opens.Do(id.String(), func() (any, error) {
		s.mu.Lock()
		if session, ok := s.open[id]; ok {
			// A concurrent call has just opened it.
			s.mu.Unlock()
			return session, nil
		}
		s.claiming[id] = false
		_, accepted := s.accepted[id]
		s.mu.Unlock()
		opened, err := s.load(ctx, id, accepted, first)
		s.mu.Lock()
		defer s.mu.Unlock()
		stop := s.claiming[id]
		delete(s.claiming, id)
		if err == nil || errors.Is(err, ErrFinal) {
			delete(s.accepted, id)
		}
		if first && errors.Is(err, ErrFinal) {
			return nil, errAlreadyClaimed
		}
		if err != nil {
			return nil, err
		}
		if stop {
			opened.Stop()
		}
		session := &ClaimedSession[M]{Session: opened}
		s.open[id] = session
		delete(s.lostAt, id)
		return session, nil
	})
	if err != nil {
		return nil, err
	}
	return v.(*ClaimedSession[M]), nil //nolint:errcheck // the function above returns nothing else
}

// load opens the turn. An accepted turn that this process no longer holds was claimed by another one.
func (s *Sessions[M]) load(ctx context.Context, id uuid.UUID, accepted, first bool) (*Session, error) {
	if accepted {
		opened, err := open(ctx, s.db, s.events, id, turndb.AlreadyClaimed)
		if !errors.Is(err, ErrFinal) {
			return opened, err
		}
	}
	mode := turndb.ClaimAny
	if first {
		mode = turndb.ClaimUnclaimed
	}
	return open(ctx, s.db, s.events, id, mode)
}

// MarkLost evicts a session whose turn another process has claimed, and blocks new claims for LostPause. A later
// session of the same turn stays.
func (s *Sessions[M]) MarkLost(session *Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.remove(session) {
		s.lostAt[session.ID] = time.Now()
	}
}

// Evict drops a session whose state is incomplete; the next step opens the turn again.
func (s *Sessions[M]) Evict(session *Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(session)
}

// IsCurrent reports whether the session is the open one of its turn.
func (s *Sessions[M]) IsCurrent(session *Session) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	current, ok := s.open[session.ID]
	return ok && current.Session == session
}

// remove drops the session and reports whether it was the open one of its turn. The caller holds the lock.
func (s *Sessions[M]) remove(session *Session) bool {
	current, ok := s.open[session.ID]
	if !ok || current.Session != session {
		return false
	}
	delete(s.open, session.ID)
	return true
}

// Finish ends the turn and evicts it. All proposals of the turn belong to its message, so unrecorded calls are settled
// first.
func (s *Sessions[M]) Finish(ctx context.Context, session *Session, o Outcome) error {
	err := session.Finish(ctx, s.hub, o)
	if errors.Is(err, errUnrecordedProposal) && s.SettleUnrecorded != nil {
		if err = s.SettleUnrecorded(ctx, session, o.Status == Stopped); err == nil {
			err = session.Finish(ctx, s.hub, o)
		}
	}
	if err != nil {
		return err
	}
	s.Evict(session)
	return nil
}

// Loops evict cached sessions that have been idle for long.
func (s *Sessions[M]) Loops() []process.Loop {
	return []process.Loop{{Name: "evict sessions of turns", Role: process.Turns, Run: func(ctx context.Context) {
		tick := time.NewTicker(2 * time.Second)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				s.Prune()
			}
		}
	}}}
}

// Subscriptions receive stop requests.
func (s *Sessions[M]) Subscriptions() store.Subscriptions {
	return store.Subscriptions{StopChannel: {
		Notify: func(payload string) {
			if id, err := uuid.Parse(payload); err == nil {
				s.stop(id)
			}
		},
		Resync: func() { go s.readStopRequests() },
	}}
}

// Busy reports whether this process runs a turn.
func (s *Sessions[M]) Busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open) > 0
}

// stop stops a turn of this process, and one that is being claimed once it is: the claim may have read an older row.
func (s *Sessions[M]) stop(id uuid.UUID) {
	s.mu.Lock()
	session := s.open[id]
	if _, isClaiming := s.claiming[id]; isClaiming {
		s.claiming[id] = true
	}
	s.mu.Unlock()
	if session != nil {
		session.Stop()
	}
	crash.Point("stop.heard", id)
}

// readStopRequests finds requests whose notification was lost.
func (s *Sessions[M]) readStopRequests() {
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
	ids := make([]uuid.UUID, 0, len(s.open)+len(s.claiming))
	for id := range s.open {
		ids = append(ids, id)
	}
	for id := range s.claiming {
		ids = append(ids, id)
	}
	return ids
}

// Prune evicts idle sessions and old entries.
func (s *Sessions[M]) Prune() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, session := range s.open {
		session.mu.Lock()
		idle := time.Since(session.lastUse) > idleLimit && len(session.enteredSteps) == 0
		session.mu.Unlock()
		if idle {
			delete(s.open, id)
		}
	}
	for id, since := range s.accepted {
		if time.Since(since) > idleLimit {
			delete(s.accepted, id)
		}
	}
	for id, when := range s.lostAt {
		if time.Since(when) > s.LostPause {
			delete(s.lostAt, id)
		}
	}
}
