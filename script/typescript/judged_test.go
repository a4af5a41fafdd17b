package typescript_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/sandbox"
	"countersign/script/sdk"
)

func TestAHealthCheckWithAValueThatIsNoFiniteNumberIsRefused(t *testing.T) {
	t.Parallel()
	c, e := compiler(t, patient()), engine(t)
	do := func(in sdk.Context, source string) sandbox.Outcome {
		compiled, err := c.Transpile(t.Context(), source, in)
		require.NoError(t, err)
		require.NotEmpty(t, compiled.JS, source)
		o, err := e.Run(
			t.Context(),
			sandbox.Job{Source: compiled.JS, Input: []byte(`{"config":{}}`), Limits: sandbox.Limits{Timeout: time.Minute}},
		)
		require.NoError(t, err)
		return o
	}
	for source, number := range map[string]string{
		"return NaN":                                             "NaN",
		"return 1 / 0":                                           "Infinity",
		"return { success: true, value: -1/0 }":                  "-Infinity",
		"export default { success: true, value: NaN }":           "NaN",
		"export default Promise.resolve(NaN)":                    "NaN",
		"export default () => ({ success: false, value: NaN })":  "NaN",
		healthCheck("Number.isFinite = () => true; return NaN;"): "NaN",
	} {
		o := do(sdk.HealthCheckScript, source)
		require.Equal(t, sandbox.Failed, o.Kind, source)
		require.Equal(t, "ResultError", o.Failure.Name)
		require.Equal(t, "value of the health check's result must be a finite number, not "+number, o.Failure.Message, source)
	}
	for source, result := range map[string]string{
		"return 0": "0", "return": "null", "return null": "null", "return true": "true", "return { success: true, value: 1.5 }": `{"success":true,"value":1.5}`,
		"return { success: true, more: NaN }": `{"success":true,"more":null}`,
	} {
		o := do(sdk.HealthCheckScript, source)
		require.Equal(t, sandbox.OK, o.Kind, "%s: %+v", source, o.Failure)
		require.JSONEq(t, result, string(o.Result), source)
	}
	require.Equal(t, "null", string(do(sdk.ActionScript, "return NaN").Result), "an action's result is JSON, as in the language")
}
