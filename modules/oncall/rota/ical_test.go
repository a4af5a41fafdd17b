package rota_test

import (
	"strings"
	"testing"

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
SUMMARY:bob`), berlin)
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
	}, shown(r.Between(instant(t, "2026-03-23T00:00:00Z"), instant(t, "2026-03-29T12:00:00Z"))))
	require.Equal(t, []uuid.UUID{ada, cleo}, r.At(instant(t, "2026-03-26T02:00:00Z")))
}

func TestBadCalendarsAreRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "<html></html>", "BEGIN:VCALENDAR", strings.Repeat("x", rota.MaxCalendar+1)} {
		_, _, err := rota.ParseCalendar(text, zone(t, "UTC"))
		require.True(t, problem.Is(err, problem.Invalid), "%.20q: %v", text, err)
	}
}

func FuzzParseCalendar(f *testing.F) {
	f.Add(file("UID:1\nDTSTART:20260326T000000Z\nDURATION:PT1H\nRRULE:FREQ=DAILY;COUNT=3\nSUMMARY:bob"))
	f.Add(file("UID:1\nDTSTART;VALUE=DATE:20260326\nEXDATE:20260326,20260327\nSUMMARY:bob"))
	f.Fuzz(func(t *testing.T, text string) {
		events, _, err := rota.ParseCalendar(text, zone(t, "Europe/Berlin"))
		if err != nil {
			return
		}
		from := instant(t, "2026-03-26T00:00:00Z")
		for i := range events {
			events[i].Person = bob
		}
		rota.Rota{Zone: zone(t, "UTC"), Events: events}.Between(from, from.AddDate(0, 0, 7))
	})
}
