package mcp_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
)

// A client that listens hears when its lists have changed, for whatever reason, and nothing of those of others.
func changesAreTold(t *testing.T, p *apptest.Product) {
	tools, prompts := make(chan struct{}, 100), make(chan struct{}, 100)
	options := &sdk.ClientOptions{
		ToolListChangedHandler:   func(context.Context, *sdk.ToolListChangedRequest) { tools <- struct{}{} },
		PromptListChangedHandler: func(context.Context, *sdk.PromptListChangedRequest) { prompts <- struct{}{} },
	}
	c := p.Application(t, p.Role(t, everyRule(t, p)...))
	blind := make(chan struct{}, 100)
	other := p.Application(t, p.Role(t, "ai.chat.read"))
	connect(t, p, other, "", &sdk.ClientOptions{ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { blind <- struct{}{} }})
	session := connect(t, p, c, "", options)
	listeners := func(id any) int {
		return p.Count(t, `SELECT count(*) FROM held_places WHERE kind = 'mcp listener' AND principal LIKE '%' || $1::text`, id)
	}
	require.Eventually(t, func() bool { return listeners(c.ID.String()) == 1 && listeners(other.ID.String()) == 1 }, 20*time.Second, 10*time.Millisecond)

	p.Countersign(t, p.Admin.Patch(t, "/api/ai/policies/catalog.deleteGroup", map[string]any{"enabled": false}, nil))
	<-tools
	require.NotContains(t, namesOf(listed(t, session)), "catalog_deleteGroup")
	p.Countersign(t, p.Admin.Patch(t, "/api/ai/policies/catalog.deleteGroup", map[string]any{"enabled": true}, nil))
	<-tools
	c.Post(t, "/api/ai/skills", map[string]any{"name": "New", "description": "New", "targets": []string{"chat"}, "systemPrompt": "Be new."}, nil)
	<-prompts
	require.Empty(t, blind, "somebody else's list")

	// With its token ends what it listens to.
	require.Less(t, p.Admin.Call(t, http.MethodDelete, "/api/applications/"+c.ID.String(), nil).Status, 300)
	require.Eventually(t, func() bool { return listeners(c.ID.String()) == 0 }, 20*time.Second, 10*time.Millisecond)
	require.Equal(t, 1, listeners(other.ID.String()))
}
