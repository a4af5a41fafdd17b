package agent

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
)

// What somebody saves as examples is taken in one form or refused, and what was taken can be run and judged.
func FuzzExamplesAreTakenOrRefused(f *testing.F) {
	for _, text := range []string{
		`{"examples":[{"name":"a","args":{"n":1},"expect":{"ok":true,"result":[1,1.0,"\u003c"]}}]}`,
		`{"examples":[{"name":"a","args":{},"mock_secrets":{"TOKEN":"made-up"},"expect":{"ok":false,"error_code":"timeout"}}]}`,
		`{"examples":[{"name":"a","args":{"a":1,"a":2}},{"name":"A","args":[]}]}`,
		`{"examples":[{"name":"\u0000","args":null,"expect":{"ok":true,"error_code":"x"}}]}`,
	} {
		f.Add(text)
	}
	called := trial{schema: json.RawMessage(`{"type":"object"}`), spec: Spec{Secrets: []SpecSecret{{Name: "TOKEN"}}}}
	called.capabilities.SecretRefs = []string{"TOKEN"}
	f.Fuzz(func(t *testing.T, text string) {
		var in Examples
		if json.Unmarshal([]byte(text), &in) != nil {
			return
		}
		var v problem.Issues
		out := in.checked(&v)
		if v.Err() != nil {
			return
		}
		require.LessOrEqual(t, len(out.Examples), MaxExamples)
		data, err := json.Marshal(out.Examples)
		require.NoError(t, err)
		require.LessOrEqual(t, len(data), maxExampleBytes)
		var again Examples
		require.NoError(t, json.Unmarshal(data, &again.Examples))
		var none problem.Issues
		require.Equal(t, out, again.checked(&none), "taken twice it is the same")
		require.NoError(t, none.Err())
		for _, e := range out.Examples {
			secrets, why, err := called.exampleSecrets(t.Context(), e)
			require.NoError(t, err)
			require.True(t, why != "" || len(secrets) == 1)
			_ = e.Judge(Outcome{OK: true, Result: e.Args})
		}
	})
}
