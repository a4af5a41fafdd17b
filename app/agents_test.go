package app_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/problem"
)

// Who makes an agent owns it, and nobody else sees it until somebody who manages grants shares it. What it names of the vault is told on
// the page of the secret.
func TestAnAgentIsOfWhoMadeIt(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	author := p.Person(t, p.Role(t, "agent.agent.manage", "vault.secret.read"))
	reader := p.Person(t, p.Role(t, "agent.agent.read"))
	outsider := p.Person(t)
	program := p.Application(t, p.Role(t, "agent.agent.manage"))
	type agent struct {
		ID      uuid.UUID `json:"id"`
		Private bool      `json:"private"`
		Access  string    `json:"access"`
	}
	var made, other agent
	author.Post(t, "/api/agents", map[string]any{"slug": "weather", "name": "Weather"}, &made)
	require.Equal(t, agent{made.ID, true, "owner"}, made)
	program.Post(t, "/api/agents", map[string]any{"slug": "clock", "name": "Clock"}, &other)
	require.Equal(t, "owner", other.Access, "applications own what they make too")
	for _, who := range []*apptest.Client{p.Admin, reader, outsider, program} {
		who.Refused(t, problem.NotFound, http.MethodGet, "/api/agents/weather", nil)
		who.Refused(t, problem.NotFound, http.MethodGet, "/api/agents/"+made.ID.String(), nil)
	}

	p.Admin.Post(t, "/api/secrets", map[string]any{"name": "TOKEN", "value": "correct horse"}, nil)
	author.Post(t, "/api/agents/weather/revisions", map[string]any{}, nil)
	spec := map[string]any{"spec": map[string]any{"secrets": []any{map[string]any{"name": "TOKEN", "allowed_hosts": []string{"api.example.com"}}}}}
	answer := author.Call(t, http.MethodPut, "/api/agents/weather/revisions/1/spec", spec)
	require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
	places := func(who *apptest.Client) string {
		return string(who.Call(t, http.MethodGet, "/api/secrets/TOKEN/uses", nil).Body)
	}
	require.Contains(t, places(author), `"name":"Weather"`)
	require.NotContains(t, places(p.Admin), "Weather")
	require.Contains(t, places(p.Admin), "1 that are not shown")

	grants := map[string]any{"private": true, "grants": []any{
		map[string]any{"subjectType": "user", "subjectId": author.ID, "relation": "owner"},
		map[string]any{"subjectType": "user", "subjectId": outsider.ID, "relation": "viewer"},
	}}
	answer = p.Admin.Call(t, http.MethodPut, "/api/grants/agent.agent/"+made.ID.String(), grants)
	require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
	var seen agent
	outsider.Get(t, "/api/agents/weather", &seen)
	require.Equal(t, agent{made.ID, true, "viewer"}, seen)
	outsider.Refused(t, problem.Forbidden, http.MethodPut, "/api/agents/weather/revisions/1/agent_md", map[string]any{"content": "Mine."})
	reader.Refused(t, problem.NotFound, http.MethodGet, "/api/agents/weather", nil)

	author.Delete(t, "/api/agents/weather")
	require.Zero(t, p.Count(t, `SELECT count(*) FROM relation_tuples WHERE object_id = $1`, made.ID))
	require.NotContains(t, places(author), "Weather")
}
