package app_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
	"countersign/modules/mcpserver"
)

// withTickets is a product with an MCP server of others, whose tools were accepted as changes.
func withTickets(t *testing.T) (p *apptest.Product, server *tickets, path string) {
	t.Helper()
	server = newTickets(t)
	p = apptest.Start(t, apptest.Options{Env: map[string]string{"COUNTERSIGN_EGRESS_ALLOW": "127.0.0.1"}})
	path = "/api/mcp/servers/" + stage{t, p}.made("/api/mcp/servers",
		map[string]any{"slug": "tickets", "name": "Tickets", "address": server.URL + "/mcp"})
	p.Admin.Post(t, path+"/refresh", nil, nil)
	accept(t, p, path, map[string]string{"find": "read", "create": "destructive"})
	return p, server, path
}

// choice accepts one tool of a server as it is now.
func choice(t *testing.T, p *apptest.Product, path, id, effect string, trusted bool) map[string]any {
	t.Helper()
	var list struct{ Tools []mcpserver.Tool }
	p.Admin.Get(t, path+"/tools", &list)
	for _, one := range list.Tools {
		if one.ID == id {
			return map[string]any{"tools": []any{map[string]any{"id": id, "hash": one.Hash, "effect": effect, "trusted": trusted}}}
		}
	}
	t.Fatalf("no tool %s", id)
	return nil
}

func toolOf(t *testing.T, p *apptest.Product, path, id string) mcpserver.Tool {
	t.Helper()
	var list struct{ Tools []mcpserver.Tool }
	p.Admin.Get(t, path+"/tools", &list)
	for _, one := range list.Tools {
		if one.ID == id {
			return one
		}
	}
	return mcpserver.Tool{}
}

// One person or a program alone does not take the rule of a tool away by what is said of the tool.
func TestALowerEffectAndTrustTakeWhatThePolicyAsksFor(t *testing.T) {
	t.Parallel()
	p, _, path := withTickets(t)
	second := p.Second(t)
	robot := p.Application(t, p.Role(t, "mcp.server.manage", "mcp.server.read", "mcp.tool.use"))
	setPolicy(t, p, "mcp.tickets.create", map[string]any{"twoPerson": true})
	for _, c := range []struct {
		effect  string
		trusted bool
	}{{"read", true}, {"read", false}, {"mutate", false}, {"destructive", true}} {
		body := choice(t, p, path, "create", c.effect, c.trusted)
		e := robot.Refused(t, problem.Forbidden, http.MethodPut, path+"/tools", body)
		require.Contains(t, e.Detail, "Only a person", "%v", c)
		w := waits(t, p.Admin, http.MethodPut, path+"/tools", body)
		require.True(t, w.TwoPerson, "%v", c)
		require.Contains(t, p.Admin.Proposal(t, w.ProposalID).Blocked, "second person")
		p.Admin.Post(t, "/api/ai/proposals/"+w.ProposalID.String()+"/decline", nil, nil)
	}
	require.Equal(t, "destructive", string(toolOf(t, p, path, "create").Effect))

	// A choice that loosens nothing takes effect at once, by a program too.
	same := choice(t, p, path, "create", "destructive", false)
	require.Equal(t, http.StatusOK, robot.Call(t, http.MethodPut, path+"/tools", same).Status)

	w := waits(t, p.Admin, http.MethodPut, path+"/tools", choice(t, p, path, "create", "mutate", false))
	card := second.Proposal(t, w.ProposalID)
	require.Contains(t, card.Summary, "Tickets")
	require.Len(t, card.Diff, 1)
	second.Apply(t, w.ProposalID)
	require.Equal(t, "mutate", string(toolOf(t, p, path, "create").Effect))
}

