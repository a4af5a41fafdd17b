package audit

import (
	"cmp"
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
	// VerifyEvery is how often it verifies what is new; a minute when zero. WholeEvery is how often it begins to verify the
	// whole chain; an hour when zero.
	VerifyEvery time.Duration
	WholeEvery  time.Duration
	// Slice is how much of the whole it verifies at a time, in links or calls; 200,000 when zero. What is left comes the next time.
	Slice int
}

// standardSlice takes a second or two.
const standardSlice = 200_000

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

// verify checks what is new since the last time, and goes on with the whole if it is time for that, and stores how it went.
func (r *Runner) verify(ctx context.Context) error {
	q := auditdb.New(r.Chain.db.Conn(ctx))
	state, err := q.State(ctx)
	if err != nil {
		return fmt.Errorf("read audit state: %w", err)
	}
	save := auditdb.SaveStateParams{VerifiedSeq: state.VerifiedSeq, VerifiedHash: state.VerifiedHash, BrokenSeq: state.BrokenSeq, Problem: state.Problem}
	report, err := r.Chain.VerifyFrom(ctx, Head{Seq: state.VerifiedSeq, Hash: state.VerifiedHash})
	if err != nil {
		return err
	}
	p := passOf(state)
	found := report.Break
	if found == nil {
		// What was verified before stays the measure until all that follows is found in order.
		save.VerifiedSeq, save.VerifiedHash = report.Head.Seq, report.Head.Hash
		now, err := r.Chain.db.Now(ctx)
		if err != nil {
			return err
		}
		if p.begun() || state.WholeAt == nil || state.Problem != nil || now.Sub(*state.WholeAt) > orDefault(r.WholeEvery, time.Hour) {
			if found, err = p.goOn(ctx, r.Chain, report.Head, cmp.Or(r.Slice, standardSlice)); err != nil {
				return fmt.Errorf("verify audit chain: %w", err)
			}
			save.Whole = p.done
		}
	}
	switch {
	case found != nil:
		r.Log.Error("The audit chain is broken", "at", found.Seq, "what", found.What)
		save.VerifiedSeq, save.VerifiedHash = state.VerifiedSeq, state.VerifiedHash
		save.BrokenSeq, save.Problem = &found.Seq, &found.What
		p = pass{}
	case p.done:
		// What was broken counts until the whole was found in order.
		save.BrokenSeq, save.Problem = nil, nil
		p = pass{}
	}
	save.PassSeq, save.PassHash, save.PassLinked, save.PassRecord = p.head.Seq, append([]byte{}, p.head.Hash...), p.linked, p.record
	save.VerifiedHash = append([]byte{}, save.VerifiedHash...)
	if err := q.SaveState(ctx, save); err != nil {
		return fmt.Errorf("store audit state: %w", err)
	}
	return nil
}

// pass is a verification of the whole: how far it has come.
type pass struct {
	head Head
	// linked is set when all links were sound. record is the last call that was compared after that.
	linked, done bool
	record       int64
}

func passOf(state auditdb.StateRow) pass {
	return pass{head: Head{Seq: state.PassSeq, Hash: state.PassHash}, linked: state.PassLinked, record: state.PassRecord}
}

func (p *pass) begun() bool { return p.head.Seq > 0 || p.linked }

// goOn verifies the next part, of a chain that ends at a head which was verified from the last known one.
func (p *pass) goOn(ctx context.Context, c *Chain, end Head, most int) (*Break, error) {
	if !p.linked {
		if b, err := c.verifyHead(ctx, Head{Seq: p.head.Seq}, p.head); b != nil || err != nil {
			return b, err
		}
		report, more, err := c.verifyLinks(ctx, p.head, most)
		if p.head = report.Head; err != nil || report.Break != nil || more {
			return report.Break, err
		}
		if b, err := c.verifyHead(ctx, p.head, end); b != nil || err != nil {
			return b, err
		}
		if b, err := c.verifyLinked(ctx); b != nil || err != nil {
			return b, err
		}
		p.linked = true
	}
	reached, b, err := c.verifyRecords(ctx, p.record, most)
	p.record, p.done = reached, b == nil && err == nil && reached == 0
	return b, err
}

func orDefault(d, otherwise time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return otherwise
}
