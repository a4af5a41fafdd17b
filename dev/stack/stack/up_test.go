package stack_test

import (
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/dev/stack/port"
)

func TestUpPrintsOneReadyLineAndHowToSignIn(t *testing.T) {
	t.Parallel()
	data := dataFolder(t)
	r := up(t, programs(t), data, "OPENAI_API_KEY=from-the-caller")

	require.Equal(t, 1, strings.Count(r.stdout.String(), "\n"))
	require.Eventually(t, func() bool { return strings.Contains(r.stderr.String(), "Ctrl-C") }, patience, time.Millisecond)
	require.Contains(t, r.stderr.String(), "admin@example.test")
	require.Contains(t, r.stderr.String(), "first-password")

	answer, ok := r.ask()
	require.True(t, ok)
	require.Equal(t, data, answer.Setting["COUNTERSIGN_DATA"])
	require.Equal(t, "default", answer.Setting["TEMPORAL_NAMESPACE"])
	require.Equal(t, "from-the-caller", answer.Setting["OPENAI_API_KEY"])
	require.Contains(t, r.stderr.String(), answer.Setting["TEMPORAL_UI_URL"])

	response, err := http.Get(answer.Setting["TEMPORAL_UI_URL"] + "/api/v1/namespaces/default")
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, http.StatusOK, response.StatusCode)

	info, err := os.Stat(filepath.Join(data, "postgres.password"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestInterruptDrainsAndLeavesNoProcess(t *testing.T) {
	t.Parallel()
	data := dataFolder(t)
	r := up(t, programs(t), data)
	members := family(t, r.Pid())
	require.Greater(t, len(members), 5, "devstack, countersign and several of PostgreSQL: %v", members)

	r.interrupt(t)

	require.Empty(t, survivors(t, members))
	drained, err := os.ReadFile(filepath.Join(data, "drained"))
	require.NoError(t, err)
	require.Equal(t, "true", string(drained), "the database answered while the product finished its work")
}

func TestInterruptThatArrivesTwiceStillDrains(t *testing.T) {
	t.Parallel()
	data := dataFolder(t)
	r := up(t, programs(t), data)
	require.NoError(t, r.Signal(syscall.SIGINT))
	r.interrupt(t)
	require.FileExists(t, filepath.Join(data, "drained"))
	require.Contains(t, r.stderr.String(), "everything has stopped")
}

func TestStateSurvivesARestart(t *testing.T) {
	t.Parallel()
	dir, data := programs(t), dataFolder(t)
	for start := 1; start <= 2; start++ {
		r := up(t, dir, data)
		answer, ok := r.ask()
		require.True(t, ok)
		require.Equal(t, start, answer.Starts)
		r.interrupt(t)
	}
}

func TestStartsAgainAfterBeingKilled(t *testing.T) {
	t.Parallel()
	dir, data := programs(t), dataFolder(t)
	killed := up(t, dir, data)
	members := family(t, killed.Pid())
	require.NoError(t, killed.Signal(syscall.SIGKILL))
	require.True(t, killed.Wait(patience), "a killed process ends")

	r := up(t, dir, data)

	answer, ok := r.ask()
	require.True(t, ok)
	require.Equal(t, 2, answer.Starts)
	require.Empty(t, survivors(t, members), "processes of the killed run")
}

func TestStartsAgainAfterDevstackAndPostgresAreKilled(t *testing.T) {
	t.Parallel()
	dir, data := programs(t), dataFolder(t)
	killed := up(t, dir, data)
	for member := range family(t, killed.Pid()) {
		_ = syscall.Kill(member.pid, syscall.SIGKILL)
	}
	require.True(t, killed.Wait(patience), "a killed process ends")

	r := up(t, dir, data)

	answer, ok := r.ask()
	require.True(t, ok)
	require.Equal(t, 2, answer.Starts)
}

func TestCrashedProductIsStartedAgain(t *testing.T) {
	t.Parallel()
	r := up(t, programs(t), dataFolder(t))
	before, ok := r.ask()
	require.True(t, ok)

	response, err := http.Post(r.address+"/crash", "", nil)
	if err == nil {
		_ = response.Body.Close()
	}
	require.Error(t, err, "the connection ends with the process")

	require.Eventually(t, func() bool {
		after, ok := r.ask()
		return ok && after.Pid != before.Pid && after.Starts == 2
	}, patience, 20*time.Millisecond)
}

func TestProductThatNeverGetsReadyIsGivenUp(t *testing.T) {
	t.Parallel()
	dir := programs(t)
	// Its migrate succeeds, its `all` does not.
	script := filepath.Join(dir, "broken")
	require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\ntest \"$1\" = migrate\n"), 0o700))

	d := launch(t, dir, []string{"PORT=0", "TEMPORAL_UI_PORT=0"}, "up", "--data", dataFolder(t), "--countersign", script)

	require.True(t, d.Wait(patience))
	require.Equal(t, 1, d.ExitCode())
	require.Contains(t, d.stderr.String(), "before it was ready")
	require.Empty(t, d.stdout.String())
}

