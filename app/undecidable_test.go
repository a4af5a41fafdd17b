package app_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
)

// What becomes of a change, for everybody who can ask for one: nothing waits that nobody can decide about.
func TestNothingWaitsThatNobodyCanDecideAbout(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	robot, orphan := p.Application(t, administrators), p.Application(t, administrators)
	p.Exec(t, `UPDATE applications SET issuer_id = NULL WHERE id = $1`, orphan.ID)
	person := p.Person(t, administrators)
	who := map[string]*apptest.Client{"person": person, "application": robot, "application of nobody": orphan}
	kinds := map[string]struct {
		tool, path string
		body       func(name string) map[string]any
	}{
		"own": {"ai.saveMemory", "/api/ai/memories", func(name string) map[string]any {
			return map[string]any{"scope": "user", "recallHint": name, "content": name}
		}},
		"shared": {"catalog.createGroup", "/api/catalog/groups", func(name string) map[string]any { return map[string]any{"name": name} }},
	}
	policies := map[string]map[string]any{
		"none": {
			"alwaysConfirm": false,
			"twoPerson":     false,
			"enabled":       true,
		},
		"always ask": {"alwaysConfirm": true, "twoPerson": false, "enabled": true},
		"second person": {
			"alwaysConfirm": false,
			"twoPerson":     true,
			"enabled":       true,
		},
		"both": {"alwaysConfirm": true, "twoPerson": true, "enabled": true},
		"off":  {"alwaysConfirm": false, "twoPerson": false, "enabled": false},
	}
	// Who decides: "done" is nobody, "self" the proposer, "person" anybody who may, "second" somebody else than the proposer
	// and the maker of its token. Each is for a request and for a call of the tool.
	for _, want := range []struct{ who, kind, policy, request, call string }{
		{"person", "own", "none", "done", "self"},
		{"person", "own", "always ask", "done", "self"},
		{"person", "own", "off", "refused", "refused"},
		{"person", "shared", "none", "done", "self"},
		{"person", "shared", "always ask", "done", "self"},
		{"person", "shared", "second person", "second", "second"},
		{"person", "shared", "both", "second", "second"},
		{"person", "shared", "off", "refused", "refused"},
		{"application", "own", "none", "done", "self"},
		{"application", "own", "always ask", "refused", "refused"},
		{"application", "own", "off", "refused", "refused"},
		{"application", "shared", "none", "done", "self"},
		{"application", "shared", "always ask", "person", "person"},
		{"application", "shared", "second person", "second", "second"},
		{"application", "shared", "both", "second", "second"},
		{"application", "shared", "off", "refused", "refused"},
		{"application of nobody", "own", "none", "done", "self"},
		{"application of nobody", "own", "always ask", "refused", "refused"},
		{"application of nobody", "shared", "none", "done", "self"},
		{"application of nobody", "shared", "always ask", "person", "person"},
		{"application of nobody", "shared", "second person", "refused", "refused"},
		{"application of nobody", "shared", "both", "refused", "refused"},
	} {
		kind := kinds[want.kind]
		change := map[string]any{}
		for name, value := range policies[want.policy] {
			if name != "twoPerson" || want.kind != "own" {
				change[name] = value
			}
		}
		setPolicy(t, p, kind.tool, change)
		for way, expected := range map[string]string{"request": want.request, "call": want.call} {
			what := fmt.Sprintf("%s, %s, %s, by a %s", want.who, want.kind, want.policy, way)
			c, body := who[want.who], kind.body("Thing "+uuid.NewString()[:8])
			var answer apptest.Answer
			if way == "request" {
				answer = c.Call(t, http.MethodPost, kind.path, body)
			} else {
				answer = c.Call(t, http.MethodPost, "/api/ai/tools/"+kind.tool+"/propose", map[string]any{"input": body})
			}
			require.Equal(t, expected, decider(t, p, c, way, answer), "%s: %s", what, answer.Body)
		}
	}
}

// decider says who can decide about what an answer says is proposed.
func decider(t *testing.T, p *apptest.Product, c *apptest.Client, way string, answer apptest.Answer) string {
	t.Helper()
	if answer.Status == http.StatusForbidden {
		require.NotEmpty(t, answer.Problem(t).Detail)
		return "refused"
	}
	require.Less(t, answer.Status, 300, "%s", answer.Body)
	if way == "request" && answer.Status != http.StatusAccepted {
		return "done"
	}
	var made struct {
		ProposalID uuid.UUID `json:"proposalId"`
	}
	answer.Decode(t, &made)
	if c.Proposal(t, made.ProposalID).Token != "" {
		return "self"
	}
	require.NotEmpty(t, p.Second(t).Proposal(t, made.ProposalID).Token, "nobody can decide about it")
	if p.Second(t).Proposal(t, made.ProposalID).TwoPerson {
		return "second"
	}
	return "person"
}
