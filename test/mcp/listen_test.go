package mcp_test

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
)

// A stock client hears when its lists have changed, for whatever reason, and nothing of those of others: by listening
// in the newest revision, and on the stream that it opens by itself in the one before.
func changesAreTold(t *testing.T, p *apptest.Product) {
	for kind, open := range map[string]func(c *apptest.Client, options *sdk.ClientOptions) *sdk.ClientSession{
		listeners: func(c *apptest.Client, options *sdk.ClientOptions) *sdk.ClientSession {
			return connect(t, p, c, "", options)
		},
		openStreams: func(c *apptest.Client, options *sdk.ClientOptions) *sdk.ClientSession {
			return openAs(t, p, withToken{c.Token()}, options)
		},
	} {
		tools, prompts, blind := make(chan struct{}, 100), make(chan struct{}, 100), make(chan struct{}, 100)
		rules := everyRule(t, p)
		role := p.Role(t, rules...)
		c, other := p.Application(t, role), p.Application(t, p.Role(t, "ai.chat.read"))
		open(other, &sdk.ClientOptions{ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { blind <- struct{}{} }})
		session := open(c, &sdk.ClientOptions{
			ToolListChangedHandler:   func(context.Context, *sdk.ToolListChangedRequest) { tools <- struct{}{} },
			PromptListChangedHandler: func(context.Context, *sdk.PromptListChangedRequest) { prompts <- struct{}{} },
		})
		require.Eventually(t, func() bool { return held(t, p, kind, c) == 1 && held(t, p, kind, other) == 1 }, time.Minute, 10*time.Millisecond)

		p.Countersign(t, p.Admin.Patch(t, "/api/ai/policies/catalog.deleteGroup", map[string]any{"enabled": false}, nil))
		<-tools
		require.NotContains(t, namesOf(listed(t, session)), "catalog_deleteGroup")
		p.Countersign(t, p.Admin.Patch(t, "/api/ai/policies/catalog.deleteGroup", map[string]any{"enabled": true}, nil))
		<-tools
		c.Post(
			t,
			"/api/ai/skills",
			map[string]any{"name": "New for an " + kind, "description": "New", "targets": []string{"chat"}, "systemPrompt": "Be new."},
			nil,
		)
		<-prompts
		without := slices.DeleteFunc(slices.Clone(rules), func(rule string) bool { return rule == "catalog.group.manage" })
		p.Countersign(t, p.Admin.Patch(t, "/api/roles/"+role.String(), map[string]any{"rules": without}, nil))
		<-tools
		require.Empty(t, blind, "somebody else's list")

		// With its token ends what it listens to.
		require.Less(t, p.Admin.Call(t, http.MethodDelete, "/api/applications/"+c.ID.String(), nil).Status, 300)
		require.Eventually(t, func() bool { return held(t, p, kind, c) == 0 }, time.Minute, 10*time.Millisecond)
		require.Equal(t, 1, held(t, p, kind, other))
	}
}

// The kinds of places that those hold who hear of changes: in the newest revision, and in the one before.
const (
	listeners   = "mcp listener"
	openStreams = "mcp stream"
)

// held is how many places of a kind a principal holds.
func held(t *testing.T, p *apptest.Product, kind string, c *apptest.Client) int {
	t.Helper()
	return p.Count(t, `SELECT count(*) FROM held_places WHERE kind = $1 AND principal LIKE '%' || $2::text`, kind, c.ID.String())
}

// A client hears when a resource that it has subscribed to becomes another, as far as its principal sees it.
func updatesAreTold(t *testing.T, p *apptest.Product) {
	var system, hidden struct {
		ID uuid.UUID `json:"id"`
	}
	p.Admin.Post(t, "/api/catalog/systems", map[string]any{"name": "Watched " + uuid.NewString()[:8]}, &system)
	p.Admin.Post(t, "/api/catalog/systems", map[string]any{"name": "Hidden " + uuid.NewString()[:8]}, &hidden)
	require.Less(
		t,
		p.Admin.Call(t, http.MethodPut, "/api/grants/catalog.system/"+hidden.ID.String(), map[string]any{"private": true, "grants": []any{
			map[string]any{"subjectType": "user", "subjectId": p.Person(t).ID, "relation": "owner"},
		}}).Status,
		300,
	)
	told := make(chan string, 100)
	options := &sdk.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, r *sdk.ResourceUpdatedNotificationRequest) { told <- r.Params.URI },
	}
	reader := p.Application(t, p.Role(t, "ai.chat.read", "catalog.system.read"))
	session := connect(t, p, reader, "", options)
	uri, page := "countersign://systems/"+system.ID.String(), "countersign://docs/reference/mcp"
	require.NoError(t, session.Subscribe(t.Context(), &sdk.SubscribeParams{URI: uri}))
	require.NoError(t, session.Subscribe(t.Context(), &sdk.SubscribeParams{URI: page}))
	calls := func() int {
		return p.Count(t, `SELECT count(*) FROM ai_tool_calls WHERE principal_id = $1`, reader.ID)
	}
	require.Zero(t, calls(), "to watch is not to call")

	p.Admin.Patch(t, "/api/catalog/systems/"+system.ID.String(), map[string]any{"description": "Another one"}, nil)
	require.Equal(t, uri, <-told)
	require.Contains(t, read(t, session, uri).Text, "Another one")
	require.Equal(t, 1, calls())
	require.Less(t, p.Admin.Call(t, http.MethodDelete, "/api/catalog/systems/"+system.ID.String(), nil).Status, 300)
	require.Equal(t, uri, <-told, "also that it is gone")
	require.Empty(t, told)

	for _, missing := range []string{"countersign://systems/" + hidden.ID.String(), "countersign://systems/" + uuid.NewString(), "countersign://docs/no/such/page", "file:///etc/passwd"} {
		_ = session.Subscribe(t.Context(), &sdk.SubscribeParams{URI: missing})
	}
	require.Eventually(
		t,
		func() bool { return held(t, p, listeners, reader) == 2 },
		time.Minute,
		10*time.Millisecond,
		"what is not there for the reader is not watched",
	)

	old := connect(t, p, reader, "2025-11-25", nil)
	can := old.InitializeResult().Capabilities
	require.False(t, can.Resources.Subscribe || can.Resources.ListChanged, "an older client would have to be told in a session")
	require.True(t, can.Tools.ListChanged && can.Prompts.ListChanged, "which it hears on a stream")
	require.Error(t, old.Subscribe(t.Context(), &sdk.SubscribeParams{URI: page}))
}
