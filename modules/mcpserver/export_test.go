package mcpserver

import (
	"encoding/json"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"countersign/modules/mcpserver/mcpserverdb"
	"countersign/tool"
)

// ParseTool parses a listed tool and converts it to a tool of the product.
func ParseTool(t *testing.T, description []byte) {
	t.Helper()
	var described sdk.Tool
	if json.Unmarshal(description, &described) != nil {
		return
	}
	one, why := parseTool(&described)
	if why != "" {
		return
	}
	require.LessOrEqual(t, len(one.document), MaxDefinition)
	again, err := definitionOf(one.document)
	require.NoError(t, err)
	require.Equal(t, described.Name, again.Name)
	id := idOf(one.name, func(string) bool { return false })
	require.NotEqual(t, id, idOf(one.name, func(taken string) bool { return taken == id }))
	made, err := liveTool{
		mcpserverdb.LiveToolsRow{Slug: "tickets", Name: one.name, ToolID: id, Accepted: one.document, AcceptedHash: &one.hash, Effect: "mutate"},
	}.tool()
	require.NoError(t, err, id)
	require.True(t, json.Valid(made.Input.JSON()))
	require.Equal(t, tool.Mutate, made.Effect)
	require.LessOrEqual(t, len(made.WireName()), 64)
}
