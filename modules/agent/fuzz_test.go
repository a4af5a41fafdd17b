package agent_test

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/modules/agent"
)

// A pattern of hosts is never wider than it looks, never this machine or a private one, and says itself again.
func FuzzParseHost(f *testing.F) {
	for _, pattern := range []string{"example.com", "*.example.com:8443", "*", "*.com", "127.0.0.1", "[::1]:80", "93.184.216.34", "::ffff:10.0.0.1", "0x7f.1", "a..b", "EXAMPLE.com.", "*.*.com", "bücher.example", "10.0.0.0/8"} {
		f.Add(pattern)
	}
	f.Fuzz(func(t *testing.T, pattern string) {
		entry, err := agent.ParseHost(pattern)
		if err != nil {
			return
		}
		shown := entry.String()
		again, err := agent.ParseHost(shown)
		require.NoError(t, err, "%q", shown)
		require.Equal(t, entry, again)
		require.Equal(t, strings.ToLower(shown), shown)
		require.LessOrEqual(t, strings.Count(shown, "*"), 1)
		if addr, err := netip.ParseAddr(entry.Host()); err == nil {
			require.False(t, addr.IsLoopback() || addr.IsPrivate() || addr.IsLinkLocalUnicast() || addr.IsUnspecified() || addr.IsMulticast(), shown)
			return
		}
		if entry.Below() {
			require.Contains(t, entry.Host(), ".", "a wildcard has a domain of its own")
		}
	})
}
