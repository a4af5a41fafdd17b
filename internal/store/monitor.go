package store

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// Monitor detects whether this process reaches the database. It probes through the pool and, if that does not answer, through a
// new connection with the same address and credentials: a busy pool is no outage, and one open connection does not make up for
// failing new ones.
type Monitor struct {
	// Interval is the time between probes, ProbeTimeout bounds one, LostAfter is the time without a success after which the
	// database counts as lost, and DeadAfter that after which the process counts as unhealthy; one, four, five and sixty
	// seconds when zero.
	Interval, ProbeTimeout, LostAfter, DeadAfter time.Duration
	// OnLost and OnRecovered are called by one goroutine when the database is lost and when it is reachable again.
	OnLost, OnRecovered func()

	db *DB

	mu sync.Mutex
	// reachedAt is when the last successful probe began; lost says whether OnLost was called since.
	reachedAt time.Time
	lost      bool
}

// NewMonitor makes a Monitor; Run it.
func NewMonitor(db *DB) *Monitor {
	return &Monitor{db: db, reachedAt: time.Now(), OnLost: func() {}, OnRecovered: func() {}}
}

// Alive fails once the database has been lost for DeadAfter, so that the process is restarted.
func (m *Monitor) Alive() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if since := time.Since(m.reachedAt); m.lost && since >= cmp.Or(m.DeadAfter, time.Minute) {
		return fmt.Errorf("the database has not been reached for %s", since.Round(time.Second))
	}
	return nil
}

// Run probes until ctx ends.
func (m *Monitor) Run(ctx context.Context) {
	every := cmp.Or(m.Interval, time.Second)
	probing := make(chan struct{}, 1)
	var running sync.WaitGroup
	defer running.Wait()
	tick := time.NewTicker(every)
	defer tick.Stop()
	lastTick := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if now := time.Now(); now.Sub(lastTick) > every+m.lostAfter()/2 {
			// This process was suspended, so the missing probes say nothing about the database.
			m.succeeded(now)
		}
		lastTick = time.Now()
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
		m.reportChange()
	}
}

func (m *Monitor) lostAfter() time.Duration { return cmp.Or(m.LostAfter, 5*time.Second) }

func (m *Monitor) succeeded(at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if at.After(m.reachedAt) {
		m.reachedAt = at
	}
}

// reportChange calls OnLost or OnRecovered when the state has changed.
func (m *Monitor) reportChange() {
	m.mu.Lock()
	lost := time.Since(m.reachedAt) >= m.lostAfter()
	changed := lost != m.lost
	m.lost = lost
	m.mu.Unlock()
	switch {
	case !changed:
	case lost:
		m.OnLost()
	default:
		m.OnRecovered()
	}
}

// probe queries the database through the pool, and through a new connection if the pool does not answer, cannot open
// connections, or was lost before. A server at its connection limit is not lost to a pool that has open connections: the pool
// itself may fill the limit.
func (m *Monitor) probe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(m.ProbeTimeout, 4*time.Second))
	defer cancel()
	m.mu.Lock()
	doubtful := m.lost
	m.mu.Unlock()
	if !doubtful && !m.db.timeouts.refusedLately(m.lostAfter()) {
		half, end := context.WithTimeout(ctx, cmp.Or(m.ProbeTimeout, 4*time.Second)/2)
		_, err := m.db.pool.Exec(half, "SELECT 1")
		end()
		if err == nil {
			return nil
		}
	}
	err := m.probeNewConnection(ctx)
	if tooManyConnections(err) {
		return m.probeOpenConnection(ctx, err)
	}
	return err
}

// probeNewConnection queries the database through a new connection.
func (m *Monitor) probeNewConnection(ctx context.Context) error {
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
		return fmt.Errorf("probe the database: %w", err)
	}
	return nil
}

// probeOpenConnection queries the database through an open connection of the pool. It also succeeds when another statement was
// answered meanwhile, and fails when the pool has no connection open.
func (m *Monitor) probeOpenConnection(ctx context.Context, refusal error) error {
	const pause = 100 * time.Millisecond
	for began := time.Now(); m.db.pool.Stat().TotalConns() > 0; {
		if _, err := m.db.pool.Exec(ctx, "SELECT 1"); !tooManyConnections(err) {
			return err
		}
		if m.db.timeouts.answeredSince(began) {
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
