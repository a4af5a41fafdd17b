package typescript_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/script/sdk"
	"countersign/script/typescript"
)

func TestAPlaceInTheJavaScriptLeadsToTheSource(t *testing.T) {
	t.Parallel()
	c := compiler(t, patient())
	const boom = `throw new Error("boom")`
	for name, source := range map[string]string{
		"module": "interface Unused { a: string }\n\n" + healthCheck("  const n: number = 1;", "  if (n > 0) { "+boom+"; }"),
		"legacy": "interface Unused { a: string }\n\nconst n: number = 1;\nif (n > 0) {\n    " + boom + ";\n}\n",
	} {
		compiled := compile(t, c, sdk.HealthCheckScript, source)
		require.Empty(t, compiled.Diagnostics)
		p, err := typescript.NewPositions(compiled.SourceMap)
		require.NoError(t, err)

		line, column := place(t, compiled.JS, boom)
		gotLine, gotColumn, ok := p.Author(line, column)
		require.True(t, ok, name)
		wantLine, wantColumn := place(t, source, boom)
		require.Equal(t, []int{wantLine, wantColumn}, []int{gotLine, gotColumn}, name)

		// What the product has added is nobody's.
		line, column = place(t, compiled.JS, "globalThis.context")
		_, _, ok = p.Author(line, column)
		require.False(t, ok, name)
		_, _, ok = p.Author(0, 1)
		require.False(t, ok)
		_, _, ok = p.Author(strings.Count(compiled.JS, "\n")+50, 1)
		require.False(t, ok)
	}
}

func FuzzPositions(f *testing.F) {
	f.Add([]byte(`{"version":3,"sources":["author:script.ts"],"names":[],"mappings":"AAAA;AACA"}`), 1, 1)
	f.Add([]byte(`{"version":3,"sources":[],"mappings":"AAAA"}`), 1, 1)
	f.Add([]byte(`{"version":3,"sources":["script.ts"],"mappings":"A","x_countersign_lines":-9}`), 1, 1)
	f.Add([]byte(`{}`), 1, 1)
	f.Fuzz(func(_ *testing.T, sourceMap []byte, line, column int) {
		if p, err := typescript.NewPositions(sourceMap); err == nil {
			p.Author(line, column)
		}
	})
}
