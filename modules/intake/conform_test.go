package intake_test

import (
	"fmt"
	"testing"

	"countersign/api/apitest"
	"countersign/modules/intake"
	"countersign/modules/intake/alert"
)

func TestSourcesOfAlertsConform(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	system := a.system(t, "Shop")
	s := a.source(t, alert.Webhook, system)
	s.sends(t)
	one := a.only(t)
	apitest.Conform(t, apitest.Subject{
		Server: a.Server, Module: a.module, Foreign: []string{"catalog.system.read", "incident.incident.manage", "incident.incident.read"},
		Public: []string{"send-alerts"},
		Records: []apitest.Record{{
			Path: sources, Change: object{"severity": "minor"},
			New:   func(n int) object { return input(fmt.Sprintf("Source %d", n), alert.Grafana, system) },
			Parts: map[string]any{"/rotate": object{}, "/try": object{}},
		}},
		Calls:   map[string]apitest.Call{"intake.listAlerts": apitest.Input(object{"incidentId": one.ID})},
		Unpaged: map[string]string{"/api/intake/alerts": "an incident shows at most 200"},
		Widening: map[string]string{
			intake.Read: "it shows sources", intake.Manage: "with incident.incident.manage it changes sources",
		},
	})
}
