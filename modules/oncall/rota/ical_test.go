package rota_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
	"countersign/modules/oncall/rota"
)

// file is an iCalendar file of events.
func file(events ...string) string {
	lines := []string{"BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//test//EN"}
	for _, e := range events {
		lines = append(lines, "BEGIN:VEVENT", strings.ReplaceAll(strings.TrimSpace(e), "\n", "\r\n"), "END:VEVENT")
	}
	return strings.Join(append(lines, "END:VCALENDAR", ""), "\r\n")
}

// found gives events the person that their first name stands for.
func found(events []rota.Event) []rota.Event {
	people := map[string]uuid.UUID{"ada@example.com": ada, "bob": bob, "Cleo": cleo}
	for i := range events {
		events[i].Person = people[events[i].Names[0]]
	}
	return events
}

// begin is the time at which the calendars of these tests are imported.
func begin(t testing.TB) time.Time { return instant(t, "2026-03-20T00:00:00Z") }

func TestAnImportedCalendarSaysWhoIsOnCall(t *testing.T) {
	t.Parallel()
	berlin := zone(t, "Europe/Berlin")
	events, warnings, err := rota.ParseCalendar(file(`
UID:1
DTSTART;TZID=Europe/Berlin:20260323T020000
DTEND;TZID=Europe/Berlin:20260323T080000
RRULE:FREQ=DAILY;UNTIL=20260331T220000Z
EXDATE;TZID=Europe/Berlin:20260325T020000
SUMMARY:Night
ATTENDEE;CN=Ada:mailto:Ada@example.com`, `
UID:1
RECURRENCE-ID;TZID=Europe/Berlin:20260324T020000
DTSTART;TZID=Europe/Berlin:20260324T030000
DURATION:PT2H
SUMMARY:bob`, `
UID:2
DTSTART:20260324T010000Z
DTEND:20260324T020000Z
STATUS:CANCELLED
SUMMARY:bob`, `
UID:3
DTSTART;VALUE=DATE:20260326
SUMMARY:Cleo`, `
UID:4
DTSTART;TZID=Middle Earth:20260326T000000
DURATION:PT1H
SUMMARY:bob`, `
UID:5
DTSTART:20260326T000000Z
DTEND:20260325T000000Z
SUMMARY:bob`, `
UID:6
DTSTART:20260326T000000Z
DTEND:20260326T010000Z
RRULE:FREQ=MONTHLY;BYMONTHDAY=31;BYMONTH=2
SUMMARY:bob`), berlin, begin(t))
	require.NoError(t, err)
	require.Len(t, warnings, 3)
	require.Contains(t, warnings[0], "Middle Earth")
	require.Contains(t, warnings[1], "must end after its start")
	require.Contains(t, warnings[2], "never happens")
	r := rota.Rota{Zone: berlin, Events: found(events)}
	require.Equal(t, []string{
		"2026-03-23T00:00:00Z", "2026-03-23T01:00:00Z ada", "2026-03-23T07:00:00Z", "2026-03-24T02:00:00Z bob", "2026-03-24T04:00:00Z",
		"2026-03-25T23:00:00Z cleo", "2026-03-26T01:00:00Z ada cleo", "2026-03-26T07:00:00Z cleo", "2026-03-26T23:00:00Z",
		// On 29 March the clock jumps from 2 to 3: the night is an hour shorter.
		"2026-03-27T01:00:00Z ada", "2026-03-27T07:00:00Z", "2026-03-28T01:00:00Z ada", "2026-03-28T07:00:00Z",
		"2026-03-29T01:00:00Z ada", "2026-03-29T06:00:00Z",
	}, shown(t)(r.Between(instant(t, "2026-03-23T00:00:00Z"), instant(t, "2026-03-29T12:00:00Z"))))
	require.Equal(t, []uuid.UUID{ada, cleo}, r.At(instant(t, "2026-03-26T02:00:00Z")))
}

func TestBadCalendarsAreRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "<html></html>", "BEGIN:VCALENDAR", strings.Repeat("x", rota.MaxCalendar+1)} {
		_, _, err := rota.ParseCalendar(text, zone(t, "UTC"), begin(t))
		require.True(t, problem.Is(err, problem.Invalid), "%.20q: %v", text, err)
	}
}

