package sdk_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"countersign/script/sdk"
	"countersign/script/typescript"
)

func TestMain(m *testing.M) {
	typescript.RunIfChild()
	goleak.VerifyTestMain(m)
}

// typeOf is the type of TypeScript that a Go type is on the wire.
func typeOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return typeOf(t.Elem())
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Float64:
		return "number"
	case reflect.Interface:
		return "any"
	case reflect.Map:
		return "Record<string, " + typeOf(t.Elem()) + ">"
	case reflect.Struct:
		var members strings.Builder
		for field := range t.Fields() {
			name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
			if options == "omitempty" {
				name += "?"
			}
			members.WriteString(name + ": " + typeOf(field.Type) + "; ")
		}
		return "{ " + members.String() + "}"
	default:
		panic("there is no rule for " + t.String())
	}
}

// The type checker itself compares: two types are the same when neither they nor anything made of them can be told apart.
func same(module, name, wanted string) string {
	return fmt.Sprintf(`import type { %s } from %q;
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;
const same: Same<%s, %s> = true;
export default same;
`, name, module, name, wanted)
}

func TestTheDeclarationsAreWhatTheRunnerPasses(t *testing.T) {
	t.Parallel()
	c := typescript.New(typescript.Options{Processes: 1, Timeout: 2 * time.Minute})
	t.Cleanup(c.Close)
	for name, tc := range map[string]struct {
		in    sdk.Context
		value any
	}{
		"HealthCheckContext": {sdk.HealthCheckScript, sdk.HealthCheckContext{}},
		"HealthCheckResult":  {sdk.HealthCheckScript, sdk.HealthCheckResult{}},
		"AutomationContext":  {sdk.ActionScript, sdk.AutomationContext{}},
	} {
		module, ok := tc.in.Module()
		require.True(t, ok)
		wanted := typeOf(reflect.TypeOf(tc.value))
		report, err := c.Check(t.Context(), same(module.Name, name, wanted), tc.in)
		require.NoError(t, err)
		require.True(t, report.Checked)
		require.Empty(t, report.Diagnostics, "%s is not %s", name, wanted)

		for _, other := range []string{
			strings.Replace(wanted, "string", "number", 1), strings.Replace(wanted, "{ ", "{ more: string; ", 1),
			strings.Replace(wanted, "?:", ":", 1),
		} {
			report, err = c.Check(t.Context(), same(module.Name, name, other), tc.in)
			require.NoError(t, err)
			require.Len(t, report.Diagnostics, 1, "the comparison sees differences: %s", other)
		}
	}
}

func TestTheTypesOfToolsAreDeclaredWell(t *testing.T) {
	t.Parallel()
	c := typescript.New(typescript.Options{Processes: 1, Timeout: 2 * time.Minute})
	t.Cleanup(c.Close)
	// No context of this release imports the module; its declarations have to be right all the same.
	inner := strings.TrimSuffix(strings.SplitN(sdk.ToolModule().File.Text, "{\n", 2)[1], "}\n")
	source := inner + `
export default {
  actions: { default: async (args, ctx) => { ctx.log("info", "called", { args }); return ctx.secrets.ref("TOKEN"); } },
} satisfies CustomTool;
`
	report, err := c.Check(t.Context(), source, sdk.ActionScript)
	require.NoError(t, err)
	require.Empty(t, report.Diagnostics)
}

// The declarations must not stand in the way of what everybody writes from memory.
func TestWhatIsOftenWrittenHasNoTypeErrors(t *testing.T) {
	t.Parallel()
	c := typescript.New(typescript.Options{Processes: 1, Timeout: 2 * time.Minute})
	t.Cleanup(c.Close)
	for _, source := range []string{
		"await new Promise((resolve) => setTimeout(resolve, 5));\nreturn true;",
		"const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));\nawait sleep(5);\nreturn true;",
		"const late = new Promise<never>((_, reject) => setTimeout(reject, 5, new Error('late')));\nreturn Promise.race([late, true]);",
		"setTimeout((text: string, count: number) => console.log(text, count), 5, 'a', 1);\nconst t = setInterval(() => clearInterval(t), 5);\nreturn true;",
		"try {\n  await fetch('https://example.com', { method: 'POST', headers: { Authorization: `Bearer ${context.env.TOKEN}` }, body: JSON.stringify({}), signal: AbortSignal.timeout(50) });\n} catch (e) {\n  return { success: false, message: e instanceof Error ? e.message : String(e) };\n}",
		"const started = Date.now();\ntry {\n  const answer = await fetch(String(context.config.url), { signal: AbortSignal.timeout(5000) });\n  return { success: answer.ok, message: 'HTTP ' + answer.status, value: Date.now() - started };\n} catch (error) {\n  return { success: false, message: error instanceof Error ? error.message : String(error) };\n}",
		"const answer = await fetch(String(context.config.url));\nconst body = (await answer.json()) as { status: string };\nreturn answer.ok && body.status === 'up';",
	} {
		report, err := c.Check(t.Context(), source, sdk.HealthCheckScript)
		require.NoError(t, err)
		require.Empty(t, report.Diagnostics, source)
	}
	for _, source := range []string{"setTimeout((text: string) => console.log(text), 5);\nreturn true;", "new Promise<number>((resolve) => setTimeout(resolve, 5));\nreturn true;"} {
		report, err := c.Check(t.Context(), source, sdk.HealthCheckScript)
		require.NoError(t, err)
		require.Len(t, report.Diagnostics, 1, source)
	}
}
