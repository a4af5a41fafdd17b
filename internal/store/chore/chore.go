// Package chore runs the periodic jobs of an installation on one process, by leader election.
//
// Every process has a Runner. The leader holds a lease, a row in PostgreSQL that it keeps renewing, and runs all chores, each
// once in its interval.
package chore

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"sync"
	"time"

	"countersign/internal/store"
	"countersign/internal/store/chore/choredb"
)

// Chore is a periodic job.
type Chore struct {
	// Name identifies the chore in the log and across restarts.
	Name string
	// Every is the interval between the starts of two runs.
	Every time.Duration
	// Do is one run. It returns soon after its context ends, and must be safe to repeat from any point, as a process can die in
	// it.
	Do func(ctx context.Context) error
	// Wake starts the next run at once; it may be nil.
	Wake <-chan struct{}
}

// Channel is notified when a leader releases the lease.
const Channel = "countersign_chores"

// leaseName is the key of the lease row.
const leaseName = "chores"

const (
	// defaultLease bounds how long chores pause after a kill -9 of the leader.
	defaultLease = 3 * time.Second
	// recheckInterval bounds how long a process relies on its last read of another's lease.
	recheckInterval = time.Second
)

// Options configure a Runner.
type Options struct {
	DB     *store.DB
	Log    *slog.Logger
	Chores []Chore
	// Holder is the display name of the process; its host and process id by default.
	Holder string
	// Lease is the duration of the lease, after which an unresponsive leader is replaced; 3 s when zero.
	Lease time.Duration
}

// Runner runs the chores while its process holds the lease.
type Runner struct {
	Options

	wake chan struct{}
	// lease is a pool for the lease alone: its renewal must not wait while chores and requests wait for connections.
	lease *store.DB
	// unavailable reports whether the last lease query failed; the change is logged once.
	unavailable bool

	mu    sync.Mutex
	state State
}

// State is the leadership of this process.
type State struct {
	// Holding reports whether this process is the leader. Term is its fencing token, which each new leader raises.
	Holding bool
	Term    int64
	// Began says when each chore last started, as far as this process knows; complete on the leader.
	Began map[string]time.Time
}

// NewRunner makes a Runner. Subscribe it to Channel and Run it.
func NewRunner(o Options) *Runner {
	if o.Lease == 0 {
		o.Lease = defaultLease
	}
	if o.Holder == "" {
		host, _ := os.Hostname()
		o.Holder = fmt.Sprintf("%s:%d", host, os.Getpid())
	}
	return &Runner{Options: o, wake: make(chan struct{}, 1), state: State{Began: map[string]time.Time{}}}
}

// Subscriptions wake the runner when a lease was released, so that it acquires it without waiting.
func (r *Runner) Subscriptions() store.Subscriptions {
	wake := func() {
		select {
		case r.wake <- struct{}{}:
		default:
		}
	}
	return store.Subscriptions{Channel: {Notify: func(string) { wake() }, Resync: wake}}
}

// State is a copy of the state.
func (r *Runner) State() State {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.state
	s.Began = maps.Clone(s.Began)
	return s
}

// Run works until ctx ends, and releases the lease then.
func (r *Runner) Run(ctx context.Context) {
	var err error
	if r.lease, err = r.DB.SeparatePool(context.WithoutCancel(ctx), 1); err != nil {
		r.Log.Error("Chore runner failed to start", "error", err)
		return
	}
	defer r.lease.Close()
	for ctx.Err() == nil {
		t, wait, err := r.acquireLease(ctx)
		r.report(ctx, err)
		if t != nil {
			t.runChores(ctx)
			continue
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		case <-r.wake:
		}
	}
}

// acquireLease acquires the lease if it is free; else wait is the time to the next attempt.
func (r *Runner) acquireLease(ctx context.Context) (t *leaseTerm, wait time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, r.Lease)
	defer cancel()
	q := choredb.New(r.lease.Conn(ctx))
	left, err := q.LeaseRemaining(ctx, leaseName)
	if err != nil && !store.NoRows(err) {
		return nil, recheckInterval, fmt.Errorf("read the lease: %w", err)
	}
	if err == nil && left.Seconds > 0 {
		return nil, min(recheckInterval, time.Duration(left.Seconds*float64(time.Second))+time.Millisecond), nil
	}
	asked := time.Now()
	term, err := q.AcquireLease(ctx, choredb.AcquireLeaseParams{Name: leaseName, Holder: r.Holder, Seconds: r.Lease.Seconds()})
	if store.NoRows(err) {
		return nil, recheckInterval, nil
	}
	if err != nil {
		return nil, recheckInterval, fmt.Errorf("acquire the lease: %w", err)
	}
	ages, err := q.ChoreAges(ctx)
	if err != nil {
		return nil, recheckInterval, fmt.Errorf("read chore runs: %w", err)
	}
	t = &leaseTerm{Runner: r, term: term, validUntil: r.localExpiry(asked), began: map[string]time.Time{}, last: map[string]time.Time{}}
	answered := time.Now()
	for _, a := range ages {
		t.last[a.Name] = answered.Add(-time.Duration(a.Seconds * float64(time.Second)))
	}
	return t, 0, nil
}

// localExpiry returns the time at which a process that requested the lease stops using it. It precedes the expiry by
// the database clock, which starts to count when the database receives the request.
func (r *Runner) localExpiry(asked time.Time) time.Time { return asked.Add(r.Lease - r.Lease/6) }

// report logs an outage of the database once.
func (r *Runner) report(ctx context.Context, err error) {
	if err != nil && !r.unavailable && ctx.Err() == nil {
		r.Log.Warn("Chore lease unavailable", "error", err)
	}
	r.unavailable = err != nil
}
