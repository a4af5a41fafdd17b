package store

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// Monitor finds out whether this process reaches the database. It asks by the pool, and where that does not answer by a
// connection of its own with the same address and credentials: a busy pool is no lost database, and one connection that
// works does not make up for those that cannot be opened.
type Monitor struct {
	// Every is the interval of the probes, Answer how long one may take, LostAfter how long none may have succeeded
	// until the database counts as lost, and DeadAfter how long until the process counts as of no use; one, four, five
	// and sixty seconds when zero.
	Every, Answer, LostAfter, DeadAfter time.Duration
	// Lost and Back are called, by one goroutine, when the database is lost, and when it is reached again.
	Lost, Back func()

	db *DB

	mu sync.Mutex
	// reached is when the last probe began that succeeded, and lost whether Lost was called since.
	reached time.Time
	lost    bool
}

// NewMonitor makes a monitor; Run it.
func NewMonitor(db *DB) *Monitor {
	return &Monitor{db: db, reached: time.Now(), Lost: func() {}, Back: func() {}}
}

// Alive is an error once the database has been lost for so long that the process should be replaced.
func (m *Monitor) Alive() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if since := time.Since(m.reached); m.lost && since >= cmp.Or(m.DeadAfter, time.Minute) {
		return fmt.Errorf("the database has not been reached for %s", since.Round(time.Second))
	}
	return nil
}

// Run probes until ctx ends.
func (m *Monitor) Run(ctx context.Context) {
	every := cmp.Or(m.Every, time.Second)
	probing := make(chan struct{}, 1)
	var running sync.WaitGroup
	defer running.Wait()
	tick := time.NewTicker(every)
	defer tick.Stop()
	looked := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if now := time.Now(); now.Sub(looked) > every+m.lostAfter()/2 {
			// This process stood still, and knows nothing about the database.
			m.succeeded(now)
		}
		looked = time.Now()
		select {
		case probing <- struct{}{}:
			running.Go(func() {
				defer func() { <-probing }()
				began := time.Now()
				if err := m.probe(ctx); err == nil {
					m.succeeded(began)
				}
			})
		default:
		}
		m.judge()
	}
}

func (m *Monitor) lostAfter() time.Duration { return cmp.Or(m.LostAfter, 5*time.Second) }

func (m *Monitor) succeeded(at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if at.After(m.reached) {
		m.reached = at
	}
}

// judge tells what has changed.
func (m *Monitor) judge() {
	m.mu.Lock()
	lost := time.Since(m.reached) >= m.lostAfter()
	changed := lost != m.lost
	m.lost = lost
	m.mu.Unlock()
	switch {
	case !changed:
	case lost:
		m.Lost()
	default:
		m.Back()
	}
}

// probe asks the database by the pool, and by a new connection where the pool does not answer, cannot open connections, or was lost before.
// A server that lets no more connections in is not lost to a pool that has some: the pool may be what fills the limit.
func (m *Monitor) probe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(m.Answer, 4*time.Second))
	defer cancel()
	m.mu.Lock()
	doubtful := m.lost
	m.mu.Unlock()
	if !doubtful && !m.db.bounds.refusedLately(m.lostAfter()) {
		half, end := context.WithTimeout(ctx, cmp.Or(m.Answer, 4*time.Second)/2)
		_, err := m.db.pool.Exec(half, "SELECT 1")
		end()
		if err == nil {
			return nil
		}
	}
	err := m.connect(ctx)
	if full(err) {
		return m.askOpen(ctx, err)
	}
	return err
}

// connect asks the database by a new connection.
func (m *Monitor) connect(ctx context.Context) error {
	conn, err := pgx.ConnectConfig(ctx, m.db.pool.Config().ConnConfig)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer func() {
		closing, end := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer end()
		_ = conn.Close(closing)
	}()
	if _, err := conn.Exec(ctx, "SELECT 1"); err != nil {
		return fmt.Errorf("ask the database: %w", err)
	}
	return nil
}

// askOpen asks the database by a connection that the pool has open, and is content with another statement that was answered meanwhile.
// Without any open connection the pool is refused as well.
func (m *Monitor) askOpen(ctx context.Context, refusal error) error {
	const pause = 100 * time.Millisecond
	for began := time.Now(); m.db.pool.Stat().TotalConns() > 0; {
		if _, err := m.db.pool.Exec(ctx, "SELECT 1"); !full(err) {
			return err
		}
		if m.db.bounds.answeredSince(began) {
			return nil
		}
		select {
		case <-ctx.Done():
			return refusal
		case <-time.After(pause):
		}
	}
	return refusal
}
