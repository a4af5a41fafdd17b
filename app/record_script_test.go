package app_test

import (
	"context"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	sdkworker "go.temporal.io/sdk/worker"

	"countersign/app/apptest"
	"countersign/chat/conversation"
	"countersign/modules/scriptpolicy"
	"countersign/script/sdk"
	"countersign/worker"
	"countersign/workflows"
)

// longestScript is how long a script may take that has to last until something else has happened.
const longestScript = 30 * time.Second

const openTests = `SELECT id::text FROM script_tests WHERE status = `

// background tests a script in the background; stop gives the call up.
func background(t *testing.T, as *apptest.Client, source string) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		in := scriptTest(sdk.HealthCheckShell, source, map[string]any{"timeoutMs": longestScript.Milliseconds()})
		_, _ = as.Send(ctx, http.MethodPost, testsPath(sdk.HealthCheckShell), in) // its end is in the history
	}()
	stop = func() {
		cancel()
		<-ended
	}
	t.Cleanup(stop)
	return stop
}

// openTest waits for the one test with that status.
func openTest(t *testing.T, p *apptest.Product, status string) (id string) {
	t.Helper()
	apptest.Eventually(t, "one test is "+status, func() bool {
		ids := p.Column(t, openTests+`$1`, status)
		if len(ids) == 1 {
			id = ids[0]
		}
		return len(ids) == 1
	})
	return "script-test/" + id
}

// testedScripts are tests that were done, given up, and not picked up because all places were taken.
func testedScripts(t *testing.T, p *apptest.Product) map[string]string {
	warm(t, p)
	setScriptPolicy(t, p.Admin, func(policy *scriptpolicy.Policy) { policy.Test.TimeoutMs = int(longestScript.Milliseconds()) })
	recorded := map[string]string{}
	background(t, p.Admin, "sleep 3")
	recorded["script-test-done"] = openTest(t, p, "running")
	apptest.Eventually(t, "it is done", func() bool { return p.Count(t, `SELECT count(*) FROM script_tests`) == 0 })

	stop := background(t, p.Admin, "sleep 29")
	recorded["script-test-canceled"] = openTest(t, p, "running")
	stop()

	const places = 4 // of COUNTERSIGN_EXEC_SLOTS=1
	// The first has to last until the last one has begun and another one was not served, also on a slow machine. Nobody has more than two.
	role := p.Role(t, "healthcheck.healthcheck.manage")
	for taken := 1; taken <= places; taken++ {
		background(t, p.Person(t, role), "sleep 29")
		apptest.Eventually(t, "a place is taken", func() bool { return len(p.Column(t, openTests+`'running'`)) == taken })
	}
	background(t, p.Person(t, role), "sleep 29")
	recorded["script-test-unserved"] = openTest(t, p, "waiting")
	return recorded
}

// lostScript is a test whose process died while it ran the script, and whose second attempt was lost, too. The worker
// stands in for a killed one: its activity is never heard of again.
func lostScript(t *testing.T, _ *apptest.Product) map[string]string {
	c, err := client.Dial(apptest.TemporalOptions(os.Getenv(apptest.EnvTemporal)))
	require.NoError(t, err)
	t.Cleanup(c.Close)
	queue := uuid.NewString() + "-" + workflows.ExecQueue
	w := sdkworker.New(c, queue, sdkworker.Options{})
	worker.RegisterWorkflows(w)
	silent, settled := make(chan struct{}), make(chan workflows.SettleScriptTestInput, 1)
	worker.Bind(w, workflows.RunScriptTest, func(context.Context, workflows.RunScriptTestInput) (workflows.RunScriptTestOutput, error) {
		<-silent
		return workflows.RunScriptTestOutput{}, nil
	})
	worker.Bind(
		w,
		workflows.SettleScriptTest,
		func(_ context.Context, in workflows.SettleScriptTestInput) (workflows.SettleScriptTestOutput, error) {
			settled <- in
			return workflows.SettleScriptTestOutput{}, nil
		},
	)
	require.NoError(t, w.Start())
	id := uuid.New()
	options := client.StartWorkflowOptions{ID: workflows.ScriptTestID(id), TaskQueue: queue, WorkflowExecutionTimeout: 2 * time.Minute}
	_, err = c.ExecuteWorkflow(
		t.Context(),
		options,
		workflows.ScriptTestWorkflow.Name,
		workflows.ScriptTestInput{TestID: id, Timeout: time.Second},
	)
	require.NoError(t, err)
	t.Cleanup(func() {
		close(silent)
		w.Stop()
	})
	require.Equal(t, workflows.SettleScriptTestInput{TestID: id}, <-settled)
	return map[string]string{"script-test-lost": workflows.ScriptTestID(id)}
}

// swept is a sweep of more conversations than one activity deletes.
func swept(t *testing.T, p *apptest.Product) map[string]string {
	p.DropSchedule(t)
	var set conversation.Retention
	answer := p.Admin.Get(t, setRetention, &set)
	changed := p.Admin.Call(t, http.MethodPut, setRetention, map[string]any{"enabled": true, "archivedDays": 30, "idleDays": nil},
		apptest.Header{Name: "If-Match", Value: answer.Header.Get("ETag")})
	require.Equal(t, http.StatusOK, changed.Status)
	p.Exec(t, `INSERT INTO ai_conversations (id, owner_id, title, archived_at)
		SELECT gen_random_uuid(), $1, 'Chat ' || n, now() - interval '31 days' FROM generate_series(1, 150) n`, p.Admin.ID)
	p.TriggerSchedule(t)
	var ids []string
	apptest.Eventually(t, "the sweep is there", func() bool {
		ids = p.Sweeps(t)
		return len(ids) == 1
	})
	return map[string]string{"retention": ids[0]}
}
