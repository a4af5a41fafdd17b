package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/check/health"
	"countersign/check/history"
	"countersign/check/strategy"
)

// jobSpec is a job, with its schedule in the words of cron and in those of the model.
type jobSpec struct {
	cron, zone string
	hours      []int
	minute     int
	days       func(day time.Time) bool
	grace      time.Duration
}

// due lists the due times of a job between two days, without the package that the product computes them with.
func (j *jobSpec) due(t *testing.T, from, to time.Time) (list []time.Time) {
	zone, err := time.LoadLocation(j.zone)
	require.NoError(t, err)
	for day := from; day.Before(to); day = day.AddDate(0, 0, 1) {
		local := time.Date(day.Year(), day.Month(), day.Day(), 12, 0, 0, 0, zone)
		if j.days != nil && !j.days(local) {
			continue
		}
		for _, hour := range j.hours {
			at := time.Date(day.Year(), day.Month(), day.Day(), hour, j.minute, 0, 0, zone)
			// A local time that exists twice is the first.
			if first := at.Add(-time.Hour); first.Hour() == hour && first.Minute() == j.minute {
				at = first
			}
			list = append(list, at.UTC())
		}
	}
	return list
}

// Due and missed times of jobs that call in early, in time, late, never or with a failure are those of a model that looks at the calls
// alone, over the changes of the clocks of three continents.
func TestDueTimesOfJobsAreThoseOfAModel(t *testing.T) {
	t.Parallel()
	const seed, interval = 445, 15 * time.Minute
	w := newWorld(t, 1)
	random := rand.New(rand.NewPCG(seed, 38))
	weekday := func(day time.Time) bool { return day.Weekday() != time.Saturday && day.Weekday() != time.Sunday }
	jobs := []jobSpec{
		{"15 8 * * *", "UTC", []int{8}, 15, nil, time.Hour},
		{"0 6,12,18 * * *", "Europe/Berlin", []int{6, 12, 18}, 0, nil, 10 * time.Minute},
		{"30 2 * * *", "Europe/Berlin", []int{2}, 30, nil, time.Minute},
		{"30 1 * * *", "America/New_York", []int{1}, 30, nil, 30 * time.Minute},
		{"45 20 * * 1-5", "America/New_York", []int{20}, 45, weekday, 5 * time.Minute},
		{"20 8,16 * * *", "Australia/Lord_Howe", []int{8, 16}, 20, nil, 2 * time.Hour},
	}
	begin := time.Date(2024, 9, 20, 0, 0, 0, 0, time.UTC)
	from, to := time.Date(2024, 9, 25, 0, 0, 0, 0, time.UTC), time.Date(2024, 11, 12, 0, 0, 0, 0, time.UTC)
	registry, err := check.NewRegistry(strategy.All()...)
	require.NoError(t, err)
	clock := func(context.Context) (int64, error) { return to.UnixMilli(), nil }
	reader := history.NewReader(w.db, history.ReaderOptions{Now: clock})
	var targets []int32
	var due, missed int64
	for n := range jobs {
		job := &jobs[n]
		config := json.RawMessage(fmt.Sprintf(`{"cron": %q, "timeZone": %q, "graceSeconds": %d}`, job.cron, job.zone, int(job.grace.Seconds())))
		definition := check.Configuration{
			Strategy: "healthcheck-heartbeat.heartbeat", Config: json.RawMessage("{}"),
			Collectors: []check.Collected{{ID: uuid.New(), CollectorID: "healthcheck-heartbeat.beat", Config: config}},
		}
		prepared, err := registry.Prepare(definition, check.Scope{}, nil)
		require.NoError(t, err)
		id := w.job(n, config, interval, begin)
		targets = append(targets, id)

		// calls are in the order of time.
		dues := job.due(t, begin.AddDate(0, 0, -2), to.AddDate(0, 0, 2))
		var calls []check.Heartbeat
		for i, at := range dues {
			switch random.IntN(10) {
			case 0: // it does not call
			case 1:
				calls = append(calls, check.Heartbeat{At: at.Add(job.grace + time.Duration(random.IntN(200))*time.Minute)})
			case 2:
				calls = append(calls, check.Heartbeat{At: at.Add(job.grace / 2), Failed: true})
			case 3:
				calls = append(calls, check.Heartbeat{At: at.Add(-30 * time.Second)})
			default:
				calls = append(calls, check.Heartbeat{At: at.Add(time.Duration(random.Int64N(int64(job.grace))))})
			}
			if i == 0 {
				calls = []check.Heartbeat{{At: at}}
			}
		}
		slices.SortFunc(calls, func(a, b check.Heartbeat) int { return a.At.Compare(b.At) })
		last := func(at time.Time) check.Heartbeat {
			i, _ := slices.BinarySearchFunc(calls, at, func(c check.Heartbeat, at time.Time) int {
				if c.At.After(at) {
					return 1
				}
				return -1
			})
			if i == 0 {
				return check.Heartbeat{Awaited: begin}
			}
			beat := calls[i-1]
			beat.Awaited = begin
			return beat
		}

		// The product: each run, what it makes of the status, and what the history makes of that.
		now := begin
		host := &check.Host{
			Now:           func() time.Time { return now },
			LastHeartbeat: func(context.Context, int32) (check.Heartbeat, error) { return last(now), nil },
		}
		state, thresholds := health.State{}, health.Thresholds{FlapChanges: -1}.WithDefaults()
		var slots []time.Time
		for ; now.Before(to); now = now.Add(interval) {
			slots = append(slots, now)
			var effect health.Effect
			state, effect = health.Judge(state, thresholds, prepared.Run(t.Context(), host, id, now), now)
			if m := effect.Transition; m != nil {
				w.exec(`INSERT INTO check_transitions (system_id, target, at_ms, before, after, reason, began_ms) VALUES ($1, $2, $3, $4, $5, '', $6)`,
					w.system, id, m.At.UnixMilli(), int16(m.Before), int16(m.After), m.Began.UnixMilli())
			}
		}
		stats, err := reader.Stats(t.Context(), history.StatsQuery{Targets: []int32{id}, States: []int32{id}, From: from, To: to})
		require.NoError(t, err)

		// The model: a slot is bad when it and the one before or after it find no call, or a failed one, for the last due time.
		silent := make([]bool, len(slots))
		for i, slot := range slots {
			k := -1
			for k+1 < len(dues) && dues[k+1].Add(job.grace).Before(slot) {
				k++
			}
			early := min(max(job.grace, time.Minute), dues[k].Sub(dues[max(k-1, 0)])/2)
			beat := last(slot)
			silent[i] = beat.At.Before(dues[k].Add(-early)) || beat.Failed
		}
		var wantDue, wantMissed int64
		for _, at := range dues {
			i := slices.IndexFunc(slots, at.Add(job.grace).Before) // a call at the end of the grace is in time
			if i < 0 || slots[i].Before(from) {
				continue
			}
			wantDue++
			if silent[i] && (silent[i-1] || i+1 < len(slots) && silent[i+1]) {
				wantMissed++
			}
		}
		require.True(t, stats.Jobs)
		require.Equal(t, wantDue, stats.Due, "due times of %s in %s, seed %d", job.cron, job.zone, seed)
		require.Equal(t, wantMissed, stats.MissedDue, "missed ones of %s in %s, seed %d", job.cron, job.zone, seed)
		require.InDelta(t, 1-float64(wantMissed)/float64(wantDue), *stats.Availability(), 1e-12)
		require.Positive(t, wantMissed)
		due, missed = due+wantDue, missed+wantMissed
	}
	together, err := reader.Stats(t.Context(), history.StatsQuery{Targets: targets, States: targets, From: from, To: to})
	require.NoError(t, err)
	require.Equal(t, []int64{due, missed}, []int64{together.Due, together.MissedDue})
}

// job makes a check of a heartbeat that has its schedule from a time on, with a target that runs.
func (w *world) job(n int, config json.RawMessage, interval time.Duration, since time.Time) (target int32) {
	w.t.Helper()
	id := uuid.New()
	w.exec(`INSERT INTO health_checks (id, name, name_key, description, strategy, definition, interval_seconds)
		VALUES ($1, $2, $2, '', 'healthcheck-heartbeat.heartbeat', jsonb_build_object('collectors', jsonb_build_array(jsonb_build_object('config', $3::jsonb))), $4)`,
		id, fmt.Sprintf("job %d", n), string(config), int(interval.Seconds()))
	w.exec(`UPDATE check_job_schedules SET from_ms = $2 WHERE check_id = $1`, id, since.UnixMilli())
	w.exec(`INSERT INTO check_targets (check_id, system_id, environment_id, shard, interval_ms, phase_ms, since_ms, made_ms, active, scope)
		VALUES ($1, $2, gen_random_uuid(), 0, $3, 0, $4, $4, true, '{}')`, id, w.system, int(interval.Milliseconds()), since.UnixMilli())
	return one[int32](w, `SELECT id FROM check_targets WHERE check_id = $1`, id)
}
