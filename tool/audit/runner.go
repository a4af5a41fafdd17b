package audit

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"countersign/store/chore"
	"countersign/tool/audit/auditdb"
)

// Runner is what has to be done for the audit log: it extends the chain, verifies it, and feeds subscribers.
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

// Chores are what the runner does.
func (r *Runner) Chores() []chore.Chore {
	every := orDefault(r.Every, time.Second)
	extender := r.Chain.NewExtender()
	wake := make([]chan struct{}, len(r.Subscribers))
	chores := []chore.Chore{
		{Name: "extend audit chain", Every: every, Do: func(ctx context.Context) error {
			n, err := extender.Extend(ctx)
			if n == 0 {
				return err
			}
			for _, w := range wake {
				select {
				case w <- struct{}{}:
				default:
				}
			}
			return err
		}},
		{Name: "verify audit chain", Every: orDefault(r.VerifyEvery, time.Minute), Do: r.verify},
	}
	for i, s := range r.Subscribers {
		wake[i] = make(chan struct{}, 1)
		f := &feed{chain: r.Chain, subscriber: s, log: r.Log}
		chores = append(chores, chore.Chore{Name: "tell " + s.Name() + " of tool calls", Every: every, Do: f.step, Wake: wake[i]})
	}
	return chores
}

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

func orDefault(d, otherwise time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return otherwise
}
