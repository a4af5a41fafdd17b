package typescript_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
	"countersign/script/sdk"
	"countersign/script/typescript"
)

const recursive = `type Grow<T extends unknown[]> = T["length"] extends 900 ? T : Grow<[...T, 0]>;
type Digit = "0"|"1"|"2"|"3"|"4"|"5"|"6"|"7"|"8"|"9";
type Four = ` + "`${Digit}${Digit}${Digit}${Digit}`" + `;
type All = ` + "`${Four}${Grow<[]>[\"length\"]}`" + `;
const a: All = "x" as ` + "`${Four}-${Digit}`" + `;
return a === "1";
`

func nested(open, middle, closing string, depth int) string {
	return "const x = " + strings.Repeat(open, depth) + middle + strings.Repeat(closing, depth) + ";\nreturn x !== null;\n"
}

// unions makes a type whose assignability takes as many steps as its members squared.
func unions(n int) string {
	var s strings.Builder
	for _, name := range []string{"A", "B"} {
		s.WriteString("type " + name + " = ")
		for i := range n {
			fmt.Fprintf(&s, "| { k%s: %d; v: { w%d: string } } ", name[:0], i, i)
		}
		s.WriteString(";\n")
	}
	return s.String() + "declare const a: A & B & { z: 1 };\nconst b: B & A = a;\nreturn b !== null;\n"
}

// endless keeps the type checker busy for minutes.
func endless() string { return nested("[", "", "]", 1_000) }

func hostile() map[string]string {
	return map[string]string{
		"arrays in arrays":          endless(),
		"many arrays in arrays":     nested("[", "", "]", 45_000),
		"arrows in defaults":        nested("(a=", "1", ")=>1", 1_000),
		"parentheses":               nested("(", "1", ")", 45_000),
		"objects":                   nested("{a:", "1", "}", 20_000),
		"a long sum":                "const x = 1" + strings.Repeat("+1", 45_000) + ";\nreturn x;\n",
		"recursive types":           recursive,
		"wide unions":               unions(1_000),
		"types in types":            "type T = " + strings.Repeat("Array<", 10_000) + "1" + strings.Repeat(">", 10_000) + ";\nreturn true;\n",
		"a hundred thousand braces": strings.Repeat("{", typescript.MaxSource),
	}
}

func TestAHostileSourceIsGivenUpInTimeAndTheNextOneIsChecked(t *testing.T) {
	t.Parallel()
	const limit = time.Second
	c := compiler(t, typescript.Options{Processes: 1, Timeout: limit})
	for name, source := range hostile() {
		require.LessOrEqual(t, len(source), typescript.MaxSource, name)
		began := time.Now()
		compiled, err := c.Compile(t.Context(), source, sdk.HealthCheckScript)
		took := time.Since(began)
		t.Logf("%-26s %8v checked %-5v %-13s error %v", name, took.Round(time.Millisecond), compiled.Checked, compiled.Reason, err)
		require.Less(t, took, limit+time.Minute, name)
		if err != nil {
			require.True(t, problem.Is(err, problem.Invalid), name)
			require.Equal(t, "source", problem.As(err).Issues[0].Path)
		}
		if source == endless() {
			require.NoError(t, err)
			require.Equal(t, typescript.TooSlow, compiled.Reason, name)
			require.NotEmpty(t, compiled.JS, "only the check is lost")
		}
	}
	// A busy machine may be too slow for a harmless one as well, with so little time.
	require.Eventually(t, func() bool {
		report, err := c.Check(t.Context(), "return \"five\";\n", sdk.HealthCheckScript)
		require.NoError(t, err)
		return report.Checked && len(report.Diagnostics) == 1
	}, time.Minute, time.Millisecond)
}

func TestASourceThatNeedsTooMuchMemoryIsGivenUp(t *testing.T) {
	t.Parallel()
	if race {
		t.Skip("a child with the race detector does not start in so little memory")
	}
	c := compiler(t, typescript.Options{Processes: 1, Timeout: time.Minute, Memory: 160 << 20})
	_, err := c.Transpile(t.Context(), nested("[", "", "]", 49_000), sdk.HealthCheckScript)
	require.True(t, problem.Is(err, problem.Invalid), err)
	require.Contains(t, problem.As(err).Issues[0].Message, "too much memory")
	require.True(t, compile(t, c, sdk.HealthCheckScript, "return true;\n").Checked)
}

func FuzzCompile(f *testing.F) {
	c := compiler(f, typescript.Options{Timeout: 2 * time.Second})
	for _, source := range []string{
		sdk.HealthCheckScript.Starter(), "return 1", "}; {", "export default 1", "import x from \"y\"", "#!x\nreturn", "/*", "`${",
		"const = ;\u2028let", "\ufeff", "😀 = 1", "@d class A {}", "<T>x", "await (1)", "export = 1", "declare module \"x\" {}", "require(\"x\")",
	} {
		f.Add([]byte(source))
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		compiled, err := c.Compile(t.Context(), string(source), sdk.HealthCheckScript)
		if err != nil {
			require.True(t, problem.Is(err, problem.Invalid), err)
			return
		}
		for _, d := range compiled.Diagnostics {
			require.NotEmpty(t, d.Message)
			require.Positive(t, d.Line)
			require.Positive(t, d.Column)
			require.False(t, d.EndLine < d.Line || d.EndLine == d.Line && d.EndColumn < d.Column, "%+v", d)
		}
		if compiled.JS == "" {
			require.True(t, compiled.Errors())
			return
		}
		_, err = typescript.NewPositions(compiled.SourceMap)
		require.NoError(t, err)
	})
}

func BenchmarkCompileAndCheck(b *testing.B) {
	c := compiler(b, typescript.Options{Processes: 1, CacheBytes: 1})
	source := sdk.HealthCheckScript.Starter()
	compile(b, c, sdk.HealthCheckScript, source)
	for b.Loop() {
		compile(b, c, sdk.HealthCheckScript, source)
	}
}

func BenchmarkCompileAndCheckALongScript(b *testing.B) {
	c := compiler(b, typescript.Options{Processes: 1, CacheBytes: 1})
	var body strings.Builder
	for i := range 150 {
		fmt.Fprintf(&body, "const value%d: { name: string; size: number } = { name: context.system.name, size: %d };\n", i, i)
	}
	source := healthCheck(body.String(), "return value0.size;")
	for b.Loop() {
		compile(b, c, sdk.HealthCheckScript, source)
	}
}

func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		c := typescript.New(typescript.Options{Processes: 1})
		_, err := c.Check(b.Context(), "return true", sdk.HealthCheckScript)
		require.NoError(b, err)
		c.Close()
	}
}

// Hostile types of one author leave slots to others, also when that author has given up waiting.
func TestOneAuthorLeavesSlotsToOthers(t *testing.T) {
	t.Parallel()
	c := compiler(t, typescript.Options{Processes: 2, Timeout: 3 * time.Minute})
	compileTool(t, c, tool("return 0;"))
	for n := range 4 {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		source := tool(fmt.Sprintf("const n = %d;\n", n) + strings.TrimSuffix(endless(), "\n"))
		_, err := c.CompileTool(ctx, typescript.ToolSource{ID: "bomb", Author: "ada", Source: source})
		require.ErrorIs(t, err, context.DeadlineExceeded, "nobody waits for it any more")
		cancel()
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for n := range 3 {
		compiled, err := c.CompileTool(ctx, typescript.ToolSource{ID: "quick", Author: "bob", Source: tool(fmt.Sprintf("return %d;", n))})
		require.NoError(t, err, "the author of the others has one of the two slots")
		require.True(t, compiled.Checked)
	}
}
