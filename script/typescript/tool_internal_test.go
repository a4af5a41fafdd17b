package typescript

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/microsoft/typescript-go/shim/analysis"
	"github.com/stretchr/testify/require"

	"countersign/script/sdk"
)

// What a child does with a tool, apart from the types, in this process, where the fuzzer sees which way it takes.
func FuzzAnyToolIsBuiltOrExplained(f *testing.F) {
	for _, source := range []string{
		sdk.CustomTool.Starter(), "export default", "export default {actions:{default", "export default { actions: { default: async (a, ctx) => ctx.secrets.ref(`${x}`) } }",
		"import x = require('http')", "export { default } from 'x'", "const {a:{b:[c]}} = globalThis", "export = 1", "({constructor:a} = eval)", "import a = b.c.d",
		"export default Object.freeze(Object.freeze(x))", "const a = b, b = a; import(a)", "function f(c) { f(c) }\nexport default {actions:{default(a,c){f(c)}}}",
		"globalThis[globalThis]", "process[", "require(...[1])", "import(", "new.target", "@a class B { @c d }", "export default { ...a, [b]: c, get default() {} }",
		"enum E { A = E.B, B = E.A }\nimport(E.A)", "(0,eval)`x`", "setTimeout(`${1}`)", "export default { actions: { ...actions } }; const actions = { ...actions }",
		"declare global { var a }\nnamespace N { export const ctx = 1 }", "for (const a of b) c(a)", "export * as default from 'x'", "module.exports.x = exports", "Reflect.get(Reflect.get, 'constructor')",
		"const o = { [o.a]: 'a', __proto__: o, get b() {} }; export default { actions: { default(a, c) { c.secrets.ref(o[o.a]) } } }",
		"export default { actions: { default: function (a, c) { return { [arguments[1]]() {} } } } }", "export default { actions: { default(a, c) { try {} catch (x) { var { x } = c } } } }",
		"const a = 1, b = 2; export default { actions: { default(x, c) { c == null; c instanceof a; c.secrets.ref('a' + (a + b)) } } }",
		"const t = { actions: { default() {} } }; Object.freeze(t).actions = `${t.actions}`; export default { ...t }", "export default { actions: { default(a, c) { using s = c.secrets.ref<x> } } }",
	} {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		if len(source) > 2_000 || !utf8.ValidString(source) {
			return
		}
		read := analysis.Analyze(source, analysis.Rules{Module: judgeModule, Global: judgeGlobal})
		s := &script{text: source, last: end(source)}
		found := findings(read)
		refused := false
		for _, d := range found {
			require.NotEmpty(t, d.Code)
			require.NotEmpty(t, strings.TrimSpace(d.Message))
			require.True(
				t,
				d.Line >= 1 && d.Column >= 1 && d.Line <= s.last.Line && d.EndLine <= s.last.Line,
				"%+v, the last line is %d",
				d,
				s.last.Line,
			)
			require.False(t, d.EndLine < d.Line || d.EndLine == d.Line && d.EndColumn < d.Column, "%+v", d)
			refused = refused || d.Severity == Error
		}
		for _, r := range read.Reasons {
			require.NotEmpty(t, r.Message)
			require.True(t, r.Line >= 1 && r.Line <= s.last.Line)
		}
		if refused {
			return
		}
		require.NotNil(t, read.Default, "what has no error has a default action")
		a := buildTool(s)
		require.NotEqual(t, a.JS == "", len(a.Findings) == 0, "JavaScript, or a reason why not")
		if a.JS != "" {
			_, err := NewPositions(a.SourceMap)
			require.NoError(t, err)
		}
	})
}

// A constant object is looked at once, however often it is read.
func TestManyReadsOfAConstantAreReadInTime(t *testing.T) {
	t.Parallel()
	var source strings.Builder
	source.WriteString("const names = {")
	for i := range 3_000 {
		fmt.Fprintf(&source, "k%d: \"N\",", i)
	}
	source.WriteString("};\nexport default { actions: { default: (args: any, ctx: any) => [")
	for i := range 12_000 {
		fmt.Fprintf(&source, "ctx.secrets.ref(names.k%d),", i%3_000)
	}
	source.WriteString("] } };\n")
	require.Less(t, source.Len(), MaxToolSource)
	done := make(chan analysis.Result, 1)
	go func() {
		done <- analysis.Analyze(source.String(), analysis.Rules{Module: judgeModule, Global: judgeGlobal})
	}()
	select {
	case read := <-done:
		require.Equal(t, []string{"N"}, read.SecretRefs)
		require.Empty(t, read.Reasons)
	case <-time.After(time.Minute):
		t.Fatal("reading a constant takes longer the more often it is read")
	}
}
