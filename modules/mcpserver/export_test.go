package mcpserver

import (
	"encoding/json"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"countersign/modules/mcpserver/mcpserverdb"
	"countersign/tool"
)

// Taken takes a tool as its server describes it, and makes one of the product of it.
func Taken(t *testing.T, description []byte) {
	t.Helper()
	var described sdk.Tool
	if json.Unmarshal(description, &described) != nil {
		return
	}
	one, why := take(&described)
	if why != "" {
		return
	}
	require.LessOrEqual(t, len(one.document), MaxDefinition)
	again, err := definitionOf(one.document)
	require.NoError(t, err)
	require.Equal(t, described.Name, again.Name)
	id := idOf(one.name, func(string) bool { return false })
	require.NotEqual(t, id, idOf(one.name, func(taken string) bool { return taken == id }))
	made, err := live{
		mcpserverdb.LiveToolsRow{Slug: "tickets", Name: one.name, ToolID: id, Accepted: one.document, AcceptedHash: &one.hash, Effect: "mutate"},
	}.tool()
	require.NoError(t, err, id)
	require.True(t, json.Valid(made.Input.JSON()))
	require.Equal(t, tool.Mutate, made.Effect)
	require.LessOrEqual(t, len(made.WireName()), 64)
}
