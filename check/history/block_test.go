package history_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/check/history"
)

// results are those of an hour with runs every intervalMS, as of a check that fails now and then.
func results(r *rand.Rand, hour, intervalMS int64, kept int) []history.Result {
	var all []history.Result
	for slot := hour*history.Hour + r.Int64N(intervalMS); slot < (hour+1)*history.Hour; slot += intervalMS {
		v := history.Result{
			Slot:   slot,
			LateMS: r.Int32N(20),
			TookUS: int32(1000 + 400*math.Exp(2*r.Float64()) + 900*r.Float64()),
			Held:   7,
			Code:   200,
		}
		switch r.IntN(50) {
		case 0:
			v.Verdict, v.Cause, v.Code, v.Held = check.Failed, check.TimedOut, 0, 0
		case 1:
			v.Verdict, v.Cause, v.Code, v.Held = check.Failed, check.AssertionFailed, 503, 5
		case 2:
			v.Verdict = check.Skipped
		case 3:
			v.Verdict, v.Cause = check.Errored, check.SecretMissing
		}
		for range kept {
			v.Kept = append(v.Kept, float32(r.IntN(1000)))
		}
		all = append(all, v)
	}
	return all
}

// same compares results to the bit, NaN as well.
func same(t testing.TB, want, got []history.Result) {
	t.Helper()
	require.Len(t, got, len(want))
	for i := range want {
		a, b := want[i], got[i]
		require.Equal(t, a.Kept == nil, b.Kept == nil)
		require.Len(t, b.Kept, len(a.Kept))
		for j := range a.Kept {
			require.Equal(t, math.Float32bits(a.Kept[j]), math.Float32bits(b.Kept[j]))
		}
		a.Kept, b.Kept = nil, nil
		require.Equal(t, a, b)
	}
}

func TestABlockLosesNothing(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		hour := r.Int64N(600_000)
		all := results(r, hour, []int64{1000, 10_000, 60_000, 300_000, 3_600_000}[r.IntN(5)], r.IntN(4))
		// Runs that were asked for by hand, missed ones, values at the edges.
		all = slices.DeleteFunc(all, func(history.Result) bool { return r.IntN(20) == 0 })
		for i := range all {
			if r.IntN(30) == 0 {
				all[i].LateMS, all[i].TookUS, all[i].Held, all[i].Code = math.MinInt32, math.MaxInt32, math.MaxUint64, math.MinInt16
				all[i].Kept = [][]float32{nil, {}, {float32(math.NaN())}, {float32(math.Inf(-1)), 0.1, -0, 1e-40}}[r.IntN(4)]
			}
		}
		block, err := history.EncodeBlock(hour, all)
		require.NoError(t, err)
		got, err := history.DecodeBlock(nil, hour, block, true)
		require.NoError(t, err)
		same(t, all, got)
		plain, err := history.DecodeBlock(got[:0:0], hour, block, false)
		require.NoError(t, err)
		require.Len(t, plain, len(all))
	}
}

func TestABlockIsSmall(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		interval int64
		kept     int
		most     float64
	}{{60_000, 0, 6}, {10_000, 0, 5.5}, {1000, 0, 5.5}, {60_000, 2, 17}} {
		bytes, n := 0, 0
		for range 100 {
			all := results(r, 5, c.interval, c.kept)
			block, err := history.EncodeBlock(5, all)
			require.NoError(t, err)
			bytes, n = bytes+len(block), n+len(all)
		}
		t.Logf("every %d ms, %d kept: %.2f bytes a result", c.interval, c.kept, float64(bytes)/float64(n))
		require.Less(t, float64(bytes)/float64(n), c.most)
	}
}

func TestResultsThatAreNotOfTheHourAreRefused(t *testing.T) {
	t.Parallel()
	at := func(slots ...int64) (all []history.Result) {
		for _, s := range slots {
			all = append(all, history.Result{Slot: s})
		}
		return all
	}
	for name, bad := range map[string][]history.Result{
		"before": at(history.Hour - 1), "after": at(2 * history.Hour), "twice": at(history.Hour, history.Hour), "out of order": at(history.Hour+2, history.Hour+1),
		"too much kept": {{Slot: history.Hour, Kept: make([]float32, check.MaxKept+1)}},
	} {
		_, err := history.EncodeBlock(1, bad)
		require.Error(t, err, name)
	}
}

func FuzzDecodeBlock(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 4 {
		block, err := history.EncodeBlock(3, results(r, 3, 600_000, 2))
		require.NoError(f, err)
		f.Add(block)
		f.Add(block[:len(block)-2])
	}
	f.Add([]byte{1, 0})
	f.Fuzz(func(t *testing.T, block []byte) {
		got, err := history.DecodeBlock(nil, 3, block, true)
		require.LessOrEqual(t, len(got), len(block))
		if err != nil {
			return
		}
		// What is a block can be packed again, and says the same.
		again, err := history.EncodeBlock(3, got)
		require.NoError(t, err)
		back, err := history.DecodeBlock(nil, 3, again, true)
		require.NoError(t, err)
		same(t, got, back)
	})
}

func TestAQuantileIsOffByLessThanAPercent(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	draws := map[string]func() int32{
		"even":     func() int32 { return r.Int32N(5000) },
		"wide":     func() int32 { return int32(math.Exp(r.Float64() * 21)) },
		"constant": func() int32 { return 4097 },
		"large":    func() int32 { return math.MaxInt32 - r.Int32N(1000) },
	}
	for name, draw := range draws {
		var whole history.Sketch
		parts := make([]history.Sketch, 5)
		var all []int32
		for range 20_000 {
			v := draw()
			all = append(all, v)
			whole.Add(v)
			parts[r.IntN(len(parts))].Add(v)
		}
		var merged history.Sketch
		for i := range parts {
			merged.Merge(&parts[i])
		}
		slices.Sort(all)
		require.EqualValues(t, len(all), merged.N())
		for _, q := range []float64{0, 0.01, 0.5, 0.9, 0.95, 0.99, 0.999, 1} {
			want := float64(all[int(q*float64(len(all)-1))])
			require.InDelta(t, want, whole.Quantile(q), want*0.008+1e-9, "%s %g", name, q)
			require.InDelta(t, whole.Quantile(q), merged.Quantile(q), 0)
		}
	}
	var none history.Sketch
	none.Merge(&history.Sketch{})
	require.Zero(t, none.Quantile(0.5))
	none.Add(-5)
	require.Zero(t, none.Quantile(0.5))
}
