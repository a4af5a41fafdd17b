package agent_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/script/typescript"
)

// BenchmarkPutTool writes a tool of 5 kB, each time another one.
func BenchmarkPutTool(b *testing.B) {
	compiles := typescript.New(typescript.Options{Processes: 2, Timeout: time.Minute})
	b.Cleanup(compiles.Close)
	a := newApp(b, compiles)
	a.agent(b, "helper")
	path := a.draft(b, "helper")
	helper := "function pad%d(text: string): string {\n  return text.padStart(%d, \" \");\n}\n"
	var source strings.Builder
	for n := range 55 {
		_, _ = fmt.Fprintf(&source, helper, n, n)
	}
	var took []time.Duration
	n := 0
	for b.Loop() {
		n++
		body := tool(fmt.Sprintf("%s\nexport default { actions: { default: (args: { n: number }) => pad1(String(args.n + %d)) } };\n", source.String(), n))
		started := time.Now()
		answer := a.Do(b, "root", http.MethodPut, path+"/tools/padding", body)
		took = append(took, time.Since(started))
		require.Equal(b, http.StatusOK, answer.Status, answer.Body)
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
}
