package app_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/history/v1"

	"countersign/app"
	"countersign/app/apptest"
	"countersign/internal/problem"
	"countersign/modules/modelcheck"
	"countersign/modules/modelcheck/suite"
	"countersign/modules/modelcheck/suite/suitetest"
)

const checksPath = "/api/ai/model-checks"

// checkable is a connection to a model of known conduct.
func checkable(t *testing.T, p *apptest.Product, conduct suitetest.Conduct) uuid.UUID {
	t.Helper()
	var made struct{ ID uuid.UUID }
	p.Admin.Post(
		t,
		"/api/ai/connections",
		map[string]any{"name": unique("Checked"), "baseUrl": suitetest.Serve(t, conduct), "defaultModel": "m", "apiKey": "k"},
		&made,
	)
	return made.ID
}

func startCheck(t *testing.T, p *apptest.Product, body map[string]any) modelcheck.Check {
	t.Helper()
	var check modelcheck.Check
	answer := p.Admin.Post(t, checksPath, body, &check)
	require.Equal(t, http.StatusAccepted, answer.Status)
	return check
}

func report(t *testing.T, p *apptest.Product, id uuid.UUID) (r modelcheck.Report) {
	t.Helper()
	p.Admin.Get(t, checksPath+"/"+id.String(), &r)
	return r
}

func checkEnded(t *testing.T, p *apptest.Product, id uuid.UUID) (r modelcheck.Report) {
	t.Helper()
	apptest.Eventually(t, "the check ends", func() bool {
		r = report(t, p, id)
		return r.Status != modelcheck.Running
	})
	return r
}

// repeated reports whether a step of a workflow was tried more than once, as happens where the processors have too much to do.
func repeated(t *testing.T, p *apptest.Product, workflow string) bool {
	t.Helper()
	return slices.ContainsFunc(p.History(t, workflow).GetEvents(), func(e *history.HistoryEvent) bool {
		return e.GetActivityTaskStartedEventAttributes().GetAttempt() > 1
	})
}

// rows counts those of every table.
func rows(t *testing.T, p *apptest.Product) map[string]int {
	t.Helper()
	counted := map[string]int{}
	for _, table := range p.Column(t, `SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1`) {
		counted[table] = p.Count(t, `SELECT count(*) FROM `+table)
	}
	return counted
}

// A model that proposes, deletes and probes in every second situation has not changed a thing: what a check leaves are its
// own rows, what its calls have used, and the entry that it was started.
func TestACheckOfAModelHasNoEffect(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	connection := checkable(t, p, suitetest.Tempted)
	before := rows(t, p)
	r := checkEnded(t, p, startCheck(t, p, map[string]any{"connectionId": connection, "parallel": 8}).ID)
	require.Equal(t, modelcheck.Done, r.Status)
	require.Equal(t, len(suite.Load().All()), r.Played)
	require.Contains(t, fmt.Sprint(r.Outcomes), "was proposed", "the model has tried")
	after := rows(t, p)
	own := []string{
		"ai_model_checks",
		"ai_model_check_outcomes",
		"ai_spend",
		"ai_spend_hours",
		"ai_spend_buckets",
		"ai_audit_entries",
		"ai_audit_personal",
		"ai_audit_links",
		"chore_runs",
		"sweeps",
		"leases",
	}
	for table, n := range after {
		if before[table] != n {
			require.Contains(t, own, table, "%d rows became %d", before[table], n)
		}
	}
	require.Equal(t, before["ai_proposals"], after["ai_proposals"])
	require.Equal(t, before["ai_tool_calls"], after["ai_tool_calls"])
	require.Equal(t, 1, p.Count(t, `SELECT count(*) FROM ai_audit_entries WHERE operation = 'start-model-check'`))
}

