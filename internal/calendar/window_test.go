package calendar_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/internal/calendar"
)

// A weekly window from 02:00 to 04:00 keeps its wall times over both changes of the clock.
func TestAWindowKeepsItsWallTimes(t *testing.T) {
	t.Parallel()
	berlin := zone(t, "Europe/Berlin")
	for _, c := range []struct{ first, from, to, at, end string }{
		{"2026-03-15T02:00", "2026-03-15T00:00:00Z", "2026-03-22T00:00:00Z", "2026-03-15T01:00:00Z", "2026-03-15T03:00:00Z"},
		{"2026-03-15T02:00", "2026-03-28T00:00:00Z", "2026-04-01T00:00:00Z", "2026-03-29T01:00:00Z", "2026-03-29T02:00:00Z"},
		{"2026-03-15T02:00", "2026-04-02T00:00:00Z", "2026-04-07T00:00:00Z", "2026-04-05T00:00:00Z", "2026-04-05T02:00:00Z"},
		{"2026-10-11T02:00", "2026-10-24T00:00:00Z", "2026-10-28T00:00:00Z", "2026-10-25T00:00:00Z", "2026-10-25T03:00:00Z"},
		{"2026-10-11T02:00", "2026-10-30T00:00:00Z", "2026-11-04T00:00:00Z", "2026-11-01T01:00:00Z", "2026-11-01T03:00:00Z"},
	} {
		r := recurrence(t, "FREQ=WEEKLY;BYDAY=SU", c.first, berlin.String())
		found := calendar.Between(r, at(t, c.from), at(t, c.to), 10)
		require.Len(t, found, 1)
		require.Equal(t, c.at, found[0].UTC().Format(time.RFC3339))
		require.Equal(t, c.end, r.End(found[0], 2*time.Hour).UTC().Format(time.RFC3339))
	}
}

// Every window ends after it begins, and before the next one, in zones with all kinds of changes.
func TestWindowsEndInOrder(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Europe/Berlin", "America/Sao_Paulo", "Australia/Lord_Howe", "Pacific/Apia", "Africa/Casablanca"} {
		r := recurrence(t, "FREQ=DAILY", "2009-01-01T01:30", name)
		begins, _ := r.Next(at(t, "2009-01-01T00:00:00Z"))
		for range 4000 {
			end := r.End(begins, 90*time.Minute)
			next, ok := r.Next(begins)
			require.True(t, ok)
			require.True(t, end.After(begins) && !end.After(next), "%s: %s to %s", name, begins, end)
			begins = next
		}
	}
}

func TestTheLengthOfAWindowIsThatOfTheWallClock(t *testing.T) {
	t.Parallel()
	berlin := zone(t, "Europe/Berlin")
	from, to := at(t, "2026-10-25T00:00:00Z"), at(t, "2026-10-25T03:00:00Z")
	require.Equal(t, 2*time.Hour, calendar.Length(from, to, berlin))
	require.Equal(t, "2026-10-25T02:00:00", calendar.Wall(from, berlin))
}
