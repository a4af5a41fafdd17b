package child_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/dev/stack/child"
)

const patience = 2 * time.Minute

// parentRole makes the test binary a parent that starts a child and then waits to
// be killed.
const parentRole = "CHILD_TEST_PARENT"

func TestMain(m *testing.M) {
	if os.Getenv(parentRole) == "" {
		os.Exit(m.Run())
	}
	process, err := child.Start(exec.Command("sleep", "1000"), syscall.SIGTERM)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(process.Pid())
	// Work that moves goroutines between threads must not end the child.
	for range 100 {
		go runtime.Gosched()
	}
	<-process.Done()
	fmt.Println("the child has ended")
}

func TestExitStatus(t *testing.T) {
	t.Parallel()
	for script, status := range map[string]int{
		"exit 0":        0,
		"exit 7":        7,
		"kill -9 $$":    128 + 9,
		"kill -TERM $$": 128 + 15,
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			process, err := child.Start(exec.Command("sh", "-c", script), syscall.SIGKILL)
			require.NoError(t, err)
			require.True(t, process.Wait(patience))
			require.Equal(t, status, process.ExitCode())
			require.Equal(t, status == 0, process.Err() == nil)
		})
	}
}

func TestStartReportsAMissingProgram(t *testing.T) {
	t.Parallel()
	_, err := child.Start(exec.Command("/nowhere/program"), syscall.SIGKILL)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestChildLeadsAGroupOfItsOwn(t *testing.T) {
	t.Parallel()
	process, err := child.Start(exec.Command("sleep", "1000"), syscall.SIGKILL)
	require.NoError(t, err)
	group, err := syscall.Getpgid(process.Pid())
	require.NoError(t, err)
	require.Equal(t, process.Pid(), group)

	require.NoError(t, process.SignalGroup(syscall.SIGKILL))
	require.True(t, process.Wait(patience))
}

func TestSignallingAnEndedChildDoesNothing(t *testing.T) {
	t.Parallel()
	process, err := child.Start(exec.Command("true"), syscall.SIGKILL)
	require.NoError(t, err)
	require.True(t, process.Wait(patience))
	require.NoError(t, process.Signal(syscall.SIGTERM))
	require.NoError(t, process.SignalGroup(syscall.SIGTERM))
}

func TestRunKillsTheGroupWhenItsContextEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	output, writer := io.Pipe()
	cmd := exec.Command("sh", "-c", "sleep 1000 & echo $!; wait")
	cmd.Stdout = writer
	ended := make(chan error, 1)
	go func() { ended <- child.Run(ctx, cmd) }()
	line, err := bufio.NewReader(output).ReadString('\n')
	require.NoError(t, err)

	enough := errors.New("enough")
	cancel(enough)

	require.ErrorIs(t, <-ended, enough)
	awaitEnd(t, strings.TrimSpace(line))
}

func TestChildDiesWithItsParent(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux ties a child to its parent")
	}
	self, err := os.Executable()
	require.NoError(t, err)
	parent := exec.Command(self)
	parent.Env = append(os.Environ(), parentRole+"=1")
	output, err := parent.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, parent.Start())
	line, err := bufio.NewReader(output).ReadString('\n')
	require.NoError(t, err)
	pid := strings.TrimSpace(line)
	require.DirExists(t, "/proc/"+pid)

	require.NoError(t, parent.Process.Kill())

	_ = parent.Wait()
	awaitEnd(t, pid)
}

// awaitEnd waits until the process is gone, or is only waiting to be reaped by
// whoever has inherited it.
func awaitEnd(t *testing.T, pid string) {
	t.Helper()
	number, err := strconv.Atoi(pid)
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		if syscall.Kill(number, 0) != nil {
			return true
		}
		text, err := os.ReadFile("/proc/" + pid + "/stat")
		return err == nil && strings.Contains(string(text), ") Z ")
	}, patience, 5*time.Millisecond)
}
