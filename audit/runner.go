package audit

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"

	"countersign/audit/auditdb"
	"countersign/internal/store/chore"
)

// Runner maintains the audit log: it extends the chain, verifies it, and feeds subscribers.
type Runner struct {
	Chain       *Chain
	Log         *slog.Logger
	Subscribers []Subscriber
	// Every is the interval at which it links new entries; a second when zero.
	Every time.Duration
	// VerifyEvery is the interval for verifying new entries; a minute when zero. RecentEvery is the interval for
	// verifying everything after the newest checkpoint, with its calls; an hour when zero. WholeEvery is the interval
	// for verifying the whole chain; a day when zero.
	VerifyEvery time.Duration
	RecentEvery time.Duration
	WholeEvery  time.Duration
	// Slice bounds the links or calls that one run verifies; 200,000 when zero. The next run continues.
	Slice int
	// CheckpointEvery bounds the entries between two checkpoints; 100,000 when zero.
	CheckpointEvery int
}

// standardSlice takes a second or two.
const standardSlice = 200_000

// Chores are the periodic jobs of the runner.
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

// verify checks new entries, continues the verification of the whole chain when it is due, adds checkpoints, and stores
// the result.
func (r *Runner) verify(ctx context.Context) error {
	for range 5 {
		moved, err := r.verifyOnce(ctx)
		if err != nil || !moved {
			return err
		}
	}
	r.Log.Info("Entries of the audit log are being removed; it is verified again later")
	return nil
}

// verifyOnce reports whether a removal moved the begin of the chain meanwhile, so that the result must be verified
// again.
func (r *Runner) verifyOnce(ctx context.Context) (moved bool, _ error) {
	q := auditdb.New(r.Chain.db.Conn(ctx))
	// The begin is read before the state: the state after a removal does not apply to an earlier begin.
	start, found, err := r.Chain.begins(ctx)
	if err != nil {
		return false, fmt.Errorf("verify audit chain: %w", err)
	}
	state, err := q.State(ctx)
	if err != nil {
		return false, fmt.Errorf("read audit state: %w", err)
	}
	now, err := r.Chain.db.Now(ctx)
	if err != nil {
		return false, err
	}
	v := verification{Runner: r, start: start, state: state, now: now, pass: passOf(state), save: auditdb.SaveStateParams{
		VerifiedSeq: state.VerifiedSeq, VerifiedHash: state.VerifiedHash, BrokenSeq: state.BrokenSeq, Problem: state.Problem,
	}}
	if found == nil {
		if found, err = v.look(ctx); err != nil {
			return false, fmt.Errorf("verify audit chain: %w", err)
		}
	}
	if found != nil {
		if moved, err := r.Chain.moved(ctx, start); err != nil || moved {
			return moved, err
		}
	}
	return false, v.store(ctx, q, found)
}

// verification is one run of verify.
type verification struct {
	*Runner
	start begin
	state auditdb.StateRow
	now   time.Time
	pass  pass
	save  auditdb.SaveStateParams
}

// look runs the verifications that are due, in order, until one finds a defect.
func (v *verification) look(ctx context.Context) (*Break, error) {
	report, err := v.Chain.verifyFrom(ctx, Head{Seq: v.state.VerifiedSeq, Hash: v.state.VerifiedHash})
	if err != nil || report.Break != nil {
		return report.Break, err
	}
	// The earlier result stays the reference until all that follows is verified.
	v.save.VerifiedSeq, v.save.VerifiedHash = report.Head.Seq, report.Head.Hash
	if v.pass.begun(v.start) || v.state.Problem != nil || v.overdue(v.state.WholeAt, orDefault(v.WholeEvery, 24*time.Hour)) {
		if b, err := v.pass.goOn(ctx, v.Chain, v.start, report.Head, cmp.Or(v.Slice, standardSlice)); err != nil || b != nil {
			return b, err
		}
		v.save.Whole = v.pass.done
	}
	if v.state.Problem != nil {
		return nil, nil
	}
	every := cmp.Or(v.CheckpointEvery, checkpointEvery)
	if b, err := v.Chain.addCheckpoints(ctx, report.Head, every); err != nil || b != nil {
		return b, err
	}
	return v.recent(ctx, report.Head, every)
}

