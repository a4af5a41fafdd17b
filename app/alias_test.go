package app_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
)

// A server has more names than one: its tools keep their rule where they are accepted at another name of it.
func TestAToolOfABoundNameIsAcceptedByTheRulesOfItsPolicy(t *testing.T) {
	t.Parallel()
	server := newTickets(t)
	p := apptest.Start(t, apptest.Options{Env: map[string]string{"COUNTERSIGN_EGRESS_ALLOW": "127.0.0.1,localhost"}})
	p.Second(t)
	robot := p.Application(t, p.Role(t, "mcp.server.manage", "mcp.server.read", "mcp.tool.use"))
	add := func(slug, address string) string {
		path := "/api/mcp/servers/" + stage{t, p}.made("/api/mcp/servers", map[string]any{"slug": slug, "name": slug, "address": address})
		p.Admin.Post(t, path+"/refresh", nil, nil)
		return path
	}
	bound := add("tickets", server.URL+"/mcp")
	accept(t, p, bound, map[string]string{"create": "destructive"})
	setPolicy(t, p, "mcp.tickets.create", map[string]any{"twoPerson": true})

	alias := add("alias", strings.Replace(server.URL, "127.0.0.1", "localhost", 1)+"/mcp")
	for _, effect := range []string{"mutate", "destructive"} {
		body := choice(t, p, alias, "create", effect, false)
		require.True(t, waits(t, p.Admin, http.MethodPut, alias+"/tools", body).TwoPerson, effect)
		require.Contains(t, robot.Refused(t, problem.Forbidden, http.MethodPut, alias+"/tools", body).Detail, "Only a person")
	}
	// A tool of another name is no way beside the policy.
	require.Equal(t, http.StatusOK, p.Admin.Call(t, http.MethodPut, alias+"/tools", choice(t, p, alias, "find", "mutate", false)).Status)

	// A policy of the whole server holds for each of its tools.
	setPolicy(t, p, "mcp.tickets", map[string]any{"twoPerson": true})
	again := add("again", strings.Replace(server.URL, "127.0.0.1", "localhost", 1)+"/elsewhere")
	require.True(t, waits(t, p.Admin, http.MethodPut, again+"/tools", choice(t, p, again, "find", "mutate", false)).TwoPerson)
}
