package typescript_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/microsoft/typescript-go/shim"
	"github.com/microsoft/typescript-go/shim/analysis"
	"github.com/stretchr/testify/require"
)

// The compiler of TypeScript in Node.js has its own parser, binder and types. What it knows of a name is what the analysis has
// to know: the samples are read by both.
func TestNamesAreBoundToWhatTypeScriptBindsThemTo(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("Node.js is not installed: the samples are not compared with the compiler of TypeScript")
	}
	compiler, err := filepath.Abs("../../dev/tools/node_modules/typescript/lib/typescript.js")
	require.NoError(t, err)
	if _, err := os.Stat(compiler); err != nil {
		t.Skip(
			"the packages of dev/tools are not installed (`npm --prefix dev/tools ci`): the samples are not compared with the compiler of TypeScript",
		)
	}
	samples := readSamples(t)
	var sources []string
	for _, s := range samples {
		sources = append(sources, s.source)
	}
	input, err := json.Marshal(sources)
	require.NoError(t, err)
	command := exec.CommandContext(t.Context(), node, "testdata/oracle/oracle.cjs", compiler)
	command.Stdin = bytes.NewReader(input)
	output, err := command.Output()
	require.NoError(t, err)
	var known []*struct{ Uses, Refs []string }
	require.NoError(t, json.Unmarshal(output, &known))
	require.Len(t, known, len(samples))

	place := func(s shim.Span) string { return fmt.Sprintf("%d:%d", s.Line, s.Column) }
	compared, uses, references := 0, 0, 0
	nothing := func(string) *analysis.Verdict { return nil }
	for i, s := range samples {
		read := analysis.Analyze(s.source, analysis.Rules{Module: nothing, Global: nothing})
		if known[i] == nil || read.Broken || read.Default == nil {
			continue
		}
		compared++
		mine, refs := []string{}, []string{}
		for _, u := range read.ContextUses {
			mine = append(mine, place(u))
		}
		for _, r := range read.References {
			refs = append(refs, place(r.Span)+" "+r.Name)
		}
		slices.Sort(mine)
		slices.Sort(known[i].Uses)
		require.Equal(t, known[i].Uses, mine, "%s: %s\n%s", s.file, s.name, s.source)
		for _, r := range known[i].Refs {
			require.Contains(t, refs, r, "%s: %s\n%s", s.file, s.name, s.source)
		}
		uses, references = uses+len(mine), references+len(known[i].Refs)
	}
	t.Logf("%d sources, %d uses of the context and %d references are the same", compared, uses, references)
	require.Greater(t, compared, 130)
	require.Greater(t, uses, 100)
	require.Greater(t, references, 40)
}
