package typescript

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"countersign/script/sdk"
)

// What a child does with a source, apart from the types, in this process, where the fuzzer sees which way it takes. The
// sources are short: what takes minutes needs a thousand characters.
func FuzzAnySourceIsBuiltOrExplained(f *testing.F) {
	for _, source := range []string{
		sdk.HealthCheckScript.Starter(), sdk.ActionScript.Starter(), "return 1", "}; {", "export default 1;\nlet a: number = 1;", "import x from \"y\"",
		"#!x\nreturn", "/*", "`${", "const = ;\u2028let", "\ufeff", "😀 = 1", "@d class A {}", "<T>x", "await (1)", "export = 1", "declare module \"x\" {}",
		"require(\"x\")", "return import(\"z\")", "enum A { b = 1 }\nreturn A.b", "return 1 /* \r\n */", "using x = null;", "export default class {}", "export * from 'a'",
	} {
		f.Add(source, true)
	}
	f.Fuzz(func(t *testing.T, source string, check bool) {
		if len(source) > 800 || !utf8.ValidString(source) {
			return
		}
		in := sdk.ActionScript
		if check {
			in = sdk.HealthCheckScript
		}
		s := outline(source, in)
		requirePlaces(t, s, s.diagnostics)
		require.True(t, !s.broken || len(s.diagnostics) > 0)
		if len(s.diagnostics) > 0 {
			return
		}
		a := build(s, in)
		requirePlaces(t, s, a.Diagnostics)
		require.NotEqual(t, a.JS == "", len(a.Diagnostics) == 0, "JavaScript, or a reason why not")
		if a.JS == "" {
			return
		}
		require.Contains(t, a.JS, "export {")
		p, err := NewPositions(a.SourceMap)
		require.NoError(t, err)
		for _, segments := range p.lines {
			for _, segment := range segments {
				require.LessOrEqual(t, segment.line, s.last.Line+1, "wrapped sources end with a line of the product")
			}
		}
	})
}

// requirePlaces fails unless each place is in the author's source.
func requirePlaces(t *testing.T, s *script, found []Diagnostic) {
	t.Helper()
	for _, d := range found {
		require.NotEmpty(t, strings.TrimSpace(d.Message))
		require.True(
			t,
			d.Line >= 1 && d.Column >= 1 && d.Line <= s.last.Line && d.EndLine <= s.last.Line,
			"%+v, the last line is %d",
			d,
			s.last.Line,
		)
		require.False(t, d.EndLine < d.Line || d.EndLine == d.Line && d.EndColumn < d.Column, "%+v", d)
	}
}
