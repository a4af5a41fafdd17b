package agent_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/problem"
	"countersign/internal/secret"
	"countersign/modules/agent"
	"countersign/modules/vault"
)

// report is what a freeze was refused for.
func report(t *testing.T, e problem.Error) agent.Verdict {
	t.Helper()
	require.Equal(t, "validation_failed", e.Extra["error"])
	data, err := json.Marshal(e.Extra["report"])
	require.NoError(t, err)
	var v agent.Verdict
	require.NoError(t, json.Unmarshal(data, &v))
	return v
}

func codes(list []agent.Finding) []string {
	found := []string{}
	for _, f := range list {
		found = append(found, f.Code+" "+f.Pointer)
	}
	return found
}

// What tools can reach and what the spec says are compared, by validate and by freeze in the same words.
func TestWhatAToolReachesIsComparedWithTheSpec(t *testing.T) {
	t.Parallel()
	token := compactObject{"name": "TOKEN", "allowed_hosts": []string{"api.example.com"}}
	other := compactObject{"name": "OTHER", "allowed_hosts": []string{"*.example.org:8443"}}
	for name, c := range map[string]struct {
		source           string
		effect           string
		spec             compactObject
		errors, warnings []string
	}{
		"nothing":               {"plain", "read", compactObject{}, nil, nil},
		"declared":              {`ref("TOKEN")`, "mutate", compactObject{"secrets": []compactObject{token}}, nil, nil},
		"undeclared":            {`ref("TOKEN")`, "mutate", compactObject{}, []string{"secret_not_declared /tools/echo"}, nil},
		"no name of a secret":   {`ref("a\u0000b")`, "mutate", compactObject{}, []string{"secret_not_declared /tools/echo"}, nil},
		"unused":                {"plain", "mutate", compactObject{"secrets": []compactObject{token}}, nil, []string{"secret_unused /spec/secrets"}},
		"two unused, one used":  {`ref("OTHER")`, "mutate", compactObject{"secrets": []compactObject{token, other}}, nil, []string{"secret_unused /spec/secrets"}},
		"dynamic":               {"DYNAMIC", "mutate", compactObject{"secrets": []compactObject{token}}, []string{"dynamic_secret_refs /tools/echo"}, nil},
		"dynamic allowed":       {"DYNAMIC", "mutate", compactObject{"secrets": []compactObject{token}, "tools": compactObject{"echo": compactObject{"allow_dynamic_secret_refs": true}}}, nil, nil},
		"read with a secret":    {`ref("TOKEN")`, "read", compactObject{"secrets": []compactObject{token}}, []string{"read_with_secrets /tools/echo"}, nil},
		"read allowed":          {`ref("TOKEN")`, "read", compactObject{"secrets": []compactObject{token}, "tools": compactObject{"echo": compactObject{"read_with_secrets": true}}}, nil, nil},
		"read and dynamic":      {"DYNAMIC", "read", compactObject{}, []string{"dynamic_secret_refs /tools/echo", "read_with_secrets /tools/echo"}, nil},
		"a tool that is not":    {"plain", "read", compactObject{"tools": compactObject{"ghost": compactObject{"requires_approval": true}}}, []string{"unknown_tool /spec/tools/ghost"}, nil},
		"a warning of a source": {"ODD", "read", compactObject{}, nil, []string{"tool_odd /tools/echo/source"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newApp(t)
			a.secret(t, "TOKEN")
			a.secret(t, "OTHER")
			a.agent(t, "helper")
			path := a.draft(t, "helper")
			a.ok(t, http.MethodPut, path+"/spec", spec(c.spec))
			a.ok(t, http.MethodPut, path+"/tools/echo", tool(c.source, compactObject{"effect": c.effect}))
			before := a.rows(t)
			verdict := apitest.Decode[agent.Verdict](t, a.ok(t, http.MethodPost, path+"/validate", nil))
			require.Equal(t, len(c.errors) == 0, verdict.OK)
			require.ElementsMatch(t, append([]string{}, c.errors...), codes(verdict.Errors))
			require.ElementsMatch(t, append([]string{}, c.warnings...), codes(verdict.Warnings))
			require.Equal(t, before, a.rows(t), "a validation stores nothing")
			require.Empty(t, a.smoke.tried, "and runs nothing")
			if len(c.errors) == 0 {
				a.ok(t, http.MethodPost, path+"/freeze", nil)
				return
			}
			refused := report(t, a.Do(t, "root", http.MethodPost, path+"/freeze", nil).Refused(t, problem.Invalid))
			require.Equal(t, verdict, refused)
			require.Equal(t, before, a.rows(t), "what is refused stores nothing")
		})
	}
}