func TestFailedMigrationStopsTheStart(t *testing.T) {
	t.Parallel()
	d := launchUp(t, programs(t), dataFolder(t), "FAKE_CRASHES=1")

	require.True(t, d.Wait(patience))
	require.Equal(t, 1, d.ExitCode())
	require.Contains(t, d.stderr.String(), "migrate the database")
}

func TestTakenPortIsReportedBeforeAnythingStarts(t *testing.T) {
	t.Parallel()
	for _, variable := range []string{"PORT", "TEMPORAL_UI_PORT", "TEMPORAL_PORT", "POSTGRES_PORT"} {
		t.Run(variable, func(t *testing.T) {
			t.Parallel()
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			defer listener.Close()
			taken := strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
			data := dataFolder(t)

			d := launchUp(t, programs(t), data, variable+"="+taken)

			require.True(t, d.Wait(patience))
			require.Equal(t, 1, d.ExitCode())
			require.Contains(t, d.stderr.String(), "port "+taken+" is already in use")
			require.Contains(t, d.stderr.String(), "set "+variable+" to another port")
			require.NoDirExists(t, filepath.Join(data, "postgres"))
		})
	}
}

func TestSecondUpOnTheSameFolderIsRefused(t *testing.T) {
	t.Parallel()
	dir, data := programs(t), dataFolder(t)
	first := up(t, dir, data)

	second := launchUp(t, dir, data)

	require.True(t, second.Wait(patience))
	require.Equal(t, 1, second.ExitCode())
	require.Contains(t, second.stderr.String(), "in use by another devstack (process "+strconv.Itoa(first.Pid())+")")
	require.Contains(t, second.stderr.String(), "COUNTERSIGN_DATA")
	_, ok := first.ask()
	require.True(t, ok, "the first one is not disturbed")
}

func TestMissingProgramIsReportedBeforeAnythingStarts(t *testing.T) {
	t.Parallel()
	data := dataFolder(t)
	d := launch(t, programs(t), nil, "up", "--data", data, "--countersign", "/nowhere/countersign")

	require.True(t, d.Wait(patience))
	require.Equal(t, 1, d.ExitCode())
	require.Contains(t, d.stderr.String(), "make build")
	require.NoDirExists(t, filepath.Join(data, "postgres"))
}

// Root's folders are often closed to the account that PostgreSQL runs as.
func TestRootMayKeepTheDataWhereOthersCannotGo(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("needs root")
	}
	data := t.TempDir() // mode 0700 on the way to it
	dir := programs(t)
	for start := 1; start <= 2; start++ {
		r := up(t, dir, data)
		answer, ok := r.ask()
		require.True(t, ok)
		require.Equal(t, start, answer.Starts)
		moved := movedTo(t, r.stderr.String(), start)
		if moved != "" {
			t.Cleanup(func() { require.NoError(t, os.RemoveAll(filepath.Dir(moved))) })
		}
		r.interrupt(t)
	}
}

// movedTo reads from the messages of a start where the cluster went.
func movedTo(t *testing.T, messages string, start int) string {
	t.Helper()
	_, rest, ok := strings.Cut(messages, "PostgreSQL keeps its files in ")
	require.True(t, ok, messages)
	path, _, _ := strings.Cut(rest, ",")
	require.DirExists(t, path)
	if start > 1 {
		return ""
	}
	return path
}

func TestKilledRunLetsGoOfItsPorts(t *testing.T) {
	t.Parallel()
	dir, data := programs(t), dataFolder(t)
	free, err := port.Free(4)
	require.NoError(t, err)
	var fixed []string
	for i, variable := range []string{"PORT", "TEMPORAL_UI_PORT", "TEMPORAL_PORT", "POSTGRES_PORT"} {
		fixed = append(fixed, variable+"="+strconv.Itoa(free[i]))
	}
	killed := up(t, dir, data, fixed...)
	require.NoError(t, killed.Signal(syscall.SIGKILL))
	require.True(t, killed.Wait(patience))

	r := up(t, dir, data, fixed...)

	answer, ok := r.ask()
	require.True(t, ok)
	require.Equal(t, 2, answer.Starts)
}

func TestDeathOfPostgresStopsEverything(t *testing.T) {
	t.Parallel()
	data := dataFolder(t)
	r := up(t, programs(t), data)
	members := family(t, r.Pid())
	lockFile, err := os.ReadFile(filepath.Join(data, "postgres", "postmaster.pid"))
	require.NoError(t, err)
	first, _, _ := strings.Cut(string(lockFile), "\n")
	postmaster, err := strconv.Atoi(first)
	require.NoError(t, err)

	require.NoError(t, syscall.Kill(postmaster, syscall.SIGKILL))

	require.True(t, r.Wait(patience))
	require.Equal(t, 1, r.ExitCode())
	require.Contains(t, r.stderr.String(), "PostgreSQL stopped unexpectedly")
	require.Eventually(t, func() bool { return len(survivors(t, members)) == 0 }, patience, 20*time.Millisecond)
}
