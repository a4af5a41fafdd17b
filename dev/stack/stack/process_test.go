package stack_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/dev/stack/child"
)

// patience is how long a test waits for something that normally takes seconds.
const patience = 5 * time.Minute

// programs is a folder in which the test binary is called devstack and countersign.
func programs(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	dir := t.TempDir()
	for _, name := range []string{"devstack", "countersign"} {
		require.NoError(t, os.Symlink(self, filepath.Join(dir, name)))
	}
	return dir
}

// dataFolder is a folder that an unprivileged user can pass through; those of
// t.TempDir are not.
func dataFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "devstack-test-")
	require.NoError(t, err)
	require.NoError(t, os.Chmod(dir, 0o711))
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	return dir
}

// devstack is a running devstack process.
type devstack struct {
	*child.Process
	stdout, stderr *lockedBuffer
}

// launch starts devstack with arguments and extra environment variables.
func launch(t *testing.T, dir string, env []string, args ...string) *devstack {
	t.Helper()
	d := &devstack{stdout: &lockedBuffer{}, stderr: &lockedBuffer{}}
	cmd := exec.Command(filepath.Join(dir, "devstack"), args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = d.stdout, d.stderr
	process, err := child.Start(cmd, syscall.SIGTERM)
	require.NoError(t, err)
	d.Process = process
	t.Cleanup(func() {
		_ = process.Signal(syscall.SIGTERM)
		if !process.Wait(patience) {
			_ = process.Signal(syscall.SIGKILL)
			t.Errorf("devstack did not stop:\n%s", d.stderr)
		}
	})
	return d
}

// up starts `devstack up` on the data folder and waits until it is ready.
func up(t *testing.T, dir, data string, env ...string) *running {
	t.Helper()
	d := launchUp(t, dir, data, env...)
	require.Eventually(t, func() bool {
		select {
		case <-d.Done():
			return true
		default:
			return strings.Contains(d.stdout.String(), "\n")
		}
	}, patience, 20*time.Millisecond, "not ready: %s", d.stderr)
	address, ok := strings.CutPrefix(strings.TrimSpace(d.stdout.String()), "ready ")
	require.True(t, ok, "not ready: %q %s", d.stdout, d.stderr)
	return &running{devstack: d, address: address}
}

// launchUp starts `devstack up` with free ports and the fake product.
func launchUp(t *testing.T, dir, data string, env ...string) *devstack {
	t.Helper()
	env = append([]string{"PORT=0", "TEMPORAL_UI_PORT=0"}, env...)
	return launch(t, dir, env, "up", "--data", data, "--countersign", filepath.Join(dir, "countersign"))
}

// running is a devstack that has printed its ready line.
type running struct {
	*devstack
	address string
}

// ask returns what the product answers, false when it does not.
func (r *running) ask() (report, bool) {
	response, err := http.Get(r.address + "/readyz")
	if err != nil {
		return report{}, false
	}
	defer response.Body.Close()
	var answer report
	return answer, json.NewDecoder(response.Body).Decode(&answer) == nil
}

// interrupt does what Ctrl-C does and waits until devstack has ended.
func (r *running) interrupt(t *testing.T) {
	t.Helper()
	require.NoError(t, r.Signal(syscall.SIGINT))
	require.True(t, r.Wait(patience), "does not stop: %s", r.stderr)
	require.NoError(t, r.Err(), r.stderr.String())
}

// identity tells a process from a later one with the same id.
type identity struct {
	pid   int
	start string
}

// family lists a process and all that it has started, directly or not.
func family(t *testing.T, pid int) map[identity]string {
	t.Helper()
	parents, names, starts := map[int]int{}, map[int]string{}, map[int]string{}
	for _, member := range processes(t) {
		parents[member.pid], names[member.pid], starts[member.pid] = member.parent, member.name, member.start
	}
	found := map[identity]string{}
	for candidate := range parents {
		for ancestor := candidate; ancestor > 1; ancestor = parents[ancestor] {
			if ancestor == pid {
				found[identity{candidate, starts[candidate]}] = names[candidate]
			}
		}
	}
	return found
}

// survivors are the members of a family that still run.
func survivors(t *testing.T, members map[identity]string) []string {
	t.Helper()
	var alive []string
	for _, p := range processes(t) {
		if name, ok := members[identity{p.pid, p.start}]; ok {
			alive = append(alive, fmt.Sprintf("%s (%d)", name, p.pid))
		}
	}
	return alive
}

// runs tells whether a process is alive.
func runs(t *testing.T, pid string) bool {
	t.Helper()
	return slices.ContainsFunc(processes(t), func(p processStat) bool { return strconv.Itoa(p.pid) == pid })
}

type processStat struct {
	pid, parent int
	name, start string
}

// processes reads the process table, without those that have ended.
func processes(t *testing.T) []processStat {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	require.NoError(t, err)
	var all []processStat
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended in the meantime
		}
		// pid (name) state parent ... start; the name may hold anything.
		open, closing := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
		fields := strings.Fields(string(text[closing+1:]))
		if fields[0] == "Z" || fields[0] == "X" {
			continue
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(text[:open])))
		require.NoError(t, err)
		parent, err := strconv.Atoi(fields[1])
		require.NoError(t, err)
		all = append(all, processStat{pid: pid, parent: parent, name: string(text[open+1 : closing]), start: fields[19]})
	}
	return all
}

// lockedBuffer collects the output of a process that still runs.
type lockedBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}
