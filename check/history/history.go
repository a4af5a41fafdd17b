// Package history stores and queries the results of check runs.
//
// A result is a row of check_results until some minutes after the end of its hour; then the Keeper seals the hour: the results
// of each target become one compressed row of check_blocks, without loss, and one rollup in check_hours, and the partition is
// truncated. Days are rolled up from hours. The Reader returns charts, runs, statistics and boards from whichever of these tables
// has the data.
//
// A reader reads rows first and blocks afterwards, in statements that each see what is committed then: a row can be found twice,
// which its slot reveals, but is never missed. Under a single snapshot that would not hold.
//
// Availability is a part of time, not of runs: intervals of one status are made of transitions and gaps, and all figures about
// availability and outages are computed from intervals by one function (account). A run that could not be made, a slot that was
// skipped and one that was missed say nothing about the target and are counted apart.
package history

import (
	"countersign/check"
)

// Milliseconds.
const (
	Minute int64 = 60_000
	Hour         = 60 * Minute
	Day          = 24 * Hour
)

// Result is one stored run.
type Result struct {
	// Slot is the scheduled time of the run, in milliseconds since 1970.
	Slot int64
	// LateMS is the delay of the run after its slot, TookUS its duration in microseconds.
	LateMS, TookUS int32
	// Held has a bit for each assertion in the order of the configuration: set when it held.
	Held    uint64
	Verdict check.Verdict
	Cause   check.Cause
	Code    int16
	// Kept are the values of the fields that the check stores for charts, NaN for missing ones.
	Kept []float32
}

// Answered reports whether the target answered, so that the duration says something about it: a refused connection is
// quick, and a silent one takes the whole timeout.
func (r *Result) Answered() bool {
	return r.Verdict == check.Passed || r.Verdict == check.Failed && (r.Cause == check.AssertionFailed || r.Cause == check.WrongAnswer)
}

// merge merges two lists of results by slot; of duplicates it keeps the one of a.
func merge(a, b []Result) []Result {
	if len(b) == 0 {
		return a
	}
	if len(a) == 0 {
		return b
	}
	merged := make([]Result, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].Slot < b[0].Slot:
			merged, a = append(merged, a[0]), a[1:]
		case a[0].Slot > b[0].Slot:
			merged, b = append(merged, b[0]), b[1:]
		default:
			merged, a, b = append(merged, a[0]), a[1:], b[1:]
		}
	}
	return append(append(merged, a...), b...)
}
