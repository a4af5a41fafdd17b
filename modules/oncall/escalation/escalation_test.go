package escalation_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/internal/calendar"
	"countersign/modules/oncall/escalation"
)

func at(t testing.TB, text string) time.Time {
	t.Helper()
	v, err := time.Parse(time.RFC3339, text)
	require.NoError(t, err)
	return v
}

func TestStepsAreDueInTheirOrderAndHours(t *testing.T) {
	t.Parallel()
	berlin, err := calendar.Zone("Europe/Berlin")
	require.NoError(t, err)
	p := escalation.Policy{
		Zone: berlin, Repeats: 1, Between: 600,
		Steps: []escalation.Step{{DelaySeconds: 0}, {DelaySeconds: 300}, {DelaySeconds: 60, Hours: "mon-fri 09:00-17:00"}},
	}
	due := func(from, want string, round, step int) {
		t.Helper()
		got, ok := p.Due(escalation.Position{Round: round, Step: step}, at(t, from))
		require.True(t, ok)
		require.Equal(t, want, got.UTC().Format(time.RFC3339))
	}
	due("2026-03-27T10:00:00Z", "2026-03-27T10:00:00Z", 0, 0)
	due("2026-03-27T10:00:00Z", "2026-03-27T10:05:00Z", 0, 1)
	due("2026-03-27T10:00:00Z", "2026-03-27T10:01:00Z", 0, 2)
	// On Friday evening the office opens on Monday, after the change of clocks.
	due("2026-03-27T16:30:00Z", "2026-03-30T07:00:00Z", 0, 2)
	due("2026-03-27T10:00:00Z", "2026-03-27T10:10:00Z", 1, 0)
	// An edited policy with fewer steps begins its next round.
	due("2026-03-27T10:00:00Z", "2026-03-27T10:10:00Z", 0, 3)
	require.Equal(t, escalation.Position{Round: 1}, p.At(escalation.Position{Step: 3}))
	_, ok := p.Due(escalation.Position{Round: 2}, at(t, "2026-03-27T10:00:00Z"))
	require.False(t, ok, "it has two rounds")
	_, ok = escalation.Policy{}.Due(escalation.Position{}, at(t, "2026-03-27T10:00:00Z"))
	require.False(t, ok)
	require.Equal(t, escalation.Position{Step: 1}, escalation.Position{}.Next(3))
	require.Equal(t, escalation.Position{Round: 1}, escalation.Position{Step: 2}.Next(3))
}
