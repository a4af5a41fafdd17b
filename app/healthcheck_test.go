package app_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/check/history"
	"countersign/modules/healthcheck"
)

// A person asks for a script health check in a chat: the model reads the documentation, learns what a script can use and what
// checks are made of, tests its draft and proposes it. Once it is applied it runs on schedule, and its status and history are seen.
func TestACheckIsAskedForInAChat(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	warm(t, p)
	var status atomic.Value
	status.Store("green")
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"status":"`+status.Load().(string)+`"}`)
	}))
	t.Cleanup(page.Close)
	allow(t, p.Admin, page)
	system := newSystem(t, p.Admin, "Shop")
	source := `import { defineHealthCheck } from "@countersign/sdk/healthcheck";
export default defineHealthCheck(async (context) => {
  const answer = await fetch("` + page.URL + `/status");
  const body = (await answer.json()) as { status: string };
  return { success: body.status === "green", message: body.status, value: answer.status };
});`
	check := map[string]any{
		"name":             "Shop status",
		"strategyId":       "healthcheck-script.script",
		"config":           map[string]any{},
		"intervalSeconds":  1,
		"assignToSystemId": system,
		"collectors": []any{map[string]any{
			"collectorId": "healthcheck-script.inline-script", "config": map[string]any{"script": source},
			"assertions": []any{map[string]any{"field": "success", "operator": "isTrue"}},
		}},
	}
	directives := `r1.tool=ai.searchDocs r1.input={"query":"script health check"} r2.tool=ai.getDoc r2.input={"slug":"concepts/health-checks"} ` +
		`r3.tool=healthcheck.getScriptContext r3.input={"context":"healthcheck-script"} r4.tool=healthcheck.listCapabilities r4.input={} ` +
		`r5.tool=healthcheck.getCapabilitySchema r5.input={"kind":"healthcheck-script.inline-script"} ` +
		`r6.tool=healthcheck.testScript r6.input=` + encode(
		t,
		map[string]any{"context": "healthcheck-script", "source": source},
	) +
		` r7.tool=healthcheck.propose r7.input=` + encode(
		t,
		check,
	) + ` text=Done.`
	// In auto mode the test runs at once; what it has read makes the change ask.
	chat := p.Admin.Conversation(t, apptest.Settings{"permissionMode": "auto"})
	turn := chat.Perform(t, directives)
	calls := turn.ToolCalls()
	require.Len(t, calls, 7)
	for _, call := range calls[:6] {
		require.Equal(t, "output-available", call.State, "%s: %s", call.ToolName, call.ErrorText)
	}
	require.Equal(t, "approval-requested", calls[6].State)
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
	fares := func() (s healthcheck.SystemStatus) {
		p.Admin.Get(t, "/api/healthcheck/systems/"+system.String(), &s)
		return s
	}
	apptest.Eventually(t, "the check has run", func() bool { return fares().Status == healthcheck.Healthy })
	target := fares().Targets[0]
	require.Equal(t, "Shop status", target.CheckName)

	status.Store("red")
	apptest.Eventually(t, "the failure is noticed", func() bool { return fares().Status == healthcheck.Unhealthy })
	require.Contains(t, fares().Why, "Shop status")
	var runs struct{ Runs []healthcheck.Run }
	p.Admin.Get(t, targetPath(target.ID)+"/runs?verdict=failed", &runs)
	require.NotEmpty(t, runs.Runs)
	require.Equal(t, "wrong-answer", runs.Runs[0].Cause)
	var run healthcheck.WholeRun
	p.Admin.Get(t, targetPath(target.ID)+"/runs/"+encode(t, runs.Runs[0].Slot), &run)
	require.False(t, run.Collectors[0].Assertions[0].Held)
	var board struct{ Systems []healthcheck.BoardRow }
	p.Admin.Get(t, "/api/healthcheck/board?status=unhealthy", &board)
	require.Len(t, board.Systems, 1)
	var chart history.Chart
	p.Admin.Get(t, targetPath(target.ID)+"/chart", &chart)
	var ran, failed int64
	for _, point := range chart.Points {
		ran, failed = ran+point.Runs, failed+point.Failed
	}
	require.Positive(t, failed)
	require.Greater(t, ran, failed, "it was healthy before")
	require.Equal(t, []string{"healthy", "degraded", "unhealthy"}, tos(chart.Transitions))
	require.Positive(t, p.Count(t, `SELECT count(*) FROM events WHERE type = 'healthcheck.system_degraded'`))

	// The assistant sees it too. What a target has answered is content from outside.
	asked := p.Admin.Conversation(
		t,
		apptest.Settings{"permissionMode": "auto"},
	).Perform(
		t,
		`r1.tool=healthcheck.status r1.input={"status":"unhealthy"} `+
			`r2.tool=healthcheck.runStats r2.input={"systemId":"`+system.String()+`"} r3.tool=healthcheck.runHistory r3.input=`+encode(t, map[string]any{"targetId": target.ID, "verdict": "failed"})+` r4.tool=catalog.createSystem r4.input={"name":"Evil"} text=Done.`,
	)
	require.Contains(t, encode(t, asked.ToolCalls()[0]), `"Shop"`)
	require.Contains(t, encode(t, asked.ToolCalls()[1]), `"wrong-answer"`)
	require.Contains(t, encode(t, asked.ToolCalls()[2]), `"message":"Red."`)
	require.Contains(t, asked.Card(t, "proposal").WhyConfirm, "content from outside")

	// Paused, it counts no longer; run at once, it says what it finds.
	var list struct{ Checks []healthcheck.Check }
	p.Admin.Get(t, "/api/healthcheck/checks", &list)
	path := "/api/healthcheck/checks/" + list.Checks[0].ID.String()
	require.Equal(t, http.StatusOK, p.Admin.Call(t, http.MethodPut, path+"/paused", map[string]any{"paused": true}).Status)
	require.Equal(t, healthcheck.Unknown, fares().Status)
	status.Store("green")
	p.Admin.Patch(t, path, map[string]any{"paused": false, "intervalSeconds": 86400}, nil)
	var requested healthcheck.Requested
	p.Admin.Post(t, path+"/run-now", map[string]any{"systemId": system}, &requested)
	require.Len(t, requested.Runs, 1)
	apptest.Eventually(t, "the run that was asked for has ended", func() bool {
		answer := p.Admin.Call(t, http.MethodGet, targetPath(target.ID)+"/runs/"+encode(t, requested.Runs[0].Slot), nil)
		return answer.Status == http.StatusOK
	})
	apptest.Eventually(t, "it is healthy", func() bool { return fares().Status == healthcheck.Healthy })
}

func tos(transitions []history.Transition) (statuses []string) {
	for _, tr := range transitions {
		statuses = append(statuses, tr.To)
	}
	return statuses
}

func targetPath(id int32) string { return "/api/healthcheck/targets/" + strconv.Itoa(int(id)) }

// An import that a policy keeps waits as a proposal, does when it is applied what its preview said, and nothing else. Who does not see a
// check that it is about does not see it.
func TestAnImportWaitsWhereAPolicyAsks(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	s := stage{t, p}
	private, second := s.check(), p.Second(t)
	stranger := p.Person(t, p.Role(t, healthcheck.Read, healthcheck.Manage))
	var live healthcheck.Check
	p.Admin.Get(t, private, &live)
	s.put("/api/grants/healthcheck.healthcheck/"+live.ID.String(), map[string]any{"private": true, "grants": []any{
		map[string]any{
			"subjectType": "user",
			"subjectId":   p.Admin.ID,
			"relation":    "owner",
		},
		map[string]any{"subjectType": "user", "subjectId": second.ID, "relation": "owner"},
	}})
	setPolicy(t, p, "healthcheck.update", map[string]any{"twoPerson": true})
	document := encode(t, map[string]any{"version": 1, "checks": []any{map[string]any{
		"name": live.Name, "strategyId": live.StrategyID, "config": live.Config, "intervalSeconds": 1800, "collectors": live.Collectors,
	}}})
	w := waits(t, p.Admin, http.MethodPost, "/api/healthcheck/import", map[string]any{"document": document})
	require.Equal(t, "Import 1 health checks: 0 created, 1 updated, 0 unchanged", w.Summary)
	unseen(t, stranger, w.ProposalID, "none")

	p.Exec(t, `UPDATE health_checks SET revision = revision + 1 WHERE id = $1`, live.ID)
	answer := second.Call(t, http.MethodPost, "/api/ai/proposals/apply", map[string]any{"token": second.Proposal(t, w.ProposalID).Token})
	require.Contains(t, string(answer.Body), `"drift"`)
	p.Admin.Get(t, private, &live)
	require.Equal(t, 3600, live.Interval, "somebody has changed the check since")

	again := waits(t, p.Admin, http.MethodPost, "/api/healthcheck/import", map[string]any{"document": document})
	second.Apply(t, again.ProposalID)
	p.Admin.Get(t, private, &live)
	require.Equal(t, 1800, live.Interval)
}
