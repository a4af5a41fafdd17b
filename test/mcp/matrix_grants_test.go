package mcp_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/access"
	"countersign/tool"
)

// grantable is a kind of record that is closed to everybody without a grant, and what can be done with one of them.
type grantable struct {
	objectType, path string
	body             map[string]any
	// resource is the address of a record, with a %s for its id; "" where the kind has none. listed says that such are listed.
	resource string
	listed   bool
	calls    []granted
}

// granted is a call about a record, and the level that it needs.
type granted struct {
	tool  string
	input func(id string) map[string]any
	needs access.Level
}

func byID(more map[string]any) func(id string) map[string]any {
	return func(id string) map[string]any {
		input := map[string]any{"id": id}
		maps.Copy(input, more)
		return input
	}
}

// grantables is the one table of what grants open over every way.
var grantables = []grantable{
	{
		objectType: "catalog.system",
		path:       "/api/catalog/systems",
		body:       map[string]any{"name": "Closed system"},
		resource:   "countersign://systems/%s",
		listed:     true,
		calls: []granted{
			{"catalog.getSystem", byID(nil), access.View},
			{"catalog.updateSystem", byID(map[string]any{"description": "Another"}), access.Edit},
			{"catalog.deleteSystem", byID(nil), access.Own},
		},
	},
	{
		objectType: "catalog.group", path: "/api/catalog/groups", body: map[string]any{"name": "Closed group"},
		calls: []granted{
			{"catalog.updateGroup", byID(map[string]any{"description": "Another"}), access.Edit},
			{"catalog.deleteGroup", byID(nil), access.Own},
		},
	},
	{
		objectType: "healthcheck.healthcheck", path: "/api/healthcheck/checks", resource: "countersign://checks/%s",
		body: map[string]any{
			"name": "Closed check", "strategyId": "healthcheck-http.http", "config": map[string]any{}, "intervalSeconds": 3600,
			"collectors": []any{map[string]any{"collectorId": "healthcheck-http.request", "config": map[string]any{"url": "http://127.0.0.1:9/"}}},
		},
		calls: []granted{
			{"healthcheck.get", byID(nil), access.View},
			{"healthcheck.setPaused", byID(map[string]any{"paused": true}), access.Edit},
			{"healthcheck.delete", byID(nil), access.Own},
		},
	},
}

// What the teams of a person open by grants is the same in a chat, over the REST API and over MCP: tools, and resources, of which the
// list and the completion tell no more.
func TestGrantsOpenTheSameOnAllWays(t *testing.T) {
	t.Parallel()
	p := apptest.Start(
		t,
		apptest.Options{Env: map[string]string{"COUNTERSIGN_TOOL_BUDGET_CALLS": "1000000", "COUNTERSIGN_MAX_WAITING_PROPOSALS": "1000"}},
	)
	levels := []access.Level{access.None, access.View, access.Edit, access.Own}
	people, grants := map[access.Level]*signedIn{}, []any{}
	for _, level := range levels {
		people[level] = &signedIn{Client: p.Person(t), p: p}
		if level == access.None {
			continue
		}
		var team struct{ ID uuid.UUID }
		p.Admin.Post(t, "/api/teams", map[string]any{"name": "Of each " + string(level)}, &team)
		require.Less(t, p.Admin.Call(t, http.MethodPut, fmt.Sprintf("/api/teams/%s/members/%s", team.ID, people[level].ID), nil).Status, 300)
		grants = append(grants, map[string]any{"subjectType": "team", "subjectId": team.ID, "relation": level})
	}
	// Rules open nothing that is closed.
	byRule := &signedIn{
		Client: p.Person(
			t,
			p.Role(
				t,
				"catalog.system.read",
				"catalog.system.manage",
				"catalog.group.manage",
				"healthcheck.healthcheck.read",
				"healthcheck.healthcheck.manage",
			),
		),
		p: p,
	}
	ids := make([]string, len(grantables))
	for i, kind := range grantables {
		var made struct{ ID uuid.UUID }
		p.Admin.Post(t, kind.path, kind.body, &made)
		ids[i] = made.ID.String()
		answer := p.Admin.Call(t, http.MethodPut, "/api/grants/"+kind.objectType+"/"+ids[i], map[string]any{"private": true, "grants": grants})
		require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
	}
	for _, level := range levels {
		sameOnAllWays(t, people[level], level, ids)
	}
	sameOnAllWays(t, byRule, access.None, ids)
}

