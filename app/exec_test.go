package app_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/app"
	"countersign/app/apptest"
	"countersign/internal/problem"
	"countersign/script/sdk"
)

// A script may have changed something outside when its process dies, so it is not run again: whoever asked is told, as soon
// as the process is missed and another one can say so.
func TestAScriptWhoseProcessIsKilledIsAnsweredAndNotRunAgain(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{Env: map[string]string{"COUNTERSIGN_WORKER_QUEUES": "turns"}})
	onlyScripts := map[string]string{"COUNTERSIGN_WORKER_QUEUES": "exec"}
	first := p.Spawn(t, "worker", onlyScripts)
	warm(t, p)

	var begun atomic.Int64
	reached := make(chan struct{}, 8)
	outside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		begun.Add(1)
		reached <- struct{}{}
	}))
	t.Cleanup(outside.Close)
	allow(t, p.Admin, outside)
	// The process reads the policy again every few moments.
	apptest.Eventually(t, "the script policy allows it", func() bool {
		return testScript(t, p.Admin, sdk.HealthCheckShell, "curl -sf "+outside.URL, nil).NetworkAllowed
	})
	<-reached
	begun.Store(0)

	answered := make(chan apptest.Answer, 1)
	go func() {
		in := scriptTest(sdk.HealthCheckShell, "curl -sf "+outside.URL+"; sleep 9; curl -sf "+outside.URL, map[string]any{"timeoutMs": 10_000})
		answer, _ := p.Admin.Send(t.Context(), http.MethodPost, testsPath(sdk.HealthCheckShell), in)
		answered <- answer
	}()
	<-reached
	children := childrenOf(t, first.Pid)
	require.NotEmpty(t, children, "the compiler is a process of its own")
	first.Kill()
	killed := time.Now()
	for _, child := range children {
		apptest.Eventually(t, "the compiler ends with its parent", func() bool { return !alive(child) })
	}

	p.Spawn(t, "worker", onlyScripts)
	lost := (<-answered).Problem(t)
	require.Equal(t, problem.Unavailable, lost.Code)
	require.Contains(t, lost.Detail, "died")
	t.Logf("answered %s after the kill", time.Since(killed).Round(100*time.Millisecond))
	require.EqualValues(t, 1, begun.Load())
	require.Zero(t, p.Count(t, `SELECT count(*) FROM script_tests`))
	require.Equal(t, "hi\n", testScript(t, p.Admin, sdk.HealthCheckShell, "echo hi", nil).Stdout, "the other process serves")
}

// childrenOf are the processes that a process has started.
func childrenOf(t *testing.T, pid int) []int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "task", "*", "children"))
	require.NoError(t, err)
	var found []int
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for field := range strings.FieldsSeq(string(text)) {
			child, err := strconv.Atoi(field)
			require.NoError(t, err)
			found = append(found, child)
		}
	}
	return found
}

// alive reports whether a process runs; one that has ended and that nobody has asked about does not.
func alive(pid int) bool {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z") && !strings.HasPrefix(rest, "X")
}

// A sandbox that cannot start is tried again with each script. Nobody hears why but the log.
func TestAProcessWhoseSandboxCannotStartSaysSo(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{Env: map[string]string{"COUNTERSIGN_WORKER_QUEUES": "turns"}})
	cache := filepath.Join(t.TempDir(), "engines")
	exec := apptest.Start(
		t,
		apptest.Options{
			Beside: p,
			Roles:  app.Roles{Worker: true},
			Env:    map[string]string{"COUNTERSIGN_WORKER_QUEUES": "exec", "COUNTERSIGN_CACHE": cache},
		},
	)
	require.NoError(t, os.Remove(cache))
	require.NoError(t, os.WriteFile(cache, []byte("not a folder"), 0o600))
	for range 2 {
		for _, c := range []sdk.Context{sdk.HealthCheckScript, sdk.HealthCheckShell} {
			refused := p.Admin.Refused(t, problem.Unavailable, http.MethodPost, testsPath(c), scriptTest(c, "true", nil))
			require.Contains(t, refused.Detail, "fault on the server")
		}
	}
	require.Contains(t, exec.Log.String(), "not a directory")
	require.NoError(t, os.Remove(cache))
	apptest.Eventually(t, "scripts run again", func() bool {
		return p.Admin.Call(
			t,
			http.MethodPost,
			testsPath(sdk.HealthCheckScript),
			scriptTest(sdk.HealthCheckScript, "return true;", nil),
		).Status == http.StatusOK
	})
}

// What is compiled need not be kept: a process that can write nowhere runs scripts all the same, and says what that costs.
func TestScriptsRunWhereNothingCanBeWritten(t *testing.T) {
	t.Parallel()
	cache := filepath.Join(t.TempDir(), "engines")
	require.NoError(t, os.WriteFile(cache, []byte("not a folder"), 0o600))
	p := apptest.Start(t, apptest.Options{Env: map[string]string{"COUNTERSIGN_CACHE": cache}})
	require.Contains(t, p.Log.String(), "Script engines are compiled at each start")
	apptest.Eventually(t, "the engine is compiled", func() bool {
		return p.Admin.Call(
			t,
			http.MethodPost,
			testsPath(sdk.HealthCheckScript),
			scriptTest(sdk.HealthCheckScript, "return true;", nil),
		).Status == http.StatusOK
	})
}
