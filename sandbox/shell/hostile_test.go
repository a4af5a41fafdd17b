package shell_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/sandbox"
)

// web answers as a policy with one allowed host would.
type web struct{}

func (web) Fetch(ctx context.Context, r sandbox.Request) (sandbox.Response, error) {
	switch {
	case r.URL == "https://example.com/slow":
		<-ctx.Done()
		return sandbox.Response{}, ctx.Err()
	case r.URL == "https://example.com/large":
		return sandbox.Response{Status: 200, Body: bytes.Repeat([]byte("x"), 1<<20)}, nil
	case strings.HasPrefix(r.URL, "https://example.com"):
		return sandbox.Response{
			Status:     200,
			StatusText: "OK",
			Headers:    map[string]string{"Content-Type": "text/plain"},
			Body:       []byte("hello\n"),
		}, nil
	}
	return sandbox.Response{}, errors.New("the policy does not allow this host")
}

const (
	// hostileTime is what scripts have that do not end by themselves.
	hostileTime = 500 * time.Millisecond
	// patience is what all others have. How soon they come to their end depends on the machine, which way they end does not.
	patience = time.Minute
	// grace is for other tests and programs on the same processors; alone it is a few milliseconds.
	grace = 30 * time.Second
)

// Each script says in its first line which ends are right: kinds, with an exit code where it is not 0. A script that may run
// out of time has little of it.
func TestHostileScripts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/hostile/*.sh")
	require.NoError(t, err)
	require.Greater(t, len(files), 80)
	rand.Shuffle(len(files), func(a, b int) { files[a], files[b] = files[b], files[a] })
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".sh"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			first, _, _ := strings.Cut(string(text), "\n")
			classes, found := strings.CutPrefix(first, "# class: ")
			require.True(t, found)
			j := hostile(string(text))
			if !slices.Contains(strings.Split(classes, "|"), string(sandbox.Timeout)) {
				j.Limits.Timeout = patience
			}
			began := time.Now()
			o := run(t, j)
			t.Logf(
				"%s after %s of %s, %d MiB",
				o.Kind,
				o.Duration.Round(time.Millisecond),
				time.Since(began).Round(time.Millisecond),
				o.MemoryPeak>>20,
			)
			got := string(o.Kind)
			if o.Kind == sandbox.OK && o.ExitCode != 0 {
				got += ":" + strconv.Itoa(o.ExitCode)
			}
			require.Contains(t, strings.Split(classes, "|"), got, "%+v\nstdout: %.500s\nstderr: %.500s", o.Failure, o.Stdout, o.Stderr)
			require.Less(t, o.Duration, j.Limits.Timeout+grace)
			require.LessOrEqual(t, len(o.Stdout)+len(o.Stderr), 4*(32<<10))
			require.LessOrEqual(t, o.MemoryPeak, 48<<20)
			clean(t)
		})
	}
}

func hostile(source string) sandbox.Job {
	return sandbox.Job{
		Source: source,
		Fetch:  web{},
		Env: map[string]string{
			"LD_PRELOAD":      "x",
			"LD_LIBRARY_PATH": "x",
			"DYLD_X":          "x",
			"NODE_OPTIONS":    "x",
			"BUN_X":           "x",
			"PATH":            "/usr/bin",
		},
		Limits: sandbox.Limits{Timeout: hostileTime, Memory: 48 << 20, Output: 32 << 10, HostCalls: 20, HostBytes: 8 << 20},
	}
}

// clean runs a script that looks for what others may have left.
func clean(t testing.TB) {
	t.Helper()
	o := run(t, sandbox.Job{Source: `
echo "$(ls -A /tmp /home/user)|$(ls / | tr '\n' ' ')|${x-unset}|${LD_PRELOAD-unset}|$#|$?|$(trap)|$(umask 2>/dev/null)|$(type -t f)|$(type -t grep)|$(pwd)"
cat /bin/ls
cat
`})
	require.Equal(t, sandbox.OK, o.Kind, "%+v", o.Failure)
	require.Equal(t, "/home/user:\n\n/tmp:|bin dev home tmp |unset|unset|0|0||||file|/home/user\n", o.Stdout)
	require.Zero(t, o.HostCalls)
}

func TestManyHostileScriptsAtOnceLeaveNothing(t *testing.T) {
	t.Parallel()
	scripts := []string{
		"while :; do :; done", "x=$(cat /dev/zero)", "echo x > /tmp/left; export x=left; exit 3", "f() { f | f; }; f", "yes", "sleep 100",
		"while :; do curl -s https://example.com; done", "echo (", "rm -rf /bin; touch /left",
	}
	var all sync.WaitGroup
	for n := range 18 {
		all.Go(func() {
			_, err := engine.Run(t.Context(), hostile(scripts[n%len(scripts)]))
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	clean(t)
}