// sameOnAllWays requires that somebody who holds a level on the records of the table can do what that opens, and nothing else.
func sameOnAllWays(t *testing.T, who *signedIn, level access.Level, ids []string) {
	t.Helper()
	session := who.connectAs(t)
	want := []string{"proposal_wait"}
	for _, k := range toolsOf(t, who.Client) {
		want = append(want, tool.WireNameOf(k.Name))
	}
	require.ElementsMatch(t, want, namesOf(listed(t, session)), level)
	all, err := json.Marshal(resources(t, session))
	require.NoError(t, err)
	chat := who.Conversation(t, nil)
	for i, kind := range grantables {
		name, _ := kind.body["name"].(string)
		for _, c := range kind.calls {
			what := fmt.Sprintf("%s as %q", c.tool, level)
			input := c.input(ids[i])
			effect := tool.Mutate
			if c.needs == access.View {
				effect = tool.Read
			}
			over := restCode(t, who.Client, knownTool{Name: c.tool, Effect: effect}, input)
			require.Equal(t, level.Includes(c.needs), over == "", "%s: %s", what, over)
			require.Equal(t, over, mcpCode(t, session, c.tool, input), what)
			raw, err := json.Marshal(input)
			require.NoError(t, err)
			turn := chat.Perform(t, "tool="+c.tool+" input="+string(raw)+" text=Done.")
			require.Len(t, turn.ToolCalls(), 1, what)
			part := turn.ToolCalls()[0]
			require.Equal(t, over != "", strings.HasSuffix(part.State, "-error"), "%s: %s %s", what, part.State, part.ErrorText)
			if !level.Includes(access.View) {
				require.NotContains(t, part.ErrorText, name, what)
			}
		}
		if kind.resource == "" {
			continue
		}
		address := fmt.Sprintf(kind.resource, ids[i])
		_, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: address})
		require.Equal(t, level.Includes(access.View), err == nil, "%s as %q: %v", address, level, err)
		require.Equal(t, kind.listed && level.Includes(access.View), strings.Contains(string(all), address), "%s as %q", address, level)
		variable := map[string]string{"catalog.system": "system", "healthcheck.healthcheck": "check"}[kind.objectType]
		found := completed(t, session, fmt.Sprintf(kind.resource, "{"+variable+"}"), variable, "closed")
		require.Equal(t, level.Includes(access.View), len(found) == 1, "%s as %q: %v", address, level, found)
	}
}

// templates are the resources by the tools that read them.
var templates = map[string]string{
	"ai.getDoc":                    "countersign://docs/{+slug}",
	"catalog.getSystem":            "countersign://systems/{system}",
	"healthcheck.listSystemChecks": "countersign://systems/{system}/health",
	"healthcheck.runHistory":       "countersign://targets/{target}/runs",
	"healthcheck.get":              "countersign://checks/{check}",
}

// Holders of each single access rule are shown the resources whose tools they are offered, and the prompts that the REST API has for them.
func TestResourcesAndPromptsAreThoseOfTheRestOfTheProduct(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{Env: map[string]string{"COUNTERSIGN_TOOL_BUDGET_CALLS": "1000000"}})
	p.Admin.Post(
		t,
		"/api/ai/skills",
		map[string]any{"name": "Of an administrator", "description": "Foreign", "targets": []string{"chat"}, "systemPrompt": "Do what I say."},
		nil,
	)
	some := false
	for _, rule := range everyRule(t, p) {
		c := p.Application(t, p.Role(t, "ai.chat.read", rule))
		session := connect(t, p, c, "", nil)
		var want []string
		for _, k := range toolsOf(t, c) {
			if address, is := templates[k.Name]; is {
				want = append(want, address)
			}
		}
		list, err := session.ListResourceTemplates(t.Context(), nil)
		require.NoError(t, err)
		got := []string{}
		for _, one := range list.ResourceTemplates {
			got = append(got, one.URITemplate)
		}
		require.ElementsMatch(t, want, got, rule)

		prompts, err := session.ListPrompts(t.Context(), nil)
		require.NoError(t, err)
		got, want = []string{}, nil
		for _, one := range prompts.Prompts {
			got = append(got, one.Name)
		}
		for _, source := range []string{"builtin", "own"} {
			answer := c.Call(t, http.MethodGet, "/api/ai/skills?target=chat&limit=200&source="+source, nil)
			if answer.Status == http.StatusForbidden {
				continue
			}
			var page struct{ Skills []struct{ ID string } }
			answer.Decode(t, &page)
			for _, s := range page.Skills {
				want = append(want, s.ID)
				_, err := session.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: s.ID})
				require.NoError(t, err, "%s with %s", s.ID, rule)
			}
		}
		require.ElementsMatch(t, want, got, rule)
		some = some || len(want) > 0
		if len(want) == 0 {
			_, err := session.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "incident-commander"})
			require.Error(t, err, rule)
		}
	}
	require.True(t, some, "somebody is shown prompts")
}
