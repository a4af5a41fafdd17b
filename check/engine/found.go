package engine

import (
	"github.com/google/uuid"

	"countersign/check"
	"countersign/check/engine/enginedb"
	"countersign/check/engine/schedule"
	"countersign/check/health"
)

// finding is what one run leaves.
type finding struct {
	target int32
	shard  *schedule.Shard
	asked  bool
	row    enginedb.AddResultParams
	report string // JSON; empty when none is kept
	change *change
}

// change is a new state of a target.
type change struct {
	status health.Status
	since  int64
	cause  check.Cause
	reason string
	counts []byte
	// transited says that the status is another than before.
	transited bool
	before    health.Status
	system    uuid.UUID
}

// found is what runs have left since the last flush.
type found struct{ all []finding }

func (f *found) add(n finding) { f.all = append(f.all, n) }

// batch is what one flush commits.
type batch struct {
	number int64
	schedule.Batch
	findings []finding
	// careful says that the rows are written one by one, because the database has refused them together.
	careful bool
	// lost are findings that the database does not take; their slots become gaps.
	lost []finding
}

// skipped is the result of a slot at which the run before was still going.
func skipped(s schedule.Slot) finding {
	return finding{target: s.Target.ID, shard: s.Shard, asked: s.Asked, row: enginedb.AddResultParams{
		Target: s.Target.ID, Slot: s.Slot, Verdict: int16(check.Skipped),
	}}
}
