package history_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/check/history"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

func TestASealedHourSaysTheSame(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const targets = 5
	for id := range int32(targets) {
		w.put(id+1, hours(uint64(id), 4, int(id%3)))
	}
	w.now += 2 * history.Minute
	w.seal()
	require.EqualValues(t, 60*targets, w.count(`SELECT count(*) FROM check_results`), "an hour that is over is left alone for a while")
	w.now = noon + 10*history.Minute
	w.seal()
	require.Zero(t, w.count(`SELECT count(*) FROM check_results`))
	require.EqualValues(t, 4*targets, w.count(`SELECT count(*) FROM check_blocks`))
	require.EqualValues(t, 4*targets, w.count(`SELECT count(*) FROM check_hours`))
	require.Zero(t, w.count(`SELECT count(*) FROM check_seals`))
	for id := range int32(targets) {
		same(t, hours(uint64(id), 4, int(id%3)), w.all(id+1))
	}
	require.Equal(t, history.Sealed{}, w.seal(), "there is nothing left to do")
}

func TestLateResultsJoinTheirHour(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	all := hours(1, 3, 1)
	var early, late []history.Result
	for i, r := range all {
		if i%7 == 0 {
			late = append(late, r)
		} else {
			early = append(early, r)
		}
	}
	w.put(1, early)
	w.now = noon + 10*history.Minute
	w.seal()
	w.put(1, late)
	same(t, all, w.all(1))
	require.EqualValues(t, len(late), w.seal().Results)
	same(t, all, w.all(1))
	// One that came in twice, as a writer that was cut off sends it, changes nothing.
	w.put(1, late[:3])
	same(t, all, w.all(1))
	w.seal()
	same(t, all, w.all(1))
	require.EqualValues(t, len(all), w.count(`SELECT sum(passed + failed + errored + skipped) FROM check_hours`))
}

// When nobody has sealed for longer than the ring is, hours share partitions.
func TestHoursThatShareAPartitionAreSealed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	all := hours(1, 20, 0)
	w.put(1, all)
	w.put(2, steady(noon, noon+5*history.Minute))
	w.now = noon + 10*history.Minute
	for hour := range int64(9) {
		w.now = noon + 10*history.Minute + hour*history.Hour
		w.seal()
		same(t, all, w.all(1))
	}
	require.EqualValues(t, 20, w.count(`SELECT count(*) FROM check_blocks WHERE target = 1`))
	require.Zero(t, w.count(`SELECT count(*) FROM check_results`))
}

func TestATargetWithMoreResultsThanABatch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var all []history.Result
	for slot := noon - history.Hour; slot < noon; slot += 100 {
		all = append(all, history.Result{Slot: slot, TookUS: 5})
	}
	w.put(1, steady(noon-history.Hour, noon))
	w.put(2, all)
	w.put(3, steady(noon-history.Hour, noon))
	w.now = noon + 10*history.Minute
	w.seal()
	require.Zero(t, w.count(`SELECT count(*) FROM check_results`))
	require.EqualValues(t, len(all), w.count(`SELECT passed FROM check_hours WHERE target = 2`))
	require.EqualValues(t, 60, w.count(`SELECT passed FROM check_hours WHERE target = 3`))
}

// The processes' role owns no table.
func TestTheRoleOfTheProcessesCanSealAndForget(t *testing.T) {
	t.Parallel()
	app, _ := storetest.Restricted(t)
	w := worldOf(t, app)
	w.put(1, hours(1, 2, 0))
	w.exec(`INSERT INTO check_reports VALUES (1, $1, '{}'), (1, $2, '{}')`, noon, noon-9*history.Day)
	w.now = noon + 10*history.Minute
	w.seal()
	require.Zero(t, w.count(`SELECT count(*) FROM check_results`))
	require.NoError(t, w.keeper.Prune(t.Context()))
	require.EqualValues(t, 1, w.count(`SELECT count(*) FROM check_reports`))
}

