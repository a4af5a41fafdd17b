package agent_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/problem"
	"countersign/modules/agent"
	"countersign/script/typescript"
)

func TestMain(m *testing.M) {
	typescript.RunIfChild()
	m.Run()
}

const weather = `import type { CustomTool } from "@countersign/sdk/tool";

interface Args { city: string }

export default {
  actions: {
    default: async (args: Args, ctx) => {
      ctx.log("info", "called", { city: args.city });
      return { url: "https://api.example.com/weather?city=" + encodeURIComponent(args.city), token: ctx.secrets.ref("TOKEN") };
    },
  },
} satisfies CustomTool;
`

// What the real compiler makes of a source is what is stored, returned, read back and hashed; what it refuses is not stored.
func TestATypeScriptToolIsStoredAsItWasCompiled(t *testing.T) {
	t.Parallel()
	compiles := typescript.New(typescript.Options{Processes: 1, Timeout: 2 * time.Minute})
	t.Cleanup(compiles.Close)
	a := newApp(t, compiles)
	a.secret(t, "TOKEN")
	a.agent(t, "helper")
	path := a.draft(t, "helper")
	args := compactObject{"type": "object", "properties": compactObject{"city": compactObject{"type": "string"}}, "required": []string{"city"}}
	a.ok(
		t,
		http.MethodPut,
		path+"/spec",
		spec(compactObject{"secrets": []compactObject{{"name": "TOKEN", "allowed_hosts": []string{"api.example.com"}}}}),
	)
	written := apitest.Decode[agent.ToolWritten](
		t,
		a.ok(t, http.MethodPut, path+"/tools/weather", tool(weather, compactObject{"args_schema": args})),
	)
	require.Equal(t, []string{"TOKEN"}, written.Capabilities.SecretRefs)
	require.False(t, written.Capabilities.DynamicSecretRefs)
	stored := a.bundle(t, path).Bundle.Tools[0]
	require.Equal(t, written.Capabilities, stored.Capabilities)
	require.Equal(t, typescript.ToolCompiler(), stored.Compiler)
	require.Equal(t, weather, stored.Source)
	//nolint:testifylint // the order is part of it
	require.Equal(
		t,
		`{"properties":{"city":{"type":"string"}},"required":["city"],"type":"object"}`,
		string(stored.ArgsSchema),
	)
	var js string
	require.NoError(t, a.DB.Conn(t.Context()).QueryRow(t.Context(), `SELECT compiled_js FROM agent_tools`).Scan(&js))
	require.Contains(t, js, "encodeURIComponent")
	require.NotContains(t, js, "interface Args")

	before := a.rows(t)
	for name, c := range map[string]struct {
		source, code string
		line         int
	}{
		"a module that is not there": {"import { get } from \"node:https\";\n" + weather, "banned_module_import", 1},
		"dynamic code":               {strings.Replace(weather, "ctx.log(", "eval(\"1\");\n ctx.log(", 1), "banned_eval", 8},
		"no default":                 {"export const x = 1;\n", "ast_no_default_export", 1},
		"syntax":                     {strings.Replace(weather, "return {", "return {{", 1), "syntax", 9},
		"types":                      {strings.Replace(weather, "args.city)", "args.town)", 1), "type", 9},
	} {
		refused := a.Do(
			t,
			"root",
			http.MethodPut,
			path+"/tools/weather",
			tool(c.source, compactObject{"args_schema": args}),
		).Refused(
			t,
			problem.Invalid,
		)
		data, err := json.Marshal(refused.Extra["errors"])
		require.NoError(t, err)
		var found []typescript.ToolDiagnostic
		require.NoError(t, json.Unmarshal(data, &found), name)
		require.NotEmpty(t, found, name)
		require.Equal(t, c.code, found[0].Code, "%s: %v", name, found)
		require.Equal(t, c.line, found[0].Line, "%s: %v", name, found)
	}
	require.Equal(t, before, a.rows(t))
	a.ok(t, http.MethodPost, path+"/freeze", nil)
	//nolint:testifylint // the order is part of it
	require.Equal(
		t,
		fmt.Sprintf(
			`{"secret_refs":["TOKEN"],"dynamic_secret_refs":false,"modules":%s,"actions":["default"]}`,
			list(stored.Capabilities.Modules),
		),
		a.text(t, `SELECT capabilities::text FROM agent_tools`),
	)
}

func list(names []string) string {
	data, _ := json.Marshal(names)
	return string(data)
}
