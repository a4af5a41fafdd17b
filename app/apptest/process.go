package apptest

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app"
	"countersign/egress/porttest"
)

// processVariable marks a process of the operating system that Spawn has started.
const processVariable = "COUNTERSIGN_TEST_PROCESS"

// RunIfProcess is the product if Spawn has started this process, and does not return then. The TestMain of a package that
// uses Spawn calls it first, because what Spawn starts is the binary of the test.
func RunIfProcess() {
	if os.Getenv(processVariable) == "" {
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	status := app.Main(ctx, app.Process{Args: os.Args[1:], Environ: os.Environ(), Stdout: os.Stdout, Stderr: os.Stderr})
	stop()
	os.Exit(status)
}

// Process is a process of the operating system, for tests in which one has to die.
type Process struct {
	// Pid is its id, and URL where it serves.
	Pid int
	URL string
	// Log is what it has printed.
	Log *Log

	kill func()
}

// Spawn starts another process of the installation with its own environment variables, and waits until it is ready. It is
// killed at the end of the test, if it has not been before.
func (p *Product) Spawn(t testing.TB, command string, env map[string]string) *Process {
	t.Helper()
	port := porttest.Free(t)
	other := &Product{site: p.site, env: maps.Clone(env), port: port, URL: "http://127.0.0.1:" + strconv.Itoa(port)}
	s := &Process{Log: &Log{}, URL: other.URL}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), os.Args[0], command) //nolint:gosec // this binary itself
	cmd.Env = append(other.environ(), processVariable+"=1")
	cmd.Stdout, cmd.Stderr = s.Log, s.Log
	// A grandchild that outlives the process must not keep its end from being seen.
	cmd.WaitDelay = patience
	require.NoError(t, cmd.Start())
	s.Pid = cmd.Process.Pid
	s.kill = sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	t.Cleanup(func() {
		s.kill()
		if t.Failed() {
			t.Logf("the end of the log of process %d:\n%s", s.Pid, tail(s.Log, 40))
		}
	})
	Eventually(t, "the process is ready", func() bool { return other.ready(t) })
	return s
}

// Kill ends the process as kill -9 does, and waits until it is gone.
func (s *Process) Kill() { s.kill() }
