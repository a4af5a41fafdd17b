package maintenance_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/uuid"

	"countersign/api/apitest"
)

func TestMaintenancesConform(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	system := a.system(t, "Payments")
	const start, end = "2036-03-01T02:00:00Z", "2036-03-01T04:00:00Z"
	link := object{"url": "https://example.org/plan"}
	first := a.plan(t, "An example", system, start, end)
	apitest.Conform(t, apitest.Subject{
		Server: a.Server, Module: a.module, Foreign: []string{systemRead, "auth.users.manage"}, Public: []string{"read-maintenance-feed"},
		Unpaged:   map[string]string{maintenances + "/calendar": "a span of time that is bounded"},
		Unrevised: map[string]string{"revoke-maintenance-feed": "the one of the caller", "end-maintenance-feed": "one of a person"},
		Records: []apitest.Record{{
			Path: maintenances, Change: object{"description": "Changed."},
			New: func(n int) object {
				return input(fmt.Sprintf("Maintenance %d", n), system, start, end, object{
					"description": "An example.", "initialMessage": "We replace a disk.", "zone": "Europe/Berlin", "rule": "FREQ=WEEKLY",
				})
			},
			Parts: map[string]any{"/updates": object{"message": "Halfway."}, "/links": link, "/close": object{"all": true}},
		}},
		Calls: map[string]apitest.Call{
			"maintenance.get":       apitest.Input(object{"id": first.ID}),
			"maintenance.impact":    apitest.Input(object{"id": first.ID}),
			"maintenance.create":    apitest.Input(input("Disks", system, start, end)),
			"maintenance.update":    apitest.About(maintenances, "id", object{"title": "Disks of the shop"}),
			"maintenance.addUpdate": apitest.About(maintenances, "maintenanceId", object{"message": "News."}),
			"maintenance.close":     apitest.About(maintenances, "id", object{"message": "Not needed.", "all": true}),
			"maintenance.addLink":   apitest.About(maintenances, "maintenanceId", link),
			"maintenance.removeLink": {Record: maintenances, Input: func(t testing.TB, id string) object {
				t.Helper()
				made := apitest.Decode[struct{ ID uuid.UUID }](t, a.Do(t, "root", http.MethodPost, maintenances+"/"+id+"/links", link))
				return object{"maintenanceId": id, "linkId": made.ID}
			}},
			"maintenance.delete": apitest.About(maintenances, "id", nil),
		},
	})
}
