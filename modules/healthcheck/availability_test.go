package healthcheck_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/check/health"
	"countersign/check/heartbeat/heartbeatdb"
	"countersign/check/history"
	"countersign/internal/problem"
	"countersign/modules/healthcheck"
)

// past gives a target a history: of a change of status at a moment, whose streak began at another.
func (a *app) past(t testing.TB, target int32, after health.Status, at, began time.Time) {
	t.Helper()
	a.Exec(t, `INSERT INTO check_transitions (system_id, target, at_ms, began_ms, before, after, reason)
		SELECT system_id, id, $2, $3, 0, $4, '2 runs in a row failed: Expected statusCode = 200, got 503' FROM check_targets WHERE id = $1`,
		target, at.UnixMilli(), began.UnixMilli(), int16(after))
}

// Board, API, chart, tool and the data of the page are asked for the same days on one installation.
func TestEveryWayToAvailabilitySaysTheSame(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	shop := a.system(t, "Shop")
	a.check(t, door("Quick", "shop", object{"assignToSystemId": shop}))
	a.check(t, door("Slow", "shop", object{"assignToSystemId": shop}))
	targets := decode[healthcheck.SystemStatus](t, a.Do(t, "root", http.MethodGet, "/api/healthcheck/systems/"+shop.String(), nil)).Targets
	require.Len(t, targets, 2)
	one, two := targets[0].ID, targets[1].ID
	today := time.Now().UTC().Truncate(24 * time.Hour)
	yesterday := today.AddDate(0, 0, -1)
	hour := func(n int) time.Time { return yesterday.Add(time.Duration(n) * time.Hour) }
	a.Exec(t, `UPDATE check_targets SET made_ms = $1`, yesterday.AddDate(0, 0, -9).UnixMilli())
	for _, target := range []int32{one, two} {
		a.past(t, target, health.Healthy, hour(-48), hour(-48))
	}
	// One outage that both see, from 2 to 5, and a gap of ours from 10 to 12.
	a.past(t, one, health.Degraded, hour(3), hour(2))
	a.past(t, one, health.Healthy, hour(4), hour(4))
	a.past(t, two, health.Unhealthy, hour(4), hour(3))
	a.past(t, two, health.Healthy, hour(5), hour(5))
	a.Exec(
		t,
		`INSERT INTO check_gaps SELECT id, $1, $2, 120, 'takeover' FROM check_targets`,
		hour(10).UnixMilli(),
		hour(12).Add(-time.Minute).UnixMilli(),
	)

	const want = 1 - 3.0/22
	window := url.Values{"from": {yesterday.Format(time.RFC3339)}, "to": {today.Format(time.RFC3339)}}.Encode()
	period := decode[healthcheck.Period](t, a.Do(t, "root", http.MethodGet, "/api/healthcheck/systems/"+shop.String()+"/period?"+window, nil))
	require.InDelta(t, want, *period.Availability, 1e-12)
	require.EqualValues(t, 1, period.Outages)
	require.EqualValues(t, 3*3600, period.DownSeconds)
	require.EqualValues(t, 22*3600, period.Measured)
	require.Len(t, period.Downtime, 1)
	lost := period.Downtime[0]
	require.Equal(t, []time.Time{hour(2), hour(3), hour(5)}, []time.Time{lost.From, lost.Changed, lost.To})
	require.Len(t, lost.Parts, 2)
	require.Equal(t, "Quick", lost.Parts[0].CheckName)
	require.Equal(t, "Slow", lost.Parts[1].CheckName)
	require.Contains(t, lost.Parts[1].Reason, "got 503")

	board := "/api/healthcheck/board/past?systemIds=" + shop.String()
	days := decode[struct{ Systems []healthcheck.BoardPast }](t, a.Do(t, "root", http.MethodGet, board, nil)).Systems[0].Days
	require.Equal(t, period.Availability, days[len(days)-2].Availability)
	require.EqualValues(t, 3*3600_000, days[len(days)-2].Down)
	// The stored board says what the computed one said.
	keeper := history.NewKeeper(a.DB, nil, history.KeeperOptions{})
	require.NoError(t, keeper.RefreshBoards(t.Context(), yesterday.AddDate(0, 0, -3).UnixMilli()))
	stored := decode[struct{ Systems []healthcheck.BoardPast }](t, a.Do(t, "root", http.MethodGet, board, nil)).Systems[0].Days
	require.Equal(t, days[:len(days)-1], stored[:len(stored)-1])

	chart := decode[history.Chart](t, a.Do(t, "root", http.MethodGet, "/api/healthcheck/systems/"+shop.String()+"/chart?"+window, nil))
	require.Equal(t, period.Availability, chart.Availability)
	require.EqualValues(t, 3*3600_000, chart.DownMS)
	require.Len(t, chart.States, 3, "degraded, unhealthy, and the gap")

	stats := read[healthcheck.Period](t, a, "healthcheck.runStats", object{"systemId": shop, "hours": 24, "until": today.Format(time.RFC3339)})
	require.Equal(t, period.Availability, stats.Availability)
	require.Equal(t, period.Downtime, stats.Downtime)

	// Over the days of the board, today included, all say what the board adds up to.
	var measured, down int64
	for _, day := range stored {
		measured, down = measured+day.Measured, down+day.Down
	}
	require.Len(t, stored, 90)
	long := decode[healthcheck.Period](t, a.Do(t, "root", http.MethodGet, "/api/healthcheck/systems/"+shop.String()+"/period?days=90", nil))
	require.Equal(t, today.AddDate(0, 0, -89), long.From.UTC())
	require.Equal(t, down/1000, long.DownSeconds)
	require.InDelta(t, float64(measured)/1000, float64(long.Measured), 60, "the board was read a moment before")
	wide := decode[history.Chart](t, a.Do(t, "root", http.MethodGet, "/api/healthcheck/systems/"+shop.String()+"/chart?days=90", nil))
	require.Equal(t, long.From, wide.From)
	require.Equal(t, down, wide.DownMS)
	stats = read[healthcheck.Period](t, a, "healthcheck.runStats", object{"systemId": shop, "days": 90})
	require.Equal(t, long.From, stats.From)
	require.Equal(t, long.DownSeconds, stats.DownSeconds)
	a.Do(t, "root", http.MethodGet, "/api/healthcheck/systems/"+shop.String()+"/period?days=90&"+window, nil).Refused(t, problem.Invalid)

	// The rows of the page are of the last day of each check.
	since := time.Now().Add(-24 * time.Hour)
	a.past(t, one, health.Unhealthy, since.Add(20*time.Hour), since.Add(19*time.Hour))
	page := decode[healthcheck.SystemStatus](t, a.Do(t, "root", http.MethodGet, "/api/healthcheck/systems/"+shop.String(), nil)).Targets[0]
	alone := decode[healthcheck.Period](t, a.Do(t, "root", http.MethodGet, fmt.Sprintf("/api/healthcheck/targets/%d/period", one), nil))
	require.InDelta(t, *alone.Availability, *page.Availability, 1e-4, "their windows end a moment apart")
	require.WithinDuration(t, since.Add(19*time.Hour), *page.DownSince, time.Millisecond)
	require.True(t, alone.Downtime[0].Ongoing)
}

