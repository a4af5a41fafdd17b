package shell_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/sandbox"
	"countersign/sandbox/shell"
)

var engine *shell.Engine

// All tests use one engine, so that each also shows that the others left nothing. Compiled code stays on disk: the folder
// is shared with the tests of whole products, which find the compiled code there.
func cacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	return filepath.Join(dir, "countersign-test", "engines")
}

func TestMain(m *testing.M) {
	var err error
	engine, err = shell.New(context.Background(), shell.Options{CacheDir: cacheDir(), Slots: 2})
	if err == nil {
		err = engine.Warm(context.Background())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if err := engine.Close(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(t testing.TB, j sandbox.Job) sandbox.Outcome {
	t.Helper()
	if j.Limits.Timeout == 0 {
		j.Limits.Timeout = patience
	}
	o, err := engine.Run(t.Context(), j)
	require.NoError(t, err)
	return o
}

func BenchmarkOneLiner(b *testing.B) {
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		o := run(b, sandbox.Job{Source: `echo "$(echo hello | tr a-z A-Z)"; test -d /tmp`})
		require.Equal(b, "HELLO\n", o.Stdout)
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[0].Microseconds())/1000, "min-ms")
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
}

// BenchmarkStart is what a process pays once when the compiled code is on disk.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		e, err := shell.New(b.Context(), shell.Options{CacheDir: cacheDir()})
		require.NoError(b, err)
		require.NoError(b, e.Warm(b.Context()))
		require.NoError(b, e.Close(b.Context()))
	}
}

func BenchmarkLoop(b *testing.B) {
	for b.Loop() {
		o := run(b, sandbox.Job{Source: `i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; echo $i`})
		require.Equal(b, "20000\n", o.Stdout)
	}
}