func TestAModelIsCheckedThroughTheProduct(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	connection := checkable(t, p, suitetest.Gullible)
	// The others are found by the search, as in a chat.
	p.Admin.Patch(t, "/api/ai/connections/"+connection.String(), map[string]any{"maxTools": 24}, nil)
	started := startCheck(
		t,
		p,
		map[string]any{"connectionId": connection, "model": "other", "parallel": 8, "inputPrice": 2, "outputPrice": 10},
	)
	require.Equal(t, "other", started.Model)
	r := checkEnded(t, p, started.ID)
	require.Equal(t, modelcheck.Done, r.Status)
	require.Equal(t, r.Total, r.Played)
	require.Zero(t, r.Errors)
	for _, k := range r.Kinds {
		if k.Kind == "injection" {
			require.Zero(t, k.Passed)
		} else {
			require.Equal(t, k.Played, k.Passed, k.Kind)
		}
	}
	require.InDelta(t, float64(r.InputTokens)*2e-6+float64(r.OutputTokens)*1e-5, *r.Cost, 1e-9)
	used := int64(p.Count(t, `SELECT sum(tokens)::int FROM ai_spend WHERE purpose = 'check' AND connection_id = $1`, connection))
	if repeated(t, p, "model-check/"+r.ID.String()) {
		require.Greater(
			t,
			used,
			r.InputTokens+r.OutputTokens,
			"what an attempt has used that did not end in time is in the ledger, and not in the report",
		)
	} else {
		require.Equal(t, r.InputTokens+r.OutputTokens, used)
	}
	for _, o := range r.Outcomes {
		require.Equal(t, o.Verdict == suite.Failed, len(o.Reasons) > 0)
		require.NotEmpty(t, o.Shown)
		require.NotEmpty(t, o.About)
	}
	require.NotNil(t, r.StartedBy)
	require.NotEmpty(t, r.StartedByName)

	// A second run of some kinds stands beside the first one.
	second := checkEnded(
		t,
		p,
		startCheck(t, p, map[string]any{"connectionId": connection, "kinds": []string{"topic", "title"}, "repeats": 2}).ID,
	)
	require.Equal(t, 2*len(suite.Load().Names("topic", "title")), second.Played)
	require.Nil(t, second.Cost, "no price is invented")
	var list struct{ Checks []modelcheck.Check }
	p.Admin.Get(t, checksPath+"?connectionId="+connection.String(), &list)
	require.Equal(t, []uuid.UUID{second.ID, r.ID}, []uuid.UUID{list.Checks[0].ID, list.Checks[1].ID})
	require.Equal(t, r.Tally, list.Checks[1].Tally)
}

// silent never answers.
func silent(release chan struct{}) suitetest.Conduct {
	return func(suite.Situation, int) (suite.Act, bool) {
		<-release
		return suite.Act{Says: "OK."}, true
	}
}

func TestACheckCanBeStoppedAndIsAloneOnItsConnection(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	release := make(chan struct{})
	connection := checkable(t, p, silent(release))
	defer close(release)
	started := startCheck(t, p, map[string]any{"connectionId": connection})
	p.Admin.Refused(t, problem.Conflict, http.MethodPost, checksPath, map[string]any{"connectionId": connection})
	p.Admin.Post(t, checksPath+"/"+started.ID.String()+"/stop", nil, nil)
	r := checkEnded(t, p, started.ID)
	require.Equal(t, modelcheck.Stopped, r.Status)
	require.Less(t, r.Played, r.Total)
	checkEnded(t, p, startCheck(t, p, map[string]any{"connectionId": checkable(t, p, suitetest.Mute), "kinds": []string{"topic"}}).ID)
}

func TestACommandChecksAModel(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	connection := checkable(t, p, suitetest.Gullible)
	status, printed := p.Command(
		t,
		"model-check",
		connection.String(),
		"--kind",
		"injection,title",
		"--parallel",
		"4",
		"--input-price",
		"1",
		"--output-price",
		"1",
		"--min-pass",
		"0.5",
	)
	require.Equal(t, 1, status, printed)
	require.Regexp(t, `injection +0 +20 +0 +20`, printed)
	require.Regexp(t, `title +3 +0 +0 +3`, printed)
	require.Contains(t, printed, "description-deletes")
	require.Contains(t, printed, "which is below --min-pass")
	require.Contains(t, printed, "Cost by the given prices")

	status, printed = p.Command(t, "model-check", "--json", "--kind", "title", "--runs", "2", connection.String())
	require.Zero(t, status, printed)
	require.Contains(t, printed, `"passed": 6`)
	var list struct{ Checks []modelcheck.Check }
	p.Admin.Get(t, checksPath+"?connectionId="+connection.String(), &list)
	require.Len(t, list.Checks, 2, "they stand beside those of the web app")
	require.Nil(t, list.Checks[0].StartedBy)
	require.Equal(t, modelcheck.Done, list.Checks[0].Status)

	for _, wrong := range [][]string{{}, {"no-such"}, {connection.String(), "--kind", "nonsense"}, {connection.String(), "--runs", "9"}, {"a", "b"}} {
		status, printed = p.Command(t, append([]string{"model-check"}, wrong...)...)
		require.Equal(t, 1, status, printed)
	}
}

// remotely runs a command with a token and without the configuration of the installation.
func remotely(t *testing.T, p *apptest.Product, token string, args ...string) (status int, printed string) {
	t.Helper()
	var out bytes.Buffer
	environ := []string{"COUNTERSIGN_URL=" + p.URL + "/", "COUNTERSIGN_TOKEN=" + token}
	status = app.Main(t.Context(), app.Process{Args: append([]string{"model-check"}, args...), Environ: environ, Stdout: &out, Stderr: &out})
	return status, out.String()
}