// A system is as bad as its worst check at each moment, however often each of them runs; what two checks see is one outage.
func TestChecksOfASystemShareItsOutages(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	today := time.Now().UTC().Truncate(24 * time.Hour)
	began := today.AddDate(0, 0, -1)
	window := url.Values{"from": {began.Format(time.RFC3339)}, "to": {today.Format(time.RFC3339)}}.Encode()
	of := func(name string) (system uuid.UUID, often, seldom int32) {
		system = a.system(t, name)
		a.check(t, door(name+" often", "shop", object{"assignToSystemId": system, "intervalSeconds": 1}))
		a.check(t, door(name+" seldom", "shop", object{"assignToSystemId": system, "intervalSeconds": 10}))
		targets := decode[healthcheck.SystemStatus](t, a.Do(t, "root", http.MethodGet, "/api/healthcheck/systems/"+system.String(), nil)).Targets
		return system, targets[0].ID, targets[1].ID
	}
	never, passing, failing := of("Never")
	twice, one, two := of("Twice")
	a.Exec(t, `UPDATE check_targets SET made_ms = $1`, began.AddDate(0, 0, -9).UnixMilli())
	a.past(t, passing, health.Healthy, began, began)
	a.past(t, failing, health.Unhealthy, began.Add(40*time.Second), began)
	for _, target := range []int32{one, two} {
		a.past(t, target, health.Healthy, began, began)
		a.past(t, target, health.Unhealthy, began.Add(time.Hour+4*time.Second), began.Add(time.Hour))
		a.past(t, target, health.Healthy, began.Add(time.Hour+84*time.Second), began.Add(time.Hour+84*time.Second))
	}
	period := func(system uuid.UUID) healthcheck.Period {
		return decode[healthcheck.Period](t, a.Do(t, "root", http.MethodGet, "/api/healthcheck/systems/"+system.String()+"/period?"+window, nil))
	}
	require.Zero(t, *period(never).Availability)
	require.EqualValues(t, 24*3600, period(never).DownSeconds)
	require.EqualValues(t, 1, period(twice).Outages)
	require.EqualValues(t, 84, period(twice).DownSeconds)
	require.Len(t, period(twice).Downtime, 1)

	board := "/api/healthcheck/board/past?systemIds=" + never.String() + "," + twice.String()
	for _, past := range decode[struct{ Systems []healthcheck.BoardPast }](t, a.Do(t, "root", http.MethodGet, board, nil)).Systems {
		yesterday := past.Days[len(past.Days)-2]
		require.Equal(t, period(past.SystemID).Availability, yesterday.Availability)
		require.Equal(t, period(past.SystemID).DownSeconds*1000, yesterday.Down)
	}
}

