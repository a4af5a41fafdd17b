package engine

import (
	"github.com/google/uuid"

	"countersign/check"
	"countersign/check/engine/enginedb"
	"countersign/check/engine/schedule"
	"countersign/check/health"
)

// finding is the result of one run.
type finding struct {
	target    int32
	shard     *schedule.Shard
	requested bool
	row       enginedb.AddResultParams
	report    string // JSON; empty when none is kept
	change    *change
}

// change is a new state of a target.
type change struct {
	status health.Status
	since  int64
	cause  check.Cause
	reason string
	counts []byte
	// failing and erring are the beginnings of the streaks of the state.
	failing, erring int64
	// began is when what a transition stands for began.
	began int64
	// transited reports that the status differs from the one before.
	transited bool
	before    health.Status
	// explained reports that the reason of an unknown target differs from the one before, and lasting that its runs could not
	// be made for so long that an event says so.
	explained, lasting bool
	system             uuid.UUID
	// located is the target whose state follows from this one; 0 for none.
	located int32
}

// findingBuffer holds the results since the last flush.
type findingBuffer struct{ all []finding }

func (f *findingBuffer) add(n finding) { f.all = append(f.all, n) }

// batch is the content of one flush.
type batch struct {
	number int64
	schedule.Batch
	findings []finding
	// rowByRow makes the flush write rows one by one, because the database has rejected them together.
	rowByRow bool
	// rejected are findings that the database does not accept; their slots become gaps.
	rejected []finding
}

// skipped is the result of a slot whose target was still running.
func skipped(s schedule.Slot) finding {
	return finding{target: s.Target.ID, shard: s.Shard, requested: s.Requested, row: enginedb.AddResultParams{
		Target: s.Target.ID, Slot: s.Slot, Verdict: int16(check.Skipped),
	}}
}
