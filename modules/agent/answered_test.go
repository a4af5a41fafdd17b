package agent_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
	"countersign/modules/agent"
	"countersign/script/typescript"
)

// A freeze says what a failing example answered, beside what it was to answer, with stars in place of secrets.
func TestAFreezeSaysWhatAFailingExampleAnswered(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 2_000)
	for name, c := range map[string]struct {
		source, examples string
		says             []string
		hides            string
	}{
		"another answer": {
			"one", `[{"name":"e","args":{"a":1},"expect":{"ok":true,"result":{"a":2}}}]`,
			[]string{`it answered {"a":1}, and was expected to answer {"a":2}`},
			"",
		},
		"a failure that was not expected": {
			"FAILING", `[{"name":"e","args":{},"expect":{"ok":true,"result":{}}}]`, []string{"it failed: ", "tool_invoke_failed"}, "",
		},
		"another failure": {
			"FAILING", `[{"name":"e","args":{},"expect":{"ok":false,"error_code":"timeout"}}]`,
			[]string{"was expected to fail with timeout: ", "tool_invoke_failed"},
			"",
		},
		"no failure": {
			"one", `[{"name":"e","args":{"a":"b"},"expect":{"ok":false}}]`, []string{`was expected to fail. It answered {"a":"b"}`}, "",
		},
		"a secret of the example": {
			`ref("TOKEN")`,
			`[{"name":"e","args":{"a":"mock-token-1"},"mock_secrets":{"TOKEN":"mock-token-1"},"expect":{"ok":true,"result":{"b":"mock-token-1"}}}]`,
			[]string{`it answered {"a":"****"}, and was expected to answer {"b":"****"}`},
			"mock-token-1",
		},
		"a credential": {
			"one", `[{"name":"e","args":{"a":"ghp_0123456789abcdefghijABCDEFGHIJ012345"},"expect":{"ok":true,"result":1}}]`,
			[]string{"and was expected to answer 1"},
			"ghp_0123456789",
		},
		"a long answer": {
			"one", `[{"name":"e","args":{"a":"` + long + `"},"expect":{"ok":true,"result":1}}]`,
			[]string{"xxx…, and was expected to answer 1"},
			strings.Repeat("x", 600),
		},
		"an answer that disguises": {
			"one", `[{"name":"e","args":{"a":"\u202edrow"},"expect":{"ok":true,"result":1}}]`,
			[]string{"drow", "expected to answer 1"},
			"\u202e",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newApp(t)
			a.secret(t, "TOKEN")
			a.agent(t, "helper")
			path := a.draft(t, "helper")
			a.ok(t, http.MethodPut, path+"/spec", spec(compactObject{"secrets": []compactObject{{
				"name":          "TOKEN",
				"allowed_hosts": []string{"api.example.com"},
			}}}))
			a.ok(t, http.MethodPut, path+"/tools/echo", tool(c.source))
			a.Exec(t, `UPDATE agent_tools SET examples = $1::json`, c.examples)
			verdict := report(t, a.Do(t, "root", http.MethodPost, path+"/freeze", nil).Refused(t, problem.Invalid))
			require.Equal(t, []string{"example_failed /tools/echo/examples/0"}, codes(verdict.Errors))
			for _, part := range c.says {
				require.Contains(t, verdict.Errors[0].Message, part)
			}
			if c.hides != "" {
				require.NotContains(t, verdict.Errors[0].Message, c.hides)
			}
			require.Equal(t, agent.Draft, a.revision(t, path).State)
		})
	}
}

// Empty, binary and overlong sources are refused by diagnostics, by each way to write or check a tool, and nothing is stored.
func TestWhatIsNoSourceIsAnsweredInDiagnostics(t *testing.T) {
	t.Parallel()
	compiles := typescript.New(typescript.Options{Processes: 1, Timeout: 2 * time.Minute})
	t.Cleanup(compiles.Close)
	a := newApp(t, compiles)
	a.agent(t, "helper")
	path := a.draft(t, "helper")
	before := a.rows(t)
	for source, code := range map[string]string{
		"": "ast_no_default_export", "\x00\x01\x02": "source_not_text", "a\x00": "source_not_text",
		strings.Repeat("x", agent.MaxSource+1): "source_too_long",
	} {
		refused := a.Do(t, "root", http.MethodPut, path+"/tools/echo", tool(source)).Refused(t, problem.Invalid)
		require.Equal(t, "tool_compile_failed", refused.Extra["error"], "%.10q", source)
		require.Equal(t, []string{code}, codesIn(t, refused.Extra["errors"]), "%.10q", source)
		checked := a.ok(t, http.MethodPost, path+"/tools/echo/check", tool(source))
		require.Contains(t, checked.Body, `"`+code+`"`)
		bundle := compactObject{"agent_md": "", "spec": compactObject{}, "tools": []compactObject{tool(source, compactObject{"id": "echo"})}}
		refused = a.Do(t, "root", http.MethodPut, path+"/bundle", bundle).Refused(t, problem.Invalid)
		require.Equal(t, "tool_compile_failed", refused.Extra["error"], "%.10q", source)
	}
	require.Equal(t, before, a.rows(t))
}

func codesIn(t *testing.T, errors any) (found []string) {
	t.Helper()
	raw, err := json.Marshal(errors)
	require.NoError(t, err)
	var list []typescript.ToolDiagnostic
	require.NoError(t, json.Unmarshal(raw, &list))
	for _, d := range list {
		require.NotZero(t, d.Line)
		require.NotEmpty(t, d.Hint)
		found = append(found, d.Code)
	}
	return found
}