// A nightly job that was missed once and mended the next morning was there in all nights but one.
func TestANightlyJobIsAvailableByItsDueTimes(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	shop := a.system(t, "Shop")
	c := a.check(t, door("Backup", "shop", object{"assignToSystemId": shop}))
	a.Exec(t, `UPDATE health_checks SET strategy = 'healthcheck-heartbeat.heartbeat',
		definition = jsonb_set(definition, '{collectors,0,config}', '{"cron": "30 2 * * *", "timeZone": "UTC"}') WHERE id = $1`, c.ID)
	target := decode[healthcheck.SystemStatus](t, a.Do(t, "root", http.MethodGet, "/api/healthcheck/systems/"+shop.String(), nil)).Targets[0].ID
	today := time.Now().UTC().Truncate(24 * time.Hour)
	night := func(n int) time.Time { return today.AddDate(0, 0, -n).Add(2*time.Hour + 31*time.Minute) }
	a.Exec(t, `UPDATE check_targets SET made_ms = $1`, today.AddDate(0, 0, -30).UnixMilli())
	a.Exec(t, `UPDATE check_job_schedules SET from_ms = $2 WHERE check_id = $1`, c.ID, today.AddDate(0, 0, -30).UnixMilli())
	a.past(t, target, health.Healthy, today.AddDate(0, 0, -10), today.AddDate(0, 0, -10))
	a.past(t, target, health.Unhealthy, night(4).Add(5*time.Minute), night(4))
	a.past(t, target, health.Healthy, night(4).Add(7*time.Hour), night(4).Add(7*time.Hour))
	keeper := history.NewKeeper(a.DB, nil, history.KeeperOptions{})
	require.NoError(t, keeper.RefreshBoards(t.Context(), today.AddDate(0, 0, -3).UnixMilli()))

	past := "/api/healthcheck/board/past?systemIds=" + shop.String()
	days := decode[struct{ Systems []healthcheck.BoardPast }](t, a.Do(t, "root", http.MethodGet, past, nil)).Systems[0].Days
	var due, missed int64
	for _, day := range days {
		due, missed = due+day.Due, missed+day.MissedDue
	}
	require.EqualValues(t, 1, missed)
	require.Contains(t, []int64{10, 11}, due, "that of today is decided at 02:31")
	require.Zero(t, *days[len(days)-5].Availability, "the one of that night was missed")
	want := 1 - float64(missed)/float64(due)
	for _, path := range []string{"/api/healthcheck/systems/" + shop.String(), fmt.Sprintf("/api/healthcheck/targets/%d", target)} {
		period := decode[healthcheck.Period](t, a.Do(t, "root", http.MethodGet, path+"/period?days=90", nil))
		require.Equal(t, []int64{due, missed}, []int64{period.Due, period.MissedDue})
		require.InDelta(t, want, *period.Availability, 1e-12)
		require.EqualValues(t, 7*3600, period.DownSeconds, "how long it was missing is still said")
		chart := decode[history.Chart](t, a.Do(t, "root", http.MethodGet, path+"/chart?days=90", nil))
		require.Equal(t, period.Availability, chart.Availability)
	}

	// Another schedule counts from now on: the nights that have passed were due by the one that they had.
	a.Exec(t, `UPDATE health_checks SET definition = jsonb_set(definition, '{collectors,0,config,cron}', '"5 */6 * * *"') WHERE id = $1`, c.ID)
	after := decode[healthcheck.Period](
		t,
		a.Do(t, "root", http.MethodGet, fmt.Sprintf("/api/healthcheck/targets/%d/period?days=90", target), nil),
	)
	require.Equal(t, []int64{due, missed}, []int64{after.Due, after.MissedDue})
	schedules, err := heartbeatdb.New(a.DB.Conn(t.Context())).Last(t.Context(), target)
	require.NoError(t, err)
	require.WithinDuration(t, time.Now(), time.UnixMilli(schedules.SinceMs), time.Minute, "the job is held to it from then on")
}

