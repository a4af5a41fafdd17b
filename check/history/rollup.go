package history

import (
	"encoding/binary"
	"maps"
	"slices"

	"countersign/check"
)

// Sum aggregates results. Sums can be added.
type Sum struct {
	Passed, Failed, Errored, Skipped int64
	// Answered counts the runs that the target answered (Result.Answered); took is the histogram of their durations, in
	// microseconds.
	Answered         int64
	TookSum          int64
	TookMin, TookMax int32
	Took             Sketch
	// Causes counts the runs that failed or could not be made, by cause.
	Causes map[check.Cause]int64
}

// Runs counts all runs, including those that could not be made.
func (s *Sum) Runs() int64 { return s.Passed + s.Failed + s.Errored }

// Average returns the average in microseconds, 0 when no run was answered.
func (s *Sum) Average() float64 {
	if s.Answered == 0 {
		return 0
	}
	return float64(s.TookSum) / float64(s.Answered)
}

// Add counts a result.
func (s *Sum) Add(r *Result) {
	switch r.Verdict {
	case check.Passed:
		s.Passed++
	case check.Failed:
		s.Failed++
	case check.Skipped:
		s.Skipped++
	default:
		s.Errored++
	}
	if r.Cause != check.None && r.Verdict != check.Passed { // one that passed on a retry has the cause of its first try
		if s.Causes == nil {
			s.Causes = map[check.Cause]int64{}
		}
		s.Causes[r.Cause]++
	}
	if r.Answered() {
		s.took(1, int64(r.TookUS), r.TookUS, r.TookUS)
		s.Took.Add(r.TookUS)
	}
}

func (s *Sum) took(n, sum int64, least, most int32) {
	if n == 0 {
		return
	}
	if s.Answered == 0 || least < s.TookMin {
		s.TookMin = least
	}
	s.TookMax = max(s.TookMax, most)
	s.Answered += n
	s.TookSum += sum
}

// detail encodes the histogram and the causes.
func (s *Sum) detail() []byte {
	b := s.Took.append([]byte{blockVersion})
	b = binary.AppendUvarint(b, uint64(len(s.Causes)))
	for _, c := range slices.Sorted(maps.Keys(s.Causes)) {
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(uint16(c))), uint64(s.Causes[c]))
	}
	return b
}

// addDetail adds an encoded histogram and causes.
func (s *Sum) addDetail(b []byte) error {
	d := decoder{rest: b}
	if d.byte() != blockVersion {
		return errBlock
	}
	s.Took.add(&d)
	causes := d.uvarint()
	if causes > uint64(len(b)) {
		return errBlock
	}
	for range causes {
		cause, n := d.uvarint(), d.uvarint()
		if d.bad || cause > 1<<15 || n > 1<<40 {
			return errBlock
		}
		if s.Causes == nil {
			s.Causes = map[check.Cause]int64{}
		}
		s.Causes[check.Cause(cause)] += int64(n)
	}
	return d.err(true)
}

// reset empties the sum and keeps its memory.
func (s *Sum) reset() {
	took := s.Took
	took.reset()
	*s = Sum{Took: took}
}
