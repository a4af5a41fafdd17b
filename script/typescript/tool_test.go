package typescript_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/script/sdk"
	"countersign/script/typescript"
)

func tool(body string) string {
	return "export default { actions: { default: async (args: any, ctx: any) => {\n" + body + "\n} } };\n"
}

func compileTool(t testing.TB, c *typescript.Compiler, source string) typescript.CompiledTool {
	compiled, err := c.CompileTool(t.Context(), typescript.ToolSource{ID: "t", Source: source, ArgsSchema: []byte(`{"type":"object"}`)})
	require.NoError(t, err)
	return compiled
}

func codes(c typescript.CompiledTool) (list []string) {
	for _, d := range c.Diagnostics {
		list = append(list, d.Code)
	}
	return list
}

func TestTheStarterOfToolsHasNothingWrong(t *testing.T) {
	t.Parallel()
	c := compiler(t, patient())
	compiled, err := c.CompileTool(t.Context(), typescript.ToolSource{
		ID: "weather", Source: sdk.CustomTool.Starter(),
		ArgsSchema: []byte(`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}`),
	})
	require.NoError(t, err)
	require.Empty(t, compiled.Diagnostics)
	require.True(t, compiled.Checked)
	require.NotEmpty(t, compiled.JS)
	require.NotContains(t, compiled.JS, "import ")
	require.Equal(t, typescript.Capabilities{SecretRefs: []string{}, Modules: []string{}, Actions: []string{"default"}}, compiled.Capabilities)
	require.Equal(t, typescript.ToolCompiler(), compiled.Compiler)
	again, err := compiler(t, patient()).CompileTool(t.Context(), typescript.ToolSource{ID: "other", Source: sdk.CustomTool.Starter()})
	require.NoError(t, err)
	require.Equal(t, compiled.JS, again.JS, "the same source makes the same JavaScript")
	require.Equal(t, compiled.SourceMap, again.SourceMap)
}

func TestTheCompilerOfToolsIsNamedWithItsVersions(t *testing.T) {
	t.Parallel()
	modules, err := os.ReadFile("../../go.mod")
	require.NoError(t, err)
	var esbuild string
	for line := range strings.Lines(string(modules)) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "github.com/evanw/esbuild v"); ok {
			esbuild = rest
		}
	}
	// An analysis that finds more makes other capabilities of the same source.
	read := sha256.New()
	files, err := filepath.Glob("shim/analysis/*.go")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		_, _ = read.Write(source)
	}
	analysis := hex.EncodeToString(read.Sum(nil))[:8]
	require.Regexp(t, `^typescript-go \S+ esbuild `+esbuild+` analysis `+analysis+` tool [0-9a-f]{8}$`, typescript.ToolCompiler())
}

func TestASourceThatIsNoneIsADiagnostic(t *testing.T) {
	t.Parallel()
	c := compiler(t, patient())
	require.Equal(t, []string{"source_not_text"}, codes(compileTool(t, c, "export default \xff")))
	require.Equal(t, []string{"source_too_long"}, codes(compileTool(t, c, strings.Repeat("x", typescript.MaxToolSource+1))))
	require.Equal(t, []string{"ast_no_default_export"}, codes(compileTool(t, c, "")))
	long := compileTool(t, c, "// "+strings.Repeat("x", typescript.MaxToolSource-200)+"\n"+tool("return 1;"))
	require.Empty(t, long.Diagnostics)
	require.NotEmpty(t, long.JS)
}

// many is what a generator of code may write.
func many(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "const v%d: { size: number } = { size: %d };\n", i, i)
	}
	return b.String() + tool("return v0.size;")
}

