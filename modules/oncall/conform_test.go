package oncall_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"countersign/api/apitest"
	"countersign/modules/oncall"
)

func TestSchedulesAndPoliciesConform(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	apitest.Conform(t, apitest.Subject{
		Server: a.Server, Module: a.module,
		Widening: map[string]string{
			oncall.Read:   "the operations check in the service that a caller holds it or the rule to manage",
			oncall.Manage: "the operations check in the service that a caller holds it or is a member of the owning team",
		},
		Unpaged: map[string]string{
			schedules + "/{id}/shifts": "they are those of at most 100 days", "/api/oncall/explain": "a simulated run has at most 60 steps",
			"/api/oncall/escalations/{id}": "it shows the last 200 steps",
		},
		Calls: map[string]apitest.Call{
			"notify.explain": apitest.Input(object{"systemIds": []uuid.UUID{uuid.New()}, "severity": "major"}),
		},
		Records: []apitest.Record{{
			Path: schedules, Change: object{"description": "Changed."},
			New: func(n int) object {
				return object{
					"name": fmt.Sprintf(
						"Schedule %d",
						n,
					),
					"description": "An example.",
					"zone":        "Europe/Berlin",
					"layers":      []object{a.layer("ada", "bob")},
				}
			},
			Parts: map[string]any{
				"/calendar": object{},
				"/overrides": object{
					"personId": a.Principal("ada").ID, "start": "2026-03-01T00:00:00Z", "end": "2026-03-02T00:00:00Z",
				},
			},
		}, {
			Path: policies, Change: object{"description": "Changed."},
			New: func(n int) object {
				return object{"name": fmt.Sprintf("Policy %d", n), "description": "An example.", "steps": []object{step(0, a.person("ada"))}}
			},
		}},
	})
}
