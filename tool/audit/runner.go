package audit

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	"countersign/tool/audit/auditdb"
)

// Runner is what a worker process does for the audit log: it extends the chain, verifies it, and feeds subscribers.
// Any number of processes may run one.
type Runner struct {
	Chain       *Chain
	Log         *slog.Logger
	Subscribers []Subscriber
	// Every is how often it looks for new entries; a second when zero.
	Every time.Duration
	// VerifyEvery is how often it verifies what is new; a minute when zero. WholeEvery is how often it verifies the
	// whole chain; an hour when zero.
	VerifyEvery time.Duration
	WholeEvery  time.Duration
}

// verification is the name under which processes agree who verifies.
const verification = "audit verification"

// Run works until ctx ends.
func (r *Runner) Run(ctx context.Context) {
	holder := uuid.New()
	every := orDefault(r.Every, time.Second)
	var running sync.WaitGroup
	wake := make([]chan struct{}, len(r.Subscribers))
	for i, s := range r.Subscribers {
		wake[i] = make(chan struct{}, 1)
		f := &feed{chain: r.Chain, subscriber: s, holder: holder, log: r.Log}
		running.Go(func() { repeat(ctx, every, wake[i], f.step) })
	}
	extender := r.Chain.NewExtender()
	running.Go(func() {
		repeat(ctx, every, nil, func(ctx context.Context) {
			n, err := extender.Extend(ctx)
			if err != nil && ctx.Err() == nil {
				r.Log.Warn("Audit chain not extended", "error", err)
			}
			if n == 0 {
				return
			}
			for _, w := range wake {
				select {
				case w <- struct{}{}:
				default:
				}
			}
		})
	})
	turn := &feed{chain: r.Chain, subscriber: verifier{}, holder: holder, log: r.Log}
	running.Go(func() {
		repeat(ctx, orDefault(r.VerifyEvery, time.Minute), nil, func(ctx context.Context) {
			// The lease ends before the next time; only the one who verified last gets it again before others.
			turn.leased = time.Time{}
			if ours, err := turn.hold(ctx); err != nil || !ours {
				return
			}
			if err := r.verify(ctx); err != nil && ctx.Err() == nil {
				r.Log.Warn("Audit chain not verified", "error", err)
			}
		})
	})
	running.Wait()
	_ = auditdb.New(r.Chain.db.Conn(ctx)).EndLease(context.WithoutCancel(ctx), &holder)
}

// verifier only lends its name to a lease.
type verifier struct{}

func (verifier) Name() string                          { return verification }
func (verifier) Handle(context.Context, []Event) error { return nil }

// verify checks what is new since the last time, now and then everything, and stores how it went.
func (r *Runner) verify(ctx context.Context) error {
	q := auditdb.New(r.Chain.db.Conn(ctx))
	state, err := q.State(ctx)
	if err != nil {
		return fmt.Errorf("read audit state: %w", err)
	}
	whole := state.WholeAt == nil || state.Problem != nil || time.Since(*state.WholeAt) > orDefault(r.WholeEvery, time.Hour)
	var report Report
	if whole {
		report, err = r.Chain.Verify(ctx, nil)
	} else {
		report, err = r.Chain.VerifyFrom(ctx, Head{Seq: state.VerifiedSeq, Hash: state.VerifiedHash})
	}
	if err != nil {
		return err
	}
	save := auditdb.SaveStateParams{VerifiedSeq: report.Head.Seq, VerifiedHash: report.Head.Hash, Whole: whole}
	if report.Head.Hash == nil {
		save.VerifiedHash = []byte{}
	}
	if b := report.Break; b != nil {
		r.Log.Error("The audit chain is broken", "at", b.Seq, "what", b.What)
		// What was verified before stays the measure.
		save.VerifiedSeq, save.VerifiedHash = state.VerifiedSeq, state.VerifiedHash
		save.BrokenSeq, save.Problem = &b.Seq, &b.What
	}
	if err := q.SaveState(ctx, save); err != nil {
		return fmt.Errorf("store audit state: %w", err)
	}
	return nil
}

// repeat calls do at once, then every interval and whenever it is woken.
func repeat(ctx context.Context, every time.Duration, wake <-chan struct{}, do func(context.Context)) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		do(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-wake:
		}
	}
}

func orDefault(d, otherwise time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return otherwise
}
