package fuel_test

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"

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
		"export of that name":  exporting(fuel.Global),
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

// exporting is a module that exports its memory under a name.
func exporting(export string) []byte {
	return slices.Concat(magic,
		part(1, list([]byte{0x60, 0, 1, i32})),
		part(2, list(slices.Concat(name("env"), name("host_interrupt"), []byte{0, 0}))),
		part(5, []byte{1, 0, 1}),
		part(7, list(slices.Concat(name(export), []byte{2, 0}))),
	)
}

// vast reports whether a module may have a number over 2,000,000: the engine makes room for as many entries as a list
// says that it has.
func vast(wasm []byte) bool {
	for i, more := 0, 0; i < len(wasm); i++ {
		if wasm[i] < 0x80 {
			more = 0
		} else if more++; more == 3 {
			return true
		}
	}
	return false
}

// Any bytes are refused or instrumented, and what was a valid module stays one.
func FuzzNoBytesPanic(f *testing.F) {
	for _, body := range [][]byte{forever, sum, twice, fills} {
		f.Add(guest(body))
	}
	f.Add([]byte("\x00asm"))
	f.Add(exporting(fuel.Global))
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	f.Cleanup(func() { _ = r.Close(ctx) })
	valid := func(wasm []byte) error {
		m, err := r.CompileModule(ctx, wasm)
		if err == nil {
			_ = m.Close(ctx)
		}
		return err
	}
	f.Fuzz(func(t *testing.T, wasm []byte) {
		out, err := fuel.Instrument(wasm, fuel.Options{})
		if err != nil {
			return
		}
		require.Less(t, len(out), 40*len(wasm)+200)
		if !vast(wasm) && valid(wasm) == nil {
			require.NoError(t, valid(out))
		}
	})
}

// FuzzLoopsAnswerTheSame builds nested loops, blocks, branches and calls from the input.
func FuzzLoopsAnswerTheSame(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8}, int32(2))
	f.Add([]byte{6, 6, 6, 1, 7, 7, 7}, int32(1))
	f.Add([]byte{5, 8, 9, 10, 11, 7, 12, 13, 7, 14, 15, 0, 7}, int32(3))
	f.Add([]byte{9, 5, 11, 8, 6, 11, 2, 7, 7, 7, 10, 12, 3}, int32(5))
	f.Fuzz(func(t *testing.T, plan []byte, interval int32) {
		interval = max(1, interval)
		wasm := guest(helper, planned(plan[:min(len(plan), 64)]))
		plain := run(t, wasm, 3, 0)
		require.NoError(t, plain.err)
		instrumented := instrument(t, wasm, interval)
		fueled := run(t, instrumented, 3, 0)
		require.NoError(t, fueled.err)
		require.Equal(t, plain.answer, fueled.answer)
		if fueled.calls > 0 {
			stopped := run(t, instrumented, 3, fueled.calls)
			require.ErrorContains(t, stopped.err, "unreachable", "whichever call of the host may be the last")
			require.Equal(t, fueled.calls, stopped.calls)
		}
	})
}

// helper is function 1, which calls itself without a loop.
var helper = slices.Concat([]byte{0x20, 0, 0x41, 3, 0x71, 0x21, 0}, twice)

// planned is a body of valid code: local 0 is the argument, local 1 the answer, local 2 counts loops, all of which stop
// after 200 rounds in sum.
func planned(plan []byte) []byte {
	const isLoop = true
	var b []byte
	var open []bool
	leave := func() {
		if open[len(open)-1] == isLoop {
			b = append(b, 0x20, 2, 0x41, 1, 0x6a, 0x22, 2, 0x41, 0xc8, 0x01, 0x48, 0x0d, 0)
		}
		b = append(b, 0x0b)
		open = open[:len(open)-1]
	}
	enter := func(loop bool, code ...byte) {
		if len(open) < 4 {
			b, open = append(b, code...), append(open, loop)
		}
	}
	for _, op := range plan {
		switch op % 16 {
		case 0:
			b = append(b, 0x20, 1, 0x20, 0, 0x6a, 0x21, 1)
		case 1:
			b = append(b, 0x20, 1, 0x41, 3, 0x6c, 0x21, 1)
		case 2:
			b = append(b, 0x20, 1, 0x20, 2, 0x73, 0x21, 1)
		case 3: // memory.copy
			b = append(b, 0x41, 0, 0x41, 8, 0x20, 0, 0x41, 0xff, 1, 0x71, 0xfc, 10, 0, 0)
		case 4: // store and load
			b = append(b, 0x41, 4, 0x20, 1, 0x36, 2, 0, 0x41, 0, 0x28, 2, 0, 0x21, 1)
		case 5, 6:
			enter(isLoop, 0x03, 0x40)
		case 8:
			enter(!isLoop, 0x02, 0x40, 0x20, 1, 0x41, 1, 0x71, 0x0d, 0)
		case 9:
			enter(!isLoop, 0x20, 1, 0x41, 1, 0x71, 0x04, 0x40, 0x20, 2, 0x21, 1, 0x05)
		case 10: // br_table
			b = append(b, 0x02, 0x40, 0x02, 0x40, 0x20, 1, 0x0e, 1, 0, 1, 0x0b, 0x20, 1, 0x41, 7, 0x6a, 0x21, 1, 0x0b)
		case 11:
			b = append(b, 0x20, 1, 0x10, 1, 0x20, 1, 0x6a, 0x21, 1)
		case 12: // memory.fill
			b = append(b, 0x41, 0, 0x20, 1, 0x20, 0, 0x41, 0xff, 1, 0x71, 0xfc, 11, 0)
		case 13: // 64 bits
			b = append(b, 0x20, 1, 0xac, 0x42, 0xbd, 0x84, 0xe7, 0xf6, 0x8e, 0xdd, 0xe0, 0x05, 0x7e, 0x42, 29, 0x88, 0xa7, 0x21, 1)
		case 14: // select with a type
			b = append(b, 0x20, 1, 0x20, 2, 0x20, 0, 0x1c, 1, i32, 0x21, 1)
		case 15: // a float, and numbers that are longer than they have to be
			b = append(b, 0x20, 0x81, 0x80, 0, 0xb7, 0x44, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f, 0xa0, 0xfc, 2, 0x21, 0x81, 0x80, 0x80, 0x80, 0)
		default:
			if len(open) > 0 {
				leave()
			}
		}
	}
	for len(open) > 0 {
		leave()
	}
	return append(b, 0x20, 1)
}
