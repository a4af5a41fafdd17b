package rota_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/internal/calendar"
	"countersign/internal/problem"
	"countersign/modules/oncall/rota"
)

var ada, bob, cleo = uuid.New(), uuid.New(), uuid.New()

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	z, err := calendar.Zone(name)
	require.NoError(t, err)
	return z
}

func wall(t testing.TB, text string) time.Time {
	t.Helper()
	w, err := calendar.ParseLocal(text)
	require.NoError(t, err)
	return w
}

func instant(t testing.TB, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	require.NoError(t, err)
	return at
}

func hours(t testing.TB, text string, z *time.Location) []*calendar.QuietHours {
	t.Helper()
	h, err := calendar.ParseQuietHours(text, z)
	require.NoError(t, err)
	return []*calendar.QuietHours{h}
}

// shown are spans as "from people", with the names of the three.
func shown(t testing.TB) func([]rota.Span, error) []string {
	t.Helper()
	return func(spans []rota.Span, err error) []string {
		require.NoError(t, err)
		names := map[uuid.UUID]string{ada: "ada", bob: "bob", cleo: "cleo"}
		lines := []string{}
		for _, s := range spans {
			line := s.From.UTC().Format(time.RFC3339)
			for _, p := range s.People {
				line += " " + names[p]
			}
			if s.Overridden {
				line += " (override)"
			}
			lines = append(lines, line)
		}
		return lines
	}
}

func TestHandOversFollowTheLocalTimeOverTheChangeOfClocks(t *testing.T) {
	t.Parallel()
	berlin := zone(t, "Europe/Berlin")
	r := rota.Rota{Zone: berlin, Layers: []rota.Layer{{
		Start: wall(t, "2026-03-23T02:30"), Unit: rota.Days, Length: 3, People: []uuid.UUID{ada, bob},
	}}}
	// 02:30 does not exist on 29 March: the hand-over is the end of the gap.
	require.Equal(t, []string{
		"2026-03-25T00:00:00Z ada", "2026-03-26T01:30:00Z bob", "2026-03-29T01:00:00Z ada", "2026-04-01T00:30:00Z bob",
	}, shown(t)(r.Between(instant(t, "2026-03-25T00:00:00Z"), instant(t, "2026-04-02T00:00:00Z"))))
	// It exists twice on 25 October: the hand-over is the first.
	r.Layers[0].Start, r.Layers[0].Length = wall(t, "2026-10-24T02:30"), 1
	require.Equal(t, []string{"2026-10-24T00:30:00Z ada", "2026-10-25T00:30:00Z bob", "2026-10-26T01:30:00Z ada"},
		shown(t)(r.Between(instant(t, "2026-10-24T00:30:00Z"), instant(t, "2026-10-27T00:00:00Z"))))
	// Shifts in hours follow elapsed time.
	r.Layers[0].Unit, r.Layers[0].Length, r.Layers[0].Start = rota.Hours, 12, wall(t, "2026-10-24T14:00")
	require.Equal(t, []string{"2026-10-24T12:00:00Z ada", "2026-10-25T00:00:00Z bob", "2026-10-25T12:00:00Z ada"},
		shown(t)(r.Between(instant(t, "2026-10-24T12:00:00Z"), instant(t, "2026-10-26T00:00:00Z"))))
}

func TestLayersHoursAndOverridesTakeTheirPlace(t *testing.T) {
	t.Parallel()
	berlin := zone(t, "Europe/Berlin")
	weekly := rota.Layer{Start: wall(t, "2026-01-05T09:00"), Unit: rota.Weeks, Length: 1, People: []uuid.UUID{ada, bob}}
	office := rota.Layer{
		Start: wall(t, "2026-01-05T00:00"), Unit: rota.Weeks, Length: 1, People: []uuid.UUID{cleo},
		Hours: hours(t, "mon-fri 09:00-17:00", berlin),
	}
	r := rota.Rota{Zone: berlin, Layers: []rota.Layer{weekly, office}}
	from, to := instant(t, "2026-01-09T00:00:00Z"), instant(t, "2026-01-12T12:00:00Z")
	require.Equal(t, []string{
		"2026-01-09T00:00:00Z ada", "2026-01-09T08:00:00Z cleo", "2026-01-09T16:00:00Z ada", "2026-01-12T08:00:00Z cleo",
	}, shown(t)(r.Between(from, to)))
	r.Layers[1].Beside = true
	require.Equal(t, []string{
		"2026-01-09T00:00:00Z ada", "2026-01-09T08:00:00Z ada cleo", "2026-01-09T16:00:00Z ada", "2026-01-12T08:00:00Z bob cleo",
	}, shown(t)(r.Between(from, to)))
	r.Overrides = []rota.Override{
		{Person: bob, Replaces: ada, Start: instant(t, "2026-01-09T10:00:00Z"), End: instant(t, "2026-01-09T12:00:00Z")},
		{Person: bob, Start: instant(t, "2026-01-09T11:00:00Z"), End: instant(t, "2026-01-09T11:30:00Z")},
	}
	require.Equal(t, []string{
		"2026-01-09T09:00:00Z ada cleo", "2026-01-09T10:00:00Z cleo bob (override)", "2026-01-09T11:00:00Z bob (override)",
		"2026-01-09T11:30:00Z cleo bob (override)", "2026-01-09T12:00:00Z ada cleo",
	}, shown(t)(r.Between(instant(t, "2026-01-09T09:00:00Z"), instant(t, "2026-01-09T13:00:00Z"))))
	require.Empty(t, r.At(instant(t, "2026-01-01T00:00:00Z")), "nobody is on call before the first hand-over")
}

