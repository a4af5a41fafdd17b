package typescript_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
	"countersign/script/sdk"
	"countersign/script/typescript"
)

func TestEveryStarterExampleCompilesAndIsWellTyped(t *testing.T) {
	t.Parallel()
	c := compiler(t, patient())
	for _, in := range []sdk.Context{sdk.HealthCheckScript, sdk.ActionScript} {
		compiled := compile(t, c, in, in.Starter())
		require.Empty(t, compiled.Diagnostics, in)
		require.True(t, compiled.Checked)
		require.Empty(t, compiled.Reason)
		require.Contains(t, compiled.JS, "export {")
		require.NotContains(t, compiled.JS, "import ", "everything is in one module")
	}
}

func TestDiagnosticsAreInTheSourceOfTheAuthor(t *testing.T) {
	t.Parallel()
	c := compiler(t, patient())
	cases := map[string]struct {
		source  string
		in      sdk.Context
		rule    typescript.Rule
		at      string
		message string
		code    int
	}{
		"a type": {
			source: healthCheck(`  const n: number = context.check.name;`, `  return n > 1;`),
			rule:   typescript.Types, at: "n: number", message: "Type 'string' is not assignable to type 'number'.", code: 2322,
		},
		"a member that does not exist": {
			source: healthCheck(`  return context.system.url;`),
			rule:   typescript.Types, at: "url;", message: "Property 'url' does not exist", code: 2339,
		},
		"an environment that may be absent": {
			source: healthCheck(`  return context.environment.name === "x";`),
			rule:   typescript.Types, at: "context.environment.name", message: "possibly 'undefined'", code: 18048,
		},
		"after characters of two units": {
			source: healthCheck(`  const smile = "😀äö"; const n: number = smile; return n;`),
			rule:   typescript.Types, at: "n: number", message: "not assignable", code: 2322,
		},
		"a document": {
			source: healthCheck(`  return document.title === "";`),
			rule:   typescript.Types, at: "document", message: "It does not exist in the sandbox.", code: 2584,
		},
		"internationalization": {
			source: healthCheck(`  return new Intl.NumberFormat("de").format(1) === "1";`),
			rule:   typescript.Types, at: "Intl", message: "Cannot find name 'Intl'. It does not exist in the sandbox.", code: 2304,
		},
		"a type of the internationalization": {
			source: healthCheck(`  const o: Intl.NumberFormatOptions = {};`, `  return o !== null;`),
			rule:   typescript.Types, at: "Intl", message: "Cannot find namespace 'Intl'. It does not exist in the sandbox.", code: 2503,
		},
		"the locale of a date": {
			source: healthCheck(`  return new Date().toLocaleDateString("de") === "";`),
			rule:   typescript.Types, at: `"de"`, message: "Expected 0 arguments, but got 1.", code: 2554,
		},
		"the locale of a number": {
			source: healthCheck(`  return (1).toLocaleString("de", { minimumFractionDigits: 2 }) === "";`),
			rule:   typescript.Types, at: `"de"`, message: "Expected 0 arguments, but got 2.", code: 2554,
		},
		"atomics": {
			source: healthCheck(`  return Atomics !== null;`),
			rule:   typescript.Types, at: "Atomics", message: "Cannot find name 'Atomics'. It does not exist in the sandbox.", code: 2583,
		},
		"syntax": {
			source: "const n = ;", rule: typescript.Syntax, at: ";", message: "Expression expected.", code: 1109,
		},
		"a module of Node.js": {
			source: "import fs from \"node:fs\";\n" + healthCheck(`  return fs !== null;`),
			rule:   typescript.Imports, at: "\"node:fs\"", message: `The module "node:fs" does not exist for this script`,
		},
		"a module that is imported later": {
			source: healthCheck(`  const m = await import("left-pad");`, `  return m !== null;`),
			rule:   typescript.Imports, at: `"left-pad"`, message: `The module "left-pad" does not exist for this script`,
		},
		"the module of another context": {
			source: "import { defineAction } from \"@countersign/sdk/automation\";\nexport default defineAction(() => 1);\n",
			rule:   typescript.Imports, at: "\"@countersign/sdk/automation\"", message: `"@countersign/sdk/healthcheck" only`,
		},
		"no default export": {
			source: "export const check = 1;\n", rule: typescript.Shape, at: "export", message: "export default defineHealthCheck(",
		},
		"a script that returns at its top": {
			source: "const response = await fetch(\"https://example.com\");\nconst n: number = response.url;\nreturn n > 1;\n",
			rule:   typescript.Types, at: "n: number", message: "not assignable", code: 2322,
		},
		"what a script returns at its top": {
			source: "const answer = 1;\nif (answer > 2) return true;\nreturn \"fine\";\n",
			rule:   typescript.Types, at: "return \"fine\"", message: "not assignable", code: 2322,
		},
		"an action": {
			in: sdk.ActionScript, source: "return context.trigger.name;\n",
			rule: typescript.Types, at: "name", message: "Property 'name' does not exist", code: 2339,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := tc.in
			if in == "" {
				in = sdk.HealthCheckScript
			}
			report, err := c.Check(t.Context(), tc.source, in)
			require.NoError(t, err)
			require.True(t, report.Errors())
			require.NotEmpty(t, report.Diagnostics)
			d := report.Diagnostics[0]
			line, column := place(t, tc.source, tc.at)
			if name == "after characters of two units" {
				column -= len("😀äö") - 4
			}
			require.Equal(t, []any{tc.rule, typescript.Error, line, column, tc.code}, []any{d.Rule, d.Severity, d.Line, d.Column, d.Code}, d.Message)
			require.Contains(t, d.Message, tc.message)
			require.Len(t, report.Diagnostics, 1, "one mistake is said once")
			require.Greater(t, d.EndColumn, d.Column-1)
		})
	}
}