// Freezing compiles anew, so that what is sealed was made by the compiler of today, and a source that it does not take is not
// sealed.
func TestFreezingCompilesAnew(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.agent(t, "helper")
	path := a.draft(t, "helper")
	a.ok(t, http.MethodPut, path+"/tools/echo", tool("one"))
	a.Exec(t, `UPDATE agent_tools SET compiler = 'test 0', compiled_js = 'stale', capabilities = '{"secret_refs":["STALE"]}'`)
	require.Len(t, a.bundle(t, path).Warnings, 1)
	a.ok(t, http.MethodPost, path+"/freeze", nil)
	require.Equal(
		t,
		1,
		a.Count(
			t,
			`SELECT count(*) FROM agent_tools WHERE compiler = 'test 1' AND compiled_js = E'test 1\none' AND capabilities::text NOT LIKE '%STALE%'`,
		),
	)
	require.Equal(t, 1, a.Count(t, `SELECT count(*) FROM agent_tools WHERE source_sha256 = encode(sha256(convert_to(source, 'UTF8')), 'hex')`))

	wrong := a.draft(t, "helper")
	a.ok(t, http.MethodPut, wrong+"/tools/echo", tool("one"))
	a.Exec(t, `UPDATE agent_tools SET source = 'WRONG' WHERE revision_id = $1`, a.revision(t, wrong).ID)
	refused := report(t, a.Do(t, "root", http.MethodPost, wrong+"/freeze", nil).Refused(t, problem.Invalid))
	require.Equal(t, []string{"tool_compile_failed /tools/echo/source"}, codes(refused.Errors))
}

// Each tool is loaded, and each example has to go as it says.
func TestFreezingRunsTheExamples(t *testing.T) {
	t.Parallel()
	const failing = "FAILING"
	for name, c := range map[string]struct {
		source, examples string
		errors           []string
	}{
		"loads":                  {"one", `[]`, nil},
		"does not load":          {"UNLOADABLE", `[]`, []string{"smoke_failed /tools/echo"}},
		"goes well":              {"one", `[{"name":"e","args":{"a":1}}]`, nil},
		"answers so":             {"one", `[{"name":"e","args":{"a":1,"b":[2]},"expect":{"ok":true,"result":{"b":[2],"a":1}}}]`, nil},
		"answers something else": {"one", `[{"name":"e","args":{"a":1},"expect":{"ok":true,"result":{"a":2}}}]`, []string{"example_failed /tools/echo/examples/0"}},
		"fails":                  {failing, `[{"name":"e","args":{}}]`, []string{"example_failed /tools/echo/examples/0"}},
		"is to fail":             {failing, `[{"name":"e","args":{},"expect":{"ok":false}},{"name":"f","args":{},"expect":{"ok":false,"error_code":"tool_invoke_failed"}}]`, nil},
		"fails otherwise":        {failing, `[{"name":"e","args":{},"expect":{"ok":false}},{"name":"f","args":{},"expect":{"ok":false,"error_code":"timeout"}}]`, []string{"example_failed /tools/echo/examples/1"}},
		"does not fail":          {"one", `[{"name":"e","args":{},"expect":{"ok":false}}]`, []string{"example_failed /tools/echo/examples/0"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newApp(t)
			a.agent(t, "helper")
			path := a.draft(t, "helper")
			a.ok(t, http.MethodPut, path+"/tools/echo", tool(c.source))
			a.Exec(t, `UPDATE agent_tools SET examples = $1::json`, c.examples)
			if len(c.errors) == 0 {
				a.ok(t, http.MethodPost, path+"/freeze", nil)
				require.Empty(t, a.smoke.tried[0].Action, "first it is loaded")
				return
			}
			require.Equal(t, c.errors, codes(report(t, a.Do(t, "root", http.MethodPost, path+"/freeze", nil).Refused(t, problem.Invalid)).Errors))
			require.Equal(t, agent.Draft, a.revision(t, path).State)
		})
	}
}

