package maintenance_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
	"countersign/modules/maintenance"
)

// A weekly window keeps its wall times over both changes of the clock.
func TestAWeeklyWindowOverTheChangesOfTheClock(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	shop := a.system(t, "Shop")
	for _, c := range []struct {
		now, start, end, to string
		want                []string
	}{
		{"2026-03-14T00:00:00Z", "2026-03-15T01:00:00Z", "2026-03-15T03:00:00Z", "2026-04-13T00:00:00Z", []string{
			"2026-03-15T01:00:00Z 2026-03-15T03:00:00Z", "2026-03-22T01:00:00Z 2026-03-22T03:00:00Z",
			"2026-03-29T01:00:00Z 2026-03-29T02:00:00Z",
			"2026-04-05T00:00:00Z 2026-04-05T02:00:00Z", "2026-04-12T00:00:00Z 2026-04-12T02:00:00Z",
		}},
		{"2026-10-10T00:00:00Z", "2026-10-11T00:00:00Z", "2026-10-11T02:00:00Z", "2026-11-09T00:00:00Z", []string{
			"2026-10-11T00:00:00Z 2026-10-11T02:00:00Z", "2026-10-18T00:00:00Z 2026-10-18T02:00:00Z",
			"2026-10-25T00:00:00Z 2026-10-25T03:00:00Z",
			"2026-11-01T01:00:00Z 2026-11-01T03:00:00Z", "2026-11-08T01:00:00Z 2026-11-08T03:00:00Z",
		}},
	} {
		a.set(t, c.now)
		one := a.plan(t, "Window", shop, c.start, c.end, object{"zone": "Europe/Berlin", "rule": "FREQ=WEEKLY;BYDAY=SU"})
		require.Equal(t, c.want, spans(a.calendar(t, "reader", c.start, c.to)))
		require.Equal(t, "every week on Sunday at 02:00, Europe/Berlin", one.Recurrence)
		a.closeIt(t, "ada", one.ID, object{"all": true})
	}
}

// An instant is an instant: what a browser in another zone enters is stored as it is, with the zone that it was planned in.
func TestAnInstantIsAnInstant(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	shop := a.system(t, "Shop")
	a.set(t, "2036-06-01T00:00:00Z")
	one := a.plan(t, "Window", shop, "2036-06-10T04:00:00-06:00", "2036-06-10T14:00:00+02:00", object{"zone": "America/Edmonton"})
	require.Equal(t, "2036-06-10T10:00:00Z", one.StartAt.UTC().Format(time.RFC3339))
	require.Equal(t, "2036-06-10T12:00:00Z", one.EndAt.UTC().Format(time.RFC3339))
	require.Equal(t, "America/Edmonton", a.get(t, "reader", one.ID).Zone)
	require.Contains(t, a.Call(t, "reader", "maintenance.get", object{"id": one.ID}), "2036-06-10T04:00:00-06:00")
	card, err := a.Propose(t, "ada", "maintenance.update", object{"id": one.ID, "endAt": "2036-06-10T07:00:00-06:00"})
	require.NoError(t, err)
	require.Contains(t, card.Effects[len(card.Effects)-1], "from 2036-06-10 04:00 to 07:00 MDT (America/Edmonton)")
}

