package attack_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
)

// lock is an operation that changes something, with a request that is right in all but who makes it.
type lock struct {
	operation string
	path      string
	body      any
	// opens are the access rules of which one is enough.
	opens []string
	// owner is whose thing it is, when no rule opens it, not even the administrator's; "everybody" for what all who are
	// signed in may do with their own.
	owner string
	// also are people who may because of a grant.
	also []string
}

const (
	everybody = "everybody"

	systems      = "catalog.system.manage"
	groups       = "catalog.group.manage"
	environments = "catalog.environment.manage"
	checks       = "healthcheck.healthcheck.manage"
	agents       = "agent.agent.manage"
)

func limits() map[string]any {
	return map[string]any{
		"hostBytes":   1 << 20,
		"hostCalls":   10,
		"memoryBytes": 64 << 20,
		"outputBytes": 1 << 16,
		"resultBytes": 1 << 16,
		"timeoutMs":   5000,
	}
}

// locks are all operations that change something, what is deleted last.
func locks() []lock {
	model := map[string]any{"name": "Mine", "baseUrl": "http://127.0.0.1:9/v1", "defaultModel": "m"}
	script := map[string]any{"context": "healthcheck-script", "source": "export default async () => ({ ok: true })"}
	action := map[string]any{"context": "automation-action-script", "source": "export default async () => ({ ok: true })"}
	definition := map[string]any{
		"strategyId": "healthcheck-http.http", "config": map[string]any{}, "intervalSeconds": 3600,
		"collectors": []any{map[string]any{"collectorId": "healthcheck-http.request", "config": map[string]any{"url": "http://127.0.0.1:9/"}}},
	}
	check := maps.Clone(definition)
	check["name"] = "Mine"
	const draft = "/api/agents/{agent}/revisions/{draft}"
	tool := map[string]any{
		"description": "Mine",
		"args_schema": map[string]any{},
		"source":      "export default { actions: { default: () => 1 } }",
	}
	bundle := map[string]any{"agent_md": "Mine", "spec": map[string]any{}, "tools": []any{}}
	const imported = `{"version": 1, "checks": [{"name": "Imported", "strategyId": "healthcheck-http.http", "intervalSeconds": 3600,
		"collectors": [{"collectorId": "healthcheck-http.request", "config": {"url": "http://127.0.0.1:9/"}}]}]}`
	return []lock{
		{
			"chat",
			"/api/ai/chat",
			map[string]any{"conversationId": "{conversation}", "messageId": "attack", "message": "Hello"},
			nil,
			"victim",
			nil,
		},
		{
			"create-chat-completion",
			"/v1/chat/completions",
			map[string]any{"model": "countersign", "messages": []any{map[string]any{"role": "user", "content": "Hello"}}},
			nil,
			everybody,
			nil,
		},
		{"create-response", "/v1/responses", map[string]any{"model": "countersign", "input": "Hello"}, nil, everybody, nil},
		{"cancel-response", "/v1/responses/resp_{turn}/cancel", nil, nil, "victim", nil},
		{
			"run-agent",
			"/api/ai/agui",
			map[string]any{"threadId": "mine", "runId": "r", "messages": []any{map[string]any{"id": "attack", "role": "user", "content": "Hello"}}},
			nil,
			everybody,
			nil,
		},
		{"make-chat-token", "/api/auth/chat-tokens", map[string]any{"name": "Mine"}, nil, everybody, nil},
		{"revoke-chat-token", "/api/auth/chat-tokens/{chat token}", nil, nil, "victim", nil},
		{"stop-chat", "/api/ai/chat/{conversation}/stop", nil, nil, "victim", nil},
		{"update-conversation", "/api/ai/conversations/{conversation}", map[string]any{"permissionMode": "auto"}, nil, "victim", nil},
		{"archive-conversation", "/api/ai/conversations/{conversation}/archive", nil, nil, "victim", nil},
		{"restore-conversation", "/api/ai/conversations/{conversation}/restore", nil, nil, "victim", nil},
		{"accept-outside-content", "/api/ai/conversations/{conversation}/outside/accept", map[string]any{"through": 1}, nil, "victim", nil},
		{"give-feedback", "/api/ai/turns/{turn}/feedback", map[string]any{"verdict": "up", "comment": "Mine"}, nil, "victim", nil},
		{"share-conversation", "/api/ai/conversations/{conversation}/shares", map[string]any{"email": "{spare address}"}, nil, "victim", nil},
		{"unshare-conversation", "/api/ai/conversations/{conversation}/shares/{spare}", nil, nil, "victim", nil},
		{"take-back-feedback", "/api/ai/turns/{turn}/feedback", nil, nil, "victim", nil},
		{"create-conversation", "/api/ai/conversations", map[string]any{"title": "Mine"}, nil, everybody, nil},
		{"update-memory", "/api/ai/memories/{memory}", map[string]any{"content": "Obey me"}, nil, "victim", nil},
		{"set-memory-always-inject", "/api/ai/memories/{memory}/always-inject", map[string]any{"alwaysInject": true}, nil, "victim", nil},
		{"save-memory", "/api/ai/memories", map[string]any{"scope": "user", "recallHint": "Mine", "content": "Mine"}, nil, everybody, nil},
		{"update-skill", "/api/ai/skills/{skill}", map[string]any{"description": "Obey me"}, nil, "user", []string{"admin", "second"}},
		{
			"create-skill",
			"/api/ai/skills",
			map[string]any{"name": "mine", "description": "Mine", "systemPrompt": "Mine.", "targets": []string{"chat"}},
			nil,
			everybody,
			nil,
		},
		{"decline-proposal", "/api/ai/proposals/{proposal}/decline", nil, nil, "victim", nil},
		{"call-tool", "/api/ai/tools/catalog.listSystems/call", map[string]any{"input": map[string]any{}}, nil, everybody, nil},
		{
			"propose-tool",
			"/api/ai/tools/catalog.createSystem/propose",
			map[string]any{"input": map[string]any{"name": "Mine"}},
			[]string{systems},
			"",
			nil,
		},
		{"create-connection", "/api/ai/connections", model, []string{"ai.connection.manage"}, "", nil},
		{
			"update-connection",
			"/api/ai/connections/{connection}",
			map[string]any{"baseUrl": "http://127.0.0.1:9/v2"},
			[]string{"ai.connection.manage"},
			"",
			nil,
		},
		{"set-default-connection", "/api/ai/connections/{connection}/default", nil, []string{"ai.connection.manage"}, "", nil},
		{"confirm-connection", "/api/ai/connections/{connection}/confirmed", nil, []string{"ai.connection.manage"}, "", nil},
		{"test-connection", "/api/ai/connections/{connection}/test", nil, []string{"ai.connection.manage"}, "", nil},
		{
			"ask-provider-models",
			"/api/ai/provider-models",
			map[string]any{"connectionId": "{connection}"},
			[]string{"ai.connection.manage"},
			"",
			nil,
		},
		{
			"start-model-check",
			"/api/ai/model-checks",
			map[string]any{"connectionId": "{connection}", "kinds": []string{"topic"}},
			[]string{"ai.connection.manage"},
			"",
			nil,
		},
		{"stop-model-check", "/api/ai/model-checks/{model check}/stop", nil, []string{"ai.connection.manage"}, "", nil},
		{"update-policy", "/api/ai/policies/catalog.createGroup", map[string]any{"alwaysConfirm": true}, []string{"ai.policy.manage"}, "", nil},
		{
			"set-retention",
			"/api/ai/retention",
			map[string]any{"enabled": true, "archivedDays": 30, "idleDays": 30},
			[]string{"ai.retention.manage"},
			"",
			nil,
		},
		{
			"set-script-policy",
			"/api/script-policy",
			map[string]any{"network": "public", "allow": []string{}, "run": limits(), "test": limits()},
			[]string{"script.policy.manage"},
			"",
			nil,
		},
		{"create-secret", "/api/secrets", map[string]any{"name": "MINE", "value": "mine-value"}, []string{"vault.secret.manage"}, "", nil},
		{"update-secret", "/api/secrets/DEPLOY_KEY", map[string]any{"value": "mine-value"}, []string{"vault.secret.manage"}, "", nil},
		{"create-role", "/api/roles", map[string]any{"name": "Mine", "rules": []string{}}, []string{"auth.roles.manage"}, "", nil},
		{"update-role", "/api/roles/{role}", map[string]any{"name": "Renamed"}, []string{"auth.roles.manage"}, "", nil},
		{"create-team", "/api/teams", map[string]any{"name": "Mine"}, []string{"auth.teams.manage"}, "", nil},
		{"update-team", "/api/teams/{team}", map[string]any{"name": "Renamed"}, []string{"auth.teams.manage"}, "", nil},
		{"add-team-member", "/api/teams/{team}/members/{user}", nil, []string{"auth.teams.manage"}, "", nil},
		{"remove-team-member", "/api/teams/{team}/members/{user}", nil, []string{"auth.teams.manage"}, "", nil},
		{
			"set-grants",
			"/api/grants/catalog.system/{system}",
			map[string]any{"private": false, "grants": []any{}},
			[]string{"auth.teams.manage"},
			"",
			nil,
		},
		{"delete-grants", "/api/grants/catalog.system/{system}", nil, []string{"auth.teams.manage"}, "", nil},
		{
			"create-user",
			"/api/users",
			map[string]any{"email": "mine@example.com", "name": "Mine", "password": "correct horse battery"},
			[]string{"auth.users.manage"},
			"",
			nil,
		},
		{"update-user", "/api/users/{spare}", map[string]any{"name": "Renamed"}, []string{"auth.users.manage"}, "", nil},
		{"make-password-link", "/api/users/{spare}/password-link", nil, []string{"auth.users.manage"}, "", nil},
		{"revoke-password-link", "/api/users/{spare}/password-link", nil, []string{"auth.users.manage"}, "", nil},
		{
			"create-application",
			"/api/applications",
			map[string]any{"name": "Mine", "roleIds": []string{}},
			[]string{"auth.applications.manage"},
			"",
			nil,
		},
		{
			"update-application",
			"/api/applications/{application}",
			map[string]any{"name": "Renamed"},
			[]string{"auth.applications.manage"},
			"",
			nil,
		},
		{"set-program-registration", "/api/oauth/registration", map[string]any{"enabled": false}, []string{"oauth.program.manage"}, "", nil},
		{"set-mcp-policy", "/api/mcp/policy", map[string]any{"trusted": []any{}}, []string{"mcp.policy.manage"}, "", nil},
		{"replace-application-token", "/api/applications/{application}/token", map[string]any{}, []string{"auth.applications.manage"}, "", nil},
		{"decode-payloads", "/api/temporal/codec/decode", map[string]any{"payloads": []any{}}, []string{"temporal.payload.read"}, "", nil},
		{"encode-payloads", "/api/temporal/codec/encode", map[string]any{"payloads": []any{}}, []string{"temporal.payload.read"}, "", nil},
		{"test-healthcheck-script", "/api/healthcheck/script-tests", script, []string{"healthcheck.healthcheck.manage"}, "", nil},
		{"test-automation-script", "/api/automation/script-tests", action, []string{"automation.automation.manage"}, "", nil},
		{"validate-check", "/api/healthcheck/validate", definition, []string{checks}, "", nil},
		{
			"preview-check-draft", "/api/healthcheck/draft-runs/preview",
			map[string]any{"configuration": definition},
			[]string{checks},
			"", nil,
		},
		{"test-check", "/api/healthcheck/draft-runs", map[string]any{"configuration": definition}, []string{checks}, "", nil},
		{"create-check", "/api/healthcheck/checks", check, []string{checks}, "", nil},
		{"update-check", "/api/healthcheck/checks/{check}", map[string]any{"name": "Renamed"}, []string{checks}, "", nil},
		{"set-check-paused", "/api/healthcheck/checks/{check}/paused", map[string]any{"paused": false}, []string{checks}, "", nil},
		{"assign-check", "/api/healthcheck/checks/{check}/systems/{other system}", map[string]any{}, []string{checks}, "", nil},
		{"preview-import", "/api/healthcheck/import/preview", map[string]any{"document": imported}, []string{checks}, "", nil},
		{"import-checks", "/api/healthcheck/import", map[string]any{"document": imported}, []string{checks}, "", nil},
		{
			"replace-heartbeat-address",
			"/api/healthcheck/checks/{job}/heartbeats/{job target}/rotate-token",
			map[string]any{},
			[]string{checks},
			"",
			nil,
		},
		{
			"set-check-retention",
			"/api/healthcheck/retention",
			map[string]any{"rawDays": 3, "hourlyDays": 8, "dailyDays": 40},
			[]string{"healthcheck.history.manage"},
			"",
			nil,
		},
		{"retry-parked-event", "/api/events/parked/gone/{parked event}/retry", nil, []string{"event.consumer.manage"}, "", nil},
		{"skip-parked-event", "/api/events/parked/gone/{other parked event}/skip", nil, []string{"event.consumer.manage"}, "", nil},
		{"run-check-now", "/api/healthcheck/checks/{check}/run-now", map[string]any{"systemId": "{system}"}, []string{checks}, "", nil},
		{"unassign-check", "/api/healthcheck/checks/{check}/systems/{system}", nil, []string{checks}, "", nil},
		{"delete-check", "/api/healthcheck/checks/{check}", nil, []string{checks}, "", nil},
		{"create-agent", "/api/agents", map[string]any{"slug": "mine", "name": "Mine"}, []string{agents}, "", nil},
		{"update-agent", "/api/agents/{agent}", map[string]any{"name": "Renamed"}, []string{agents}, "", nil},
		{"create-agent-revision", "/api/agents/{agent}/revisions", map[string]any{}, []string{agents}, "", nil},
		{"put-agent-md", draft + "/agent_md", map[string]any{"content": "Obey me"}, []string{agents}, "", nil},
		{
			"put-agent-spec",
			draft + "/spec",
			map[string]any{"spec": map[string]any{"limits": map[string]any{"timeout_ms": 500}}},
			[]string{agents},
			"",
			nil,
		},
		{"put-agent-bundle", draft + "/bundle", bundle, []string{agents}, "", nil},
		{"clone-agent-revision", draft + "/clone_from", map[string]any{"source_revision_id": "{spare draft}"}, []string{agents}, "", nil},
		{"put-agent-skill", draft + "/skills/mine", map[string]any{"description": "Mine", "content": "Obey me"}, []string{agents}, "", nil},
		{"delete-agent-skill", draft + "/skills/mine", nil, []string{agents}, "", nil},
		{"put-agent-tool", draft + "/tools/mine", tool, []string{agents}, "", nil},
		{"check-agent-tool", draft + "/tools/mine/check", tool, []string{agents}, "", nil},
		{
			"dry-run-agent-tool",
			draft + "/tools/mine/dry_run",
			map[string]any{"args": map[string]any{}, "source": tool["source"]},
			[]string{agents},
			"",
			nil,
		},
		{"put-agent-tool-examples", draft + "/tools/mine/examples", map[string]any{"examples": []any{}}, []string{agents}, "", nil},
		{"run-agent-tool-examples", draft + "/tools/mine/examples/run", nil, []string{agents, "agent.agent.read"}, "", nil},
		{"delete-agent-tool", draft + "/tools/mine", nil, []string{agents}, "", nil},
		{"freeze-agent-revision", draft + "/freeze", nil, []string{agents}, "", nil},
		{"promote-agent-revision", draft + "/promote", nil, []string{agents}, "", nil},
		{"archive-agent-revision", draft + "/archive", nil, []string{agents}, "", nil},
		{"delete-agent-revision", "/api/agents/{agent}/revisions/{spare draft}", nil, []string{agents}, "", nil},
		{"validate-agent-revision", draft + "/validate", nil, []string{agents, "agent.agent.read"}, "", nil},
		{"delete-agent", "/api/agents/{agent}", nil, []string{agents}, "", nil},
		{
			"create-mcp-server",
			"/api/mcp/servers",
			map[string]any{"slug": "mine", "name": "Mine", "address": "https://9.9.9.9/mcp", "enabled": false},
			[]string{"mcp.server.manage"},
			"",
			nil,
		},
		{"update-mcp-server", "/api/mcp/servers/{mcp server}", map[string]any{"name": "Renamed"}, []string{"mcp.server.manage"}, "", nil},
		{"delete-mcp-server", "/api/mcp/servers/{mcp server}", nil, []string{"mcp.server.manage"}, "", nil},
		{
			"send-http-request",
			"/api/http-requests",
			map[string]any{"method": "GET", "url": "http://127.0.0.1:9/"},
			[]string{"http.request.send"},
			"",
			nil,
		},
		{
			"preview-http-request",
			"/api/http-requests/preview",
			map[string]any{"method": "GET", "url": "http://127.0.0.1:9/"},
			[]string{"http.request.send"},
			"",
			nil,
		},
		{"probe-url", "/api/probe", map[string]any{"url": "http://127.0.0.1:9/"}, nil, everybody, nil},
		{"create-environment", "/api/catalog/environments", map[string]any{"name": "Mine"}, []string{environments}, "", nil},
		{"update-environment", "/api/catalog/environments/{environment}", map[string]any{"name": "Renamed"}, []string{environments}, "", nil},
		{"create-group", "/api/catalog/groups", map[string]any{"name": "Mine"}, []string{groups}, "", nil},
		{"update-group", "/api/catalog/groups/{group}", map[string]any{"name": "Renamed"}, []string{groups}, "", nil},
		{"add-group-member", "/api/catalog/groups/{group}/systems/{other system}", nil, []string{groups}, "", nil},
		{"create-system", "/api/catalog/systems", map[string]any{"name": "Mine"}, []string{systems}, "", nil},
		{"update-system", "/api/catalog/systems/{system}", map[string]any{"name": "Renamed"}, []string{systems}, "", nil},
		{"set-system-owner", "/api/catalog/systems/{system}/owner", map[string]any{"teamId": nil}, []string{systems}, "", nil},
		{
			"set-system-environments",
			"/api/catalog/systems/{system}/environments",
			map[string]any{"environmentIds": []string{"{environment}"}},
			[]string{systems},
			"",
			nil,
		},
		{
			"add-system-contact",
			"/api/catalog/systems/{system}/contacts",
			map[string]any{"type": "mailbox", "email": "mine@example.com"},
			[]string{systems},
			"",
			nil,
		},
		{
			"add-system-link",
			"/api/catalog/systems/{system}/links",
			map[string]any{"label": "Mine", "url": "https://example.com/mine"},
			[]string{systems},
			"",
			nil,
		},

		{"remove-system-contact", "/api/catalog/systems/{system}/contacts/{contact}", nil, []string{systems}, "", nil},
		{"remove-system-link", "/api/catalog/systems/{system}/links/{link}", nil, []string{systems}, "", nil},
		{"remove-group-member", "/api/catalog/groups/{group}/systems/{system}", nil, []string{groups}, "", nil},
		{"delete-system", "/api/catalog/systems/{system}", nil, []string{systems}, "", nil},
		{"delete-group", "/api/catalog/groups/{group}", nil, []string{groups}, "", nil},
		{"delete-environment", "/api/catalog/environments/{environment}", nil, []string{environments}, "", nil},
		{"delete-memory", "/api/ai/memories/{memory}", nil, nil, "victim", nil},
		{"delete-skill", "/api/ai/skills/{skill}", nil, nil, "user", []string{"admin", "second"}},
		{"delete-connection", "/api/ai/connections/{connection}", nil, []string{"ai.connection.manage"}, "", nil},
		{"delete-secret", "/api/secrets/DEPLOY_KEY", nil, []string{"vault.secret.manage"}, "", nil},
		{"delete-application", "/api/applications/{application}", nil, []string{"auth.applications.manage"}, "", nil},
		{"delete-role", "/api/roles/{role}", nil, []string{"auth.roles.manage"}, "", nil},
		{"delete-team", "/api/teams/{team}", nil, []string{"auth.teams.manage"}, "", nil},
		{
			"request-erasure",
			"/api/ai/privacy/erasures",
			map[string]any{"personId": "{spare}", "email": "{spare address}"},
			[]string{"ai.privacy.manage"},
			"",
			nil,
		},
		{"delete-user", "/api/users/{spare}", nil, []string{"auth.users.manage"}, "", nil},
		{"revoke-session", "/api/auth/sessions/{session}", nil, nil, "victim", nil},
		// What others do waits from then on.
		{
			"require-second-person",
			"/api/ai/policies/second-person",
			map[string]any{"tools": []any{map[string]any{"tool": "catalog.deleteGroup", "revision": 1}}, "anyway": true},
			[]string{"ai.policy.manage"},
			"",
			nil,
		},
	}
}

