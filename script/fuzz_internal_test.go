package script

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
	"countersign/sandbox"
	"countersign/script/sdk"
)

func FuzzAnInputIsTakenOrRefused(f *testing.F) {
	for _, text := range []string{
		`{"context":"healthcheck-script","source":"x","sampleContext":{"check":{"intervalSeconds":"often"}}}`,
		`{"context":"automation-action-shell","source":"x","env":{"A=B":"1"},"timeoutMs":-1}`,
		`{"context":"healthcheck-shell","source":"x","sampleContext":{"environment":{"fields":{"a":{"b":[1]}}}}}`,
		`{"context":"automation-action-script","source":"x","secretEnv":{"T":"${{ secrets.A }}"},"config":[]}`,
		`{"context":"automation-action-shell","source":"x","secretEnv":{"T":"${{ secrets.A }}"},"secretOverrides":{"T":"value","U":"abc"}}`,
		`{"context":"healthcheck-script","source":"x","sampleContext":{"env":{"A":1},"CHECK":{"id":1},"system":{"nam":null}}}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var in TestInput
		if json.Unmarshal([]byte(text), &in) != nil {
			return
		}
		checked, err := in.checked(nil)
		if err != nil {
			require.True(t, problem.Is(err, problem.Invalid), "%v", err)
			return
		}
		require.GreaterOrEqual(t, checked.timeout(), MinTimeout)
		told, err := checked.sample()
		require.NoError(t, err, "what was taken can be run")
		require.True(t, json.Valid(told.input))
		_, err = checked.masked(TestOutput{Stdout: text})
		require.NoError(t, err, "what was taken can be masked")
		_, err = checked.checked([]sdk.Context{checked.Context})
		require.NoError(t, err, "checking twice is harmless")
	})
}

// What the sandbox says about a call is read whatever the tool has made of it, and is bounded.
func FuzzAnAnswerOfAToolIsRead(f *testing.F) {
	f.Add("ok", `{"result":{"a":1}}`, "info", "\x01\"text\",{\"a\":1}", "Error", "message", "code")
	f.Add(
		"ok",
		`{"refused":{"code":"secret_not_provisioned","message":"m","stack":"    at f (script.ts:1:2)\n"}}`,
		"warn",
		"\x01\"cut",
		"",
		"",
		"",
	)
	f.Add("ok", `{"refused":{"code":"timeout"}} {}`, "error", "\x01[1],2,3", "TypeError", "\x00", "7")
	f.Add("failed", `null`, "debug", "plain", "InternalError", "out of memory", "timeout")
	f.Add("memory", ``, "", "\x01", "", "", "")
	f.Fuzz(func(t *testing.T, kind, result, level, line, name, message, code string) {
		o := sandbox.Outcome{
			Kind: sandbox.Kind(kind), Result: json.RawMessage(result), Logs: []sandbox.Log{{Level: level, Text: line}},
			Failure: &sandbox.Failure{Name: name, Message: message, Code: code},
		}
		if o.Kind == sandbox.OK {
			o.Failure = nil
		}
		a := readToolOutcome(o)
		require.Equal(t, a.OK, a.Error == nil)
		require.Equal(t, a.OK, a.Result != nil)
		if a.Error != nil {
			require.Contains(t, ToolCodes(), a.Error.Code)
			require.LessOrEqual(t, len(a.Error.Message), maxToolText)
			require.LessOrEqual(t, len(a.Error.Detail), maxToolDetail)
		}
		require.Len(t, a.Logs, 1)
		require.LessOrEqual(t, len(a.Logs[0].Message), maxToolText)
		require.True(t, a.Logs[0].Meta == nil || json.Valid(a.Logs[0].Meta))
		require.NoError(t, a.mask(ToolCall{Secrets: map[string]string{"A": "hunter2-hunter2"}, Masked: []string{"A"}}))
		_ = a.located([]byte(`{"version":3,"sources":["script.ts"],"mappings":"AAAA"}`))
	})
}
