package healthcheck_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"countersign/api/apitest"
)

func TestTheHealthChecksConform(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	shop := a.system(t, "Shop")
	other := func(n int) object {
		return door(fmt.Sprintf("Door %d", n), "example.org", object{"description": "An example."})
	}
	target := a.planned(t, a.check(t, door("Runs", "example.org", object{"assignToSystemId": shop})).ID)["Shop/"].ID
	configuration := door("", "example.org")
	delete(configuration, "name")
	assigned := func(t testing.TB, id string) object {
		t.Helper()
		a.assign(t, uuid.MustParse(id), shop, object{})
		return object{"checkId": id, "systemId": shop}
	}
	apitest.Conform(t, apitest.Subject{
		Server:  a.Server,
		Module:  a.module,
		Public:  []string{"send-heartbeat", "send-failed-heartbeat", "send-heartbeat-by-get", "send-failed-heartbeat-by-get"},
		Foreign: []string{"catalog.system.manage", "vault.secret.read"},
		Unrevised: map[string]string{
			"rename-check-location": "its name is all that can change", "remove-check-location": "nothing of it is lost but its name",
		},
		Records: []apitest.Record{{
			Path: checks, New: other, Change: object{"description": "Changed."},
			Parts: map[string]any{
				"/paused": object{"paused": true}, "/systems/{systemId}": object{}, "/run-now": object{"systemId": shop},
			},
		}},
		Calls: map[string]apitest.Call{
			"healthcheck.getScriptContext":      apitest.Input(object{"context": "healthcheck-script"}),
			"healthcheck.testScript":            apitest.Input(object{"context": "healthcheck-script", "source": "export default 1"}),
			"healthcheck.getCapabilitySchema":   apitest.Input(object{"kind": "test-door.knock"}),
			"healthcheck.get":                   apitest.Input(object{"id": a.check(t, door("Read", "example.org")).ID}),
			"healthcheck.validateConfiguration": apitest.Input(object{"configuration": configuration}),
			"healthcheck.import":                apitest.Input(object{"document": document(t, other(900))}),
			"healthcheck.testDraft":             apitest.Input(object{"configuration": configuration}),
			"healthcheck.listSystemChecks":      apitest.Input(object{"systemId": shop}),
			"healthcheck.runHistory":            apitest.Input(object{"targetId": target}),
			"healthcheck.runStats":              apitest.Input(object{"systemId": shop}),
			"healthcheck.propose":               apitest.Input(door("New", "example.org", object{"assignToSystemId": shop})),
			"healthcheck.update":                apitest.About(checks, "id", object{"description": "New."}),
			"healthcheck.delete":                apitest.About(checks, "id", nil),
			"healthcheck.setPaused":             apitest.About(checks, "id", object{"paused": true}),
			"healthcheck.assign":                apitest.About(checks, "checkId", object{"systemId": shop}),
			"healthcheck.unassign":              {Record: checks, Input: assigned},
			"healthcheck.runNow":                {Record: checks, Input: assigned},
		},
		Unpaged: map[string]string{
			"/api/healthcheck/kinds":               "what the product is made of",
			"/api/healthcheck/board/past":          "of as many systems as are named",
			"/api/healthcheck/checks/{id}/failing": "the worst few, for a page to begin with",
			"/api/healthcheck/locations":           "there are as many as places with probes",
			"/api/healthcheck/targets":             "so many at most, for who types on",
			"/api/healthcheck/systems/{id}/chart":  "in as many points as asked for",
			"/api/healthcheck/targets/{id}/chart":  "in as many points as asked for",
			"/api/healthcheck/systems/{id}/period": "there are a few causes",
			"/api/healthcheck/targets/{id}/period": "there are a few causes",
		},
	})
}
