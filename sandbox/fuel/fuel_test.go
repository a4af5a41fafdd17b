package fuel_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/sandbox/fuel"
)

var (
	// forever loops without end.
	forever = []byte{0x03, 0x40, 0x0c, 0x00, 0x0b, 0x00}
	// sum adds the numbers from the argument down to 1: local 1 is the sum.
	sum = []byte{
		0x03, 0x40, // loop
		0x20, 1, 0x20, 0, 0x6a, 0x21, 1, // sum += n
		0x20, 0, 0x41, 1, 0x6b, 0x22, 0, // n -= 1
		0x0d, 0, 0x0b, // br_if, end
		0x20, 1,
	}
	// twice calls itself twice with one less, down to 0: no loop, 2^n calls.
	twice = []byte{
		0x20, 0, 0x45, 0x04, i32, 0x41, 1, 0x05, // n == 0 ? 1 :
		0x20, 0, 0x41, 1, 0x6b, 0x10, 1,
		0x20, 0, 0x41, 1, 0x6b, 0x10, 1,
		0x6a, 0x0b,
	}
	// fills fills a page so many times.
	fills = []byte{
		0x03, 0x40,
		0x41, 0, 0x41, 7, 0x41, 0x80, 0x80, 4, 0xfc, 11, 0,
		0x20, 0, 0x41, 1, 0x6b, 0x22, 0, 0x0d, 0, 0x0b,
		0x41, 0xff, 0xff, 3, 0x2d, 0, 0,
	}
)

func TestALoopWithoutEndIsStopped(t *testing.T) {
	t.Parallel()
	e := run(t, instrument(t, guest(forever), 100), 0, 5)
	require.ErrorContains(t, e.err, "unreachable")
	require.Equal(t, 5, e.calls)
}

func TestRecursionWithoutALoopCallsTheHost(t *testing.T) {
	t.Parallel()
	e := run(t, instrument(t, guest(twice), 100), 12, 0)
	require.NoError(t, e.err)
	require.EqualValues(t, 4096, e.answer)
	require.InDelta(t, 8191/100, e.calls, 1)

	stopped := run(t, instrument(t, guest(twice), 100), 30, 3)
	require.ErrorContains(t, stopped.err, "unreachable")
}

func TestFillingMemoryCostsFuelBySize(t *testing.T) {
	t.Parallel()
	e := run(t, instrument(t, guest(fills), 100), 10, 0)
	require.NoError(t, e.err)
	require.EqualValues(t, 7, e.answer)
	require.Equal(t, 9, e.calls, "64 KiB cost more than the interval of 100, which each loop header but the first sees")
}

func TestTheIntervalSaysHowOftenTheHostIsCalled(t *testing.T) {
	t.Parallel()
	for interval, calls := range map[int32]int{1: 1000, 10: 100, 250: 4, 1001: 0} {
		e := run(t, instrument(t, guest(sum), interval), 1000, 0)
		require.EqualValues(t, 500500, e.answer)
		require.Equal(t, calls, e.calls, "interval %d", interval)
	}
}

func TestAnInstrumentedModuleAnswersTheSame(t *testing.T) {
	t.Parallel()
	for name, body := range map[string][]byte{"sum": sum, "twice": twice, "fills": fills} {
		wasm := guest(body)
		require.Equal(t, run(t, wasm, 9, 0).answer, run(t, instrument(t, wasm, 3), 9, 0).answer, name)
	}
}