// Several processes seal while results come in late. Each result is there once, at any moment.
func TestSealingBesideWritersLosesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.now = noon + 10*history.Minute
	const targets, rounds = 40, 60
	var wrote atomic.Int64
	ctx, stop := context.WithCancel(t.Context())
	var writing, sealing sync.WaitGroup
	for range 3 {
		sealing.Go(func() {
			for ctx.Err() == nil {
				_, _ = w.keeper.Seal(ctx)
			}
		})
	}
	writing.Go(func() {
		for minute := range int64(rounds) {
			for target := range int32(targets) {
				if copyResults(ctx, w.db, target+1, []history.Result{{Slot: noon - history.Hour + minute*history.Minute, TookUS: 7}}) == nil {
					wrote.Add(1)
				}
			}
		}
	})
	for range 20 {
		before := wrote.Load()
		stats, err := w.reader.Stats(t.Context(), history.StatsQuery{Targets: ids(targets), From: at(noon - history.Hour), To: at(noon)})
		require.NoError(t, err)
		require.GreaterOrEqual(t, stats.Runs, before)
	}
	writing.Wait()
	stop()
	sealing.Wait()
	require.EqualValues(t, targets*rounds, wrote.Load())
	w.seal()
	require.Zero(t, w.count(`SELECT count(*) FROM check_results`))
	require.EqualValues(t, targets*rounds, w.count(`SELECT sum(passed) FROM check_hours`))
}

func ids(n int32) (all []int32) {
	for id := range n {
		all = append(all, id+1)
	}
	return all
}

// A process that seals is killed at any moment, again and again.
func TestKilledWhileSealing(t *testing.T) {
	t.Parallel()
	const kills, targets = 6, 400
	url, processes := storetest.Processes(t, storetest.URL, kills+1, func(db *store.DB, request string) string {
		w := worldOf(t, db)
		w.now = noon + 10*history.Minute
		go func() { _, _ = w.keeper.Seal(t.Context()) }()
		return "seals " + request
	})
	db, err := store.Open(t.Context(), url, store.Options{MaxConns: 4})
	require.NoError(t, err)
	defer db.Close()
	w := worldOf(t, db)
	for id := range int32(targets) {
		w.put(id+1, hours(uint64(id), 6, 0))
	}
	r := rand.New(rand.NewPCG(1, 1))
	for i := range kills {
		storetest.Ask(t, processes[i:i+1], strconv.Itoa(i))
		// It has a different time to come as far as it comes; what it did not do stays to be done.
		for range r.IntN(200) {
			w.count(`SELECT 1::bigint`)
		}
		processes[i].Signal(t, syscall.SIGKILL)
	}
	w.now = noon + 10*history.Minute
	require.Eventually(t, func() bool { // a killed process may hold its locks for another moment
		did, err := w.keeper.Seal(t.Context())
		return err == nil && did == history.Sealed{}
	}, patience, tick)
	require.Zero(t, w.count(`SELECT count(*) FROM check_results`))
	for id := range int32(targets) {
		if id%40 == 0 {
			same(t, hours(uint64(id), 6, 0), w.all(id+1))
		}
	}
	require.EqualValues(t, 6*60*targets, w.count(`SELECT sum(passed + failed + errored + skipped) FROM check_hours`))
}

func TestWhatIsTooOldIsForgotten(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	changed, err := w.keeper.SetRetention(t.Context(), history.Retention{RawDays: 2, HourlyDays: 7, DailyDays: 30})
	require.NoError(t, err)
	require.True(t, changed)
	changed, err = w.keeper.SetRetention(t.Context(), history.Retention{RawDays: 2, HourlyDays: 7, DailyDays: 30})
	require.NoError(t, err)
	require.False(t, changed)
	_, err = w.keeper.SetRetention(t.Context(), history.Retention{RawDays: 0, HourlyDays: 91, DailyDays: 30})
	p, ok := errors.AsType[*problem.Error](err)
	require.True(t, ok)
	require.Len(t, p.Issues, 2)

	system := uuid.New()
	target := w.target(system)
	// A day of results at a time, as it comes, for 40 days.
	for day := range int64(40) {
		begin := noon + (day-40)*history.Day
		w.now = begin
		w.put(target, steady(begin, begin+10*history.Minute))
		w.exec(`INSERT INTO check_reports VALUES ($1, $2, '{}')`, target, begin)
		w.exec(
			`INSERT INTO check_transitions (system_id, target, at_ms, before, after, reason) VALUES ($1, $2, $3, 1, 3, '')`,
			system,
			target,
			begin,
		)
		w.exec(`INSERT INTO check_gaps VALUES ($1, $2, $2, 1, 'x')`, target, begin)
		w.now = begin + 2*history.Hour
		w.seal()
		require.NoError(t, w.keeper.AddUpDays(t.Context()))
		require.NoError(t, w.keeper.Prune(t.Context()))
	}
	w.now = noon
	require.NoError(t, w.keeper.AddUpDays(t.Context()))
	require.NoError(t, w.keeper.Prune(t.Context()))
	require.EqualValues(t, 2, w.count(`SELECT count(*) FROM check_blocks`))
	require.EqualValues(t, 2, w.count(`SELECT count(*) FROM check_reports`))
	require.EqualValues(t, 7, w.count(`SELECT count(*) FROM check_hours`))
	require.EqualValues(t, 30, w.count(`SELECT count(*) FROM check_days`))
	require.EqualValues(t, 30, w.count(`SELECT count(*) FROM check_gaps`))
	require.EqualValues(t, 31, w.count(`SELECT count(*) FROM check_transitions`), "the last one before says what the status was")
	chart, err := w.reader.Chart(
		t.Context(),
		history.ChartQuery{Targets: []int32{target}, From: at(noon - 40*history.Day), To: at(noon), Points: 40},
	)
	require.NoError(t, err)
	require.Equal(t, history.ByDay, chart.Resolution)
	var runs int64
	for _, p := range chart.Points {
		runs += p.Runs
	}
	require.EqualValues(t, 300, runs)
}

func TestATargetThatIsGoneLeavesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.target(uuid.New()), w.target(uuid.New())
	for _, id := range []int32{a, b} {
		w.put(id, hours(uint64(id), 2, 0))
		w.exec(`INSERT INTO check_reports VALUES ($1, $2, '{}')`, id, noon)
		w.exec(
			`INSERT INTO check_transitions (system_id, target, at_ms, before, after, reason) SELECT system_id, id, 5, 1, 3, '' FROM check_targets WHERE id = $1`,
			id,
		)
		w.exec(`INSERT INTO check_gaps VALUES ($1, 5, 5, 1, 'x')`, id)
	}
	w.now = noon + 10*history.Minute
	w.seal()
	w.put(a, steady(noon, noon+history.Minute))
	w.put(b, steady(noon, noon+history.Minute))
	require.NoError(t, w.keeper.Forget(t.Context()))
	require.EqualValues(t, 2, w.count(`SELECT count(*) FROM check_boards`))
	w.exec(`UPDATE check_targets SET gone = true, active = false WHERE id = $1`, a)
	require.NoError(t, w.keeper.Forget(t.Context()))
	for table := range strings.FieldsSeq("check_results check_blocks check_hours check_reports check_transitions check_gaps") {
		require.Zero(t, w.count(`SELECT count(*) FROM `+table+` WHERE target = $1`, a), table)
		require.NotZero(t, w.count(`SELECT count(*) FROM `+table+` WHERE target = $1`, b), table)
	}
	require.EqualValues(t, 1, w.count(`SELECT count(*) FROM check_boards`))
	require.EqualValues(t, 1, w.count(`SELECT count(*) FROM check_targets`))
}

// What ran from a location that a target has left stays for as long as its history would.
func TestALeftLocationKeepsItsHistory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	target := w.target(uuid.New())
	w.exec(`INSERT INTO check_locations (id, name, name_key) VALUES (1, 'Frankfurt', 'frankfurt'), (2, 'Oregon', 'oregon')`)
	w.exec(`UPDATE check_targets SET located = true WHERE id = $1`, target)
	w.exec(`INSERT INTO check_location_targets (id, target, location, shard) VALUES (9001, $1, 1, -4), (9002, $1, 2, -8)`, target)
	for _, id := range []int32{9001, 9002} {
		w.put(id, steady(noon-history.Hour, noon))
	}
	w.exec(`UPDATE check_location_targets SET gone = true`)
	require.Zero(t, w.count(`SELECT count(*) FROM check_location_targets WHERE left_ms IS NULL`))
	keep, err := w.keeper.Retention(t.Context())
	require.NoError(t, err)
	w.now = noon
	edge := noon - int64(keep.DailyDays)*history.Day
	w.exec(`UPDATE check_location_targets SET left_ms = $1::bigint + location - 2`, edge)
	require.NoError(t, w.keeper.Forget(t.Context()))
	require.EqualValues(t, 1, w.count(`SELECT count(*) FROM check_location_targets`))
	require.Empty(t, w.all(9001))
	require.Len(t, w.all(9002), 60)
	chart, err := w.reader.Chart(
		t.Context(),
		history.ChartQuery{Targets: []int32{target}, From: at(noon - history.Hour), To: at(noon), Points: 10},
	)
	require.NoError(t, err)
	var runs int64
	for _, p := range chart.Points {
		runs += p.Runs
	}
	require.EqualValues(t, 60, runs, "the chart of the check has them")
	w.exec(`UPDATE check_location_targets SET gone = false`)
	require.EqualValues(t, 1, w.count(`SELECT count(*) FROM check_location_targets WHERE left_ms IS NULL`))
}
