package app_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
	"countersign/tool"
)

// Every administrative operation is known to policies by a name for people, and no model is offered any.
func TestAdministrationIsKnownToPoliciesAndToNoModel(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	var list struct {
		Policies []struct {
			ToolName, Title, Description string
			ByHand                       bool
		}
	}
	p.Admin.Get(t, "/api/ai/policies", &list)
	titles, byHand := map[string]string{}, []string{}
	for _, one := range list.Policies {
		if one.Title != "" {
			titles[one.ToolName] = one.Title
			require.NotEmpty(t, one.Description, one.ToolName)
		}
		if one.ByHand {
			byHand = append(byHand, one.ToolName)
		}
	}
	require.Greater(t, len(titles), 40)
	require.Equal(t, "Delete a secret", titles["vault.deleteSecret"])
	require.Equal(t, []string{
		"ai.confirmConnection", "ai.erasePerson", "ai.setRetention", "healthcheck.setRetention",
		"notification.createChannel", "notification.deleteChannel", "notification.rotateKey", "notification.setMailServer",
		"notification.updateChannel",
		"vault.createSecret", "vault.deleteSecret", "vault.updateSecret",
	}, byHand)
	offered := offeredTools(t, p.Admin)
	for name := range titles {
		require.NotContains(t, offered, name)
		p.Admin.Refused(t, problem.NotFound, http.MethodPost, "/api/ai/tools/"+name+"/propose", map[string]any{"input": map[string]any{}})
	}
	registry := registryOf(t)
	for _, one := range registry.All() {
		if one.Identity.Title != "" {
			require.True(t, one.Access.Hidden, one.Name)
			require.NotEqual(t, tool.Read, one.Effect, one.Name)
		}
	}
}

// A policy of an administrative operation makes a proposal of it, and the card says what changes.
func TestAnAdministrativeChangeWaitsForASecondPerson(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	s := stage{t, p}
	team := s.made("/api/teams", map[string]any{"name": "Reliability"})
	connection := s.made("/api/ai/connections", map[string]any{
		"name": "Model", "baseUrl": "http://127.0.0.1:9/v1",
		"defaultModel": "m", "apiKey": "first-key-0001",
	})
	skill := s.made("/api/ai/skills", map[string]any{
		"name": "night", "description": "Nights.",
		"systemPrompt": "Be brief.", "targets": []string{"chat"},
	})
	second := p.Second(t)
	const key = "cnry-second-key-0002"
	for _, c := range []struct {
		policy, method, path string
		body                 any
		summary, changed     string
	}{
		{"auth.updateTeam", http.MethodPatch, "/api/teams/" + team, map[string]any{"name": "Nights"}, "Change a team: Reliability", "name"},
		{
			"ai.updateConnection", http.MethodPatch, "/api/ai/connections/" + connection,
			map[string]any{"defaultModel": "other", "apiKey": key},
			"Change a model connection: Model", "defaultModel",
		},
		{
			"ai.updateSkill", http.MethodPatch, "/api/ai/skills/" + skill,
			map[string]any{"description": "Days."},
			"Change a skill: night", "description",
		},
		{"ai.createSkill", http.MethodPost, "/api/ai/skills", map[string]any{
			"name": "day", "description": "Days.",
			"systemPrompt": "Be kind.", "targets": []string{"chat"},
		}, "Publish a skill: day", "systemPrompt"},
		{"auth.createTeam", http.MethodPost, "/api/teams", map[string]any{"name": "Days"}, "Create a team: Days", "name"},
		{"ai.deleteSkill", http.MethodDelete, "/api/ai/skills/" + skill, nil, "Delete a skill: night", ""},
		{"ai.deleteConnection", http.MethodDelete, "/api/ai/connections/" + connection, nil, "Delete a model connection: Model", ""},
		{"auth.deleteTeam", http.MethodDelete, "/api/teams/" + team, nil, "Delete a team: Nights", ""},
	} {
		setPolicy(t, p, c.policy, map[string]any{"twoPerson": true})
		w := waits(t, p.Admin, c.method, c.path, c.body)
		require.True(t, w.TwoPerson, c.policy)
		require.Equal(t, c.summary, w.Summary)
		require.Contains(t, p.Admin.Proposal(t, w.ProposalID).Blocked, "second person", c.policy)
		card := second.Proposal(t, w.ProposalID)
		paths := []string{}
		for _, change := range card.Diff {
			paths = append(paths, change.Path)
		}
		if c.changed != "" {
			require.Contains(t, strings.Join(paths, " "), c.changed, c.policy)
		}
		require.NotContains(t, encode(t, card), key)
		second.Apply(t, w.ProposalID)
	}
	require.Zero(t, p.Count(t, `SELECT count(*) FROM teams WHERE name = 'Nights'`))
	require.Equal(t, 1, p.Count(t, `SELECT count(*) FROM ai_skill WHERE name = 'day'`))
	require.NotContains(t, strings.Join(p.Dump(t), "\n"), key)

	// Rights and bad requests are answered as without the policy.
	p.Person(t).Refused(t, problem.Forbidden, http.MethodPost, "/api/teams", map[string]any{"name": "Else"})
	p.Admin.Refused(t, problem.Invalid, http.MethodPost, "/api/teams", map[string]any{"name": ""})
	setPolicy(t, p, "mcpServer.delete", map[string]any{"enabled": false})
	server := s.mcpServer()
	require.Contains(t, p.Admin.Refused(t, problem.Forbidden, http.MethodDelete, server, nil).Detail, "switched this off")
}

