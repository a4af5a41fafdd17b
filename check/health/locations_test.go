package health_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/check/health"
)

func TestACheckIsDownFromAsManyLocationsAsItsRuleSays(t *testing.T) {
	t.Parallel()
	names := []string{"Frankfurt", "Oregon", "Tokyo", "Sydney"}
	for _, c := range []struct {
		rule      health.LocationRule
		locations string // the status in each location by its first letter, - for unknown
		want      health.Status
		reason    string
	}{
		{"majority", "hhh", health.Healthy, "Healthy from 3 of 3"},
		{"majority", "uuh", health.Unhealthy, "Down from 2 of 3: Frankfurt, Oregon: It was refused"},
		{"majority", "huh", health.Degraded, "Down from 1 of 3: Oregon: It was refused"},
		{"majority", "hdd", health.Degraded, "Degraded from 2 of 3: Oregon, Tokyo: It was refused"},
		{"majority", "dhh", health.Healthy, "Healthy from 2 of 3; degraded from Frankfurt"},
		{"majority", "uhuh", health.Degraded, "Down from 2 of 4: Frankfurt, Tokyo: It was refused"},
		{"majority", "uuuh", health.Unhealthy, "Down from 3 of 4: Frankfurt, Oregon, Tokyo: It was refused"},
		{"majority", "uh", health.Degraded, "Down from 1 of 2: Frankfurt: It was refused"},
		{"any", "hhu", health.Unhealthy, "Down from 1 of 3: Tokyo: It was refused"},
		{"any", "hhd", health.Degraded, "Degraded from 1 of 3: Tokyo: It was refused"},
		{"all", "uuh", health.Degraded, "Down from 2 of 3: Frankfurt, Oregon: It was refused"},
		{"all", "uuu", health.Unhealthy, "Down from 3 of 3: Frankfurt, Oregon, Tokyo: It was refused"},
		// A location of which nothing is known is never green, never red, and hides nothing.
		{"majority", "hh-", health.Unknown, "Unknown from 1 of 3: Tokyo: No probe is running in Tokyo"},
		{"any", "-hh", health.Unknown, "Unknown from 1 of 3: Frankfurt: No probe is running in Frankfurt"},
		{"majority", "uu-", health.Unhealthy, "Down from 2 of 3: Frankfurt, Oregon: It was refused; nothing is known from Tokyo"},
		{"majority", "u--", health.Unhealthy, "Down from 1 of 3: Frankfurt: It was refused; nothing is known from Oregon, Tokyo"},
		{"all", "uu-", health.Unhealthy, "Down from 2 of 3: Frankfurt, Oregon: It was refused; nothing is known from Tokyo"},
		{"majority", "uh-", health.Degraded, "Down from 1 of 3: Frankfurt: It was refused; nothing is known from Tokyo"},
		{"all", "---", health.Unknown, "Unknown from 3 of 3: Frankfurt, Oregon, Tokyo: No probe is running in Frankfurt"},
		{"majority", "", health.Unknown, "It runs from no location"},
	} {
		t.Run(string(c.rule)+" "+c.locations, func(t *testing.T) {
			t.Parallel()
			require.True(t, c.rule.Valid())
			var locations []health.Location
			for i, letter := range c.locations {
				l := health.Location{Name: names[i], Reason: "It was refused"}
				switch letter {
				case 'h':
					l.Status, l.Reason = health.Healthy, "The last run passed"
				case 'd':
					l.Status = health.Degraded
				case 'u':
					l.Status = health.Unhealthy
				default:
					l.Reason = "No probe is running in " + l.Name
				}
				locations = append(locations, l)
			}
			status, _, reason := health.SettleLocations(c.rule, locations)
			require.Equal(t, c.want, status)
			require.Equal(t, c.reason, reason)
		})
	}
	require.False(t, health.LocationRule("most").Valid())
}

// Downtime begins when enough locations had begun to fail, not when the last one was found to have.
func TestAStatusBeganWhenItsQuorumDid(t *testing.T) {
	t.Parallel()
	at := func(status health.Status, began int64) health.Location {
		return health.Location{Name: "x", Status: status, Began: began}
	}
	down, slow, unknown, well := health.Unhealthy, health.Degraded, health.Unknown, health.Healthy
	for _, c := range []struct {
		rule      health.LocationRule
		locations []health.Location
		status    health.Status
		began     int64
	}{
		{"any", []health.Location{at(down, 30), at(down, 10), at(well, 1)}, down, 10},
		{"majority", []health.Location{at(down, 30), at(down, 10), at(well, 1)}, down, 30},
		{"majority", []health.Location{at(down, 30), at(down, 10), at(down, 20)}, down, 20},
		{"all", []health.Location{at(down, 30), at(down, 10), at(unknown, 40)}, down, 30},
		{"all", []health.Location{at(down, 30), at(slow, 10), at(well, 1)}, slow, 30},
		{"majority", []health.Location{at(slow, 30), at(slow, 10), at(well, 1)}, slow, 30},
		{"majority", []health.Location{at(unknown, 30), at(unknown, 10), at(well, 1)}, unknown, 10},
		{"majority", []health.Location{at(well, 30), at(well, 10)}, well, 0},
		{"all", nil, unknown, 0},
	} {
		status, began, reason := health.SettleLocations(c.rule, c.locations)
		require.Equal(t, c.status, status, reason)
		require.Equal(t, c.began, began, reason)
	}
}

func TestWhatWasCountedOutlivesALostLocation(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{health.Consecutive, health.Window} {
		thresholds := health.Thresholds{Mode: mode}
		red, got, _ := replay(t, health.State{}, thresholds, start, "ffffffff")
		require.Equal(t, byte('u'), got[7])
		lost := red.Lost()
		require.Equal(t, health.Unknown, lost.Status())
		decoded, err := health.Decode(lost.Encode())
		require.NoError(t, err)
		require.Equal(t, lost, decoded)
		_, got, _ = replay(t, lost, thresholds, start.Add(time.Hour), "f")
		require.Equal(t, "u", got, "it fails again")
	}
	green, _, _ := replay(t, health.State{}, health.Thresholds{}, start, "ppp")
	_, got, _ := replay(t, green.Lost(), health.Thresholds{}, start.Add(time.Hour), "fp")
	require.Equal(t, "-h", got)
}