func TestOneOccurrenceIsMovedCancelledAndRestored(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	shop := a.system(t, "Shop")
	a.set(t, "2026-06-01T00:00:00Z")
	one := a.plan(t, "Backup", shop, "2026-06-02T02:00:00Z", "2026-06-02T03:00:00Z", object{"zone": "UTC", "rule": "FREQ=DAILY"})
	change := func(body object) maintenance.Maintenance {
		return a.change(t, "ada", one.ID, object{"occurrence": body})
	}
	fail := func(code problem.Code, body object) {
		refused(t, code, a.Do(t, "ada", http.MethodPatch, at(one.ID), object{"occurrence": body}))
	}
	shown := func() []string { return spans(a.calendar(t, "reader", "2026-06-01T00:00:00Z", "2026-06-06T00:00:00Z")) }

	moved := change(object{"at": "2026-06-02T02:00:00Z", "startAt": "2026-06-03T10:00:00Z"})
	require.Equal(t, "2026-06-03T02:00:00Z", moved.Occurrence.StartAt.UTC().Format(time.RFC3339), "the next one is that of the third")
	change(object{"at": "2026-06-04T02:00:00Z", "cancelled": true})
	require.Equal(t, []string{
		"2026-06-03T02:00:00Z 2026-06-03T03:00:00Z", "2026-06-03T10:00:00Z 2026-06-03T11:00:00Z",
		"2026-06-04T02:00:00Z 2026-06-04T03:00:00Z", "2026-06-05T02:00:00Z 2026-06-05T03:00:00Z",
	}, shown())
	entries := a.calendar(t, "reader", "2026-06-01T00:00:00Z", "2026-06-06T00:00:00Z")
	require.True(t, entries[1].Moved)
	require.Equal(t, maintenance.Cancelled, entries[2].Status)
	fail(problem.Conflict, object{"at": "2026-06-02T02:00:00Z", "startAt": "2026-06-05T02:30:00Z"})
	fail(problem.Conflict, object{"at": "2026-06-02T02:00:00Z", "startAt": "2026-06-05T01:00:00Z"})
	fail(problem.Invalid, object{"at": "2026-06-02T02:00:00Z", "startAt": "2026-05-05T01:00:00Z"})
	fail(problem.Invalid, object{"at": "2026-06-05T02:00:00Z", "endAt": "2026-06-05T01:00:00Z"})
	fail(problem.Invalid, object{"at": "2026-06-05T02:01:00Z", "cancelled": true})
	fail(problem.Invalid, object{"at": "2026-06-05T02:00:00Z"})
	fail(problem.Invalid, object{"at": "2026-06-05T02:00:00Z", "cancelled": true, "endAt": "2026-06-05T04:00:00Z"})

	for _, at := range []string{
		"2026-06-02T02:30:00Z", "2026-06-03T02:00:00Z", "2026-06-03T03:00:00Z", "2026-06-03T10:30:00Z", "2026-06-03T11:00:00Z",
		"2026-06-04T02:30:00Z",
	} {
		a.until(t, at)
	}
	types, payloads := a.events(t, "reader", one.ID)
	require.Equal(t, []string{
		maintenance.EventScheduled, maintenance.EventUpdated, maintenance.EventUpdated,
		maintenance.EventStarted, maintenance.EventEnded, maintenance.EventStarted, maintenance.EventEnded,
	}, types, "two of three days")
	require.True(t, payloads[2].OccurrenceCancelled)
	require.Equal(t, "2026-06-02T02:00:00Z", payloads[5].Occurrence.UTC().Format(time.RFC3339), "the moved one is that of the second")
	fail(problem.Invalid, object{"at": "2026-06-02T02:00:00Z", "startAt": "2026-06-07T10:00:00Z"})
	restored := change(object{"at": "2026-06-04T02:00:00Z", "cancelled": false})
	require.Equal(t, maintenance.InProgress, restored.Status, "a restored one begins at once where its time has come")
}

