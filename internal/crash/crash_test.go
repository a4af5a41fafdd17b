package crash_test

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/internal/crash"
)

var subject = uuid.MustParse("0199d1a0-0000-7000-8000-000000000001")

// TestMain is also the process that the tests kill: it comes by two points, three times each.
func TestMain(m *testing.M) {
	if os.Getenv("CRASH_TEST_CHILD") == "" {
		os.Exit(m.Run())
	}
	for range 3 {
		crash.Point("first", uuid.Nil)
		_, _ = os.Stdout.WriteString("step\n")
		crash.Point("second", subject)
	}
}

func child(t *testing.T, armed string) (stdout, stderr string, err error) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), "CRASH_TEST_CHILD=1", crash.Variable+"="+armed)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

func TestAnUnarmedPointDoesNothing(t *testing.T) {
	t.Parallel()
	for _, armed := range []string{"", "elsewhere:1", "second:4"} {
		stdout, stderr, err := child(t, armed)
		require.NoError(t, err, armed)
		require.Equal(t, "step\nstep\nstep\n", stdout, armed)
		require.Empty(t, stderr, armed)
	}
}

func TestAnArmedPointKillsTheProcessAtTheVisitThatWasAskedFor(t *testing.T) {
	t.Parallel()
	stdout, stderr, err := child(t, "second:2")
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	status, ok := exit.Sys().(syscall.WaitStatus)
	require.True(t, ok)
	require.Equal(t, syscall.SIGKILL, status.Signal())
	require.Equal(t, "step\nstep\n", stdout, "nothing after the point runs")
	name, id, ok := crash.ParseMark(stderr)
	require.True(t, ok, stderr)
	require.Equal(t, "second", name)
	require.Equal(t, subject, id)
}

// A process that was stopped has done nothing wrong: it goes on where it stood once it is let.
func TestAPointThatStopsTheProcessLetsItGoOn(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), "CRASH_TEST_CHILD=1", crash.Variable+"=second:2:stop")
	var out bytes.Buffer
	cmd.Stdout = &out
	errs, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line, err := bufio.NewReader(errs).ReadString('\n')
	require.NoError(t, err)
	name, id, ok := crash.ParseMark(line)
	require.True(t, ok, line)
	require.Equal(t, "second", name)
	require.Equal(t, subject, id)
	var status syscall.WaitStatus
	_, err = syscall.Wait4(cmd.Process.Pid, &status, syscall.WUNTRACED, nil)
	require.NoError(t, err)
	require.True(t, status.Stopped(), "it stands still at the point")
	require.NoError(t, cmd.Process.Signal(syscall.SIGCONT))
	require.NoError(t, cmd.Wait())
	require.Equal(t, "step\nstep\nstep\n", out.String())
}

func TestATestIsCalledOnceWhereItsSubjectComesBy(t *testing.T) {
	t.Parallel()
	mine, visits := uuid.New(), 0
	crash.On(t, "third", mine, func() { visits++ })
	crash.Point("third", uuid.New())
	crash.Point("fourth", mine)
	require.Zero(t, visits)
	crash.Point("third", mine)
	crash.Point("third", mine)
	require.Equal(t, 1, visits)
}

func TestAValueThatMakesNoSenseStopsTheProcess(t *testing.T) {
	t.Parallel()
	for _, armed := range []string{"second", "second:", "second:0", "second:-1", "second:x", ":1", "second:1:", "second:1:go", "second:1:stop:"} {
		stdout, stderr, err := child(t, armed)
		require.Error(t, err, armed)
		require.Empty(t, stdout, armed)
		require.Contains(t, stderr, crash.Variable, armed)
	}
}

func FuzzParseMark(f *testing.F) {
	f.Add(crash.Mark("turn.after-record", subject))
	f.Add("crash point x reached by y")
	f.Add("")
	f.Fuzz(func(t *testing.T, line string) {
		name, id, ok := crash.ParseMark(line)
		if !ok {
			return
		}
		again, same, ok := crash.ParseMark(crash.Mark(name, id))
		require.True(t, ok)
		require.Equal(t, name, again)
		require.Equal(t, id, same)
	})
}

func BenchmarkPointThatIsNotArmed(b *testing.B) {
	for b.Loop() {
		crash.Point("turn.after-record", subject)
	}
}
