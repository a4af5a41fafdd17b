package app_test

import (
	"strings"
	"testing"

	"countersign/app/apptest"
)

// TestScriptsOfChecksRunOnSchedule saves a check in TypeScript and one for the shell. Both run in the sandbox as planned, are told for
// what they run, and what they say decides.
func TestScriptsOfChecksRunOnSchedule(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	system := newSystem(t, p.Admin, "Orders")
	var checks []string
	for name, collector := range map[string]map[string]any{
		"Orders by script": {
			"collectorId": "healthcheck-script.inline-script", "config": map[string]any{"script": `import { defineHealthCheck } from "@countersign/sdk/healthcheck"
export default defineHealthCheck(async (ctx) => ({ success: ctx.system.name === "Orders", message: "for " + ctx.system.name, value: 41 + 1 }))`},
			"assertions": []any{map[string]any{"field": "success", "operator": "isTrue"}, map[string]any{"field": "value", "operator": "equals", "value": 42}},
		},
		"Orders by shell": {
			"collectorId": "healthcheck-script.execute", "config": map[string]any{"script": `echo "system $COUNTERSIGN_SYSTEM_NAME"; exit 7`},
			"assertions": []any{map[string]any{"field": "exitCode", "operator": "equals", "value": 0}},
		},
	} {
		var made struct{ ID string }
		p.Admin.Post(t, "/api/healthcheck/checks", map[string]any{
			"name":             name,
			"strategyId":       "healthcheck-script.script",
			"config":           map[string]any{},
			"intervalSeconds":  1,
			"assignToSystemId": system,
			"collectors":       []any{collector},
		}, &made)
		checks = append(checks, made.ID)
	}
	states := func() string {
		return strings.Join(
			p.Column(
				t,
				`SELECT s.status::text FROM check_states s JOIN check_targets t ON t.id = s.target JOIN health_checks c ON c.id = t.check_id ORDER BY c.name_key`,
			),
			",",
		)
	}
	apptest.Eventually(t, "one is healthy and the other unhealthy", func() bool { return states() == "1,3" })
	// On a busy machine a run may not get its turn, and of those that pass only some keep their report: one that was asked for does.
	apptest.Eventually(t, "reports of both", func() bool {
		for _, id := range checks {
			p.Admin.Post(t, "/api/healthcheck/checks/"+id+"/run-now", map[string]any{"systemId": system}, nil)
		}
		reports := strings.Join(p.Column(t, `SELECT report::text FROM check_reports`), "\n")
		return strings.Contains(reports, "for Orders") && strings.Contains(reports, "system Orders") &&
			strings.Contains(reports, `"exitCode": 7`)
	})
}
