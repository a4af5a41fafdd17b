package sdk_test

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/sandbox"
	"countersign/sandbox/javascript"
	"countersign/script/sdk"
	"countersign/script/typescript"
)

func runIn(t *testing.T, engine *javascript.Engine, source string, input any) sandbox.Outcome {
	data, err := json.Marshal(input)
	require.NoError(t, err)
	o, err := engine.Run(
		t.Context(),
		sandbox.Job{Source: source, Name: "script.js", Input: data, Limits: sandbox.Limits{Timeout: time.Minute}},
	)
	require.NoError(t, err)
	return o
}

func newEngine(t *testing.T) *javascript.Engine {
	engine, err := javascript.New(t.Context(), javascript.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, engine.Close(context.WithoutCancel(t.Context()))) })
	return engine
}

// declared are expressions of JavaScript, one for each thing in globals.d.ts, that are true where it exists.
func declared(t *testing.T) map[string]string {
	checks := map[string]string{}
	// The members of an interface are those of a variable, or of the prototype of a constructor of the same name.
	objects := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^declare var (\w+): (?:(\w+);|\{)$`).FindAllStringSubmatch(sdk.Globals().Text, -1) {
		if objects[m[2]] = m[1]; m[2] == "" {
			objects[m[1]] = m[1] + ".prototype"
		}
	}
	top := regexp.MustCompile(`^(declare function|declare var|interface|type) (\w+)`)
	member := regexp.MustCompile(`^  (?:readonly )?(\w+|\[Symbol\.iterator\])(?:<[^(]*>)?[?]?[(:]`)
	var holder string
	for line := range strings.Lines(sdk.Globals().Text) {
		if m := top.FindStringSubmatch(line); m != nil {
			if holder = objects[m[2]]; strings.HasPrefix(m[1], "declare") {
				holder = m[2]
				checks[holder] = "typeof " + holder + " !== 'undefined'"
			}
			continue
		}
		m := member.FindStringSubmatch(line)
		if m == nil || holder == "" || m[1] == "new" {
			continue
		}
		name := "'" + m[1] + "'"
		if m[1] == "[Symbol.iterator]" {
			name = "Symbol.iterator"
		}
		checks[holder+"."+m[1]] = name + " in " + holder
	}
	// This one is a member of each object, not of the prototype.
	checks["AbortSignal.prototype.onabort"] = "'onabort' in AbortSignal.abort()"
	require.Greater(t, len(checks), 120)
	return checks
}

func TestTheSandboxHasWhatTheDeclarationsPromise(t *testing.T) {
	t.Parallel()
	engine := newEngine(t)
	var source strings.Builder
	source.WriteString("const missing = [];\n")
	for name, check := range declared(t) {
		source.WriteString("if (!(" + check + ")) missing.push(" + "\"" + name + "\");\n")
	}
	source.WriteString("export default missing;\n")
	o := runIn(t, engine, source.String(), nil)
	require.Equal(t, sandbox.OK, o.Kind, "%+v", o.Failure)
	require.JSONEq(t, `[]`, string(o.Result))
}

// What belongs to the engine alone stays undeclared.
func TestWhatTheSandboxHasIsDeclared(t *testing.T) {
	t.Parallel()
	const own = "InternalError"
	o := runIn(t, newEngine(t), `export default Object.getOwnPropertyNames(globalThis).filter((n) => /^[A-Za-z]+$/.test(n))`, nil)
	var names []string
	require.NoError(t, json.Unmarshal(o.Result, &names))
	require.Contains(t, names, "fetch")
	names = slices.DeleteFunc(names, func(name string) bool { return name == own })
	c := typescript.New(typescript.Options{Processes: 1, Timeout: 2 * time.Minute})
	t.Cleanup(c.Close)
	report, err := c.Check(t.Context(), "console.log(\n"+strings.Join(names, ",\n")+");\n", sdk.ActionScript)
	require.NoError(t, err)
	require.Empty(t, report.Diagnostics)
}

func TestWhatIsCompiledRuns(t *testing.T) {
	t.Parallel()
	engine := newEngine(t)
	c := typescript.New(typescript.Options{Processes: 1, Timeout: 2 * time.Minute})
	t.Cleanup(c.Close)
	const importing = "import { defineHealthCheck } from \"@countersign/sdk/healthcheck\";\n"
	for source, want := range map[string]string{
		importing + "export default defineHealthCheck((c) => ({ success: c === context, message: c.system.name }));\n": `{"success":true,"message":"Shop"}`,
		"export default true;\n":                               `true`,
		"export default context.check.intervalSeconds > 59;\n": `true`,
		"const name: string = await Promise.resolve(context.check.name);\nreturn { success: true, message: name };\n":      `{"success":true,"message":"Front page"}`,
		"const seconds = await Promise.resolve(context.check.intervalSeconds);\nexport default async () => seconds + 1;\n": `61`,
		"console.log(context.config.url);\n": `null`,
	} {
		compiled, err := c.Compile(t.Context(), source, sdk.HealthCheckScript)
		require.NoError(t, err)
		require.Empty(t, compiled.Diagnostics, source)
		o := runIn(t, engine, compiled.JS, healthCheckContext())
		require.Equal(t, sandbox.OK, o.Kind, "%s: %+v", source, o.Failure)
		require.JSONEq(t, want, string(o.Result), source)
	}

	action, err := c.Compile(t.Context(), sdk.ActionScript.Starter(), sdk.ActionScript)
	require.NoError(t, err)
	o := runIn(t, engine, action.JS, automationContext())
	require.JSONEq(t, `{"id":"r1","handled":"incident.created"}`, string(o.Result))
	require.Contains(t, o.Stdout, "incident.created started run r1")

	// An error leads to the author's line.
	source := "interface Nothing {}\n\nfunction fail(): never {\n  throw new Error(\"boom\");\n}\nfail();\n"
	failing, err := c.Compile(t.Context(), source, sdk.HealthCheckScript)
	require.NoError(t, err)
	o = runIn(t, engine, failing.JS, healthCheckContext())
	require.Equal(t, sandbox.Failed, o.Kind)
	positions, err := typescript.NewPositions(failing.SourceMap)
	require.NoError(t, err)
	var lines []int
	for _, f := range o.Failure.Stack {
		if line, _, ok := positions.Author(f.Line, f.Column); ok {
			lines = append(lines, line)
		}
	}
	require.Equal(t, []int{4, 6}, lines[:2], "%+v", o.Failure.Stack)
}

func TestACustomToolRuns(t *testing.T) {
	t.Parallel()
	engine := newEngine(t)
	c := typescript.New(typescript.Options{Processes: 1, Timeout: 2 * time.Minute})
	t.Cleanup(c.Close)
	call := func(source string, input sdk.ToolInput) sandbox.Outcome {
		compiled, err := c.CompileTool(t.Context(), typescript.ToolSource{ID: "t", Source: source})
		require.NoError(t, err)
		require.Empty(t, compiled.Diagnostics, source)
		return runIn(t, engine, compiled.JS, input)
	}
	tool := func(body string) string {
		return "export default { actions: { async default(args, ctx) {" + body + "} } };\n"
	}
	for source, want := range map[string]string{
		sdk.CustomTool.Starter():                 `{"url":"https://api.example.com/weather?city=Z%C3%BCrich"}`,
		tool("return args.city;"):                `"Zürich"`,
		tool("return ctx.secrets.ref('TOKEN');"): `"nonce_1"`,
		tool("return typeof (args as any).constructed + Object.keys(ctx).join();"):              `"undefinedsecrets,log"`,
		"export default { actions: { default() { return this.other(); }, other: () => 2 } };\n": `2`,
	} {
		o := call(
			source,
			sdk.ToolInput{Args: map[string]any{"city": "Zürich"}, Secrets: map[string]string{"TOKEN": "nonce_1"}, Action: "default"},
		)
		require.Equal(t, sandbox.OK, o.Kind, "%s: %+v", source, o.Failure)
		require.JSONEq(t, `{"result":`+want+`}`, string(o.Result), source)
	}
}
