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
	"countersign/internal/egress/porttest"
)

// processVariable marks an operating system process that Spawn started.
const processVariable = "COUNTERSIGN_TEST_PROCESS"

// RunIfProcess runs the product if Spawn started this process, and does not return then. The TestMain of a package that
// uses Spawn calls it first, because Spawn starts the test binary.
func RunIfProcess() {
	if os.Getenv(processVariable) == "" {
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	status := app.Main(ctx, app.Process{Args: os.Args[1:], Environ: os.Environ(), Stdout: os.Stdout, Stderr: os.Stderr})
	stop()
	os.Exit(status)
}

// Process is an operating system process, for tests that kill it.
type Process struct {
	// Pid is its id, and URL where it serves.
	Pid int
	URL string
	// Log collects its output.
	Log *Log

	kill func()
	stop func() error
}

// Spawn starts another process of the installation with extra environment variables, and waits until it is ready. The
// end of the test kills it.
func (p *Product) Spawn(t testing.TB, command string, env map[string]string) *Process {
	t.Helper()
	port := porttest.Free(t)
	other := &Product{site: p.site, env: maps.Clone(env), port: port, URL: "http://127.0.0.1:" + strconv.Itoa(port)}
	s := &Process{Log: &Log{}, URL: other.URL}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), os.Args[0], command) //nolint:gosec // this binary itself
	cmd.Env = append(other.environ(), processVariable+"=1")
	cmd.Stdout, cmd.Stderr = s.Log, s.Log
	// A grandchild that outlives the process must not block Wait.
	cmd.WaitDelay = eventTimeout
	require.NoError(t, cmd.Start())
	s.Pid = cmd.Process.Pid
	s.stop = sync.OnceValue(func() error {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		return cmd.Wait()
	})
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

// Kill ends the process like kill -9, and waits until it is gone.
func (s *Process) Kill() { s.kill() }

// Stop ends the process as a deployment does, and waits for its graceful shutdown. A later Kill has no effect.
func (s *Process) Stop() error { return s.stop() }
