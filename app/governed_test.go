package app_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api"
	"countersign/app"
	"countersign/app/apptest"
	"countersign/tool/proposal"
)

// The call of custom tools is one operation of many tools: what policies ask for about some of them is told to who may see their agent.
func TestPoliciesOfCustomToolsAreToldWithTheirOperation(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{Roles: app.Roles{API: true, Worker: true}})
	s := stage{t, p}
	slug := "governed-" + uuid.NewString()[:8]
	path := "/api/agents/" + slug
	p.Admin.Post(t, "/api/agents", map[string]any{"slug": slug, "name": "Governed"}, nil)
	draft := path + "/revisions/" + s.made(path+"/revisions", map[string]any{})
	for _, id := range []string{"pay", "look"} {
		s.put(draft+"/tools/"+id, map[string]any{
			"description": "Answers one.", "args_schema": map[string]any{"type": "object"},
			"source": "export default { actions: { default: () => \"" + id + "\" } };",
			"effect": map[string]string{"pay": "mutate", "look": "read"}[id],
		})
	}
	p.Admin.Post(t, draft+"/freeze", nil, nil)
	p.Admin.Post(t, draft+"/promote", nil, nil)
	stranger := p.Person(t, p.Role(t, "agent.agent.read", "ai.chat.read"))
	const operation = "POST /api/agents/{id}/tools/{tool}/call"
	told := func(c *apptest.Client) []api.Governed {
		var list struct{ Operations []api.Governed }
		c.Get(t, "/api/ai/operations", &list)
		found := []api.Governed{}
		for _, one := range list.Operations {
			if one.Operation == operation {
				found = append(found, one)
			}
		}
		return found
	}
	require.Empty(t, told(p.Admin))
	setPolicy(t, p, "agent."+slug+".pay", map[string]any{"twoPerson": true})
	require.Equal(t, []api.Governed{{Operation: operation, Tool: "agent." + slug + ".pay", Asks: "secondPerson"}}, told(p.Admin))
	require.Empty(t, told(stranger), "of an agent that they do not see")

	setPolicy(t, p, "agent."+slug, map[string]any{"enabled": false})
	require.Equal(t, []api.Governed{
		{Operation: operation, Tool: "agent." + slug, Asks: "off"}, {Operation: operation, Tool: "agent." + slug + ".pay", Asks: "off"},
	}, told(p.Admin))
}

// More tools can be live than one person is offered; what waits for a decision is found all the same.
func TestProposalsOfToolsThatAreNotOfferedAreListed(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{Roles: app.Roles{API: true, Worker: true}})
	s := stage{t, p}
	slug := "zz-" + uuid.NewString()[:8]
	path := "/api/agents/" + slug
	p.Admin.Post(t, "/api/agents", map[string]any{"slug": slug, "name": "Open", "private": false}, nil)
	draft := path + "/revisions/" + s.made(path+"/revisions", map[string]any{})
	s.put(draft+"/tools/pay", map[string]any{
		"description": "Answers one.",
		"args_schema": map[string]any{"type": "object"},
		"source":      "export default { actions: { default: () => 1 } };",
	})
	p.Admin.Post(t, draft+"/freeze", nil, nil)
	p.Admin.Post(t, draft+"/promote", nil, nil)
	role := p.Role(t, "agent.agent.read", "ai.chat.read")
	proposer, user := p.Person(t, role), p.Person(t, role)
	manager := p.Person(t, role, p.Role(t, "ai.proposal.manage"))
	// Of the manager's own tools there are as many as are offered to one person.
	p.Exec(
		t,
		`WITH made AS (INSERT INTO agents (id, name_key, name, description) SELECT gen_random_uuid(), 'flood-' || n, 'Flood', '' FROM generate_series(1, 11) n RETURNING id),
		revised AS (INSERT INTO agent_revisions (id, agent_id, number, state, bundle_sha256, created_by_kind, created_by_id)
			SELECT gen_random_uuid(), id, 1, 'live', repeat('0', 64), 'user', $1 FROM made RETURNING id)
		INSERT INTO agent_tools (revision_id, id, description, args_schema, effect, source, source_sha256, compiled_js,
			source_map, capabilities, compiler)
		SELECT v.id, 't' || n, t.description, t.args_schema, t.effect, t.source, t.source_sha256, t.compiled_js, t.source_map,
			t.capabilities, t.compiler
		FROM revised v, generate_series(1, 50) n, (SELECT t.description, t.args_schema, t.effect, t.source, t.source_sha256, t.compiled_js, t.source_map, t.capabilities, t.compiler FROM agent_tools t JOIN agent_revisions r ON r.id = t.revision_id JOIN agents a ON a.id = r.agent_id WHERE a.name_key = $2) t`,
		manager.ID,
		slug,
	)
	name := "agent." + slug + ".pay"
	var offered struct{ Tools []struct{ Name string } }
	manager.Get(t, "/api/ai/tools", &offered)
	require.NotEmpty(t, offered.Tools)
	for _, one := range offered.Tools {
		require.NotEqual(t, name, one.Name)
	}
	card := proposer.Propose(t, name, map[string]any{})
	require.Equal(t, []uuid.UUID{card.ProposalID}, inbox(t, manager))
	require.Empty(t, inbox(t, user), "who decides about nobody's proposals sees none")
	setPolicy(t, p, "agent."+slug, map[string]any{"twoPerson": true})
	require.Equal(
		t,
		[]uuid.UUID{card.ProposalID},
		inbox(t, user),
		"a policy about the whole agent makes everybody who may use it a second person",
	)
	require.Equal(t, proposal.Applied, manager.Apply(t, card.ProposalID).Status)
}
