package engine_test

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/check/engine"
	"countersign/check/health"
	"countersign/event"
)

// located makes a target that runs from the main location and from others.
func (w *world) located(interval time.Duration, locations ...string) {
	w.t.Helper()
	w.exec(`UPDATE health_checks SET locations = $1`, locations)
	w.exec(`INSERT INTO check_targets (check_id, system_id, environment_id, shard, located, interval_ms, phase_ms, active, scope)
		VALUES ($1, $2, gen_random_uuid(), -1, true, $3::int, 137 % $3::int, true, '{"system": {"name": "Payments"}}')`,
		w.check, w.system, interval.Milliseconds())
	w.exec(`INSERT INTO check_location_targets (target, location, shard)
		SELECT t.id, o.id, CASE o.id WHEN 0 THEN 0 ELSE -(4 * o.id + t.id % 4) END FROM check_targets t, check_locations o WHERE o.name = ANY($1)`,
		locations)
}

// live is a process that claims shards until it dies or ends.
type live struct {
	*process
	claims  sync.WaitGroup
	release context.CancelFunc
}

func (w *world) live(o engine.Options) *live {
	w.t.Helper()
	l := &live{process: w.start(o)}
	ctx, release := context.WithCancel(context.Background())
	l.release = release
	l.claims.Go(func() { l.ClaimShares(ctx) })
	w.t.Cleanup(l.stopClaiming)
	return l
}

func (l *live) stopClaiming() {
	l.release()
	l.claims.Wait()
}

// states are the state of the located target, and those in its locations by name, with their reasons.
func (w *world) states() map[string]string {
	w.t.Helper()
	rows := column[string](w, `
		SELECT format('%s=%s %s', coalesce(o.name, 'check'), coalesce(s.status, 0), coalesce(s.reason, ''))
		FROM (SELECT id, NULL::smallint AS location FROM check_targets WHERE located
			UNION ALL SELECT id, location FROM check_location_targets WHERE NOT gone) t
		LEFT JOIN check_locations o ON o.id = t.location LEFT JOIN check_states s ON s.target = t.id`)
	states := map[string]string{}
	for _, row := range rows {
		for i := range row {
			if row[i] == '=' {
				states[row[:i]] = row[i+1:]
				break
			}
		}
	}
	return states
}

func (w *world) becomes(name, want string) {
	w.t.Helper()
	var got string
	end := time.Now().Add(dbTimeout)
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for ; ; <-again.C {
		if got = w.states()[name]; got == want {
			return
		}
		require.False(w.t, time.Now().After(end), "%s is %q instead of %q", name, got, want)
	}
}

func (w *world) watch() *engine.Locations {
	w.t.Helper()
	types, err := event.NewRegistry(health.EventTypes("healthcheck.healthcheck.status.read", event.SeeAll)...)
	require.NoError(w.t, err)
	return &engine.Locations{Systems: engine.Systems{DB: w.db, Events: event.NewOutbox(w.db, types)}}
}

