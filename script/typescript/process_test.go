package typescript_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/script/sdk"
	"countersign/script/typescript"
)

func pid(t *testing.T, c *typescript.Compiler) int {
	ids := c.PIDs()
	require.Len(t, ids, 1)
	return ids[0]
}

func TestAProcessIsUsedAgainUntilItIsWornOut(t *testing.T) {
	t.Parallel()
	o := patient()
	o.Uses = 2
	c := compiler(t, o)
	compile(t, c, sdk.ActionScript, "return 1;\n")
	first := pid(t, c)
	compile(t, c, sdk.ActionScript, "return 2;\n")
	second := pid(t, c)
	require.NotEqual(t, first, second, "after two uses")
	compile(t, c, sdk.ActionScript, "return 3;\n")
	require.Equal(t, second, pid(t, c))
}

// A source that takes long must not hold up others: its process gets what they leave, and another one takes its place afterwards.
func TestAProcessWhoseSourceTakesLongGivesWay(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("looks into /proc")
	}
	o := patient()
	o.LowPriorityAfter = 50 * time.Millisecond
	c := compiler(t, o)
	compile(t, c, sdk.ActionScript, "return 1;\n")
	first := pid(t, c)
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan struct{})
	go func() {
		defer close(left)
		source := "type A<T extends 0[] = []> = T[\"length\"] extends 990 ? T : A<[...T, 0]>;\n"
		for i := range 200 {
			source += fmt.Sprintf("const a%d: A<[%s0]>[\"length\"] = 990;\n", i, strings.Repeat("0, ", i))
		}
		_, _ = c.Compile(ctx, source+"return 1;\n", sdk.ActionScript)
	}()
	nice := func() (all []string) {
		stats, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", first))
		require.NoError(t, err)
		for _, file := range stats {
			text, err := os.ReadFile(file)
			if err != nil {
				continue
			}
			_, rest, _ := strings.Cut(string(text), ") ")
			all = append(all, strings.Fields(rest)[16])
		}
		return all
	}
	require.Eventually(t, func() bool {
		all := nice()
		return len(all) > 0 && !slices.ContainsFunc(all, func(n string) bool { return n != "10" })
	}, time.Minute, time.Millisecond, "all of its threads give way")
	leave()
	<-left
	compile(t, c, sdk.ActionScript, "return 2;\n")
	require.NotEqual(t, first, pid(t, c))
}

func TestAProcessThatSomebodyKilledIsReplaced(t *testing.T) {
	t.Parallel()
	c := compiler(t, patient())
	compile(t, c, sdk.ActionScript, "return 1;\n")
	first := pid(t, c)
	require.NoError(t, syscall.Kill(first, syscall.SIGKILL))
	require.True(t, compile(t, c, sdk.ActionScript, "return 2;\n").Checked)
	require.NotEqual(t, first, pid(t, c))
}

func TestAProcessHasNoSecretsAndNoFiles(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("looks into /proc")
	}
	t.Setenv("COUNTERSIGN_TEST_SECRET", "hunter2")
	// A file that is passed on, as a careless shell does.
	inherited, err := syscall.Open(os.Args[0], syscall.O_RDONLY, 0)
	require.NoError(t, err)
	defer syscall.Close(inherited)
	c := compiler(t, patient())
	compile(t, c, sdk.ActionScript, "return 1;\n")

	proc := fmt.Sprintf("/proc/%d", pid(t, c))
	environ, err := os.ReadFile(filepath.Join(proc, "environ"))
	require.NoError(t, err)
	var names []string
	for variable := range strings.SplitSeq(strings.TrimRight(string(environ), "\x00"), "\x00") {
		name, _, _ := strings.Cut(variable, "=")
		names = append(names, name)
	}
	require.ElementsMatch(t, []string{typescript.ChildVariable, "GOMEMLIMIT", "GOTRACEBACK", "GOMAXPROCS"}, names)

	descriptors, err := os.ReadDir(filepath.Join(proc, "fd"))
	require.NoError(t, err)
	for _, d := range descriptors {
		target, err := os.Readlink(filepath.Join(proc, "fd", d.Name()))
		require.NoError(t, err)
		// The runtime makes event descriptors of its own.
		if !strings.HasPrefix(target, "anon_inode:") {
			require.Contains(t, []string{"0", "1", "2"}, d.Name(), target)
			require.Regexp(t, "^pipe:", target)
		}
	}
	limits, err := os.ReadFile(filepath.Join(proc, "limits"))
	require.NoError(t, err)
	require.Regexp(t, `Max data size\s+805306368\s+805306368`, string(limits))
	require.Regexp(t, `Max file size\s+0\s+0`, string(limits))
	cwd, err := os.Readlink(filepath.Join(proc, "cwd"))
	require.NoError(t, err)
	require.Equal(t, "/", cwd)
}

