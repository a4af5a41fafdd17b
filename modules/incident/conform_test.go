package incident_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/uuid"

	"countersign/api/apitest"
)

func TestIncidentsConform(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	system := a.system(t, "Payments")
	part := func(path, field string, body object) func(testing.TB, string) object {
		return func(t testing.TB, id string) object {
			t.Helper()
			made := apitest.Decode[struct{ ID uuid.UUID }](t, a.Do(t, "root", http.MethodPost, incidents+"/"+id+path, body))
			return object{"incidentId": id, field: made.ID}
		}
	}
	update, link := object{"message": "It is the database."}, object{"url": "https://example.org/board"}
	first := a.open(t, "An example", system)
	apitest.Conform(t, apitest.Subject{
		Server: a.Server, Module: a.module, Foreign: []string{systemRead},
		Records: []apitest.Record{{
			Path: incidents, Change: object{"description": "Changed."},
			New: func(n int) object {
				return object{
					"title": fmt.Sprintf("Incident %d", n), "description": "An example.", "severity": "minor", "systemIds": []uuid.UUID{system},
					"initialMessage": "We look at it.", "dedupeKey": fmt.Sprintf("key %d", n),
				}
			},
			Parts: map[string]any{
				"/updates": update, "/links": link, "/resolve": object{}, "/reopen": object{}, "/merge": object{"into": uuid.New()},
			},
		}},
		Calls: map[string]apitest.Call{
			"incident.get":          apitest.Input(object{"id": first.ID}),
			"incident.brief":        apitest.Input(object{"id": first.ID}),
			"incident.create":       apitest.Input(object{"title": "Slow", "severity": "minor", "systemIds": []uuid.UUID{system}}),
			"incident.update":       apitest.About(incidents, "id", object{"title": "Slower"}),
			"incident.addUpdate":    apitest.About(incidents, "incidentId", object{"message": "News.", "statusChange": "identified"}),
			"incident.acknowledge":  apitest.About(incidents, "id", nil),
			"incident.resolve":      apitest.About(incidents, "id", object{"message": "Over."}),
			"incident.addLink":      apitest.About(incidents, "incidentId", link),
			"incident.removeLink":   {Record: incidents, Input: part("/links", "linkId", link)},
			"incident.deleteUpdate": {Record: incidents, Input: part("/updates", "updateId", update)},
			"incident.delete":       apitest.About(incidents, "id", nil),
		},
	})
}
