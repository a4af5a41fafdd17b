package history

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"

	"countersign/check"
)

// blockVersion is the first byte of a block.
const blockVersion = 1

// errBlock reports invalid block bytes.
var errBlock = errors.New("the block is damaged")

// EncodeBlock packs the results of one target in an hour (slot / Hour), which are in the order of their slots. It loses nothing.
//
// A block is its version, the number of results, and one column after another. Numbers are varints. Slots are the distance
// from the slot before, which is mostly the same; those distances, and held, verdict, cause, code and the number of kept values,
// are stored as runs of equal values. late_ms and took_us are stored one by one, kept values as their difference in bits from
// the value of the same field before.
func EncodeBlock(hour int64, results []Result) ([]byte, error) {
	b := make([]byte, 0, 16+5*len(results))
	b = append(b, blockVersion)
	b = binary.AppendUvarint(b, uint64(len(results)))
	last := hour * Hour
	for i := range results {
		if s := results[i].Slot; s/Hour != hour || s < 0 || i > 0 && s <= last {
			return nil, fmt.Errorf("the slot %d has no place in a block of hour %d", s, hour)
		}
		last = results[i].Slot
	}
	b = appendRuns(b, results, func(i int) uint64 {
		if i == 0 {
			return uint64(results[0].Slot - hour*Hour)
		}
		return uint64(results[i].Slot - results[i-1].Slot)
	})
	b = appendRuns(b, results, func(i int) uint64 { return results[i].Held })
	b = appendRuns(b, results, func(i int) uint64 {
		r := &results[i]
		return uint64(uint16(r.Verdict)) | uint64(uint16(r.Cause))<<16 | uint64(uint16(r.Code))<<32
	})
	for i := range results {
		b = binary.AppendVarint(b, int64(results[i].LateMS))
		b = binary.AppendUvarint(b, uint64(uint32(results[i].TookUS)))
	}
	b = appendRuns(b, results, func(i int) uint64 {
		if results[i].Kept == nil {
			return 0
		}
		return uint64(len(results[i].Kept)) + 1
	})
	var before [check.MaxKept]uint32
	for i := range results {
		if len(results[i].Kept) > check.MaxKept {
			return nil, fmt.Errorf("a result keeps %d values", len(results[i].Kept))
		}
		for j, v := range results[i].Kept {
			now := math.Float32bits(v)
			// Most values are round, with zeros in their low bits, so the reversed bits are short varints.
			b = binary.AppendUvarint(b, uint64(bits.Reverse32(now^before[j])))
			before[j] = now
		}
	}
	return b, nil
}

// appendRuns appends a column in run-length encoding: pairs of a value and its repetitions.
func appendRuns(b []byte, results []Result, value func(i int) uint64) []byte {
	for i := 0; i < len(results); {
		v, n := value(i), 1
		for i+n < len(results) && value(i+n) == v {
			n++
		}
		b = binary.AppendUvarint(binary.AppendUvarint(b, v), uint64(n))
		i += n
	}
	return b
}

// DecodeBlock appends the results of a block to into. Its memory is proportional to the size of the block, whatever the bytes.
// Kept values are decoded only withKept.
func DecodeBlock(into []Result, hour int64, block []byte, withKept bool) ([]Result, error) {
	d := decoder{rest: block}
	version := d.byte()
	n := d.uvarint()
	// Each result has at least two bytes of its own.
	if d.bad || version != blockVersion || n > uint64(len(block)/2) {
		return into, errBlock
	}
	from := len(into)
	for range n {
		into = append(into, Result{})
	}
	results := into[from:]
	slot := hour * Hour
	d.runs(len(results), func(i int, v uint64) {
		slot += int64(v)
		if v > uint64(Hour) || slot/Hour != hour || v == 0 && i > 0 {
			d.bad = true
			slot = hour * Hour
		}
		results[i].Slot = slot
	})
	d.runs(len(results), func(i int, v uint64) { results[i].Held = v })
	d.runs(len(results), func(i int, v uint64) {
		r := &results[i]
		r.Verdict, r.Cause, r.Code = check.Verdict(uint16(v)), check.Cause(uint16(v>>16)), int16(uint16(v>>32))
		d.bad = d.bad || v>>48 != 0
	})
	for i := range results {
		late, took := d.varint(), d.uvarint()
		d.bad = d.bad || late != int64(int32(late)) || took > math.MaxUint32
		results[i].LateMS, results[i].TookUS = int32(late), int32(uint32(took))
	}
	if !withKept || d.bad {
		return into, d.err(false)
	}
	d.kept(results)
	return into, d.err(true)
}

func (d *decoder) kept(results []Result) {
	d.runs(len(results), func(i int, v uint64) {
		if v > check.MaxKept+1 {
			d.bad = true
			return
		}
		if v > 0 {
			results[i].Kept = make([]float32, v-1)
		}
	})
	var before [check.MaxKept]uint32
	for i := range results {
		for j := range results[i].Kept {
			v := d.uvarint()
			d.bad = d.bad || v > math.MaxUint32
			before[j] ^= bits.Reverse32(uint32(v))
			results[i].Kept[j] = math.Float32frombits(before[j])
		}
		if d.bad {
			return
		}
	}
}

// decoder reads the rest of a block. Once bad, it reads only zeros.
type decoder struct {
	rest []byte
	bad  bool
}

func (d *decoder) err(whole bool) error {
	if d.bad || whole && len(d.rest) > 0 {
		return errBlock
	}
	return nil
}

func (d *decoder) byte() byte {
	if len(d.rest) == 0 {
		d.bad = true
		return 0
	}
	b := d.rest[0]
	d.rest = d.rest[1:]
	return b
}

func (d *decoder) uvarint() uint64 {
	if len(d.rest) > 0 && d.rest[0] < 0x80 {
		return uint64(d.byte())
	}
	v, n := binary.Uvarint(d.rest)
	if n <= 0 {
		d.bad, d.rest = true, nil
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

func (d *decoder) varint() int64 {
	v := d.uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

// runs reads a column of n values.
func (d *decoder) runs(n int, set func(i int, v uint64)) {
	for i := 0; i < n && !d.bad; {
		v, times := d.uvarint(), d.uvarint()
		if times == 0 || times > uint64(n-i) {
			d.bad = true
			return
		}
		for range times {
			set(i, v)
			i++
		}
	}
}