// Secrets, retention and erasure are for people in a session, with a policy and without.
func TestSecretsRetentionAndErasureAreByHand(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	robot := p.Application(t, p.Role(t, "vault.secret.manage", "vault.secret.read", "ai.retention.manage",
		"ai.privacy.manage", "healthcheck.history.manage"))
	p.Admin.Post(t, "/api/secrets", map[string]any{"name": "DEPLOY_KEY", "value": "value-0001"}, nil)
	person := p.Person(t)
	for _, c := range []struct {
		method, path string
		body         any
	}{
		{http.MethodPost, "/api/secrets", map[string]any{"name": "ROBOT_KEY", "value": "value-0002"}},
		{http.MethodPatch, "/api/secrets/DEPLOY_KEY", map[string]any{"value": "value-0003"}},
		{http.MethodDelete, "/api/secrets/DEPLOY_KEY", nil},
		{http.MethodPut, "/api/ai/retention", map[string]any{"enabled": true, "archivedDays": 30, "idleDays": 30}},
		{http.MethodPost, "/api/ai/privacy/erasures", map[string]any{"personId": person.ID, "email": "x@example.com"}},
	} {
		e := robot.Refused(t, problem.Forbidden, c.method, c.path, c.body)
		require.Contains(t, e.Detail, "Only a person", c.path)
	}
	require.Equal(t, 1, p.Count(t, `SELECT count(*) FROM vault_secrets WHERE name = 'DEPLOY_KEY'`))

	// While a second person is asked for, the value waits sealed and is used when it is applied.
	second := p.Second(t)
	setPolicy(t, p, "vault.updateSecret", map[string]any{"twoPerson": true})
	w := waits(t, p.Admin, http.MethodPatch, "/api/secrets/DEPLOY_KEY", map[string]any{"value": "cnry-value-0004"})
	require.NotContains(t, strings.Join(p.Dump(t), "\n"), "cnry-value-0004")
	before := p.Column(t, `SELECT encode(value_sealed, 'hex') FROM vault_secrets WHERE name = 'DEPLOY_KEY'`)
	second.Apply(t, w.ProposalID)
	require.NotEqual(t, before, p.Column(t, `SELECT encode(value_sealed, 'hex') FROM vault_secrets WHERE name = 'DEPLOY_KEY'`))
}

// Nobody has the data of an account erased that holds more than they do.
func TestNobodyErasesWhoHoldsMore(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	officer := p.Person(t, p.Role(t, "ai.privacy.manage"))
	plain, manager := p.Person(t), p.Person(t, p.Role(t, "catalog.system.manage"))
	address := func(id uuid.UUID) string { return p.Column(t, `SELECT email FROM users WHERE id = $1`, id)[0] }
	for _, id := range []uuid.UUID{manager.ID, p.Admin.ID} {
		e := officer.Refused(t, problem.Forbidden, http.MethodPost, "/api/ai/privacy/erasures",
			map[string]any{"personId": id, "email": address(id)})
		require.Contains(t, e.Detail, "you do not hold")
	}
	require.Zero(t, p.Count(t, `SELECT count(*) FROM ai_erasures`))
	officer.Post(t, "/api/ai/privacy/erasures", map[string]any{"personId": plain.ID, "email": address(plain.ID)}, nil)
	require.Equal(t, 1, p.Count(t, `SELECT count(*) FROM ai_erasures`))

	// A proposal of an erasure is applied with the rank of who decides.
	second := p.Second(t)
	setPolicy(t, p, "ai.erasePerson", map[string]any{"twoPerson": true})
	w := waits(t, p.Admin, http.MethodPost, "/api/ai/privacy/erasures",
		map[string]any{"personId": manager.ID, "email": address(manager.ID)})
	require.Equal(t, 1, p.Count(t, `SELECT count(*) FROM ai_erasures`))
	second.Apply(t, w.ProposalID)
	require.Equal(t, 2, p.Count(t, `SELECT count(*) FROM ai_erasures`))
}
