package chore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"sync"
	"time"

	"countersign/internal/store"
	"countersign/internal/store/chore/choredb"
)

// statementTimeout bounds one statement of a chore, which may delete or aggregate many rows.
const statementTimeout = 4 * time.Minute

// errLeaseLost cancels the chores of a process that could not renew its lease in time.
var errLeaseLost = errors.New("the lease was lost")

// leaseTerm is one period of leadership of this process.
type leaseTerm struct {
	*Runner
	term int64
	// last says when chores started before this term.
	last map[string]time.Time

	mu sync.Mutex
	// validUntil is the time at which this process must stop, unless it renews the lease.
	validUntil time.Time
	// began holds starts that are not stored yet.
	began map[string]time.Time
}

// runChores runs the chores until ctx ends or the lease is lost, and returns when the last one has ended. It keeps the lease
// until then.
func (t *leaseTerm) runChores(ctx context.Context) {
	t.Log.Info("Chore lease acquired", "term", t.term)
	t.setHolding(true)
	defer t.setHolding(false)
	work, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	lapse := time.AfterFunc(time.Until(t.validUntil), func() { stop(errLeaseLost) })
	defer lapse.Stop()
	ended := t.startLoops(work)
	beat := time.NewTicker(t.Lease / 4)
	defer beat.Stop()
	draining := ctx.Done()
	for {
		select {
		case <-ended:
			t.release(ctx, context.Cause(work))
			return
		case <-draining:
			stop(nil)
			draining = nil
		case <-beat.C:
			if !errors.Is(context.Cause(work), errLeaseLost) {
				t.renew(ctx, lapse, stop)
			}
		}
	}
}

// startLoops starts all chores; the channel is closed when they have ended after ctx.
func (t *leaseTerm) startLoops(ctx context.Context) <-chan struct{} {
	var running sync.WaitGroup
	running.Go(func() { <-ctx.Done() })
	for _, c := range t.Chores {
		running.Go(func() { t.loop(ctx, c) })
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		running.Wait()
	}()
	return ended
}

func (t *leaseTerm) loop(ctx context.Context, c Chore) {
	next := time.NewTimer(time.Until(t.last[c.Name].Add(c.Every)))
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-next.C:
		case <-c.Wake:
		}
		// In a process that was suspended, timers fire before the expiry of the lease is noticed.
		if ctx.Err() != nil || !t.isValid() {
			return
		}
		began := time.Now()
		err := runOnce(ctx, c)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			t.Log.Warn("Chore failed", "chore", c.Name, "error", err)
		}
		t.recordRun(c.Name, began)
		next.Reset(time.Until(began.Add(c.Every)))
	}
}

// runOnce is one run. A panic fails that run alone.
func runOnce(ctx context.Context, c Chore) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return c.Do(store.WithStatementTimeout(ctx, statementTimeout))
}

func (t *leaseTerm) isValid() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return time.Now().Before(t.validUntil)
}

func (t *leaseTerm) recordRun(name string, began time.Time) {
	t.mu.Lock()
	t.began[name] = began
	t.mu.Unlock()
	t.Runner.mu.Lock()
	defer t.Runner.mu.Unlock()
	t.state.Began[name] = began
}

// setHolding publishes the state of this process.
func (t *leaseTerm) setHolding(holding bool) {
	t.Runner.mu.Lock()
	defer t.Runner.mu.Unlock()
	t.state.Holding, t.state.Term = holding, t.term
	if holding {
		maps.Copy(t.state.Began, t.last)
	}
}

// renew extends the lease and stores recent starts. Without an answer the chores continue until the lease expires.
func (t *leaseTerm) renew(ctx context.Context, lapse *time.Timer, stop context.CancelCauseFunc) {
	asked := time.Now()
	err := t.renewInDatabase(ctx)
	switch {
	case store.NoRows(err):
		stop(errLeaseLost)
	case err != nil:
		t.report(ctx, err)
	default:
		t.report(ctx, nil)
		t.mu.Lock()
		t.validUntil = t.localExpiry(asked)
		lapse.Reset(time.Until(t.validUntil))
		t.mu.Unlock()
	}
}

func (t *leaseTerm) renewInDatabase(ctx context.Context) error {
	p := choredb.RenewLeaseParams{Name: leaseName, Term: t.term, Seconds: t.Lease.Seconds(), Chores: []string{}, Ages: []float64{}}
	t.mu.Lock()
	began, until := t.began, t.validUntil
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

// release stores recent starts and releases the lease, so that another process need not wait for its expiry.
func (t *leaseTerm) release(ctx context.Context, cause error) {
	if errors.Is(cause, errLeaseLost) {
		t.Log.Warn("Chore lease lost", "term", t.term)
	} else {
		t.Log.Info("Chore lease released", "term", t.term)
		_ = t.renewInDatabase(ctx)
	}
	// If this fails, the lease expires by itself.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), t.Lease)
	defer cancel()
	q := choredb.New(t.lease.Conn(ctx))
	if err := q.ReleaseLease(ctx, choredb.ReleaseLeaseParams{Name: leaseName, Term: t.term}); err == nil {
		_ = q.Announce(ctx, Channel)
	}
}
