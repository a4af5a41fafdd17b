package demo_test

import (
	"strings"
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
	refused, _ := aWorld().answering(
		"healthcheck_testScript",
		`{"error":{"code":"unavailable","message":"No sandbox worker."}}`,
	).play(
		t,
		nil,
		"Write a script health check for https://example.com/",
	)
	require.Contains(t, refused, "That didn't work. No sandbox worker.")
	transcript, _ := aWorld().without(
		"healthcheck_testScript",
		"healthcheck_getScriptContext",
	).play(
		t,
		nil,
		"Draft a script health check for https://example.com/",
	)
	require.Contains(t, transcript, "no tool to **get script context**")
}

func TestAScriptIsAskedForInManyWords(t *testing.T) {
	t.Parallel()
	for _, ask := range []string{
		"Write a health check script for https://example.com/health and test it", "Can you write me a check script for https://example.com/?",
		"Please draft a script for a health check of https://example.com/", "build a typescript health check script: https://example.com/",
	} {
		transcript, _ := aWorld().play(t, nil, ask)
		require.Contains(t, transcript, "-> healthcheck_testScript", ask)
		require.NotContains(t, transcript, "probe", ask)
	}
}

// testing answers tests one after the other.
func (w world) testing(outputs ...string) world {
	sources := 0
	w["healthcheck_testScript"] = func(map[string]any) string {
		sources++
		return outputs[min(sources, len(outputs))-1]
	}
	return w
}

func TestADraftThatFailsIsCorrectedOnce(t *testing.T) {
	t.Parallel()
	const ask, fails = "Draft a script health check for https://example.com/", `{"result":{"success":false,"message":"refused"},"diagnostics":[],"networkAllowed":true}`

	transcript, _ := aWorld().testing(`{"error":{"message":"fetch failed."},"diagnostics":[],"networkAllowed":true}`, fails).play(t, nil, ask)
	require.Equal(t, 2, strings.Count(transcript, "-> healthcheck_testScript"))
	require.Contains(t, transcript, "My first draft did not work: fetch failed. I corrected it. I tested a script")
	require.Contains(t, transcript, "the check **fails**: refused.")
	require.Contains(t, shown(transcript), "import { defineHealthCheck }")
	require.Contains(t, shown(transcript), "} catch (error) {")

	transcript, _ = aWorld().testing(
		`{"diagnostics":[{"rule":"import","message":"There is no such module."}],"error":{"message":"not run"},"networkAllowed":false}`,
		fails,
	).play(
		t,
		nil,
		ask,
	)
	require.Contains(t, transcript, "My first draft did not work: There is no such module. I corrected it.")
	require.NotContains(t, shown(transcript), "import")
	require.Contains(t, shown(transcript), "return { success: answer.ok")

	transcript, _ = aWorld().testing(`{"error":{"message":"no"},"diagnostics":[],"networkAllowed":true}`).play(t, nil, ask)
	require.Equal(t, 2, strings.Count(transcript, "-> healthcheck_testScript"), "it is not tried for ever")
	require.Contains(t, transcript, "it failed: no.")

	for _, refused := range []string{
		`{"error":{"message":"no network"},"diagnostics":[],"networkAllowed":false}`,
		`{"error":{"message":"fetch failed: This URL cannot be requested: it is not on the list."},"diagnostics":[],"networkAllowed":true}`,
	} {
		transcript, _ = aWorld().testing(refused).play(t, nil, ask)
		require.Equal(t, 1, strings.Count(transcript, "-> healthcheck_testScript"), "what the policy refuses is not the fault of the draft")
	}
}

// shown is the draft that the person is shown.
func shown(transcript string) string {
	_, draft, _ := strings.Cut(transcript, "```ts\n")
	draft, _, _ = strings.Cut(draft, "```")
	return draft
}

func TestADraftDoesNotDependOnTheDocumentation(t *testing.T) {
	t.Parallel()
	const ask, found = "Draft a script health check for https://example.com/", `{"hits":[{"slug":"how-to/x","title":"X"}],"note":""}`
	for name, w := range map[string]world{
		"no tools": aWorld().without("ai_searchDocs", "ai_getDoc"),
		"no hits":  aWorld().answering("ai_searchDocs", `{"hits":[],"note":"No page matches."}`),
		"refused":  aWorld().answering("ai_searchDocs", `{"error":{"code":"budget","message":"Too many."}}`),
		"no page":  aWorld().answering("ai_searchDocs", found).answering("ai_getDoc", `{"error":{"code":"not_found","message":"No such page."}}`),
	} {
		transcript, _ := w.play(t, nil, ask)
		require.Contains(t, transcript, "it **succeeds**", name)
		require.NotContains(t, transcript, "The documentation has more", name)
	}
	transcript, _ := aWorld().answering("ai_searchDocs", found).play(t, nil, ask)
	require.Contains(t, transcript, `-> ai_getDoc {"slug":"how-to/x"}`, "the slug is one that was found")
	require.Contains(t, transcript, "The documentation has more in “X”.")
}