func hostileTools() map[string]string {
	sources := map[string]string{
		"ten thousand declarations":   many(10_000),
		"ten thousand functions":      strings.Repeat("function f(a: number) { return a; }\n", 10_000) + tool("return 1;"),
		"500 kB of one expression":    "const x = 1" + strings.Repeat("+1", 249_000) + ";\n" + tool("return x;"),
		"500 kB of one text":          "const x = \"" + strings.Repeat("x", 499_000) + "\";\n" + tool("return x.length;"),
		"500 kB of braces":            strings.Repeat("{", 500_000),
		"500 kB of emoji":             strings.Repeat("😀", 500_000),
		"500 kB of calls of ref":      tool(strings.Repeat("ctx.secrets.ref(\"A\");\n", 21_000)),
		"constants that double":       doubling(60) + tool("return import(c59);"),
		"aliases of ctx":              tool(aliases(5_000)),
		"functions that are given it": functions(3_000) + tool("return f0(ctx);"),
		"spreads of spreads":          spreads(500),
		"members of members":          tool("return args" + strings.Repeat(".a", 20_000) + ";"),
		"frozen, frozen": "export default " + strings.Repeat(
			"Object.freeze(",
			5_000,
		) + "{ actions: { default: () => 1 } }" + strings.Repeat(
			")",
			5_000,
		) + ";",
	}
	for name, source := range hostile() {
		sources[name] = "const run = async () => {\n" + source + "\n};\n" + tool("return run();")
	}
	return sources
}

func doubling(n int) string {
	var b strings.Builder
	b.WriteString("const c0 = \"x\";\n")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, "const c%d = c%d + `${c%d}`;\n", i, i-1, i-1)
	}
	return b.String()
}

func aliases(n int) string {
	var b strings.Builder
	b.WriteString("const a0 = ctx;\n")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, "const a%d = a%d;\n", i, i-1)
	}
	return b.String() + fmt.Sprintf("return a%d.secrets.ref(\"T\");", n-1)
}

func functions(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "function f%d(c: any): any { return [f%d(c), f%d(c)]; }\n", i, (i+1)%n, (i+7)%n)
	}
	return b.String()
}

func spreads(n int) string {
	var b strings.Builder
	b.WriteString("const s0 = { default: () => 1 };\n")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, "const s%d = { ...s%d, ...s%d };\n", i, i-1, i-1)
	}
	return b.String() + fmt.Sprintf("export default { actions: s%d };\n", n-1)
}

func TestAHostileToolIsAnsweredInTimeAndOthersAreNotHarmed(t *testing.T) {
	t.Parallel()
	c := compiler(t, typescript.Options{Processes: 2})
	compileTool(t, c, tool("return 0;"))
	var slowest time.Duration
	for name, source := range hostileTools() {
		var others sync.WaitGroup
		others.Go(func() {
			compiled, err := c.CompileTool(
				t.Context(),
				typescript.ToolSource{Source: "/* " + name + " */ " + tool("return ctx.secrets.ref(\"T\");")},
			)
			require.NoError(t, err)
			require.Equal(t, []string{"T"}, compiled.Capabilities.SecretRefs, name)
		})
		began := time.Now()
		compiled := compileTool(t, c, source)
		took := time.Since(began)
		slowest = max(slowest, took)
		others.Wait()
		first := ""
		if len(compiled.Diagnostics) > 0 {
			first = compiled.Diagnostics[0].Code + ": " + compiled.Diagnostics[0].Message
		}
		t.Logf("%-28s %8v checked %-5v js %7d  %s", name, took.Round(time.Millisecond), compiled.Checked, len(compiled.JS), first)
		require.True(t, compiled.JS != "" || compiled.Errors(), name)
		require.True(t, compiled.Checked || len(compiled.Diagnostics) > 0, "%s: what was not checked is said", name)
	}
	t.Logf("the slowest took %v", slowest)
	if !race {
		require.Less(t, slowest, time.Minute, "three seconds of work, and the start of another process, on a machine that may be busy")
	}
	after := compileTool(t, c, tool("return 1;"))
	require.NotEmpty(t, after.JS)
}

func BenchmarkCompileTool(b *testing.B) {
	c := compiler(b, typescript.Options{Processes: 1, CacheBytes: 1})
	source := sdk.CustomTool.Starter() + "// " + strings.Repeat("x", 4_000) + "\n"
	compileTool(b, c, source)
	for b.Loop() {
		compileTool(b, c, source)
	}
}
