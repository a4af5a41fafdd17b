package strategy_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/check"
)

// mayPing reports whether the kernel lets this process ping.
func mayPing(t *testing.T) bool {
	raw, err := os.ReadFile("/proc/sys/net/ipv4/ping_group_range")
	if err != nil {
		return false
	}
	limits := strings.Fields(string(raw))
	require.Len(t, limits, 2)
	low, err := strconv.Atoi(limits[0])
	require.NoError(t, err)
	high, err := strconv.ParseInt(limits[1], 10, 64)
	require.NoError(t, err)
	groups, err := os.Getgroups()
	require.NoError(t, err)
	for _, g := range append(groups, os.Getegid()) {
		if g >= low && int64(g) <= high {
			return true
		}
	}
	return false
}

func TestPing(t *testing.T) {
	t.Parallel()
	if os.Getenv(insideNetwork) != "" {
		openNetwork(t)
		require.True(t, mayPing(t))
	}
	p := probe{
		strategy:  "healthcheck-ping.ping",
		collector: "healthcheck-ping.ping",
		config:    object{},
		about:     object{"host": "known.test", "intervalMs": 20},
	}
	p.asking(object{"host": "missing.test"}).fails(t, check.NameNotFound, "Could not ping missing.test: the name missing.test does not exist.")
	p.asking(
		object{"host": "169.254.169.254"},
	).fails(
		t,
		check.EgressRefused,
		"Could not ping 169.254.169.254: checks may not reach that address.",
	)
	if !mayPing(t) {
		p.fails(
			t,
			check.NotRunnable,
			"The system that runs this check does not let it ping: an operator has to allow its group in net.ipv4.ping_group_range.",
		)
		return
	}
	var found struct {
		PacketsSent, PacketsReceived               int
		PacketLoss                                 float64
		MinLatency, AvgLatency, MaxLatency, Jitter *float64
	}
	p.passes(t, &found)
	require.Equal(t, 3, found.PacketsSent)
	require.Equal(t, 3, found.PacketsReceived)
	require.Zero(t, found.PacketLoss)
	require.LessOrEqual(t, *found.MinLatency, *found.AvgLatency)
	require.LessOrEqual(t, *found.AvgLatency, *found.MaxLatency)
	require.NotNil(t, found.Jitter)
	if os.Getenv(insideNetwork) == "" {
		return
	}
	p.asking(object{"host": "10.9.9.9", "count": 1}).fails(t, check.Unreachable, "Could not ping 10.9.9.9: there is no way to it.")
	require.NoError(t, os.WriteFile("/proc/sys/net/ipv4/icmp_echo_ignore_all", []byte("1"), 0o600))
	p.asking(
		object{"host": "known.test", "intervalMs": 20, "count": 2, "timeout": 200},
	).fails(
		t,
		check.TimedOut,
		"None of 2 pings to known.test was answered.",
	)
	outcome, _ := p.asking(object{"host": "known.test", "intervalMs": 20, "count": 2, "timeout": 200}).run(t, &found)
	require.Equal(t, check.TimedOut, outcome.Cause)
	require.InDelta(t, 100, found.PacketLoss, 0)
}
