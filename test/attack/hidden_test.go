package attack_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/audit"
)

// What somebody may not see is told by no read, list, search, count, filter or refusal.
func nobodyReadsWhatTheyMayNot(t *testing.T, f *fort) {
	sees := map[string][]string{
		"victim": {
			"title",
			"answer",
			"hint",
			"memory",
			"proposed hint",
			"proposed memory",
			"proposed description",
			"comment",
			"hidden agent",
			"hidden agent description",
			"hidden text",
			"hidden check",
			"hidden check description",
			"hidden system",
			"hidden description",
			"hidden metadata",
			"hidden link",
			"hidden group",
		},
		// Who looks after the assistant.
		"admin": {"comment"}, "second": {"comment"}, "ai.turn.read": {"comment"},
	}
	for _, path := range []string{
		"/api/access-rules", "/api/ai/audit", "/api/ai/audit?text={hidden system}", "/api/ai/audit/export", "/api/ai/audit/export?format=csv", "/api/ai/audit/tools",
		"/api/ai/audit/verification", "/api/ai/audit/{proposal}", "/api/ai/audit/{hidden proposal}", "/api/ai/chat/{conversation}/stream", "/api/ai/connections",
		"/api/ai/connections/{connection}", "/api/ai/conversations", "/api/ai/conversations?archived=true", "/api/ai/conversations/search?query=canary", "/api/ai/conversations/export", "/api/ai/conversations/{conversation}",
		"/api/ai/conversations/{conversation}/markdown", "/api/ai/conversations/{conversation}/shares", "/api/ai/shared", "/api/ai/shared/{conversation}", "/api/ai/conversations/{conversation}/feedback", "/api/ai/feedback", "/api/ai/turns?feedback=comment",
		"/api/ai/integrations", "/api/ai/memories", "/api/ai/memories?scope=user", "/api/ai/memories?scope=system", "/api/ai/memories/{memory}",
		"/api/ai/memories/similar?scope=user&recallHint=canary", "/api/ai/memories/similar?scope=system&systemId={hidden system}&recallHint=canary",
		"/api/ai/memories?systemId={hidden system}", "/api/ai/model-checks", "/api/ai/model-checks?connectionId={connection}", "/api/ai/model-checks/{model check}", "/api/ai/plans/{turn}", "/api/ai/policies", "/api/ai/privacy/erasures", "/api/ai/privacy/people", "/api/ai/privacy/people/{victim}",
		"/api/ai/proposals", "/api/ai/proposals?status=proposed", "/api/ai/proposals?limit=200", "/api/ai/proposals?query=canary&limit=200", "/api/ai/proposals?query=hidden", "/api/ai/proposals/{proposal}", "/api/ai/proposals/{hidden proposal}", "/api/ai/retention",
		"/api/ai/skills", "/api/ai/skills/{skill}", "/api/ai/spend", "/api/ai/turns", "/api/ai/turns?status=done", "/api/ai/turns/{turn}", "/api/ai/tools", "/api/applications", "/api/applications/{application}", "/api/auth/sessions",
		"/api/automation/script-contexts/automation-action-script", "/api/catalog/environments", "/api/catalog/environments/{environment}", "/api/catalog/groups",
		"/api/catalog/groups?limit=200", "/api/catalog/groups/{group}", "/api/catalog/groups/{hidden group}", "/api/catalog/systems", "/api/catalog/systems?limit=200", "/api/catalog/systems?query=hidden", "/api/catalog/system-tags",
		"/api/catalog/systems?groupId={group}", "/api/catalog/systems?groupId={hidden group}", "/api/catalog/systems?environmentId={environment}", "/api/catalog/systems/{hidden system}",
		"/api/docs", "/api/docs/search?query=hidden", "/api/grants/catalog.system/{hidden system}", "/api/grants/catalog.group/{hidden group}",
		"/api/healthcheck/kinds", "/api/healthcheck/checks", "/api/healthcheck/checks?query=hidden", "/api/healthcheck/checks?systemId={hidden system}",
		"/api/healthcheck/checks/{check}", "/api/healthcheck/checks/{hidden check}", "/api/healthcheck/checks/{check}/systems", "/api/healthcheck/checks/{hidden check}/systems",
		"/api/healthcheck/export", "/api/healthcheck/export?query=hidden&format=yaml", "/api/healthcheck/checks/{check}/export", "/api/healthcheck/checks/{hidden check}/export",
		"/api/healthcheck/retention", "/api/mcp/servers", "/api/mcp/servers/{mcp server}", "/api/mcp/servers/{mcp server}/tools", "/api/events/consumers", "/api/events/parked",
		"/api/healthcheck/checks/{job}/heartbeats", "/api/healthcheck/checks/{check}/heartbeats", "/api/healthcheck/checks/{hidden check}/heartbeats",
		"/api/healthcheck/board", "/api/healthcheck/board?query=hidden", "/api/healthcheck/board?status=unknown", "/api/healthcheck/systems/{system}", "/api/healthcheck/systems/{hidden system}",
		"/api/healthcheck/systems/{system}/chart", "/api/healthcheck/systems/{system}/period", "/api/healthcheck/systems/{hidden system}/chart", "/api/healthcheck/systems/{hidden system}/period",
		"/api/healthcheck/targets", "/api/healthcheck/targets?query=hidden", "/api/healthcheck/targets?query={hidden target}", "/api/healthcheck/targets?query={hidden place}",
		"/api/healthcheck/targets/{target}/runs", "/api/healthcheck/targets/{target}/runs/1", "/api/healthcheck/targets/{hidden target}/runs", "/api/healthcheck/targets/{hidden target}/runs/1",
		"/api/healthcheck/targets/{hidden target}/chart", "/api/healthcheck/targets/{hidden target}/period", "/api/healthcheck/targets/{hidden place}/runs", "/api/healthcheck/targets/{hidden place}/chart",
		"/api/history/healthcheck.healthcheck/{check}", "/api/history/healthcheck.healthcheck/{hidden check}", "/api/grants/healthcheck.healthcheck/{hidden check}",
		"/api/agents", "/api/agents?query=hidden", "/api/agents/hidden", "/api/agents/{hidden agent}", "/api/agents/{hidden agent}/revisions", "/api/agents/hidden/revisions/1",
		"/api/agents/hidden/revisions/1/bundle", "/api/agents/hidden/revisions/1/manifest", "/api/agents/hidden/revisions/1/diff", "/api/agents/{agent}/revisions/{hidden draft}/bundle",
		"/api/agents/{agent}/revisions/{draft}/diff?against={hidden draft}", "/api/agents/{agent}/revisions/{draft}/bundle",
		"/api/history/agent.agent/{hidden agent}", "/api/grants/agent.agent/{hidden agent}",
		"/api/agent/script-contexts/custom-tool", "/api/healthcheck/script-contexts/healthcheck-script", "/api/me", "/api/roles", "/api/roles/{role}", "/api/script-policy", "/api/script-policy/changes",
		"/api/secrets", "/api/secrets/DEPLOY_KEY", "/api/secrets/DEPLOY_KEY/uses", "/api/settings", "/api/teams", "/api/teams/{team}", "/api/teams/{other team}", "/api/users", "/api/users?search=canary", "/api/users/{victim}",
		"/healthz", "/readyz", "/api/nothing", "/api/catalog/systems?cursor=%00", "/api/catalog/systems?limit=-1", "/debug/pprof/", "/metrics",
	} {
		for who := range f.people {
			if strings.HasPrefix(path, "/api/history/") && slices.Contains([]string{"admin", "second", audit.Read}, who) {
				continue // who reads the audit log reads all of it
			}
			answer := f.people[who].Call(t, http.MethodGet, f.fill(path), nil)
			require.Less(t, answer.Status, 500, "%s as %s: %s", path, who, answer.Body)
			f.silent(t, path+" as "+who, answer, sees[who]...)
		}
	}
}