// Durations wrap after 292 years; turns do not.
func TestARotationEndsInAnyYear(t *testing.T) {
	t.Parallel()
	for _, unit := range []rota.Unit{rota.Hours, rota.Days, rota.Weeks} {
		r := rota.Rota{Zone: zone(t, "UTC"), Layers: []rota.Layer{{
			Start: wall(t, "1970-01-01T00:00"), Unit: unit, Length: 366, People: []uuid.UUID{ada, bob},
		}}}
		spans, err := r.Between(instant(t, "9990-01-01T00:00:00Z"), instant(t, "9999-01-01T00:00:00Z"))
		require.NoError(t, err)
		require.NotEqual(t, spans[0].People, spans[1].People)
		require.Equal(t, spans[1].People, r.At(spans[1].From))
	}
	busy := rota.Layer{Start: wall(t, "2026-01-05T00:00"), Unit: rota.Hours, Length: 1, People: []uuid.UUID{ada, bob}}
	r := rota.Rota{Zone: zone(t, "UTC"), Layers: []rota.Layer{busy}}
	_, err := r.Between(instant(t, "2026-01-05T00:00:00Z"), instant(t, "2027-01-05T00:00:00Z"))
	require.True(t, problem.Is(err, problem.Invalid), "%v", err)
}

// Rotations without hours have no gap and no doubled second, in every zone and over every change of clocks; spans agree with
// the answer for each instant.
func TestARotationHasNoGapAndNoDoubledSecond(t *testing.T) {
	t.Parallel()
	zones := []string{
		"Europe/Berlin",
		"America/New_York",
		"America/Sao_Paulo",
		"Australia/Lord_Howe",
		"Pacific/Apia",
		"Africa/Casablanca",
		"Asia/Tehran",
		"UTC",
	}
	random := rand.New(rand.NewPCG(1, 2))
	units := []rota.Unit{rota.Hours, rota.Days, rota.Weeks}
	for range 300 {
		z := zone(t, zones[random.IntN(len(zones))])
		start := time.Date(2008+random.IntN(18), 1, 1, random.IntN(24), random.IntN(60), 0, 0, time.UTC).AddDate(0, 0, random.IntN(365))
		r := rota.Rota{Zone: z, Layers: []rota.Layer{{
			Start: start, Unit: units[random.IntN(3)], Length: 1 + random.IntN(9), People: []uuid.UUID{ada, bob, cleo},
		}}}
		from := calendar.Instant(start, z).Add(time.Duration(random.IntN(24*400)) * time.Hour)
		to := from.Add(time.Duration(1+random.IntN(24*30)) * time.Hour)
		spans, err := r.Between(from, to)
		require.NoError(t, err)
		require.Equal(t, from, spans[0].From)
		require.Equal(t, to, spans[len(spans)-1].To)
		for i, s := range spans {
			require.True(t, s.From.Before(s.To), "%v", s)
			require.Len(t, s.People, 1)
			require.Equal(t, s.People, r.At(s.From))
			require.Equal(t, s.People, r.At(s.To.Add(-1)))
			if i > 0 {
				require.Equal(t, spans[i-1].To, s.From)
				// The next person of the rotation follows, unless a zone has skipped the whole turn.
				if z.String() != "Pacific/Apia" {
					order := map[uuid.UUID]uuid.UUID{ada: bob, bob: cleo, cleo: ada}
					require.Equal(t, order[spans[i-1].People[0]], s.People[0])
				}
			}
		}
	}
}