// elsewhere are operations that other tests attack.
var elsewhere = []string{
	"apply-proposal", "apply-plan", "decline-plan", // gate_test.go
	"propose-again", "propose-undo", // next_test.go
	"login", "logout", "change-password", "revoke-other-sessions", // people_test.go and auth/session_test.go
	"look-at-password-link", "use-password-link", // auth/links_test.go
	"send-heartbeat", "send-failed-heartbeat", // app/heartbeat_test.go
	"ask-authorization", "decide-authorization", "disconnect-program", // auth/oauth
	"call-agent-tool",                                             // modules/agent/offered_test.go, app/agents_test.go
	"refresh-mcp-server", "set-mcp-server-tools", "call-mcp-tool", // modules/mcpserver
	"start-mcp-sign-in", "finish-mcp-sign-in", "end-mcp-sign-in", // modules/mcpserver
}

// operations are the methods of all operations that change something, by their ids.
func operations(t *testing.T, f *fort) map[string]string {
	t.Helper()
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string `json:"operationId"`
		} `json:"paths"`
	}
	f.people["anonymous"].Get(t, "/api/openapi.json", &document)
	methods := map[string]string{}
	for _, operations := range document.Paths {
		for method, o := range operations {
			if method != "get" && method != "head" {
				methods[o.OperationID] = strings.ToUpper(method)
			}
		}
	}
	return methods
}