func TestWhatCannotBeInstrumentedIsRefused(t *testing.T) {
	t.Parallel()
	cases := map[string][]byte{
		"tail call":            guest([]byte{0x20, 0, 0x12, 1}),
		"vector instruction":   guest([]byte{0xfd, 12}),
		"exception":            guest([]byte{0x06, 0x40, 0x0b, 0x20, 0}),
		"unknown bulk":         guest([]byte{0xfc, 99}),
		"second memory":        guest([]byte{0x20, 0, 0x28, 0x42, 0, 0}),
		"number of 40 bits":    guest([]byte{0x20, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01}),
		"cut instruction":      guest([]byte{0x20, 0, 0x44, 1, 2}),
		"nothing":              nil,
		"version 2":            []byte("\x00asm\x02\x00\x00\x00"),
		"section out of order": slices.Concat(magic, part(3, []byte{0}), part(1, []byte{0})),
		"section twice":        slices.Concat(magic, part(1, []byte{0}), part(1, []byte{0})),
		"unknown section":      slices.Concat(magic, part(13, []byte{0})),
		"long section":         slices.Concat(magic, []byte{1, 0xff, 0xff, 0xff, 0xff, 0x0f}),
		"many types":           slices.Concat(magic, part(1, []byte{0xff, 0xff, 0xff, 0xff, 0x0f})),
	}
	for name, wasm := range cases {
		_, err := fuel.Instrument(wasm, fuel.Options{})
		require.ErrorIs(t, err, fuel.ErrMalformed, name)
	}
}

func TestTheImportMustBeThere(t *testing.T) {
	t.Parallel()
	_, err := fuel.Instrument(guest(sum), fuel.Options{Name: "other"})
	require.ErrorContains(t, err, "does not import env.other")

	wrong := bytes.Replace(guest(sum), []byte("host_interrupt\x00\x00"), []byte("host_interrupt\x00\x01"), 1)
	_, err = fuel.Instrument(wrong, fuel.Options{})
	require.ErrorContains(t, err, "() -> i32")
}

func FuzzNoBytesPanic(f *testing.F) {
	for _, body := range [][]byte{forever, sum, twice, fills} {
		f.Add(guest(body))
	}
	f.Add([]byte("\x00asm"))
	f.Fuzz(func(t *testing.T, wasm []byte) {
		out, err := fuel.Instrument(wasm, fuel.Options{})
		if err == nil {
			require.Less(t, len(out), 40*len(wasm)+200)
		}
	})
}

// FuzzLoopsAnswerTheSame builds nested loops and arithmetic from the input.
func FuzzLoopsAnswerTheSame(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8}, int32(2))
	f.Add([]byte{6, 6, 6, 1, 7, 7, 7}, int32(1))
	f.Fuzz(func(t *testing.T, plan []byte, interval int32) {
		wasm := guest(planned(plan[:min(len(plan), 64)]))
		plain := run(t, wasm, 3, 0)
		require.NoError(t, plain.err)
		fueled := run(t, instrument(t, wasm, max(1, interval)), 3, 0)
		require.NoError(t, fueled.err)
		require.Equal(t, plain.answer, fueled.answer)
	})
}

// planned is a body of valid code: local 0 is the argument, local 1 the answer, local 2 counts loops, all of which stop
// after 200 rounds in sum.
func planned(plan []byte) []byte {
	var b []byte
	depth := 0
	leave := func() {
		depth--
		b = append(b, 0x20, 2, 0x41, 1, 0x6a, 0x22, 2, 0x41, 0xc8, 0x01, 0x48, 0x0d, 0, 0x0b)
	}
	for _, op := range plan {
		switch op % 8 {
		case 0:
			b = append(b, 0x20, 1, 0x20, 0, 0x6a, 0x21, 1)
		case 1:
			b = append(b, 0x20, 1, 0x41, 3, 0x6c, 0x21, 1)
		case 2:
			b = append(b, 0x20, 1, 0x20, 2, 0x73, 0x21, 1)
		case 3:
			b = append(b, 0x41, 0, 0x41, 8, 0x20, 0, 0x41, 0xff, 1, 0x71, 0xfc, 10, 0, 0)
		case 4:
			b = append(b, 0x41, 4, 0x20, 1, 0x36, 2, 0, 0x41, 0, 0x28, 2, 0, 0x21, 1)
		case 5, 6:
			if depth < 4 {
				b = append(b, 0x03, 0x40)
				depth++
			}
		default:
			if depth > 0 {
				leave()
			}
		}
	}
	for depth > 0 {
		leave()
	}
	return append(b, 0x20, 1)
}
