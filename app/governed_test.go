package app_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api"
	"countersign/app"
	"countersign/app/apptest"
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
			"description": "Answers one.", "args_schema": map[string]any{"type": "object"}, "source": "export default { actions: { default: () => 1 } };",
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
