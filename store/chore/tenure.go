package chore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"sync"
	"time"

	"countersign/store"
	"countersign/store/chore/choredb"
)

// patience is how long one statement of a chore may take: what it deletes or adds up can be much, and nobody waits for it.
const patience = 4 * time.Minute

// errLost is why the chores of a process end that could not renew its lease in time.
var errLost = errors.New("the lease was lost")

// tenure is the time in which a process holds the lease.
type tenure struct {
	*Runner
	term int64
	// last says when chores began before this tenure.
	last map[string]time.Time

	mu sync.Mutex
	// until is when this process must have stopped, unless it renews the lease.
	until time.Time
	// began are runs that are not stored yet.
	began map[string]time.Time
}

// serve does the chores until ctx ends or the lease is lost, and returns when the last one has ended. The lease is kept
// until then.
func (t *tenure) serve(ctx context.Context) {
	t.Log.Info("This process does the chores", "term", t.term)
	t.hold(true)
	defer t.hold(false)
	work, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	lapse := time.AfterFunc(time.Until(t.until), func() { stop(errLost) })
	defer lapse.Stop()
	ended := t.start(work)
	beat := time.NewTicker(t.Lease / 4)
	defer beat.Stop()
	draining := ctx.Done()
	for {
		select {
		case <-ended:
			t.finish(ctx, context.Cause(work))
			return
		case <-draining:
			stop(nil)
			draining = nil
		case <-beat.C:
			if !errors.Is(context.Cause(work), errLost) {
				t.renew(ctx, lapse, stop)
			}
		}
	}
}

// start begins all chores; the channel is closed when they have ended with ctx.
func (t *tenure) start(ctx context.Context) <-chan struct{} {
	var running sync.WaitGroup
	running.Go(func() { <-ctx.Done() })
	for _, c := range t.Chores {
		running.Go(func() { t.repeat(ctx, c) })
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		running.Wait()
	}()
	return ended
}

func (t *tenure) repeat(ctx context.Context, c Chore) {
	next := time.NewTimer(time.Until(t.last[c.Name].Add(c.Every)))
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-next.C:
		case <-c.Wake:
		}
		// A process that was paused finds its timers at work before it finds that its time is over.
		if ctx.Err() != nil || !t.holds() {
			return
		}
		began := time.Now()
		err := once(ctx, c)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			t.Log.Warn("Chore failed", "chore", c.Name, "error", err)
		}
		t.note(c.Name, began)
		next.Reset(time.Until(began.Add(c.Every)))
	}
}

// once is one run. A panic ends that run and nothing else.
func once(ctx context.Context, c Chore) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return c.Do(store.Patient(ctx, patience))
}

func (t *tenure) holds() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return time.Now().Before(t.until)
}

func (t *tenure) note(name string, began time.Time) {
	t.mu.Lock()
	t.began[name] = began
	t.mu.Unlock()
	t.Runner.mu.Lock()
	defer t.Runner.mu.Unlock()
	t.state.Began[name] = began
}

// hold tells others what this process does.
func (t *tenure) hold(holding bool) {
	t.Runner.mu.Lock()
	defer t.Runner.mu.Unlock()
	t.state.Holding, t.state.Term = holding, t.term
	if holding {
		maps.Copy(t.state.Began, t.last)
	}
}

// renew keeps the lease and stores what has begun. Without an answer the chores go on until the lease is over.
func (t *tenure) renew(ctx context.Context, lapse *time.Timer, stop context.CancelCauseFunc) {
	asked := time.Now()
	err := t.save(ctx)
	switch {
	case store.NoRows(err):
		stop(errLost)
	case err != nil:
		t.report(ctx, err)
	default:
		t.report(ctx, nil)
		t.mu.Lock()
		t.until = t.end(asked)
		lapse.Reset(time.Until(t.until))
		t.mu.Unlock()
	}
}

func (t *tenure) save(ctx context.Context) error {
	p := choredb.RenewLeaseParams{Name: leaseName, Term: t.term, Seconds: t.Lease.Seconds(), Chores: []string{}, Ages: []float64{}}
	t.mu.Lock()
	began, until := t.began, t.until
	t.began = map[string]time.Time{}
	t.mu.Unlock()
	for name, at := range began {
		p.Chores, p.Ages = append(p.Chores, name), append(p.Ages, time.Since(at).Seconds())
	}
	ctx, cancel := context.WithDeadline(context.WithoutCancel(ctx), until)
	defer cancel()
	_, err := choredb.New(t.lease.Conn(ctx)).RenewLease(ctx, p)
	if err != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		for name, at := range began {
			if _, again := t.began[name]; !again {
				t.began[name] = at
			}
		}
	}
	return err
}

// finish stores what has begun and gives the lease back, so that another process need not wait for its end.
func (t *tenure) finish(ctx context.Context, cause error) {
	if errors.Is(cause, errLost) {
		t.Log.Warn("This process has lost the chores", "term", t.term)
	} else {
		t.Log.Info("This process hands the chores over", "term", t.term)
		_ = t.save(ctx)
	}
	// What fails here is made good by the end of the lease.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), t.Lease)
	defer cancel()
	q := choredb.New(t.lease.Conn(ctx))
	if err := q.EndLease(ctx, choredb.EndLeaseParams{Name: leaseName, Term: t.term}); err == nil {
		_ = q.Announce(ctx, Channel)
	}
}
