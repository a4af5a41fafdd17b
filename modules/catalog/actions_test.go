package catalog_test

import (
	"net/http"
	"testing"

	"countersign/api/apitest"
	"countersign/modules/catalog"
)

func TestAutomationsActOnTheCatalog(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	system := a.system(t, "Payments")
	group := apitest.Decode[catalog.Group](t, a.Do(t, "root", http.MethodPost, groups, object{"name": "Shop"}))
	place := apitest.Decode[catalog.Environment](t, a.Do(t, "root", http.MethodPost, environments, object{"name": "Staging"}))
	acting := func(config object, query string) func() apitest.Acting {
		return func() apitest.Acting {
			return apitest.Acting{
				Config: config, Sees: []string{catalog.SystemRead, catalog.GroupRead, catalog.EnvironmentRead},
				Effects: func() int { return a.Count(t, query) },
			}
		}
	}
	const described = ` WHERE description = 'Changed.'`
	a.ConformActions(t, a.module.Actions(), map[string]func() apitest.Acting{
		"catalog.create_system": acting(object{"name": "Search", "links": []object{{"url": "https://example.org"}}},
			`SELECT count(*) FROM catalog_systems`),
		"catalog.update_system": acting(object{"systemId": system.ID, "description": "Changed."},
			`SELECT count(*) FROM catalog_systems`+described),
		"catalog.add_system_contact": acting(object{"systemId": system.ID, "type": "mailbox", "email": "team@example.org"},
			`SELECT count(*) FROM catalog_contacts`),
		"catalog.add_system_link": acting(object{"systemId": system.ID, "url": "https://example.org"}, `SELECT count(*) FROM catalog_links`),
		"catalog.set_system_environments": acting(object{"systemId": system.ID, "environmentIds": []any{place.ID}},
			`SELECT count(*) FROM catalog_environment_systems`),
		"catalog.create_group": acting(object{"name": "Backend"}, `SELECT count(*) FROM catalog_groups`),
		"catalog.update_group": acting(object{"groupId": group.ID, "description": "Changed."}, `SELECT count(*) FROM catalog_groups`+described),
		"catalog.add_system_to_group": acting(object{"groupId": group.ID, "systemId": system.ID},
			`SELECT count(*) FROM catalog_group_systems`),
		"catalog.create_environment": acting(object{"name": "Production"}, `SELECT count(*) FROM catalog_environments`),
		"catalog.update_environment": acting(object{"environmentId": place.ID, "description": "Changed."},
			`SELECT count(*) FROM catalog_environments`+described),
	})
}