func (f *fort) attempt(l lock, method, by string) attempt {
	body := l.body
	if text, isMap := body.(map[string]any); isMap {
		body = f.fill(encode(text))
	}
	return attempt{name: l.operation, by: by, method: method, path: l.path, body: body}
}

// may reports whether somebody may make the request of a lock.
func (l lock) may(who string) bool {
	holds := map[string][]string{
		"operator": {
			systems,
			groups,
			environments,
		},
		"countersigner": {systems, groups, "ai.proposal.manage"},
		"application":   {systems, groups, environments},
	}
	switch {
	case who == "anonymous" || who == "gone":
		return false
	case l.owner == everybody:
		return true
	case l.owner != "":
		return who == l.owner || slices.Contains(l.also, who)
	default:
		return who == "admin" || who == "second" || slices.Contains(l.opens, who) ||
			slices.ContainsFunc(holds[who], func(rule string) bool { return slices.Contains(l.opens, rule) }) || slices.Contains(l.also, who)
	}
}

// Every operation that changes something, by everybody who may not.
func nobodyDoesWhatTheyMayNot(t *testing.T, f *fort) {
	methods := operations(t, f)
	for _, l := range locks() {
		before := f.World(t)
		for who := range f.people {
			if !l.may(who) {
				f.try(t, f.attempt(l, methods[l.operation], who))
			}
		}
		f.unchanged(t, before, l.operation)
	}
}

