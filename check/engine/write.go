package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"countersign/check/engine/enginedb"
	"countersign/check/engine/schedule"
)

// errAlreadyCommitted means that an earlier attempt of this flush was committed, and its answer was lost.
var errAlreadyCommitted = errors.New("committed before")

// write writes the rows of shards that this process still owns.
func (e *Engine) write(ctx context.Context, b *batch, g *fenceResult) error {
	if err := e.writeResults(ctx, b, g); err != nil {
		return err
	}
	if err := e.writeGaps(ctx, b, g); err != nil {
		return err
	}
	return e.writeStates(ctx, b, g)
}

func (e *Engine) writeResults(ctx context.Context, b *batch, g *fenceResult) error {
	rows := make([]enginedb.AddResultParams, 0, len(b.findings))
	var reports enginedb.AddReportsParams
	var asked enginedb.EndRequestsParams
	for i := range b.findings {
		f := &b.findings[i]
		if !g.owned[f.shard] {
			continue
		}
		rows = append(rows, f.row)
		if f.report != "" && !b.rowByRow {
			reports.Targets, reports.Slots, reports.Reports = append(
				reports.Targets,
				f.row.Target,
			), append(
				reports.Slots,
				f.row.Slot,
			), append(
				reports.Reports,
				f.report,
			)
		}
		if f.requested {
			asked.Targets, asked.Slots = append(asked.Targets, f.row.Target), append(asked.Slots, f.row.Slot)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	if err := e.writeRows(ctx, rows, b.rowByRow); err != nil {
		return fmt.Errorf("write results: %w", err)
	}
	if len(reports.Targets) > 0 {
		if err := e.queries(ctx).AddReports(ctx, reports); err != nil {
			return fmt.Errorf("write reports: %w", err)
		}
	}
	if len(asked.Targets) > 0 {
		if err := e.queries(ctx).EndRequests(ctx, asked); err != nil {
			return fmt.Errorf("end requests: %w", err)
		}
	}
	return nil
}

// writeRows copies the rows, or inserts them row by row and skips existing ones.
func (e *Engine) writeRows(ctx context.Context, rows []enginedb.AddResultParams, careful bool) error {
	if !careful {
		return e.copyRows(ctx, rows)
	}
	var failed error
	e.queries(ctx).AddResult(ctx, rows).Exec(func(_ int, err error) { failed = errors.Join(failed, err) })
	return failed
}

func (e *Engine) writeGaps(ctx context.Context, b *batch, g *fenceResult) error {
	var p enginedb.AddGapsParams
	add := func(target int32, from, to int64, missed int32, reason string) {
		p.Targets, p.FromSlots, p.ToSlots = append(p.Targets, target), append(p.FromSlots, from), append(p.ToSlots, to)
		p.Missed, p.Reasons = append(p.Missed, missed), append(p.Reasons, reason)
		e.metrics.gaps.WithLabelValues(reason).Add(float64(missed))
	}
	for _, gap := range b.Gaps {
		if g.owned[gap.Shard()] {
			add(gap.Target.ID, gap.From, gap.To, gap.Missed, gap.Reason)
		}
	}
	for _, f := range b.rejected {
		if g.owned[f.shard] {
			add(f.row.Target, f.row.Slot, f.row.Slot, 1, rejectedReason)
		}
	}
	if len(p.Targets) == 0 {
		return nil
	}
	if err := e.queries(ctx).AddGaps(ctx, p); err != nil {
		return fmt.Errorf("write gaps: %w", err)
	}
	return nil
}

// rejectedReason is the gap reason of slots whose results the database rejected.
const rejectedReason = "refused"

// transition is a change of the status of a target. Times are in milliseconds; began is when the streak began that changed it.
type transition struct {
	system        uuid.UUID
	target        int32
	at, began     int64
	before, after int16
	reason        string
}

func (t transition) addTo(p *enginedb.AddTransitionsParams) {
	p.Systems, p.Targets = append(p.Systems, t.system), append(p.Targets, t.target)
	p.At, p.Began = append(p.At, t.at), append(p.Began, t.began)
	p.Before, p.After = append(p.Before, t.before), append(p.After, t.after)
	p.Reasons = append(p.Reasons, t.reason)
}

// stateRow is the state of a target. Times are in milliseconds.
type stateRow struct {
	target        int32
	status, cause int16
	since, slot   int64
	reason        string
	counts        []byte
	// failing and erring are when the current streaks began; 0 for none.
	failing, erring int64
}

func (r *stateRow) addTo(p *enginedb.PutStatesParams) {
	p.Targets, p.Statuses, p.Causes = append(p.Targets, r.target), append(p.Statuses, r.status), append(p.Causes, r.cause)
	p.Since, p.Slots = append(p.Since, r.since), append(p.Slots, r.slot)
	p.Reasons, p.Counts = append(p.Reasons, r.reason), append(p.Counts, r.counts)
	p.Failing, p.Erring = append(p.Failing, r.failing), append(p.Erring, r.erring)
}

// addTransitions writes transitions. Boards compute the days again on which their streaks began; now is in milliseconds.
func addTransitions(ctx context.Context, q *enginedb.Queries, moved enginedb.AddTransitionsParams, now int64) error {
	if len(moved.Targets) == 0 {
		return nil
	}
	if err := q.AddTransitions(ctx, moved); err != nil {
		return fmt.Errorf("write transitions: %w", err)
	}
	var earlier enginedb.ReopenBoardsParams
	for i, began := range moved.Began {
		if day := began / dayMS; day < now/dayMS {
			earlier.Systems, earlier.Days = append(earlier.Systems, moved.Systems[i]), append(earlier.Days, int32(day))
		}
	}
	if len(earlier.Systems) == 0 {
		return nil
	}
	if err := q.ReopenBoards(ctx, earlier); err != nil {
		return fmt.Errorf("reopen boards: %w", err)
	}
	return nil
}

// writeStates writes the newest state of each changed target, and recomputes its system.
func (e *Engine) writeStates(ctx context.Context, b *batch, g *fenceResult) error {
	newest := map[int32]*finding{}
	var moved enginedb.AddTransitionsParams
	systems := map[uuid.UUID]bool{}
	var located []int32
	var last int64
	var lasting []int32
	for i := range b.findings {
		f := &b.findings[i]
		if f.change == nil || !g.owned[f.shard] {
			continue
		}
		newest[f.target] = f
		if f.change.lasting {
			lasting = append(lasting, cmp.Or(f.change.located, f.target))
		}
		if f.change.transited || f.change.explained {
			if f.change.located != 0 {
				located = append(located, f.change.located)
			} else {
				systems[f.change.system] = true
			}
			last = max(last, f.row.Slot)
		}
		if !f.change.transited {
			continue
		}
		transition{
			system: f.change.system, target: f.target, at: f.row.Slot, began: f.change.began,
			before: int16(f.change.before), after: int16(f.change.status), reason: f.change.reason,
		}.addTo(&moved)
	}
	if len(newest) == 0 {
		return nil
	}
	var p enginedb.PutStatesParams
	for target, f := range newest {
		(&stateRow{
			target: target, status: int16(f.change.status), cause: int16(f.change.cause), since: f.change.since, slot: f.row.Slot,
			reason: f.change.reason, counts: f.change.counts, failing: f.change.failing, erring: f.change.erring,
		}).addTo(&p)
	}
	if err := e.queries(ctx).PutStates(ctx, p); err != nil {
		return fmt.Errorf("write states: %w", err)
	}
	if len(systems)+len(located) == 0 {
		return nil
	}
	settled, err := e.systems.settleLocated(ctx, located, last, true, &moved)
	if err != nil {
		return err
	}
	for _, id := range settled {
		systems[id] = true
	}
	if err := addTransitions(ctx, e.queries(ctx), moved, e.clock.Now()); err != nil {
		return err
	}
	ids := make([]uuid.UUID, 0, len(systems))
	for id := range systems {
		ids = append(ids, id)
	}
	if err := e.systems.Recompute(ctx, ids, last); err != nil {
		return err
	}
	return e.systems.announceUnknown(ctx, lasting)
}

// dayMS is a day in milliseconds.
const dayMS = 24 * 60 * 60 * 1000

// activeShards is the number of shards that are not stopping.
func (e *Engine) activeShards() int { return len(e.schedule.Shards()) }

// shardOf is the held shard with that id and epoch.
func shardOf(held []*schedule.Shard, id int16, epoch int64) *schedule.Shard {
	i := slices.IndexFunc(held, func(sh *schedule.Shard) bool { return sh.ID == id && sh.Epoch == epoch })
	if i < 0 {
		return nil
	}
	return held[i]
}
