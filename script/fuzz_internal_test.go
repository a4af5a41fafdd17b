package script

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/problem"
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