// The requests of the test above are right: whoever may makes each of them. So it is who asks that is refused, not what.
func TestTheKeysFitTheLocks(t *testing.T) {
	t.Parallel()
	f := build(t, nil)
	methods := operations(t, f)
	for _, l := range locks() {
		method, known := methods[l.operation]
		require.True(t, known, "%s is no operation any more", l.operation)
		delete(methods, l.operation)
		by := "admin"
		if l.owner != "" && l.owner != everybody {
			by = l.owner
		}
		a := f.attempt(l, method, by)
		if l.operation == "confirm-connection" {
			a.headers = append(
				a.headers,
				apptest.Header{Name: "If-Match", Value: f.Admin.Get(t, f.fill("/api/ai/connections/{connection}"), nil).Header.Get("ETag")},
			)
		}
		if l.operation == "probe-url" || strings.HasSuffix(l.operation, "-http-request") {
			a.status = []int{http.StatusOK, http.StatusBadRequest, http.StatusUnprocessableEntity}
		} else {
			a.status = []int{http.StatusOK, http.StatusCreated, http.StatusAccepted, http.StatusNoContent}
		}
		a.sees = []string{"title", "hint", "memory", "answer", "proposed hint", "proposed memory"}
		f.try(t, a)
	}
	for _, operation := range elsewhere {
		delete(methods, operation)
	}
	require.Empty(t, methods, "operations that nobody attacks: add them to locks()")
}

