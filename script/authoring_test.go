package script_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/chat/assistant"
	"countersign/internal/problem"
	"countersign/internal/secret/scrub"
	"countersign/internal/store/exactlyonce"
	"countersign/modules/automation"
	"countersign/modules/healthcheck"
	"countersign/script"
	"countersign/script/sdk"
	"countersign/tool"
)

// askedTester remembers what it was asked to test.
type askedTester struct {
	in      script.TestInput
	network bool
}

func (a *askedTester) Test(_ context.Context, _ []sdk.Context, in script.TestInput) (script.TestOutput, error) {
	a.in = in
	return script.TestOutput{Stdout: "tested"}, nil
}

// requireWholeInTheSmallestWindow makes sure that no model is shown only a part of what a script of a context can use.
func requireWholeInTheSmallestWindow(t *testing.T, c sdk.Context, answer string) {
	t.Helper()
	shown := assistant.Clamp(scrub.JSON(json.RawMessage(answer)), assistant.ClampChars(1))
	require.Equal(t, answer, string(shown), "%d bytes", len(answer))
	var d sdk.Description
	require.NoError(t, json.Unmarshal(shown, &d))
	whole, err := sdk.Describe(c)
	require.NoError(t, err)
	require.Equal(t, []any{whole.Context, whole.Language, whole.SDKModule, whole.Helper, whole.ShellEnv, whole.StarterExample},
		[]any{d.Context, d.Language, d.SDKModule, d.Helper, d.ShellEnv, d.StarterExample})
	for _, v := range whole.ShellEnv {
		require.Contains(t, d.Declarations, v.Name)
	}
	if m, ok := c.Module(); ok {
		members := regexp.MustCompile(
			`(?m)^\s*(?:export )?(?:(?:interface|type|function) )?(\w+)\??(?:[:(]| [={])`,
		).FindAllStringSubmatch(
			m.File.Text,
			-1,
		)
		require.Greater(t, len(members), 10)
		for _, member := range members {
			require.Contains(t, d.Declarations, member[0])
		}
	}
}

// Network implements script.Tester.
func (a *askedTester) Network(context.Context) bool { return a.network }

// Both modules that have scripts offer the same two tools, each for its own contexts.
func TestAuthorsGetTheContextAndTestADraftByTools(t *testing.T) {
	t.Parallel()
	tester := &askedTester{}
	s := apitest.New(t)
	checks := healthcheck.New(healthcheck.Options{Tester: tester})
	automations := automation.New(automation.Options{Tester: tester, Once: exactlyonce.New(s.DB)})
	s.Mount(t, checks, automations)
	for _, module := range []struct {
		name, rule string
		contexts   []sdk.Context
		foreign    sdk.Context
		tools      []tool.Tool
	}{
		{"healthcheck", healthcheck.Manage, healthcheck.Contexts(), sdk.ActionScript, checks.Tools()},
		{"automation", automation.Manage, automation.Contexts(), sdk.HealthCheckScript, automations.Tools()},
	} {
		s.Person("author", module.rule)
		for _, c := range module.contexts {
			requireWholeInTheSmallestWindow(t, c, s.Call(t, "author", module.name+".getScriptContext", map[string]any{"context": c}))
			out := s.Call(t, "author", module.name+".testScript", map[string]any{
				"context":       c,
				"source":        "true",
				"config":        map[string]any{"a": "b"},
				"sampleContext": map[string]any{"c": "d"},
				"env":           map[string]string{"E": "f"},
				"timeoutMs":     500,
			})
			require.Contains(t, out, `"stdout":"tested"`)
			require.Equal(t, script.TestInput{
				Context:       c,
				Source:        "true",
				Config:        map[string]any{"a": "b"},
				SampleContext: map[string]any{"c": "d"},
				Env:           map[string]string{"E": "f"},
				TimeoutMs:     500,
			}, tester.in)
			s.Call(t, "author", module.name+".testScript", map[string]any{"context": c, "source": "true"})
			require.Equal(t, script.TestInput{Context: c, Source: "true"}, tester.in, "what is left out is absent")
		}
		for _, one := range module.tools {
			if !strings.HasSuffix(one.Name, ".testScript") && !strings.HasSuffix(one.Name, ".getScriptContext") {
				continue
			}
			require.Equal(t, []string{module.rule}, one.Rules)
			if strings.HasSuffix(one.Name, "testScript") {
				require.Contains(t, string(one.Input.JSON()), fmt.Sprintf(`"default":%d`, script.DefaultTimeout.Milliseconds()))
			}
			_, err := one.Run(t.Context(), s.Caller("author"), []byte(`{"context":"`+string(module.foreign)+`","source":"true"}`))
			require.True(t, problem.Is(err, problem.Invalid), "%s takes no context of another module: %v", one.Name, err)
		}
		s.Person("nobody")
		s.Do(
			t,
			"nobody",
			http.MethodPost,
			script.TestsPath(module.name),
			map[string]any{"context": module.contexts[0], "source": "true"},
		).Refused(
			t,
			problem.Forbidden,
		)
	}
}