// The occurrence in progress is extended and ended early by itself; the others stay.
func TestTheOccurrenceInProgressIsChanged(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	shop := a.system(t, "Shop")
	a.set(t, "2026-06-01T00:00:00Z")
	one := a.plan(t, "Backup", shop, "2026-06-02T02:00:00Z", "2026-06-02T03:00:00Z", object{"zone": "UTC", "rule": "FREQ=DAILY;COUNT=3"})
	refused(t, problem.Conflict, a.Do(t, "ada", http.MethodPost, at(one.ID, "close"), object{}))
	a.until(t, "2026-06-02T02:10:00Z")
	occurrence := object{"at": "2026-06-02T02:00:00Z", "endAt": "2026-06-02T04:00:00Z"}
	require.True(t, a.change(t, "ada", one.ID, object{"occurrence": occurrence}).Occurrence.Extended)
	occurrence["endAt"] = "2026-06-03T02:00:00Z"
	refused(t, problem.Conflict, a.Do(t, "ada", http.MethodPatch, at(one.ID), object{"occurrence": occurrence}))
	a.until(t, "2026-06-02T03:30:00Z")
	closed := a.closeIt(t, "ada", one.ID, object{})
	require.Equal(t, maintenance.Scheduled, closed.Status)
	require.Equal(t, "2026-06-03T02:00:00Z", closed.Occurrence.StartAt.UTC().Format(time.RFC3339))
	past := a.calendar(t, "reader", "2026-06-02T00:00:00Z", "2026-06-03T00:00:00Z")
	require.Equal(t, []string{"2026-06-02T02:00:00Z 2026-06-02T03:30:00Z"}, spans(past))
	require.True(t, past[0].EndedEarly && past[0].Extended)
	// The rule of what is to come changes; what was stays.
	a.change(t, "ada", one.ID, object{"rule": "FREQ=DAILY;INTERVAL=2"})
	require.Equal(t, []string{
		"2026-06-02T02:00:00Z 2026-06-02T03:30:00Z", "2026-06-04T02:00:00Z 2026-06-04T03:00:00Z", "2026-06-06T02:00:00Z 2026-06-06T03:00:00Z",
	}, spans(a.calendar(t, "reader", "2026-06-01T00:00:00Z", "2026-06-07T00:00:00Z")))
	ended := a.closeIt(t, "ada", one.ID, object{"all": true})
	require.Equal(t, maintenance.Cancelled, ended.Status)
	require.Len(t, a.calendar(t, "reader", "2026-06-01T00:00:00Z", "2026-06-04T00:00:00Z"), 1)
}

// A window each day begins and ends thirty times in thirty days, with one restart: a new module over the same rows.
func TestADailyWindowOfAMonth(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	shop := a.system(t, "Shop")
	a.set(t, "2026-05-31T12:00:00Z")
	one := a.plan(
		t,
		"Backup",
		shop,
		"2026-06-01T02:00:00Z",
		"2026-06-01T02:30:00Z",
		object{"zone": "Europe/Berlin", "rule": "FREQ=DAILY;COUNT=30"},
	)
	now := moment(t, "2026-06-01T00:00:00Z")
	for range 30 * 24 * 4 {
		now = now.Add(15 * time.Minute)
		a.clock.Store(&now)
		a.tick(t)
	}
	require.Equal(t, maintenance.Completed, a.get(t, "reader", one.ID).Status)
	require.Equal(t, 30, a.Count(t, `SELECT count(*) FROM events WHERE type = 'maintenance.started'`))
	require.Equal(t, 30, a.Count(t, `SELECT count(*) FROM events WHERE type = 'maintenance.ended'`))
	require.Len(t, a.calendar(t, "reader", "2026-06-01T00:00:00Z", "2026-07-02T00:00:00Z"), 30)
}

// After an outage of days every edge that was missed happens, in order.
func TestMissedEdgesAreCaughtUpWith(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	shop := a.system(t, "Shop")
	a.set(t, "2026-06-01T00:00:00Z")
	one := a.plan(t, "Backup", shop, "2026-06-02T02:00:00Z", "2026-06-02T03:00:00Z", object{"zone": "UTC", "rule": "FREQ=DAILY"})
	a.until(t, "2026-06-05T02:30:00Z")
	types, _ := a.events(t, "reader", one.ID)
	started, ended := maintenance.EventStarted, maintenance.EventEnded
	require.Equal(t, []string{maintenance.EventScheduled, started, ended, started, ended, started, ended, started}, types)
	require.Equal(t, maintenance.InProgress, a.get(t, "reader", one.ID).Status)
}
