package javascript_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/sandbox"
)

// hostileScript is a file of testdata/hostile. Its first line says how it may end.
type hostileScript struct {
	name, source string
	kinds        []sandbox.Kind
}

const (
	// hostileTimeout is what scripts have that do not end by themselves.
	hostileTimeout = 150 * time.Millisecond
	// patience is what all others have, and grace what a busy machine needs to notice a deadline.
	patience = time.Minute
	grace    = 30 * time.Second
)

// hostileScripts reads the corpus, shuffled.
func hostileScripts(t *testing.T) []hostileScript {
	t.Helper()
	files, err := filepath.Glob("testdata/hostile/*.js")
	require.NoError(t, err)
	require.Greater(t, len(files), 150)
	scripts := make([]hostileScript, len(files))
	for i, file := range files {
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		first, _, _ := strings.Cut(string(b), "\n")
		kinds, found := strings.CutPrefix(first, "// outcome: ")
		require.True(t, found, file)
		scripts[i] = hostileScript{name: filepath.Base(file), source: string(b)}
		for kind := range strings.SplitSeq(kinds, ", ") {
			scripts[i].kinds = append(scripts[i].kinds, sandbox.Kind(kind))
		}
	}
	rand.Shuffle(len(scripts), func(i, j int) { scripts[i], scripts[j] = scripts[j], scripts[i] })
	return scripts
}

// job gives a script that shall run out of time little of it, and any other plenty: the machine may be busy.
func (s hostileScript) job() sandbox.Job {
	limits := sandbox.Limits{Timeout: patience, Memory: 48 << 20, Output: 4096}
	if slices.Contains(s.kinds, sandbox.Timeout) {
		limits.Timeout = hostileTimeout
	}
	return sandbox.Job{Source: s.source, Fetch: echo, Limits: limits}
}

func TestHostileScriptsEndAsTheySayAndLeaveNothing(t *testing.T) {
	t.Parallel()
	globals := []byte(`{"globals":` + result(t, `export default Object.getOwnPropertyNames(globalThis).length`) + `}`)
	for _, s := range hostileScripts(t) {
		o := run(t, s.job())
		if !assertKind(t, s, o) {
			continue
		}
		require.LessOrEqual(t, len(o.Stdout)+len(o.Stderr), 4096+16, s.name)
		require.Less(t, o.MemoryPeak, 2*(48<<20)+(25<<20), s.name)
		if o.Kind == sandbox.Timeout && o.Duration > hostileTimeout+100*time.Millisecond {
			t.Logf("%s took %s", s.name, o.Duration)
			require.Less(t, o.Duration, hostileTimeout+grace, s.name)
		}
		after := run(t, sandbox.Job{Source: clean, Input: globals})
		require.Equal(t, "[]", string(after.Result), "after %s", s.name)
	}
}

func assertKind(t *testing.T, s hostileScript, o sandbox.Outcome) bool {
	t.Helper()
	if slices.Contains(s.kinds, o.Kind) {
		return true
	}
	t.Errorf("%s ended as %s instead of %v: %+v", s.name, o.Kind, s.kinds, o.Failure)
	return false
}

func TestHostileScriptsAllAtOnceDoNotDisturbOneAnother(t *testing.T) {
	t.Parallel()
	var wg sync.WaitGroup
	for _, s := range hostileScripts(t) {
		wg.Go(func() {
			j := s.job()
			j.Limits.Timeout = min(j.Limits.Timeout, 2*time.Second)
			o, err := engine(t).Run(t.Context(), j)
			if err != nil {
				t.Errorf("%s: %v", s.name, err)
			}
			if o.Kind == sandbox.Trap {
				t.Errorf("%s broke its instance: %+v", s.name, o.Failure)
			}
		})
	}
	wg.Wait()
}
