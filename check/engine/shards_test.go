package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/check/engine"
	"countersign/check/history"
)

// With more shards, and with fewer, all targets run on: each in the shard where a new one would be, no slot twice, and what was lost on the
// way is a gap.
func TestTargetsFollowTheNumberOfShards(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.targets(40, 200*time.Millisecond)
	r := &runner{}
	p := w.start(engine.Options{Runner: r})
	spread := func(count int) {
		t.Helper()
		require.NoError(t, (&engine.Sharding{DB: w.db, Count: count}).Distribute(t.Context()))
		require.Equal(t, count, one[int](w, `SELECT count(*) FROM check_shards`))
		require.Zero(
			t,
			one[int](w, `SELECT count(*) FROM check_targets WHERE shard <> check_target_shard(check_id, system_id, environment_id, $1)`, count),
		)
	}
	run := func() {
		t.Helper()
		since := one[int64](w, `SELECT max(slot) FROM check_results`)
		eventually(t, "all targets run", func() bool {
			return one[int](w, `SELECT count(DISTINCT target) FROM check_results WHERE slot > $1`, since) == 40
		})
	}
	p.hold(0, 1)
	w.results(200)
	spread(5)
	require.ErrorIs(t, <-p.errs, engine.ErrLost)
	require.ErrorIs(t, <-p.errs, engine.ErrLost)
	p.hold(0, 1, 2, 3, 4)
	run()
	epochs := one[int](w, `SELECT sum(epoch) FROM check_shards`)
	spread(5)
	require.Equal(t, epochs, one[int](w, `SELECT sum(epoch) FROM check_shards`), "nothing changes when nothing has changed")
	w.exec(
		`UPDATE check_targets SET shard = 7 WHERE id = (SELECT min(id) FROM check_targets)`,
	) // planned by a process that knows of more shards
	spread(5)
	for range 5 {
		require.ErrorIs(t, <-p.errs, engine.ErrLost)
	}
	p.hold(0, 1, 2, 3, 4)
	run()
	spread(1)
	for range 5 {
		require.ErrorIs(t, <-p.errs, engine.ErrLost)
	}
	p.hold(3)
	require.ErrorIs(t, <-p.errs, engine.ErrGone)
	p.hold(0)
	run()
	p.leave()
	w.accounted()
	require.Zero(t, r.twice())
}

// Results of a holder that ended long ago are sealed: they are there, and no gap is recorded over them.
func TestSealedResultsAreNoGaps(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.targets(3, 200*time.Millisecond)
	first := w.start(engine.Options{})
	first.hold(0)
	w.results(30)
	first.leave()
	const ago = 3 * history.Hour
	w.exec(`ALTER TABLE check_targets DISABLE TRIGGER ALL`)
	w.exec(`UPDATE check_targets SET since_ms = since_ms - $1::bigint`, ago)
	w.exec(`UPDATE check_shards SET claimed_to = claimed_to - $1::bigint, settled_to = settled_to - $1::bigint`, ago)
	w.exec(`UPDATE check_gaps SET from_slot = from_slot - $1::bigint, to_slot = to_slot - $1::bigint`, ago)
	type hour struct {
		target int32
		hour   int64
	}
	blocks, slots := map[hour][]history.Result{}, 0
	for _, target := range column[int32](w, `SELECT id FROM check_targets`) {
		for _, slot := range column[int64](w, `SELECT slot - $2::bigint FROM check_results WHERE target = $1 ORDER BY slot`, target, ago) {
			key := hour{target, slot / history.Hour}
			blocks[key] = append(blocks[key], history.Result{Slot: slot, Verdict: check.Passed})
			slots++
		}
	}
	for key, results := range blocks {
		block, err := history.EncodeBlock(key.hour, results)
		require.NoError(t, err)
		w.exec(`INSERT INTO check_blocks (target, hour, data) VALUES ($1, $2, $3)`, key.target, key.hour, block)
	}
	w.exec(`DELETE FROM check_results`)
	// Of one that ran not everything was written.
	dropped := one[int32](w, `SELECT max(id) FROM check_targets`)
	w.exec(`DELETE FROM check_blocks WHERE target = $1`, dropped)
	second := w.start(engine.Options{})
	second.hold(0)
	w.results(10)
	second.leave()
	for key, results := range blocks {
		for _, r := range results {
			missed := one[int](
				w,
				`SELECT count(*) FROM check_gaps WHERE target = $1 AND $2::bigint BETWEEN from_slot AND to_slot`,
				key.target,
				r.Slot,
			)
			require.Equal(t, key.target == dropped, missed == 1, "target %d, slot %d", key.target, r.Slot)
		}
	}
	require.GreaterOrEqual(t, slots, 30)
}