// Whoever holds a grant on one thing does with that thing what the grant allows, and nothing else.
func aGrantOpensOneThing(t *testing.T, f *fort) {
	f.people["editor"].Patch(t, f.fill("/api/catalog/systems/{other system}"), map[string]any{"description": "Edited"}, nil)
	for _, a := range []attempt{
		{method: http.MethodDelete, path: "/api/catalog/systems/{other system}"},
		{method: http.MethodPut, path: "/api/catalog/systems/{other system}/owner", body: map[string]any{"teamId": nil}},
		{method: http.MethodPut, path: "/api/catalog/systems/{other system}/owner", body: map[string]any{"teamId": f.ids["team"]}},
		{method: http.MethodPatch, path: "/api/catalog/systems/{system}", body: map[string]any{"description": "Not mine"}},
		{method: http.MethodPut, path: "/api/catalog/groups/{group}/systems/{other system}"},
		{method: http.MethodPut, path: "/api/grants/catalog.system/{other system}", body: map[string]any{"private": false, "grants": []any{
			map[string]any{"subjectType": "user", "subjectId": f.ids["editor"], "relation": "owner"},
		}}},
		{method: http.MethodPatch, path: "/api/catalog/systems/{hidden system}", body: map[string]any{"description": "Not there"}},
		{method: http.MethodDelete, path: "/api/catalog/systems/{hidden system}/links/{hidden link}"},
		{method: http.MethodDelete, path: "/api/catalog/systems/{other system}/links/{hidden link}"},
		{method: http.MethodDelete, path: "/api/catalog/systems/{other system}/contacts/{contact}"},
	} {
		a.name, a.by = "grant on one system", "editor"
		f.refuses(t, a)
	}
}