// A calendar cannot cost more than its size: what is no shift is left out, and what is too much is refused.
func TestLargeCalendarsAreRefused(t *testing.T) {
	t.Parallel()
	parse := func(n int, event string) ([]rota.Event, string, error) {
		events := make([]string, n)
		for i := range events {
			events[i] = strings.ReplaceAll(event, "#", strconv.Itoa(i))
		}
		kept, warnings, err := rota.ParseCalendar(file(events...), zone(t, "UTC"), begin(t))
		return kept, strings.Join(warnings, " "), err
	}
	const daily = "UID:#\nDTSTART:20260301T0#0000Z\nDURATION:PT1H\nSUMMARY:bob\nRRULE:"
	for message, event := range map[string]string{
		"repeats by minutes":               daily + "FREQ=MINUTELY;INTERVAL=40",
		"happens more than 24 times a day": daily + "FREQ=DAILY;BYHOUR=1,2,3;BYMINUTE=0,5,10,15,20,25,30,35,40",
		"less than once in 400 days":       daily + "FREQ=YEARLY;INTERVAL=2",
		"has more than 20 attendees":       daily + "FREQ=DAILY" + strings.Repeat("\nATTENDEE:mailto:x@example.com", 21),
	} {
		kept, warnings, err := parse(1, event)
		require.NoError(t, err)
		require.Empty(t, kept, message)
		require.Contains(t, warnings, message)
	}
	const one = "UID:#\nDTSTART:20260401T000000Z\nDURATION:PT1H\nSUMMARY:n#\n"
	for message, refused := range map[string]struct {
		n     int
		event string
	}{
		"recurring events":         {rota.MaxRecurring + 1, one + "RRULE:FREQ=DAILY"},
		"with a COUNT":             {3, one + "RRULE:FREQ=DAILY;COUNT=1000"},
		"different names":          {rota.MaxEvents, one + "ATTENDEE:mailto:a#@example.com"},
		"more than 2000 shifts in": {30, one + "RRULE:FREQ=DAILY"},
	} {
		_, _, err := parse(refused.n, refused.event)
		require.True(t, problem.Is(err, problem.Invalid), "%s: %v", message, err)
		require.Contains(t, problem.As(err).Detail, message)
	}

	// What is accepted answers at once, also over a long time, or says that it does not.
	kept, _, err := parse(rota.MaxRecurring, "UID:#\nDTSTART:20260301T000000Z\nDURATION:P300D\nSUMMARY:bob\nRRULE:FREQ=WEEKLY;INTERVAL=50")
	require.NoError(t, err)
	r := rota.Rota{Zone: zone(t, "UTC"), Events: found(kept)}
	require.Equal(t, []uuid.UUID{bob}, r.At(begin(t)))
	_, err = r.Between(begin(t), begin(t).AddDate(11, 0, 0))
	require.True(t, problem.Is(err, problem.Invalid), "%v", err)

	// A rule with COUNT ends where it counts to, also without counting again.
	kept, _, err = parse(1, "UID:1\nDTSTART;TZID=Europe/Berlin:20260327T220000\nDURATION:PT8H\nSUMMARY:bob\nRRULE:FREQ=DAILY;COUNT=3")
	require.NoError(t, err)
	require.NotContains(t, kept[0].Rule, "COUNT")
	r.Events = found(kept)
	require.Equal(t, []string{
		"2026-03-27T00:00:00Z", "2026-03-27T21:00:00Z bob", "2026-03-28T05:00:00Z", "2026-03-28T21:00:00Z bob", "2026-03-29T04:00:00Z",
		"2026-03-29T20:00:00Z bob", "2026-03-30T04:00:00Z",
	}, shown(t)(r.Between(instant(t, "2026-03-27T00:00:00Z"), instant(t, "2026-04-10T00:00:00Z"))))
	require.Empty(t, r.At(instant(t, "2026-03-30T22:00:00Z")))
}

func FuzzParseCalendar(f *testing.F) {
	f.Add(file("UID:1\nDTSTART:20260326T000000Z\nDURATION:PT1H\nRRULE:FREQ=DAILY;COUNT=3\nSUMMARY:bob"))
	f.Add(file("UID:1\nDTSTART;VALUE=DATE:20260326\nEXDATE:20260326,20260327\nSUMMARY:bob"))
	f.Fuzz(func(t *testing.T, text string) {
		events, _, err := rota.ParseCalendar(text, zone(t, "Europe/Berlin"), begin(t))
		if err != nil {
			return
		}
		from := instant(t, "2026-03-26T00:00:00Z")
		for i := range events {
			events[i].Person = bob
		}
		r := rota.Rota{Zone: zone(t, "UTC"), Events: events}
		if spans, err := r.Between(from, from.AddDate(0, 0, 7)); err == nil {
			for _, span := range spans {
				require.Equal(t, span.People, r.At(span.From))
			}
		}
	})
}