// The same server under another name is the same server.
func TestAServerAtTheAddressOfABoundOneIsBound(t *testing.T) {
	t.Parallel()
	p, server, path := withTickets(t)
	second := p.Second(t)
	robot := p.Application(t, p.Role(t, "mcp.server.manage", "mcp.server.read", "mcp.tool.use"))
	// A twin from before the policy is bound by it from the moment that it is set.
	before := "/api/mcp/servers/" + stage{t, p}.made("/api/mcp/servers",
		map[string]any{"slug": "before", "name": "Before", "address": server.URL + "/mcp/"})
	p.Admin.Post(t, before+"/refresh", nil, nil)
	accept(t, p, before, map[string]string{"create": "mutate"})
	setPolicy(t, p, "mcp.tickets.create", map[string]any{"twoPerson": true})
	w := waits(t, p.Admin, http.MethodPost, before+"/tools/create/call", map[string]any{"args": map[string]any{"title": "x"}})
	require.True(t, w.TwoPerson)

	host := strings.TrimPrefix(server.URL, "http://")
	spellings := []string{
		server.URL + "/mcp", server.URL + "/mcp/", server.URL + "/MCP", server.URL + "/x/../mcp", server.URL + "//mcp",
		server.URL + "/%6dcp", "HTTP://" + host + "/mcp",
	}
	for _, address := range spellings {
		body := map[string]any{"slug": "twin", "name": "Twin", "address": address}
		w := waits(t, p.Admin, http.MethodPost, "/api/mcp/servers", body)
		require.True(t, w.TwoPerson, address)
		p.Admin.Post(t, "/api/ai/proposals/"+w.ProposalID.String()+"/decline", nil, nil)
		require.Contains(t, robot.Refused(t, problem.Forbidden, http.MethodPost, "/api/mcp/servers", body).Detail, "Only a person", address)
	}
	// So is one that is moved there, and one that is added once the bound one has gone.
	other := "/api/mcp/servers/" + stage{t, p}.made("/api/mcp/servers",
		map[string]any{"slug": "other", "name": "Other", "address": server.URL + "/elsewhere"})
	require.True(t, waits(t, p.Admin, http.MethodPatch, other, map[string]any{"address": server.URL + "/mcp"}).TwoPerson)
	require.Equal(t, http.StatusNoContent, p.Admin.Call(t, http.MethodDelete, path, nil).Status)
	w = waits(t, p.Admin, http.MethodPost, "/api/mcp/servers",
		map[string]any{"slug": "again", "name": "Again", "address": server.URL + "/mcp"})
	second.Apply(t, w.ProposalID)
	var list struct{ Servers []mcpserver.Server }
	p.Admin.Get(t, "/api/mcp/servers", &list)
	again := ""
	for _, one := range list.Servers {
		if one.Slug == "again" {
			again = "/api/mcp/servers/" + one.ID.String()
		}
	}
	require.NotEmpty(t, again)
	p.Admin.Post(t, again+"/refresh", nil, nil)
	accept(t, p, again, map[string]string{"create": "mutate"})
	require.True(t, waits(t, p.Admin, http.MethodPost, again+"/tools/create/call",
		map[string]any{"args": map[string]any{"title": "x"}}).TwoPerson)
	// Lowering the tool of that name at any address takes two.
	p.Admin.Post(t, other+"/refresh", nil, nil)
	require.True(t, waits(t, p.Admin, http.MethodPut, other+"/tools", choice(t, p, other, "create", "read", true)).TwoPerson)
	require.Empty(t, server.called())
}

// Where a policy always asks, a card asks about the loosening too.
func TestALooseningOfWhatAlwaysAsksIsACard(t *testing.T) {
	t.Parallel()
	p, _, path := withTickets(t)
	setPolicy(t, p, "mcp.tickets", map[string]any{"alwaysConfirm": true})
	w := waits(t, p.Admin, http.MethodPut, path+"/tools", choice(t, p, path, "create", "mutate", true))
	require.False(t, w.TwoPerson)
	p.Admin.Apply(t, w.ProposalID)
	require.True(t, toolOf(t, p, path, "create").Trusted)
}

// sealedRevision makes an agent or a revision of one with a tool, ready to be promoted.
func sealedRevision(t *testing.T, p *apptest.Product, slug, tool, effect, source string) (promote string) {
	t.Helper()
	s := stage{t, p}
	path := "/api/agents/" + slug
	if p.Admin.Call(t, http.MethodGet, path, nil).Status != http.StatusOK {
		p.Admin.Post(t, "/api/agents", map[string]any{"slug": slug, "name": slug}, nil)
	}
	draft := path + "/revisions/" + s.made(path+"/revisions", map[string]any{})
	s.put(draft+"/tools/"+tool, map[string]any{
		"description": "Compute.", "effect": effect, "source": source,
		"args_schema": map[string]any{"type": "object", "properties": map[string]any{}, "additionalProperties": false},
	})
	answer := p.Admin.Call(t, http.MethodPost, draft+"/freeze", nil)
	require.Less(t, answer.Status, 300, "%s", answer.Body)
	return draft + "/promote"
}

// A custom tool keeps its policy under another name, in another agent and with another effect.
func TestAPromotionLoosensByTheRulesOfThePolicy(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	robot := p.Application(t, p.Role(t, "agent.agent.manage", "agent.agent.read"))
	slug := "billing-" + uuid.NewString()[:8]
	const source = `export default { actions: { default: () => 1 } }`
	require.Equal(t, http.StatusOK, p.Admin.Call(t, http.MethodPost, sealedRevision(t, p, slug, "refund", "mutate", source), nil).Status)
	p.Second(t)
	require.True(t, setPolicy(t, p, "agent."+slug+".refund", map[string]any{"twoPerson": true}).TwoPerson)

	for what, promote := range map[string]string{
		"a lower effect":      sealedRevision(t, p, slug, "refund", "read", source),
		"another name":        sealedRevision(t, p, slug, "payback", "mutate", source),
		"another name, other": sealedRevision(t, p, slug, "payback", "mutate", source+" // other"),
		"another agent":       sealedRevision(t, p, slug+"-twin", "refund", "mutate", source),
		"another one, other":  sealedRevision(t, p, slug+"-else", "give", "read", source+" // other"),
	} {
		w := waits(t, p.Admin, http.MethodPost, promote, nil)
		require.True(t, w.TwoPerson, what)
		answer := robot.Call(t, http.MethodPost, promote, nil)
		require.NotEqual(t, http.StatusOK, answer.Status, what)
		require.NotEqual(t, http.StatusAccepted, answer.Status, what)
	}
	require.Equal(t, 1, p.Count(t, `SELECT count(*) FROM agent_revisions WHERE state = 'live'`))
	// The same tool with another source stays bound by its name.
	require.Equal(t, http.StatusOK, p.Admin.Call(t, http.MethodPost,
		sealedRevision(t, p, slug, "refund", "mutate", source+" // next"), nil).Status)
}