func TestAProcessEndsWithItsParentWhateverItIsDoing(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], typescript.Command)
	cmd.Env = []string{typescript.ChildVariable + "=805306368"}
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())

	data, err := json.Marshal(map[string]any{"source": endless(), "context": sdk.HealthCheckScript, "types": true})
	require.NoError(t, err)
	_, err = stdin.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(data))), data...))
	require.NoError(t, err)
	for _, stage := range []string{"ready", "outlined"} {
		var size [4]byte
		_, err = io.ReadFull(stdout, size[:])
		require.NoError(t, err)
		answer := make([]byte, binary.BigEndian.Uint32(size[:]))
		_, err = io.ReadFull(stdout, answer)
		require.NoError(t, err)
		require.Contains(t, string(answer), stage)
	}
	require.NoError(t, stdin.Close())
	require.NoError(t, cmd.Wait(), "it ends by itself")
}

func TestACallerThatGoesAwayDoesNotWaitAndCostsNoProcess(t *testing.T) {
	t.Parallel()
	c := compiler(t, patient())
	compile(t, c, sdk.ActionScript, "return 1;\n")
	first := pid(t, c)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := c.Compile(ctx, "return 2;\n", sdk.ActionScript)
	require.ErrorIs(t, err, context.Canceled)
	require.True(t, compile(t, c, sdk.ActionScript, "return 3;\n").Checked)
	require.Equal(t, first, pid(t, c))
}

func TestCloseEndsWhatIsBeingWorkedOn(t *testing.T) {
	t.Parallel()
	c := compiler(t, patient())
	compile(t, c, sdk.HealthCheckScript, "return 1;\n")
	first := pid(t, c)
	failed := make(chan error, 1)
	go func() {
		_, err := c.Compile(t.Context(), endless(), sdk.HealthCheckScript)
		failed <- err
	}()
	// The only slot is taken when the work has begun.
	require.Eventually(t, func() bool { return c.Free() == 0 }, time.Minute, time.Millisecond)
	c.Close()
	require.ErrorContains(t, <-failed, "closed")
	require.ErrorIs(t, syscall.Kill(first, 0), syscall.ESRCH)
	_, err := c.Compile(t.Context(), "return 2;\n", sdk.HealthCheckScript)
	require.ErrorContains(t, err, "closed")
	c.Close()
}

func TestAResultIsKeptForTheSameSource(t *testing.T) {
	t.Parallel()
	c := compiler(t, patient())
	first := compile(t, c, sdk.ActionScript, "return 1;\n")
	c.Close()
	require.Equal(t, first, compile(t, c, sdk.ActionScript, "return 1;\n"), "nothing can be worked on any more")
	_, err := c.Compile(t.Context(), "return 1;\n", sdk.HealthCheckScript)
	require.Error(t, err, "another context is another result")
	_, err = c.Transpile(t.Context(), "return 1;\n", sdk.ActionScript)
	require.Error(t, err, "another question is another result")
}

func TestOldResultsMakeRoom(t *testing.T) {
	t.Parallel()
	o := patient()
	o.CacheBytes = 6_000
	c := compiler(t, o)
	for i := range 10 {
		compile(t, c, sdk.ActionScript, fmt.Sprintf("return %d;\n", i))
	}
	c.Close()
	_, err := c.Compile(t.Context(), "return 9;\n", sdk.ActionScript)
	require.NoError(t, err)
	_, err = c.Compile(t.Context(), "return 0;\n", sdk.ActionScript)
	require.Error(t, err)
}

func TestManySourcesAreWorkedOnAtATime(t *testing.T) {
	t.Parallel()
	o := patient()
	o.Processes = 2
	c := compiler(t, o)
	var all sync.WaitGroup
	for i := range 24 {
		all.Go(func() {
			name := fmt.Sprintf("name%d", i)
			report, err := c.Check(t.Context(), "const "+name+": string = 1;\nreturn "+name+";\n", sdk.ActionScript)
			if err != nil || len(report.Diagnostics) != 1 || !report.Checked {
				t.Errorf("%s: %v %v", name, report, err)
			}
		})
	}
	all.Wait()
	require.Len(t, c.PIDs(), 2)
}

func TestAChildStartsNoChildren(t *testing.T) {
	t.Setenv(typescript.ChildVariable, "1")
	c := compiler(t, patient())
	_, err := c.Compile(t.Context(), "return 1;\n", sdk.ActionScript)
	require.ErrorContains(t, err, "starts no children")
}
