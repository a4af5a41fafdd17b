package scrub_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/secret/scrub"
)

// What a custom tool gets in place of a secret is passed on as it is, or it could not be used.
func TestWhatStandsForASecretStays(t *testing.T) {
	t.Parallel()
	const nonce = "nonce_0123456789abcdef0123456789abcdef"
	for _, text := range []string{
		`{"headers":{"Authorization":"Bearer ` + nonce + `"}}`, `{"headers":{"X-Api-Key":"` + nonce + `"}}`, `{"url":"https://api.example.com/v1?api_key=` + nonce + `&a=1"}`,
		`{"token":"` + nonce + `"}`, `{"body":"{\"password\":\"` + nonce + `\"}"}`,
	} {
		require.Empty(t, scrub.Paths(json.RawMessage(text)), text)
		require.JSONEq(t, text, string(scrub.JSON(json.RawMessage(text))))
		require.Equal(t, text, scrub.Text(text))
	}
	for _, text := range []string{"Authorization: Bearer " + nonce, "api_key=" + nonce, "password: " + nonce} {
		require.Equal(t, text, scrub.Text(text))
	}
	for _, text := range []string{`{"token":"` + nonce + `0"}`, `{"token":"x` + nonce + `"}`, `{"token":"nonce_0123456789abcdef0123456789abcdeg"}`} {
		require.NotEqual(t, text, string(scrub.JSON(json.RawMessage(text))), text)
	}
}
