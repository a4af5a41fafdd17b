package catalog_test

import (
	"fmt"
	"maps"
	"net/http"
	"testing"

	"github.com/google/uuid"

	"countersign/api/apitest"
	"countersign/auth"
)

// missingReference makes bodies with names of their own.
func missingReference(noun string, more object) func(int) object {
	return func(n int) object {
		body := object{"name": fmt.Sprintf("%s %d", noun, n), "description": "An example."}
		maps.Copy(body, more)
		return body
	}
}

func TestTheCatalogConforms(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	team, system, place := a.team(t, "Platform"), a.system(t, "Payments"), a.environment(t, "Production")
	metadata := object{"metadata": object{"tier": 1}}
	// member is a system in the group, which removing takes out.
	member := func(t testing.TB, id string) object {
		t.Helper()
		s := a.system(t, "Member of "+id)
		a.setMember(t, "root", http.MethodPut, uuid.MustParse(id), s.ID)
		return object{"groupId": id, "systemId": s.ID}
	}
	part := func(path, field string, body object) func(testing.TB, string) object {
		return func(t testing.TB, id string) object {
			t.Helper()
			made := apitest.Decode[struct{ ID uuid.UUID }](t, a.Do(t, "root", http.MethodPost, systems+"/"+id+path, body))
			return object{"systemId": id, field: made.ID}
		}
	}
	apitest.Conform(t, apitest.Subject{
		Server: a.Server, Module: a.module, Foreign: []string{auth.RuleTeamsRead},
		Records: []apitest.Record{
			{
				Path:   systems,
				New:    missingReference("System", object{"metadata": object{"tier": 1}, "tags": []string{"core"}}),
				Change: object{"description": "Changed."},
				Parts: map[string]any{
					"/owner": object{"teamId": team}, "/environments": object{"environmentIds": []uuid.UUID{place.ID}},
					"/contacts": object{"type": "mailbox", "email": "team@example.org"}, "/links": object{"url": "https://example.org"},
				},
			},
			{Path: groups, New: missingReference("Group", metadata), Change: object{"description": "Changed."}},
			{
				Path:   environments,
				New:    missingReference("Environment", object{"fields": object{"region": "eu"}}),
				Change: object{"description": "Changed."},
			},
		},
		Calls: map[string]apitest.Call{
			"catalog.getSystem":             apitest.Input(object{"id": system.ID}),
			"catalog.createSystem":          apitest.Input(object{"name": "Search", "tags": []string{"core"}}),
			"catalog.createGroup":           apitest.Input(object{"name": "Checkout"}),
			"catalog.createEnvironment":     apitest.Input(object{"name": "Staging"}),
			"catalog.updateSystem":          apitest.About(systems, "id", object{"description": "New."}),
			"catalog.updateGroup":           apitest.About(groups, "id", object{"description": "New."}),
			"catalog.updateEnvironment":     apitest.About(environments, "id", object{"description": "New."}),
			"catalog.deleteSystem":          apitest.About(systems, "id", nil),
			"catalog.deleteGroup":           apitest.About(groups, "id", nil),
			"catalog.deleteEnvironment":     apitest.About(environments, "id", nil),
			"catalog.setSystemOwner":        apitest.About(systems, "id", object{"teamId": team}),
			"catalog.setSystemEnvironments": apitest.About(systems, "systemId", object{"environmentIds": []uuid.UUID{place.ID}}),
			"catalog.addSystemContact":      apitest.About(systems, "systemId", object{"type": "mailbox", "email": "team@example.org"}),
			"catalog.addSystemLink":         apitest.About(systems, "systemId", object{"url": "https://example.org"}),
			"catalog.addSystemToGroup":      apitest.About(groups, "groupId", object{"systemId": system.ID}),
			"catalog.removeSystemFromGroup": {Record: groups, Input: member},
			"catalog.removeSystemContact":   {Record: systems, Input: part("/contacts", "contactId", object{"type": "user", "userId": ada})},
			"catalog.removeSystemLink":      {Record: systems, Input: part("/links", "linkId", object{"url": "https://example.org"})},
		},
	})
}
