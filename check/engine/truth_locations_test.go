package engine_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/check/engine"
	"countersign/check/health"
	"countersign/check/history"
)

const (
	blocks = 9
	// blockSlots is how many slots a location goes on as it is: after two failed ones it is degraded, after five unhealthy.
	blockSlots      = 8
	blockInterval   = 250
	blockDuration   = blockSlots * blockInterval
	locatedTruths   = 6
	silentFrom      = 5 // the block in which the probe of the third location is away
	silentTo        = 6
	locationOfProbe = 2
)

// Status, outages and downtime of checks that run from three locations are those of a model that asks in each block of slots from how
// many of them a check fails. A probe that is replaced meanwhile changes nothing.
func TestAvailabilityFromLocationsIsThatOfAModel(t *testing.T) {
	t.Parallel()
	const seed = 87
	w := newWorld(t, 1)
	random := rand.New(rand.NewPCG(seed, 38))
	var fails [locatedTruths][3][blocks]bool
	for i := range fails {
		for block := 1; block < blocks-1; block++ { // at first and at last, all is well
			for l := range fails[i] {
				fails[i][l][block] = random.IntN(3) == 0
			}
			if block > silentFrom-1 && block <= silentTo {
				fails[i][locationOfProbe][block] = fails[i][locationOfProbe][silentFrom-1]
			}
		}
	}
	type place struct{ target, location int }
	places := map[int32]place{}
	var begun atomic.Int64 // the first slot of the script, in milliseconds; 0 before it
	run := func(_ context.Context, id int32, slot time.Time) check.Outcome {
		at, base := places[id], begun.Load()
		block := (slot.UnixMilli() - base) / blockDuration
		if base > 0 && slot.UnixMilli() >= base && block < blocks && fails[at.target][at.location][block] {
			return failed("It was refused.")
		}
		return passed()
	}
	names := []string{"main", "Frankfurt", "Oregon"}
	start := func(l int) *live {
		name := names[l]
		if l == 0 {
			name = ""
		}
		return w.live(engine.Options{
			Owner: fmt.Sprintf("process of %s %d", names[l], random.IntN(1e9)), Location: engine.Location{Name: name}, Version: "1.2",
			Runner: &runner{run: run},
		})
	}
	// The locations come before their processes, for the targets to be known to run.
	w.exec(`INSERT INTO check_locations (id, name, name_key) VALUES (1, 'Frankfurt', 'frankfurt'), (2, 'Oregon', 'oregon')`)
	rules := health.LocationRules()
	for i := range fails {
		w.exec(`INSERT INTO health_checks (id, name, name_key, description, strategy, definition, interval_seconds, locations, location_rule)
			VALUES (gen_random_uuid(), $1, $1, '', 'test', '{}', 1, $2, $3)`, fmt.Sprintf("check %d", i), names, string(rules[i%len(rules)]))
	}
	w.exec(`INSERT INTO check_targets (check_id, system_id, environment_id, shard, located, interval_ms, phase_ms, active, scope, thresholds)
		SELECT id, $1, gen_random_uuid(), -1, true, $2::int, 0, true, '{"system": {"name": "Payments"}}', '{"flapChanges": -1}'
		FROM health_checks WHERE locations IS NOT NULL`, w.system, blockInterval)
	w.exec(`INSERT INTO check_location_targets (target, location, shard)
		SELECT t.id, o.id, CASE o.id WHEN 0 THEN 0 ELSE -(4 * o.id + t.id % 4) END FROM check_targets t, check_locations o`)
	targets := column[int32](w, `SELECT t.id FROM check_targets t JOIN health_checks h ON h.id = t.check_id ORDER BY h.name`)
	for i, id := range targets {
		for l := range names {
			places[one[int32](w, `SELECT id FROM check_location_targets WHERE target = $1 AND location = $2`, id, l)] = place{i, l}
		}
	}
	now := func() int64 { return one[int64](w, `SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint`) }
	start(0)
	start(1)
	probe := start(locationOfProbe)
	eventually(t, "all checks are healthy from everywhere", func() bool {
		return one[int](w, `SELECT count(*) FROM check_states WHERE status = 1`) == locatedTruths*4
	})
	base := (now()/blockInterval + 2) * blockInterval
	begun.Store(base)
	until := func(block int64) {
		eventually(t, fmt.Sprintf("block %d comes", block), func() bool { return now() >= base+block*blockDuration })
	}
	until(silentFrom)
	probe.stopClaiming()
	probe.end()
	until(silentTo)
	start(locationOfProbe)
	until(blocks)

	// The last location can write a slot after the others have written the next one.
	const slack = blockInterval * time.Millisecond
	end := base + blocks*blockDuration - blockInterval
	eventually(t, "the last runs are written", func() bool {
		return one[int64](w, `SELECT coalesce(min(slot), 0) FROM (SELECT max(slot) AS slot FROM check_results GROUP BY target) s`) >= end
	})
	reader := history.NewReader(w.db, history.ReaderOptions{})
	total := time.Duration(0)
	for i, id := range targets {
		rule, script := rules[i%len(rules)], fmt.Sprintf("target %d (%s, seed %d): %v", i, rules[i%len(rules)], seed, fails[i])
		var bad []int // the blocks in which each outage begins, and how many blocks it has
		var lengths []int
		for block := range blocks {
			down := 0
			for l := range names {
				if fails[i][l][block] {
					down++
				}
			}
			want := health.Healthy
			switch {
			case down >= map[health.LocationRule]int{health.AnyLocation: 1, health.MajorityOfLocations: 2, health.AllLocations: 3}[rule]:
				want = health.Unhealthy
			case down > 0:
				want = health.Degraded
			}
			// At its last slot, what has failed since its first one is known to be down.
			at := base + int64(block+1)*blockDuration - blockInterval
			got := one[int16](
				w,
				`SELECT after FROM check_transitions WHERE target = $1 AND at_ms <= $2 ORDER BY at_ms DESC, id DESC LIMIT 1`,
				id,
				at,
			)
			require.Equal(t, want, health.Status(got), "block %d of %s", block, script)
			switch {
			case down == 0:
			case len(bad) > 0 && bad[len(bad)-1]+lengths[len(bad)-1] == block:
				lengths[len(bad)-1]++
			default:
				bad, lengths = append(bad, block), append(lengths, 1)
			}
		}
		stats, err := reader.Stats(t.Context(), history.StatsQuery{
			Targets: []int32{id}, States: []int32{id}, From: time.UnixMilli(base), To: time.UnixMilli(end),
		})
		require.NoError(t, err)
		require.Len(t, stats.Outages, len(bad), script)
		require.Equal(t, time.Duration(end-base)*time.Millisecond, stats.Measured, script)
		for n, o := range stats.Outages {
			require.Equal(t, base+int64(bad[n])*blockDuration, o.From.UnixMilli(), "outage %d begins with its first failed run, %s", n, script)
			want := time.Duration(lengths[n]*blockDuration) * time.Millisecond
			require.InDelta(t, want, o.Down, float64(slack), "outage %d of %s", n, script)
			require.False(t, o.Ongoing)
		}
		total += stats.Down
	}
	require.Positive(t, total)
	require.Positive(t, one[int](w, `SELECT count(*) FROM check_gaps g JOIN check_location_targets l ON l.id = g.target WHERE l.location = $1`,
		locationOfProbe), "the probe was away")
}
