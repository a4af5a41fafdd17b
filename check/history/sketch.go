package history

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// Sketch is a histogram of durations in microseconds. Two can be added up, and a quantile is off by 0.8 % at most.
//
// A value is counted in a bucket: values under 64 have one each, and each power of two above is cut into 64 of equal width, so that no
// bucket is wider than a 64th of what it holds. There are 1,728 of them, whatever is added.
type Sketch struct {
	counts []uint32
	n      uint64
}

const (
	subBits = 6
	buckets = (32 - subBits + 1) << subBits
)

func bucketOf(us uint32) int {
	if us < 1<<subBits {
		return int(us)
	}
	shift := bits.Len32(us) - subBits - 1
	return (shift+1)<<subBits + int(us>>shift) - 1<<subBits
}

// middleOf is the representative value of a bucket.
func middleOf(bucket int) float64 {
	if bucket < 1<<subBits {
		return float64(bucket)
	}
	shift := bucket>>subBits - 1
	low := uint64(bucket&(1<<subBits-1)+1<<subBits) << shift
	return float64(low) + float64(uint64(1)<<shift-1)/2
}

// Add counts a duration. A negative one counts as none.
func (s *Sketch) Add(us int32) {
	bucket := bucketOf(uint32(max(us, 0)))
	s.grow(bucket + 1)
	s.counts[bucket]++
	s.n++
}

// grow makes room for some buckets: fast targets need few.
func (s *Sketch) grow(n int) {
	if n <= len(s.counts) {
		return
	}
	if n <= cap(s.counts) {
		s.counts = s.counts[:n]
		return
	}
	larger := make([]uint32, n, min((n+127)/128*128, buckets))
	copy(larger, s.counts)
	s.counts = larger
}

// Merge adds the counts of o.
func (s *Sketch) Merge(o *Sketch) {
	s.grow(len(o.counts))
	for i, c := range o.counts {
		s.counts[i] += c
	}
	s.n += o.n
}

// N returns the number of durations.
func (s *Sketch) N() int64 { return int64(s.n) }

// Quantile returns the duration in microseconds below which a share q lies, 0 without durations.
func (s *Sketch) Quantile(q float64) float64 {
	if s.n == 0 {
		return 0
	}
	rank := uint64(q * float64(s.n-1))
	for i, c := range s.counts {
		if rank < uint64(c) {
			return middleOf(i)
		}
		rank -= uint64(c)
	}
	return 0
}

// reset empties the sketch and keeps its memory.
func (s *Sketch) reset() {
	clear(s.counts)
	s.n = 0
}

// append encodes the sketch: the number of used buckets, and for each its distance from the one before and its count.
func (s *Sketch) append(b []byte) []byte {
	used := 0
	for _, c := range s.counts {
		if c > 0 {
			used++
		}
	}
	b = binary.AppendUvarint(b, uint64(used))
	last := -1
	for i, c := range s.counts {
		if c == 0 {
			continue
		}
		// The lowest bit reports that the count is more than one and follows.
		gap := uint64(i-last-1) << 1
		last = i
		if c == 1 {
			b = binary.AppendUvarint(b, gap)
		} else {
			b = binary.AppendUvarint(binary.AppendUvarint(b, gap|1), uint64(c))
		}
	}
	return b
}

// add adds an encoded sketch.
func (s *Sketch) add(d *decoder) {
	used := d.uvarint()
	if used > buckets {
		d.bad = true
	}
	at := -1
	for range used {
		if d.bad {
			return
		}
		gap := d.uvarint()
		count := uint64(1)
		if gap&1 == 1 {
			count = d.uvarint()
		}
		if gap>>1 >= buckets || count == 0 || count > 1<<31 {
			d.bad = true
			return
		}
		if at += int(gap>>1) + 1; at >= buckets {
			d.bad = true
			return
		}
		s.grow(at + 1)
		s.counts[at] += uint32(count)
		s.n += count
	}
}

// quantile returns a quantile of single durations, which it sorts, as a Sketch of them would.
func quantile(us []int32, q float64) float64 {
	if len(us) == 0 {
		return 0
	}
	slices.Sort(us)
	return middleOf(bucketOf(uint32(max(us[int(q*float64(len(us)-1))], 0))))
}