// What is hidden and what does not exist are told apart by nobody: the same words, the same status.
func whatIsHiddenLooksLikeWhatIsNotThere(t *testing.T, f *fort) {
	const nothing = "5bd2d1a8-6f0e-4f43-9d0f-3a4b57a1f0ce"
	for _, pair := range []struct{ method, path, name string }{
		{http.MethodGet, "/api/catalog/systems/", "hidden system"},
		{http.MethodPatch, "/api/catalog/systems/", "hidden system"},
		{http.MethodDelete, "/api/catalog/systems/", "hidden system"},
		{http.MethodGet, "/api/catalog/groups/", "hidden group"},
		{http.MethodPatch, "/api/catalog/groups/", "hidden group"},
		{http.MethodDelete, "/api/catalog/groups/", "hidden group"},
		{http.MethodGet, "/api/healthcheck/checks/", "hidden check"},
		{http.MethodPatch, "/api/healthcheck/checks/", "hidden check"},
		{http.MethodDelete, "/api/healthcheck/checks/", "hidden check"},
		{http.MethodGet, "/api/healthcheck/systems/", "hidden system"},
		{http.MethodGet, "/api/agents/", "hidden agent"},
		{http.MethodPatch, "/api/agents/", "hidden agent"},
		{http.MethodDelete, "/api/agents/", "hidden agent"},
		{http.MethodGet, "/api/ai/memories/", "memory"},
		{http.MethodPatch, "/api/ai/memories/", "memory"},
		{http.MethodDelete, "/api/ai/memories/", "memory"},
		{http.MethodGet, "/api/ai/conversations/", "conversation"},
		{http.MethodPatch, "/api/ai/conversations/", "conversation"},
		{http.MethodGet, "/api/ai/shared/", "conversation"},
		{http.MethodGet, "/api/ai/proposals/", "proposal"},
		{http.MethodGet, "/api/ai/proposals/", "hidden proposal"},
		{http.MethodGet, "/api/ai/plans/", "turn"},
		{http.MethodDelete, "/api/auth/sessions/", "session"},
	} {
		var body any
		switch {
		case pair.method != http.MethodPatch:
		case strings.Contains(pair.path, "memories"):
			body = map[string]any{"content": "x"}
		case strings.Contains(pair.path, "conversations"):
			body = map[string]any{"title": "x"}
		default:
			body = map[string]any{"name": "x"}
		}
		for _, who := range []string{"user", "operator", "countersigner", "application", "second"} {
			there := f.people[who].Call(t, pair.method, pair.path+f.ids[pair.name], body)
			not := f.people[who].Call(t, pair.method, pair.path+nothing, body)
			require.Equal(t, not.Status, there.Status, "%s of the %s as %s: %s", pair.method, pair.name, who, there.Body)
			require.Equal(t, words(not, nothing), words(there, f.ids[pair.name]), "%s of the %s as %s", pair.method, pair.name, who)
		}
	}
}

// words is an answer without the id that it is about, and without the id of the request.
func words(a apptest.Answer, id string) string {
	text := strings.ReplaceAll(string(a.Body), id, "ID")
	if at := strings.Index(text, `"requestId"`); at >= 0 {
		end := strings.Index(text[at+13:], `"`)
		text = text[:at] + text[at+13+end:]
	}
	return text
}
