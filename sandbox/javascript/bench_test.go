package javascript_test

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/sandbox"
	"countersign/sandbox/javascript"
)

// BenchmarkTrivialRun is a warm run of next to nothing. Besides the median it reports how often the time to copy the
// snapshot fits into it, which is the floor on this machine at this moment.
func BenchmarkTrivialRun(b *testing.B) {
	e := engine(b)
	job := sandbox.Job{Source: `export default (n) => n + 1`, Input: []byte(`1`)}
	_, err := e.Run(b.Context(), job)
	require.NoError(b, err)
	from, to := bytes.Repeat([]byte{1}, 2<<20), make([]byte, 2<<20)
	var runs, floors []time.Duration
	for b.Loop() {
		began := time.Now()
		if _, err := e.Run(b.Context(), job); err != nil {
			b.Fatal(err)
		}
		middle := time.Now()
		copy(to, from)
		runs, floors = append(runs, middle.Sub(began)), append(floors, time.Since(middle))
	}
	slices.Sort(runs)
	slices.Sort(floors)
	b.ReportMetric(float64(runs[len(runs)/2].Microseconds()), "p50-us")
	b.ReportMetric(float64(runs[0].Microseconds()), "min-us")
	b.ReportMetric(float64(runs[len(runs)/2])/float64(floors[len(floors)/2]), "x-floor")
}

// BenchmarkThroughput runs scripts on all cores.
func BenchmarkThroughput(b *testing.B) {
	e := engine(b)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := e.Run(b.Context(), sandbox.Job{Source: `export default async (n) => ({ n: await n })`, Input: []byte(`1`)}); err != nil {
				b.Error(err)
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
}

// BenchmarkCompute compares computing with fuel to wazero's own check of the context.
func BenchmarkCompute(b *testing.B) {
	job := sandbox.Job{Source: `const f = (n) => n < 2 ? n : f(n - 1) + f(n - 2); export default () => f(22)`}
	for name, checked := range map[string]bool{"fuel": false, "context": true} {
		b.Run(name, func(b *testing.B) {
			e, err := javascript.New(b.Context(), javascript.Options{CheckContext: checked})
			require.NoError(b, err)
			for b.Loop() {
				if _, err := e.Run(b.Context(), job); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkStart loads the engine from the cache on disk.
func BenchmarkStart(b *testing.B) {
	dir := b.TempDir()
	for b.Loop() {
		e, err := javascript.New(b.Context(), javascript.Options{CacheDir: dir})
		require.NoError(b, err)
		require.NoError(b, e.Close(b.Context()))
	}
}