func TestAReaderOfSomeChecksSeesTheAvailabilityOfTheSystem(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	shop := a.system(t, "Shop")
	hidden := a.check(t, door("Hidden", "shop", object{"assignToSystemId": shop}))
	a.check(t, door("Open", "shop", object{"assignToSystemId": shop}))
	a.member("viewer", nil, "catalog.system.read", "healthcheck.healthcheck.status.read", "healthcheck.healthcheck.details.read")
	for _, target := range decode[healthcheck.SystemStatus](t, a.Do(t, "root", http.MethodGet, "/api/healthcheck/systems/"+shop.String(), nil)).Targets {
		begin := time.Now().Add(-3 * time.Hour)
		a.past(t, target.ID, health.Healthy, begin, begin)
		if target.CheckID == hidden.ID {
			a.past(t, target.ID, health.Unhealthy, begin.Add(time.Hour), begin.Add(time.Hour))
		}
	}
	path := "/api/healthcheck/systems/" + shop.String() + "/period"
	all := decode[healthcheck.Period](t, a.Do(t, "root", http.MethodGet, path, nil))
	a.grant(t, "healthcheck.healthcheck", hidden.ID, true, nil)
	some := a.Do(t, "viewer", http.MethodGet, path, nil)
	seen := decode[healthcheck.Period](t, some)
	require.InDelta(t, 1.0/3, *all.Availability, 1e-4)
	require.InDelta(t, *all.Availability, *seen.Availability, 1e-4)
	require.NotContains(t, some.Body, "Hidden")
	require.NotContains(t, some.Body, "got 503")
	require.Equal(t, "A check that you may not see makes it so.", seen.Downtime[0].Parts[0].Reason)
}

func TestAPauseIsNotMeasuredAndEndsUnknown(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	shop := a.system(t, "Shop")
	c := a.check(t, door("API", "shop", object{"assignToSystemId": shop}))
	target := decode[healthcheck.SystemStatus](t, a.Do(t, "root", http.MethodGet, "/api/healthcheck/systems/"+shop.String(), nil)).Targets[0].ID
	begin := time.Now().Add(-2 * time.Hour)
	a.past(t, target, health.Healthy, begin, begin)
	a.Exec(t, `INSERT INTO check_states (target, status, since_ms, last_slot) VALUES ($1, 1, $2, $2)`, target, begin.UnixMilli())
	a.Exec(t, `INSERT INTO check_system_states (system_id, status, since_ms) VALUES ($1, 1, $2)`, shop, begin.UnixMilli())
	pause := func(paused bool) {
		a.ok(t, a.Do(t, "root", http.MethodPut, at(checks, c.ID)+"/paused", object{"paused": paused}))
	}
	state := func() healthcheck.SystemStatus {
		return decode[healthcheck.SystemStatus](t, a.Do(t, "root", http.MethodGet, "/api/healthcheck/systems/"+shop.String(), nil))
	}
	pause(true)
	require.Equal(t, healthcheck.Unknown, state().Status)
	pause(false)
	require.Equal(t, healthcheck.Unknown, state().Targets[0].Status, "it resumes as unknown")
	require.Equal(t, 1, a.Count(t, `SELECT count(*) FROM check_transitions WHERE target = $1 AND before = 1 AND after = 0 AND idle`, target))
	// An hour of pause, two hours ago.
	a.Exec(t, `UPDATE check_transitions SET at_ms = at_ms - 3600000 WHERE idle`)
	period := func(id uuid.UUID) healthcheck.Period {
		return decode[healthcheck.Period](t, a.Do(t, "root", http.MethodGet, "/api/healthcheck/systems/"+id.String()+"/period", nil))
	}
	require.InDelta(t, 3600, period(shop).Measured, 2, "the hour before the pause")
	require.InDelta(t, 1, *period(shop).Availability, 0)
	chart := decode[history.Chart](t, a.Do(t, "root", http.MethodGet, fmt.Sprintf("/api/healthcheck/targets/%d/chart", target), nil))
	last := chart.Transitions[len(chart.Transitions)-1]
	require.Equal(t, "unknown", last.To)
	require.Equal(t, "It was paused or switched off", last.Reason)
}