// recent verifies the entries after the newest checkpoint, unless checkpoints of a long log are still being added.
func (v *verification) recent(ctx context.Context, end Head, every int) (*Break, error) {
	_, list, b, err := v.Chain.checkpoints(ctx)
	if err != nil || b != nil {
		return b, err
	}
	if !v.overdue(v.state.RecentAt, orDefault(v.RecentEvery, time.Hour)) || end.Seq-newestOf(list).Seq > 2*int64(every) {
		return nil, nil
	}
	v.save.Recent = true
	report, err := v.Chain.verifyRecent(ctx, v.start)
	return report.Break, err
}

// overdue reports whether interval every has passed since last, by the database clock.
func (v *verification) overdue(last *time.Time, every time.Duration) bool {
	return last == nil || v.now.Sub(*last) > every
}

func (v *verification) store(ctx context.Context, q *auditdb.Queries, found *Break) error {
	save, p := v.save, v.pass
	switch {
	case found != nil:
		v.Log.Error("The audit chain is broken", "at", found.Seq, "what", found.What)
		save.VerifiedSeq, save.VerifiedHash = v.state.VerifiedSeq, v.state.VerifiedHash
		save.BrokenSeq, save.Problem = &found.Seq, &found.What
		save.Whole, save.Recent = false, false
		p = pass{}
	case p.done:
		// A break stays reported until the whole chain is verified.
		save.BrokenSeq, save.Problem = nil, nil
		p = pass{}
	}
	save.PassSeq, save.PassHash, save.PassLinked, save.PassRecord = p.head.Seq, append([]byte{}, p.head.Hash...), p.linked, p.record
	save.PassLeftSeq, save.PassLeftHash = p.left.Seq, append([]byte{}, p.left.Hash...)
	save.VerifiedHash = append([]byte{}, save.VerifiedHash...)
	if err := q.SaveState(ctx, save); err != nil {
		return fmt.Errorf("store audit state: %w", err)
	}
	return nil
}

// pass is the progress of a verification of the whole chain.
type pass struct {
	head Head
	// left is the progress within the entries that a running removal has not deleted yet, up to its target, where head
	// begins.
	left Head
	// linked is set when all links were sound; record is the last call compared after that.
	linked, done bool
	record       int64
}

func passOf(state auditdb.StateRow) pass {
	return pass{
		head: Head{Seq: state.PassSeq, Hash: state.PassHash}, left: Head{Seq: state.PassLeftSeq, Hash: state.PassLeftHash},
		linked: state.PassLinked, record: state.PassRecord,
	}
}

// begun reports whether the pass is beyond its start: the first entry, or the checkpoint of the last removal.
func (p *pass) begun(start begin) bool {
	return p.head.Seq > start.target.Seq || p.left.Seq > 0 || p.linked
}

// goOn verifies the next part of a chain that ends at end, which was verified from the last known head.
func (p *pass) goOn(ctx context.Context, c *Chain, start begin, end Head, most int) (*Break, error) {
	if !p.begun(start) {
		p.head, p.left = start.target, Head{}
		if b, err := c.inSnapshot(ctx, c.verifyKept); b != nil || err != nil {
			return b, err
		}
	}
	if b, more, err := p.verifyLeft(ctx, c, start.target, most); b != nil || err != nil || more {
		return b, err
	}
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
		if b, err := c.verifyLinked(ctx, 0); b != nil || err != nil {
			return b, err
		}
		p.linked = true
	}
	reached, b, err := c.verifyRecords(ctx, p.record, most)
	p.record, p.done = reached, b == nil && err == nil && reached == 0
	return b, err
}

// verifyLeft verifies the next part of the entries before a removal's target that still exist. more reports that others
// follow.
func (p *pass) verifyLeft(ctx context.Context, c *Chain, target Head, most int) (found *Break, more bool, _ error) {
	found, err := c.inSnapshot(ctx, func(ctx context.Context, start begin) (*Break, error) {
		if start.reaches(p.left) {
			p.left = start.Head
		}
		if p.left.reaches(target) {
			return nil, nil
		}
		if b, err := c.verifyHead(ctx, Head{Seq: p.left.Seq}, p.left); b != nil || err != nil {
			return b, err
		}
		size := min(int64(most), target.Seq-p.left.Seq)
		report, _, err := c.verifyLinks(ctx, p.left, int(size))
		if err != nil || report.Break != nil {
			return report.Break, err
		}
		if report.Head.Seq < p.left.Seq+size {
			return &Break{Seq: report.Head.Seq + 1, What: "the link is missing"}, nil
		}
		p.left, more = report.Head, !report.Head.reaches(target)
		if more {
			return nil, nil
		}
		return c.verifyHead(ctx, report.Head, target)
	})
	return found, more, err
}

func orDefault(d, otherwise time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return otherwise
}
