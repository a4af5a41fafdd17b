package demo_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestATestOfADraftIsReportedAsItWent(t *testing.T) {
	t.Parallel()
	for output, want := range map[string]string{
		`{"error":{"message":"no network"},"networkAllowed":false}`:                   "because the script policy gives scripts no network",
		`{"error":{"message":"The URL did not answer."},"networkAllowed":true}`:       "it failed: The URL did not answer.",
		`{"result":{"success":false,"message":"HTTP 503"},"networkAllowed":true}`:     "the check **fails**: HTTP 503.",
		`{"result":{"success":true,"message":"HTTP 200"},"sandboxDowngraded":true}`:   "the script policy cannot be used",
		`{"result":{"success":true},"networkAllowed":true,"sandboxDowngraded":false}`: "it **succeeds**.",
	} {
		transcript, _ := aWorld().answering("healthcheck_testScript", output).play(t, nil, "Write a script health check for https://example.com/")
		require.Contains(t, transcript, want)
		require.Contains(t, transcript, "Nothing has been saved.")
	}
	refused, _ := aWorld().answering("healthcheck_testScript", `{"error":{"code":"unavailable","message":"No sandbox worker."}}`).play(t, nil, "Write a script health check for https://example.com/")
	require.Contains(t, refused, "That didn't work. No sandbox worker.")
	transcript, _ := aWorld().without("healthcheck_testScript", "healthcheck_getScriptContext").play(t, nil, "Draft a script health check for https://example.com/")
	require.Contains(t, transcript, "no tool to **get script context**")
}