// A spec is strict: what nobody understands and what opens too much is refused, and what is stored has one form.
func TestASpecIsStrict(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.secret(t, "TOKEN")
	a.agent(t, "helper")
	path := a.draft(t, "helper")
	to := func(hosts ...string) compactObject {
		return compactObject{"secrets": []compactObject{{"name": "TOKEN", "allowed_hosts": hosts}}}
	}
	before := a.rows(t)
	for _, wrong := range []compactObject{
		{"triggers": []any{}},
		{"tools": []any{}},
		{"tools": compactObject{"Bad ID": compactObject{"requires_approval": true}}},
		{"tools": compactObject{"echo": compactObject{"kind": "native"}}},
		{"tools": compactObject{"echo": compactObject{"requires_identity": "github"}}},
		{"limits": compactObject{"timeout_ms": 5}},
		{"limits": compactObject{"timeout_ms": 600_000}},
		{"limits": compactObject{"max_turns": 5}},
		{"secrets": []any{"TOKEN"}},
		{"secrets": []compactObject{{"name": "TOKEN"}}},
		{"secrets": []compactObject{{"name": "token", "allowed_hosts": []string{"example.com"}}}},
		{"secrets": []compactObject{{"name": "TOKEN", "allowed_hosts": []string{"a.com"}}, {"name": "TOKEN", "allowed_hosts": []string{"b.com"}}}},
		{"secrets": []compactObject{{"name": "NO_SUCH_SECRET", "allowed_hosts": []string{"example.com"}}}},
		to(), to("*"), to("*.com"), to("*.co.uk"), to("https://example.com"), to("example.com/path"), to("user@example.com"), to("a*.example.com"), to("exa mple.com"),
		to("127.0.0.1"), to("127.0.0.1:8080"), to("[::1]:8080"), to("0.0.0.0"), to("169.254.169.254"), to("[fd00:ec2::254]"), to("10.0.0.0/8"), to("10.1.2.3"), to("192.168.1.1:8080"),
		to("2130706433"), to("0x7f.1"), to("::ffff:127.0.0.1"), to("example.com:99999"), to("example.com:22"), to(""), to("..example.com"), to("example..com"), to("example.com\n"),
	} {
		answer := a.Do(t, "root", http.MethodPut, path+"/spec", spec(wrong))
		require.Equal(t, http.StatusUnprocessableEntity, answer.Status, "%v: %s", wrong, answer.Body)
	}
	require.Equal(t, before, a.rows(t))
	a.ok(t, http.MethodPut, path+"/spec", spec(to("B.Example.com", "*.Example.ORG:8443", "b.example.com", "93.184.216.34", "bücher.example")))
	require.Equal(
		t,
		[]string{"*.example.org:8443", "93.184.216.34", "b.example.com", "xn--bcher-kva.example"},
		a.bundle(t, path).Bundle.Spec.Secrets[0].AllowedHosts,
	)
}

// Who decides what becomes of a secret has to be one who may use secrets.
func TestSecretsAreForWhoMayUseThem(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.secret(t, "TOKEN")
	a.Person("author", agent.Manage, agent.Read, vault.Read)
	a.Person("writer", agent.Manage, agent.Read)
	a.agent(t, "helper")
	named := compactObject{"secrets": []compactObject{{"name": "TOKEN", "allowed_hosts": []string{"api.example.com"}}}}
	path := a.draft(t, "helper")
	forbidden := func(method, path string, body any) {
		t.Helper()
		before := a.rows(t)
		e := a.Do(t, "writer", method, path, body).Refused(t, problem.Forbidden)
		require.Equal(t, []string{vault.Read}, e.MissingRules)
		require.Equal(t, before, a.rows(t))
	}
	may := func(who, method, path string, body any) {
		t.Helper()
		answer := a.Do(t, who, method, path, body)
		require.Less(t, answer.Status, 300, answer.Body)
	}
	may("writer", http.MethodPut, path+"/tools/echo", tool(`ref("TOKEN")`))
	forbidden(http.MethodPut, path+"/spec", spec(named))
	forbidden(http.MethodPut, path+"/bundle", compactObject{"agent_md": "", "spec": named, "tools": []any{}})
	may("author", http.MethodPut, path+"/spec", spec(named))
	may("writer", http.MethodPut, path+"/spec", spec(named)) // as it is
	forbidden(http.MethodPut, path+"/tools/echo", tool(`ref("TOKEN") + other`))
	forbidden(http.MethodPut, path+"/tools/new", tool("one"))
	may("writer", http.MethodPut, path+"/agent_md", compactObject{"content": "Text."})
	may("writer", http.MethodPut, path+"/tools/echo", tool(`ref("TOKEN")`)) // as it is
	forbidden(http.MethodPost, path+"/freeze", nil)
	may("author", http.MethodPost, path+"/freeze", nil)
	forbidden(http.MethodPost, path+"/promote", nil)
	may("author", http.MethodPost, path+"/promote", nil)
	id := a.revision(t, path).ID
	forbidden(http.MethodPost, agents+"/helper/revisions", compactObject{"cloneFrom": id})
	copied := a.draft(t, "helper")
	forbidden(http.MethodPost, copied+"/clone_from", compactObject{"source_revision_id": id})
	may("writer", http.MethodPost, path+"/archive", nil)
	forbidden(http.MethodPost, path+"/promote", nil)

	// What refers to a secret is told on its page: by name to who sees the agent, else by number.
	may("author", http.MethodPut, copied+"/spec", spec(named))
	users, err := a.module.SecretUsers(a.as(t, "author"), "TOKEN")
	require.NoError(t, err)
	require.Equal(t, "Agent helper", users[0].Name)
	a.Person("stranger")
	users, err = a.module.SecretUsers(a.as(t, "stranger"), "TOKEN")
	require.NoError(t, err)
	require.Equal(t, []secret.User{{Kind: "agent", Name: "1 that are not shown"}}, users)
	may("author", http.MethodDelete, copied, nil)
	users, err = a.module.SecretUsers(a.as(t, "author"), "TOKEN")
	require.NoError(t, err)
	require.Empty(t, users, "archived revisions do not count")
}