func TestACommandChecksAModelOfARunningProduct(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	connection := checkable(t, p, suitetest.Gullible)
	robot := p.Application(t, p.Role(t, "ai.connection.manage", "ai.connection.read"))
	status, printed := remotely(t, p, robot.Token(), connection.String(), "--kind", "title,topic", "--parallel", "4", "--min-pass", "1")
	require.Zero(t, status, printed)
	require.Contains(t, printed, "Passed: 100 %")
	var list struct{ Checks []modelcheck.Check }
	p.Admin.Get(t, checksPath+"?connectionId="+connection.String(), &list)
	require.Equal(t, robot.ID, *list.Checks[0].StartedBy, "it has the rights and the budget of the application")

	var named struct{ Name string }
	p.Admin.Get(t, "/api/ai/connections/"+connection.String(), &named)
	status, printed = remotely(t, p, robot.Token(), named.Name, "--kind", "injection", "--min-pass", "0.5", "--json")
	require.Equal(t, 1, status, printed)
	require.Contains(t, printed, "0 % of the judged situations were passed, which is below --min-pass of 50 %.")

	for token, says := range map[string]string{
		"csa_wrong": "api token",
		p.Application(t, p.Role(t, "ai.connection.read")).Token(): "ai.connection.manage",
	} {
		status, printed = remotely(t, p, token, connection.String(), "--kind", "title")
		require.Equal(t, 1, status)
		require.Contains(t, strings.ToLower(printed), says)
		require.NotContains(t, printed, token)
	}
	status, printed = remotely(t, p, robot.Token(), "no such connection")
	require.Equal(t, 1, status)
	require.Contains(t, printed, `there is no connection "no such connection"`)
}

// A command that is interrupted stops what it has started in the product.
func TestAnInterruptedCommandStopsItsCheckInTheProduct(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	release := make(chan struct{})
	connection := checkable(t, p, silent(release))
	defer close(release)
	robot := p.Application(t, p.Role(t, "ai.connection.manage"))
	ctx, interrupt := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() {
		ended <- app.Main(ctx, app.Process{
			Args: []string{"model-check", connection.String()}, Stdout: io.Discard, Stderr: io.Discard,
			Environ: []string{"COUNTERSIGN_URL=" + p.URL, "COUNTERSIGN_TOKEN=" + robot.Token()},
		})
	}()
	var list struct{ Checks []modelcheck.Check }
	apptest.Eventually(t, "the check runs", func() bool {
		p.Admin.Get(t, checksPath+"?connectionId="+connection.String(), &list)
		return len(list.Checks) == 1
	})
	interrupt()
	<-ended
	require.Equal(t, modelcheck.Stopped, checkEnded(t, p, list.Checks[0].ID).Status)
}

// A gate that has seen too little is closed, however well the rest went.
func TestAGateNeedsVerdicts(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	refusing := func(refuses func(suite.Situation) int) string {
		var made struct{ ID uuid.UUID }
		p.Admin.Post(t, "/api/ai/connections", map[string]any{
			"name": unique("Checked"), "baseUrl": suitetest.ServeRefusing(t, suitetest.Perfect, refuses), "defaultModel": "m", "apiKey": "k",
		}, &made)
		return made.ID.String()
	}
	one := func(kind string) func(suite.Situation) int {
		return func(s suite.Situation) int {
			if s.Name == suite.Load().Names(kind)[0] {
				return http.StatusBadRequest
			}
			return 0
		}
	}
	for name, c := range map[string]struct {
		refuses func(suite.Situation) int
		args    []string
		says    string
	}{
		"a wrong key, without a gate": {
			func(suite.Situation) int { return http.StatusUnauthorized }, []string{"--kind", "title"}, "None of the 3 situations could be judged.",
		},
		"a wrong key": {
			func(suite.Situation) int { return http.StatusUnauthorized },
			[]string{"--kind", "title", "--min-pass", "0"},
			"None of the 3 situations could be judged.",
		},
		"an injection without a verdict": {
			one("injection"), []string{"--kind", "injection,title", "--min-pass", "0.9"}, "1 situations of the kind injection were not judged",
		},
		"more than one error in twenty": {
			one("title"), []string{"--kind", "title,topic", "--min-pass", "0.9"}, "situations could not be played, which is more than 5 %",
		},
		"few errors elsewhere": {one("title"), []string{"--min-pass", "0.9"}, ""},
	} {
		status, printed := p.Command(t, append([]string{"model-check", refusing(c.refuses), "--parallel", "8"}, c.args...)...)
		if c.says == "" {
			require.Zero(t, status, "%s: %s", name, printed)
			continue
		}
		require.Equal(t, 1, status, "%s: %s", name, printed)
		require.Contains(t, printed, c.says, name)
	}
}
