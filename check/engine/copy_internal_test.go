package engine

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/check/engine/enginedb"
	"countersign/internal/store/storetest"
)

// What is copied is what the driver would write.
func TestRowsAreCopiedAsTheyAre(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	rows := []enginedb.AddResultParams{
		{
			Target:  1,
			Slot:    1_795_403_243_638,
			LateMs:  10,
			TookUs:  380,
			Held:    7,
			Verdict: 0,
			Cause:   0,
			Code:    200,
			Kept:    []float32{1.5, float32(math.Inf(1)), -3},
		},
		{Target: math.MaxInt32, Slot: math.MaxInt64 / 2, LateMs: -5, TookUs: math.MaxInt32, Held: -1, Verdict: 3, Cause: 37, Code: -1},
		{Target: 3, Slot: 1, LateMs: math.MinInt32, Held: math.MinInt64, Verdict: 1, Cause: 10, Code: math.MinInt16, Kept: []float32{}},
		{Target: 4, Slot: 2, Kept: []float32{0}},
	}
	e := &Engine{db: db}
	require.Error(t, e.copyRows(t.Context(), rows), "outside of a transaction nothing is copied")
	require.NoError(t, db.InTx(t.Context(), func(ctx context.Context) error { return e.copyRows(ctx, rows) }))
	for _, want := range rows {
		var got enginedb.AddResultParams
		require.NoError(
			t,
			db.Conn(
				t.Context(),
			).QueryRow(
				t.Context(),
				`SELECT target, slot, late_ms, took_us, held, verdict, cause, code, kept FROM check_results WHERE target = $1`,
				want.Target,
			).
				Scan(
					&got.Target,
					&got.Slot,
					&got.LateMs,
					&got.TookUs,
					&got.Held,
					&got.Verdict,
					&got.Cause,
					&got.Code,
					&got.Kept,
				),
		)
		require.Equal(t, want, got)
	}
	err := db.InTx(t.Context(), func(ctx context.Context) error { return e.copyRows(ctx, rows[:1]) })
	require.ErrorContains(t, err, "duplicate key")
}

func BenchmarkEncodeRows(b *testing.B) {
	rows := make([]enginedb.AddResultParams, 200)
	for i := range rows {
		rows[i] = enginedb.AddResultParams{Target: int32(i), Slot: 1_795_403_243_638, Held: 7, Code: 200, Kept: []float32{1, 2}}
	}
	b.ReportAllocs()
	for b.Loop() {
		encodeRows(rows)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(rows)), "ns/row")
}
