// Package chore does the housekeeping of an installation: each chore once in its interval, however many processes there
// are. Every process has a Runner; the one that holds the lease, a row that it keeps renewing, does all the chores.
package chore

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"sync"
	"time"

	"countersign/store"
	"countersign/store/chore/choredb"
)

// Chore is a piece of housekeeping.
type Chore struct {
	// Name tells it from all others, in the log and over restarts.
	Name string
	// Every is how much time lies between the beginnings of two runs.
	Every time.Duration
	// Do is one run. It returns soon after its context ends, and may be repeated at any point: a process can die in it.
	Do func(ctx context.Context) error
	// Wake makes the next run come at once; nil when only time does.
	Wake <-chan struct{}
}

// Channel is notified when the lease is given back.
const Channel = "countersign_chores"

// leaseName is that of the one lease there is.
const leaseName = "chores"

const (
	// standardLease is how long after a kill -9 the chores rest at most.
	standardLease = 3 * time.Second
	// lookAgain bounds how long a process trusts what it has read about another one's lease.
	lookAgain = time.Second
)

// Options are what a Runner is made of.
type Options struct {
	DB     *store.DB
	Log    *slog.Logger
	Chores []Chore
	// Holder names the process to people; its host and process id by default.
	Holder string
	// Lease is how long a process that does not answer keeps the chores; 3 s when zero.
	Lease time.Duration
}

// Runner does the chores while its process holds the lease.
type Runner struct {
	Options

	wake chan struct{}
	// lease is a connection that only the lease uses: it has to be renewed while chores and requests wait for theirs.
	lease *store.DB
	// away says that the database was away the last time; it is reported once.
	away bool

	mu    sync.Mutex
	state State
}

// State is what a process does at the moment.
type State struct {
	// Holding says that this process does the chores, for the Term-th time that they were taken over.
	Holding bool
	Term    int64
	// Began says when each chore last began, as far as this process knows: all of it while it holds the lease.
	Began map[string]time.Time
}

// NewRunner makes a runner. Subscribe it to Channel and Run it.
func NewRunner(o Options) *Runner {
	if o.Lease == 0 {
		o.Lease = standardLease
	}
	if o.Holder == "" {
		host, _ := os.Hostname()
		o.Holder = fmt.Sprintf("%s:%d", host, os.Getpid())
	}
	return &Runner{Options: o, wake: make(chan struct{}, 1), state: State{Began: map[string]time.Time{}}}
}

// Subscription makes the runner take a lease that was given back without waiting.
func (r *Runner) Subscription() store.Subscription {
	look := func() {
		select {
		case r.wake <- struct{}{}:
		default:
		}
	}
	return store.Subscription{Notify: func(string) { look() }, Resync: look}
}

// State tells what this process does.
func (r *Runner) State() State {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.state
	s.Began = maps.Clone(s.Began)
	return s
}

// Run works until ctx ends, and hands over then.
func (r *Runner) Run(ctx context.Context) {
	var err error
	if r.lease, err = r.DB.Apart(context.WithoutCancel(ctx), 1); err != nil {
		r.Log.Error("This process does no chores", "error", err)
		return
	}
	defer r.lease.Close()
	for ctx.Err() == nil {
		t, wait, err := r.take(ctx)
		r.report(ctx, err)
		if t != nil {
			t.serve(ctx)
			continue
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		case <-r.wake:
		}
	}
}

// take takes the lease if nobody holds it; else it says when to look again.
func (r *Runner) take(ctx context.Context) (t *tenure, wait time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, r.Lease)
	defer cancel()
	q := choredb.New(r.lease.Conn(ctx))
	left, err := q.LeaseLeft(ctx, leaseName)
	if err != nil && !store.NoRows(err) {
		return nil, lookAgain, fmt.Errorf("look at the lease: %w", err)
	}
	if err == nil && left.Seconds > 0 {
		return nil, min(lookAgain, time.Duration(left.Seconds*float64(time.Second))+time.Millisecond), nil
	}
	asked := time.Now()
	term, err := q.TakeLease(ctx, choredb.TakeLeaseParams{Name: leaseName, Holder: r.Holder, Seconds: r.Lease.Seconds()})
	if store.NoRows(err) {
		return nil, lookAgain, nil
	}
	if err != nil {
		return nil, lookAgain, fmt.Errorf("take the lease: %w", err)
	}
	ages, err := q.Ages(ctx)
	if err != nil {
		return nil, lookAgain, fmt.Errorf("read when chores were done: %w", err)
	}
	t = &tenure{Runner: r, term: term, until: r.end(asked), began: map[string]time.Time{}, last: map[string]time.Time{}}
	answered := time.Now()
	for _, a := range ages {
		t.last[a.Name] = answered.Add(-time.Duration(a.Seconds * float64(time.Second)))
	}
	return t, 0, nil
}

// end is when a process that asked for the lease stops using it. It is sooner than the end by the clock of the database,
// which begins to count when it hears the question.
func (r *Runner) end(asked time.Time) time.Time { return asked.Add(r.Lease - r.Lease/6) }

// report says once that the database is away.
func (r *Runner) report(ctx context.Context, err error) {
	if err != nil && !r.away && ctx.Err() == nil {
		r.Log.Warn("Chores wait for the database", "error", err)
	}
	r.away = err != nil
}
