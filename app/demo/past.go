package demo

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"countersign/app/demo/demodb"
	"countersign/check"
	"countersign/check/health"
	"countersign/check/history"
	"countersign/internal/store"
)

// weeks is the length of the generated history.
const weeks = 3

// Past gives every target of the company without runs a history of three weeks: results, states and changes of status.
// After a crash the targets without a state get theirs at the next start.
func Past(ctx context.Context, db *store.DB, keeper *history.Keeper) error {
	targets, err := demodb.New(db.Conn(ctx)).NewTargets(ctx)
	if err != nil || len(targets) == 0 {
		return err
	}
	now := time.Now()
	from, to := now.AddDate(0, 0, -7*weeks), now
	bySystem := map[uuid.UUID][]lived{}
	for _, t := range targets {
		l, ok := live(t, from, to)
		if !ok {
			continue
		}
		if err := keeper.Import(ctx, t.ID, l.results); err != nil {
			return err
		}
		l.results = nil
		bySystem[t.SystemID] = append(bySystem[t.SystemID], l)
	}
	if err := db.InTx(ctx, func(ctx context.Context) error {
		q := demodb.New(db.Conn(ctx))
		for system, lives := range bySystem {
			if err := remember(ctx, q, system, lives, from); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	return keeper.RefreshBoards(ctx, from.UnixMilli())
}

// lived is the generated history of a target.
type lived struct {
	target      health.Target
	results     []history.Result
	transitions []health.Transition
	state       health.State
	last        int64
}

// live generates a target's history for a period. ok is false for targets outside of the company.
func live(t demodb.NewTargetsRow, from, to time.Time) (l lived, ok bool) {
	i := slices.IndexFunc(demoChecks(0), func(c demoCheck) bool { return c.name == t.CheckName })
	if i < 0 || t.Environment == "" || t.Path == "" {
		return l, false
	}
	c, b := demoChecks(0)[i], behaviourOf(t.Environment, t.Path)
	thresholds := health.Thresholds{}.WithDefaults()
	l.target = health.Target{ID: t.ID, Name: t.CheckName, Environment: t.Environment, Since: from}
	interval, phase := int64(t.IntervalMs), int64(t.PhaseMs)
	slot := phase + (from.UnixMilli()-phase+interval-1)/interval*interval
	l.results = make([]history.Result, 0, (to.UnixMilli()-slot)/interval+1)
	for ; slot < to.UnixMilli(); slot += interval {
		r := c.result(b, slot)
		l.results, l.last = append(l.results, r), slot
		outcome := check.Outcome{Verdict: r.Verdict, Cause: r.Cause}
		if r.Verdict == check.Failed {
			outcome.Report = func() check.Report { return check.Report{Message: c.complaint(r)} }
		}
		next, effect := health.Judge(l.state, thresholds, outcome, time.UnixMilli(slot))
		if l.state = next; effect.Transition != nil {
			l.transitions = append(l.transitions, *effect.Transition)
		}
	}
	return l, len(l.results) > 0
}

// at returns the target after its first n changes.
func (l lived) at(n int) health.Target {
	t := l.target
	if n > 0 {
		last := l.transitions[n-1]
		t.Status, t.Since, t.Reason = last.After, last.At, last.Reason
	}
	return t
}

// remember stores the states of a system's targets, and the status changes of the system.
func remember(ctx context.Context, q *demodb.Queries, system uuid.UUID, lives []lived, from time.Time) error {
	type moment struct{ life, n int }
	var moments []moment
	for i, l := range lives {
		for n := range l.transitions {
			moments = append(moments, moment{i, n})
		}
	}
	slices.SortStableFunc(moments, func(a, b moment) int {
		return lives[a.life].transitions[a.n].At.Compare(lives[b.life].transitions[b.n].At)
	})
	counts := make([]int, len(lives))
	whole := demodb.InsertSystemStateParams{SystemID: system, SinceMs: from.UnixMilli()}
	for _, m := range moments {
		l, change := lives[m.life], lives[m.life].transitions[m.n]
		counts[m.life] = m.n + 1
		if err := q.InsertTransition(ctx, demodb.InsertTransitionParams{
			SystemID: system,
			Target:   &l.target.ID,
			AtMs:     change.At.UnixMilli(),
			Before:   int16(change.Before),
			After:    int16(change.After),
			Reason:   change.Reason,
			BeganMs:  change.Began.UnixMilli(),
		}); err != nil {
			return err
		}
		targets := make([]health.Target, len(lives))
		for i := range lives {
			targets[i] = lives[i].at(counts[i])
		}
		status, worst, reason := health.Worst(targets)
		whole.Reason, whole.Target = reason, nil
		if worst >= 0 {
			whole.Target = &targets[worst].ID
		}
		if int16(status) == whole.Status {
			continue
		}
		if err := q.InsertTransition(ctx, demodb.InsertTransitionParams{
			SystemID: system, AtMs: change.At.UnixMilli(), Before: whole.Status, After: int16(status), Reason: reason,
			BeganMs: change.At.UnixMilli(),
		}); err != nil {
			return err
		}
		whole.Status, whole.SinceMs = int16(status), change.At.UnixMilli()
	}
	for i, l := range lives {
		t := l.at(counts[i])
		if err := q.InsertState(ctx, demodb.InsertStateParams{
			Target: t.ID, Status: int16(t.Status), SinceMs: t.Since.UnixMilli(), LastSlot: l.last, Reason: t.Reason, Counts: l.state.Encode(),
		}); err != nil {
			return err
		}
	}
	return q.InsertSystemState(ctx, whole)
}

// result is the outcome of a run at a slot.
func (c demoCheck) result(b behaviour, slot int64) history.Result {
	moment := time.UnixMilli(slot)
	a := b.at(moment)
	late := int32(b.draw("late", uint64(slot)) % 9)
	r := history.Result{Slot: slot, LateMS: late, TookUS: int32(a.took.Microseconds()), Code: int16(a.status)}
	switch c.name {
	case healthCheck:
		r.Held = bit(a.status == 200, 0) | bit(a.state != "failed", 1) | bit(a.took < slowAfter*time.Millisecond, 2)
	case pageCheck:
		r.Held = bit(a.status < 400, 0) | bit(true, 1)
	default:
		// A TCP port answers at once, however slow the service is.
		took := int32(300 + b.draw("port", uint64(slot))%700)
		r.TookUS, r.Code, r.Kept = took, 0, []float32{float32(took) / 1000}
	}
	if r.Held != 1<<len(c.assertions)-1 {
		r.Verdict, r.Cause = check.Failed, check.AssertionFailed
	}
	return r
}

func bit(held bool, at int) uint64 {
	if held {
		return 1 << at
	}
	return 0
}

// complaint is the message of a failed run.
func (c demoCheck) complaint(r history.Result) string {
	if r.Code >= 400 {
		return "statusCode is " + strconv.Itoa(int(r.Code))
	}
	return "responseTimeMs is " + strconv.Itoa(int(r.TookUS/1000))
}
