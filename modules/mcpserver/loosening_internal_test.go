package mcpserver

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// An address is compared in the form in which it is stored and dialled.
func TestSpellingsOfAnAddressAreOneIdentity(t *testing.T) {
	t.Parallel()
	for _, same := range [][]string{
		{
			"https://mcp.bücher.example/mcp", "https://mcp.xn--bcher-kva.example/mcp", "https://MCP.BÜCHER.example/mcp/",
			"https://mcp.bücher.example.:443/mcp",
		},
		{"https://[2001:4860:0:0::8888]:8443/mcp", "https://[2001:4860::8888]:8443/mcp", "https://[2001:4860:0000::0:8888]:8443/mcp/"},
	} {
		for _, spelling := range same {
			require.Equal(t, identityOf(same[0]), identityOf(spelling), spelling)
		}
	}
	require.NotEqual(t, identityOf("https://a.example/mcp"), identityOf("https://b.example/mcp"))
	require.NotEqual(t, identityOf("https://a.example:8443/mcp"), identityOf("https://a.example/mcp"))
}