func TestATimeoutIsNotLongerThanTheInterval(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	long := object{"config": object{"host": "shop", "timeout": 30_000}, "intervalSeconds": 10}
	refused := a.Do(t, "root", http.MethodPost, checks, door("Long", "shop", long))
	refused.Refused(t, problem.Invalid)
	require.Contains(t, refused.Body, "must be at most the interval, 10000 ms")
	verdict := read[healthcheck.Verdict](t, a, "healthcheck.validateConfiguration", object{"configuration": object{
		"strategyId": "test-door.door", "config": object{"host": "shop", "timeout": 30_000}, "intervalSeconds": 10,
		"collectors": []object{{"collectorId": "test-door.knock"}},
	}})
	require.False(t, verdict.Valid)
	require.Equal(t, "config.timeout", verdict.Errors[0].Path)

	// So do pings, of which the last one is sent late.
	pinged := func(pings object, config object, interval int) object {
		pings["host"] = "192.0.2.1"
		return object{
			"name": "Pings", "strategyId": "healthcheck-ping.ping", "intervalSeconds": interval, "config": config,
			"collectors": []object{{"collectorId": "healthcheck-ping.ping", "config": pings}},
		}
	}
	b := withStrategies(t)
	many := object{"count": 10, "intervalMs": 1000, "timeout": 60_000}
	for _, late := range []object{
		pinged(many, object{"timeout": 5000}, 60), pinged(many, object{}, 9), pinged(object{}, object{"timeout": 400}, 60),
	} {
		refused = b.Do(t, "root", http.MethodPost, checks, late)
		refused.Refused(t, problem.Invalid)
		require.Contains(t, refused.Body, "is over before the last ping is sent")
	}
	b.check(t, pinged(many, object{}, 60))

	// Retries need time as well, also in an interval without a timeout.
	hasty := func(config object, interval int) object {
		config["host"] = "shop"
		return door("Hasty", "shop", object{"config": config, "intervalSeconds": interval})
	}
	for _, config := range []object{{"retries": 2}, {"retries": 1, "retryDelayMs": 900}} {
		refused = a.Do(t, "root", http.MethodPost, checks, hasty(config, 1))
		refused.Refused(t, problem.Invalid)
		require.Contains(t, refused.Body, "leave less than 100 ms of the interval to each try")
	}
	a.check(t, hasty(object{"retries": 2, "retryDelayMs": 100}, 1))

	// One that was stored before runs on, is named, and can be changed otherwise.
	c := a.check(t, door("Stored", "shop", object{"config": object{"host": "shop", "timeout": 30_000}}))
	require.Empty(t, c.Warnings)
	a.Exec(t, `UPDATE health_checks SET interval_seconds = 10 WHERE id = $1`, c.ID)
	stored := decode[healthcheck.Check](t, a.Do(t, "root", http.MethodGet, at(checks, c.ID), nil))
	require.Len(t, stored.Warnings, 1)
	require.Contains(t, stored.Warnings[0], "The timeout of 30000 ms is longer than the interval of 10 s")
	a.ok(t, a.Do(t, "root", http.MethodPatch, at(checks, c.ID), object{"name": "Renamed"}))
	a.ok(t, a.Do(t, "root", http.MethodPut, at(checks, c.ID)+"/paused", object{"paused": true}))
	a.Do(t, "root", http.MethodPatch, at(checks, c.ID), object{"intervalSeconds": 20}).Refused(t, problem.Invalid)
	mended := decode[healthcheck.Check](t, a.Do(t, "root", http.MethodPatch, at(checks, c.ID), object{"intervalSeconds": 30}))
	require.Empty(t, mended.Warnings)
}
