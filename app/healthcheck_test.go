package app_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/modules/healthcheck"
)

// A person asks for a script health check in a chat: the model reads the documentation, learns what a script can use and what
// checks are made of, tests its draft and proposes it. Once it is applied it is planned.
func TestACheckIsAskedForInAChat(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	warm(t, p)
	page := site(t, http.StatusOK, `{"status":"green"}`)
	allow(t, p.Admin, page)
	system := newSystem(t, p.Admin, "Shop")
	source := `import { defineHealthCheck } from "@countersign/sdk/healthcheck";
export default defineHealthCheck(async (context) => {
  const answer = await fetch("` + page.URL + `/status");
  const body = (await answer.json()) as { status: string };
  return { success: body.status === "green", message: body.status, value: answer.status };
});`
	check := map[string]any{
		"name": "Shop status", "strategyId": "healthcheck-script.script", "config": map[string]any{}, "intervalSeconds": 1, "assignToSystemId": system,
		"collectors": []any{map[string]any{
			"collectorId": "healthcheck-script.inline-script", "config": map[string]any{"script": source},
			"assertions": []any{map[string]any{"field": "success", "operator": "isTrue"}},
		}},
	}
	directives := `r1.tool=ai.searchDocs r1.input={"query":"script health check"} r2.tool=ai.getDoc r2.input={"slug":"concepts/health-checks"} ` +
		`r3.tool=healthcheck.getScriptContext r3.input={"context":"healthcheck-script"} r4.tool=healthcheck.listCapabilities r4.input={} ` +
		`r5.tool=healthcheck.getCapabilitySchema r5.input={"kind":"healthcheck-script.inline-script"} ` +
		`r6.tool=healthcheck.testScript r6.input=` + encode(t, map[string]any{"context": "healthcheck-script", "source": source}) +
		` r7.tool=healthcheck.propose r7.input=` + encode(t, check) + ` text=Done.`
	// In auto mode the test runs at once; what it has read makes the change ask.
	chat := p.Admin.Conversation(t, apptest.Settings{"permissionMode": "auto"})
	turn := chat.Perform(t, directives)
	calls := turn.ToolCalls()
	for _, call := range calls {
		require.Equal(t, "output-available", call.State, "%s: %s", call.ToolName, call.ErrorText)
	}
	require.Len(t, calls, 7)
	require.Contains(t, encode(t, calls[1]), "does nothing until it is assigned")
	require.Contains(t, encode(t, calls[2]), "defineHealthCheck")
	require.Contains(t, encode(t, calls[3]), `"healthcheck-script.inline-script"`)
	require.Contains(t, encode(t, calls[4]), `"isTrue"`)
	require.Contains(t, encode(t, calls[5]), `"message":"green"`)
	card := turn.Card(t, "proposal")
	require.Equal(t, "Create the health check Shop status: Script every second, for the system Shop", card.Summary)
	require.Zero(t, p.Count(t, `SELECT count(*) FROM health_checks`), "nothing happens before a person has decided")

	p.Admin.Apply(t, card.ProposalID)
	chat.Decide(t, card.ProposalID, "apply")
	require.Equal(t, 1, p.Count(t, `SELECT count(*) FROM health_checks`))
	require.Equal(t, 1, p.Count(t, `SELECT count(*) FROM check_targets WHERE active AND system_id = $1`, system), "it is planned")
	var fares healthcheck.SystemStatus
	p.Admin.Get(t, "/api/healthcheck/systems/"+system.String(), &fares)
	require.Equal(t, "Shop status", fares.Targets[0].CheckName)
}