func TestATargetRunsFromSeveralLocations(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	var down [3]atomic.Bool
	from := func(i int) engine.Options {
		names := []string{"", "Frankfurt", "Oregon"}
		return engine.Options{
			Owner: fmt.Sprintf(
				"process %d",
				i,
			),
			Location: engine.Location{Name: names[i], Labels: map[string]string{"cloud": "ours"}},
			Version:  "1.2",
			Runner: &runner{run: func(context.Context, int32, time.Time) check.Outcome {
				if down[i].Load() {
					return check.Outcome{Verdict: check.Failed, Cause: check.Refused, Report: func() check.Report {
						return check.Report{Message: "It was refused.", Collectors: []check.CollectorReport{}}
					}}
				}
				return check.Outcome{Verdict: check.Passed, Report: func() check.Report {
					return check.Report{Collectors: []check.CollectorReport{}}
				}}
			}},
		}
	}
	w.live(from(0))
	w.live(from(1))
	oregon := w.live(from(2))
	eventually(t, "the locations are known", func() bool { return one[int](w, `SELECT count(*) FROM check_locations`) == 3 })
	w.located(200*time.Millisecond, "main", "Frankfurt", "Oregon")
	w.becomes("check", "1 Healthy from 3 of 3")

	down[1].Store(true)
	w.becomes("check", "2 Down from 1 of 3: Frankfurt: 5 runs in a row failed: It was refused")
	require.Contains(t, w.states()["Oregon"], "1 ")
	// Downtime begins with the first failed run of the streak in Frankfurt, the status changes with the fifth.
	const first = `SELECT began_ms, at_ms, (SELECT min(slot) FROM check_results r JOIN check_location_targets l ON l.id = r.target WHERE r.verdict = 1)
		FROM check_transitions t JOIN check_targets c ON c.id = t.target WHERE t.after = 2 ORDER BY at_ms LIMIT 1`
	var began, changed, failed int64
	require.NoError(t, w.db.Conn(t.Context()).QueryRow(t.Context(), first).Scan(&began, &changed, &failed))
	require.Equal(t, failed, began)
	require.Less(t, began, changed)
	down[2].Store(true)
	w.becomes("check", "3 Down from 2 of 3: Frankfurt, Oregon: 5 runs in a row failed: It was refused")
	require.Equal(t, int16(3), one[int16](w, `SELECT status FROM check_system_states`))
	require.Contains(t, one[string](w, `SELECT reason FROM check_system_states`), "Down from 2 of 3: Frankfurt, Oregon")
	down[1].Store(false)
	down[2].Store(false)
	w.becomes("check", "1 Healthy from 3 of 3")

	// Slots are the same everywhere, and each has its run from each location.
	eventually(t, "each location has runs", func() bool {
		return one[int](w, `SELECT count(*) FROM (SELECT slot FROM check_results GROUP BY slot HAVING count(DISTINCT target) = 3) s`) >= 10
	})
	require.Zero(
		t,
		one[int](w, `SELECT count(*) FROM check_results r JOIN check_targets t ON t.id = r.target`),
		"the target itself does not run",
	)

	// A probe that is gone without a word: nothing is known from there, and the rest goes on.
	oregon.stopClaiming()
	oregon.end()
	w.exec(`UPDATE check_claims SET claimed_to = claimed_to - 20000 WHERE location = (SELECT id FROM check_locations WHERE name = 'Oregon')`)
	require.NoError(t, w.watch().MarkLost(t.Context()))
	w.becomes("check", "0 Unknown from 1 of 3: Oregon: No probe is running in Oregon")
	require.Contains(t, w.states()["main"], "1 ")
	require.Equal(t, 1, one[int](w, `SELECT count(*) FROM check_transitions t JOIN check_location_targets l ON l.id = t.target
		WHERE t.after = 0 AND t.reason = 'No probe is running in Oregon'`))
	require.NoError(t, w.watch().MarkLost(t.Context()), "nothing is left to do")
	require.Equal(t, 1, one[int](w, `SELECT count(*) FROM events WHERE type = 'healthcheck.check_unknown'`), "it is announced once")
	down[0].Store(true)
	down[1].Store(true)
	w.becomes("check", "3 Down from 2 of 3: main, Frankfurt: 5 runs in a row failed: It was refused; nothing is known from Oregon")
	down[0].Store(false)
	down[1].Store(false)
	down[2].Store(false)
	w.live(from(2))
	w.becomes("check", "1 Healthy from 3 of 3")
}

func TestProbesShareTheShardsOfTheirLocationAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.targets(20, time.Second)
	owners := func(location string) map[string]int {
		held := map[string]int{}
		for _, owner := range column[string](w, `SELECT owner FROM check_claims c JOIN check_locations o ON o.id = c.location
			WHERE o.name_key = $1 AND owner <> '' AND claimed_to > extract(epoch FROM clock_timestamp()) * 1000`, location) {
			held[owner]++
		}
		return held
	}
	w.live(engine.Options{Owner: "worker"})
	w.live(engine.Options{Owner: "a", Location: engine.Location{Name: "Frankfurt"}})
	w.live(engine.Options{Owner: "b", Location: engine.Location{Name: "frankfurt"}})
	eventually(t, "the probes share four shards", func() bool {
		held := owners("frankfurt")
		return held["a"] == 2 && held["b"] == 2 && len(held) == 2
	})
	eventually(t, "the worker has those of main", func() bool { return maps.Equal(map[string]int{"worker": 2}, owners(engine.MainLocation)) })
	require.Equal(t, 2, one[int](w, `SELECT count(*) FROM check_locations`))
	require.Equal(t, 2, one[int](w, `SELECT count(*) FROM check_shards`), "a process of the version before sees no other")

	// Another number of shards moves nothing of another location.
	require.NoError(t, (&engine.Sharding{DB: w.db, Count: 3}).Distribute(t.Context()))
	require.Equal(t, 4, one[int](w, `SELECT count(*) FROM check_claims WHERE location <> 0`))
	eventually(t, "the worker holds all", func() bool { return owners(engine.MainLocation)["worker"] == 3 })
}

// Probes of a renamed location keep the name that they know; those of a removed one make another, with a number of its own.
func TestAProbeFindsItsRenamedLocation(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	at := func(owner, name string) {
		p := w.live(engine.Options{Owner: owner, Location: engine.Location{Name: name, Labels: map[string]string{"by": owner}}})
		eventually(t, owner+" runs", func() bool {
			return one[int](
				w,
				`SELECT count(*) FROM check_workers w JOIN check_locations l ON l.id = w.location AND w.id LIKE (l.labels ->> 'by') || '%'`,
			) > 0
		})
		p.stopClaiming()
		p.end()
	}
	at("first", "Frankfurt")
	w.exec(`UPDATE check_locations SET name = 'Germany', name_key = 'germany', probe_key = 'frankfurt' WHERE name = 'Frankfurt'`)
	at("second", "FRANKFURT")
	at("third", "Germany")
	require.Equal(t, []string{"main", "Germany"}, column[string](w, `SELECT name FROM check_locations ORDER BY id`))
	w.exec(
		`UPDATE check_locations SET removed_at = now(), name = 'Germany' || chr(10) || 1, name_key = 'germany' || chr(10) || 1, probe_key = NULL WHERE id = 1`,
	)
	w.exec(`DELETE FROM check_claims WHERE location = 1`)
	at("fourth", "Germany")
	require.Equal(t, []int{0, 1, 2}, column[int](w, `SELECT id FROM check_locations ORDER BY id`))
	w.exec(`UPDATE check_locations SET removed_at = now() - interval '31 days' WHERE id = 1`)
	at("fifth", "Oregon")
	require.Equal(t, "Oregon", one[string](w, `SELECT name FROM check_locations WHERE id = 1`))
}

// A probe closes the servers that other processes of the installation know, from before its first run on.
func TestAProbeLearnsWhatIsClosed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	watch := w.watch()
	watch.Closed = []string{"temporal:7233", "10.0.0.5:5432", "temporal:7233"}
	require.NoError(t, watch.PublishClosed(t.Context()))
	watch.Closed = []string{"api:8080"}
	require.NoError(t, watch.PublishClosed(t.Context()))
	told := make(chan []string, 10)
	probe := w.live(engine.Options{
		Owner: "probe", Location: engine.Location{Name: "Frankfurt"}, Closed: func(addresses []string) { told <- addresses },
	})
	require.Equal(t, []string{"10.0.0.5:5432", "api:8080", "temporal:7233"}, <-told)
	probe.stopClaiming()
	probe.end()
	w.exec(`UPDATE check_closed_addresses SET seen_at = now() - interval '25 hours' WHERE address <> 'api:8080'`)
	watch.Closed = nil
	require.NoError(t, watch.PublishClosed(t.Context()))
	require.Equal(t, []string{"api:8080"}, column[string](w, `SELECT address FROM check_closed_addresses`))
}