func TestAllSyntaxErrorsAreReportedAtOnce(t *testing.T) {
	t.Parallel()
	c := compiler(t, patient())
	compiled := compile(t, c, sdk.HealthCheckScript, healthCheck("  const a = ;", "  const b = ;"))
	require.Len(t, compiled.Diagnostics, 2)
	require.Empty(t, compiled.JS)
	require.False(t, compiled.Checked)
	require.Equal(t, typescript.SyntaxFirst, compiled.Reason)
	require.NotEmpty(t, compiled.Reason.Text())
}

func TestAnErrorInTheTypesLeavesTheJavaScript(t *testing.T) {
	t.Parallel()
	c := compiler(t, patient())
	source := healthCheck("  const n: number = context.check.name;", "  return n;")
	compiled := compile(t, c, sdk.HealthCheckScript, source)
	require.True(t, compiled.Errors())
	require.Contains(t, compiled.JS, "context.check.name")

	transpiled, err := c.Transpile(t.Context(), source, sdk.HealthCheckScript)
	require.NoError(t, err)
	require.Equal(t, compiled.JS, transpiled.JS)
	require.Empty(t, transpiled.Diagnostics)
	require.Equal(t, typescript.NotAsked, transpiled.Reason)
}

func TestAnImportOfTypesAloneIsRefusedToo(t *testing.T) {
	t.Parallel()
	c := compiler(t, patient())
	compiled := compile(t, c, sdk.HealthCheckScript, "import type { Agent } from \"http\";\n"+healthCheck("  return true;"))
	require.Empty(t, compiled.JS)
	require.Len(t, compiled.Diagnostics, 1)
	require.Equal(t, typescript.Imports, compiled.Diagnostics[0].Rule)
}

func TestRequireIsRefused(t *testing.T) {
	t.Parallel()
	c := compiler(t, patient())
	source := healthCheck("  const fs = require(\"fs\");", "  return fs !== null;")
	compiled := compile(t, c, sdk.HealthCheckScript, source)
	require.Empty(t, compiled.JS)
	rules := map[typescript.Rule]int{}
	for _, d := range compiled.Diagnostics {
		rules[d.Rule] = d.Line
	}
	require.Equal(t, map[typescript.Rule]int{typescript.Imports: 2, typescript.Types: 2}, rules)
}

func TestWhatIsWrongWithTheCallIsAnInvalidInput(t *testing.T) {
	t.Parallel()
	c := compiler(t, patient())
	for path, call := range map[string]struct {
		source string
		in     sdk.Context
	}{
		"source":  {strings.Repeat("ä", typescript.MaxSource+1), sdk.ActionScript},
		"context": {"echo", sdk.HealthCheckShell},
	} {
		_, err := c.Compile(t.Context(), call.source, call.in)
		require.True(t, problem.Is(err, problem.Invalid), err)
		require.Equal(t, path, problem.As(err).Issues[0].Path)
	}
	_, err := c.Check(t.Context(), "\xff", sdk.ActionScript)
	require.True(t, problem.Is(err, problem.Invalid))
	_, err = c.Check(t.Context(), "", "kitchen")
	require.True(t, problem.Is(err, problem.Invalid))
}

func TestASourceOfTheGreatestLengthIsCompiled(t *testing.T) {
	t.Parallel()
	c := compiler(t, patient())
	line := "// äöü, a comment to fill the source\n"
	source := "return true;\n" + strings.Repeat(line, (typescript.MaxSource-13)/len([]rune(line)))
	compiled := compile(t, c, sdk.HealthCheckScript, source)
	require.Empty(t, compiled.Diagnostics)
	require.True(t, compiled.Checked)
}

func TestUnusualEndsOfALegacyScriptAreHarmless(t *testing.T) {
	t.Parallel()
	c := compiler(t, patient())
	for _, source := range []string{"", "\n", "return true // done", "#!/usr/bin/env bun\nreturn 1", "\ufeffreturn 1", "return 1\r\n", "/* a */"} {
		compiled := compile(t, c, sdk.HealthCheckScript, source)
		require.Empty(t, compiled.Diagnostics, "%q", source)
		require.NotEmpty(t, compiled.JS)
	}
	require.Empty(t, compile(t, c, sdk.ActionScript, "console.log(1);\n").Diagnostics, "an action may return nothing")
	for _, source := range []string{"}; {", "return {", "return `", "/*", "}})();", "} export default 1; {"} {
		report, err := c.Check(t.Context(), source, sdk.HealthCheckScript)
		require.NoError(t, err)
		require.True(t, report.Errors(), source)
		for _, d := range report.Diagnostics {
			require.Equal(t, 1, d.Line, source)
			require.LessOrEqual(t, d.EndColumn, len(source)+1, source)
		}
	}
}
