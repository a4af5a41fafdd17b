package httprequest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/egress"
	"countersign/internal/secret"
)

// Filled fills a placeholder into a request made of these parts, and checks that its value has stayed where it was put.
func Filled(t *testing.T, path, header, before, after, media string) {
	t.Helper()
	const nonce, value = "nonce_0123456789abcdef0123456789abcdef", "v\"\\/?#&=\u00e9@:%"
	r, target, err := Request{
		Method:  "POST",
		URL:     "https://api.example.com" + path + nonce,
		Headers: map[string]string{header: nonce, "Content-Type": media},
		Body:    before + nonce + after,
	}.checked()
	if err != nil {
		return
	}
	filled, err := r.filled(map[string]secret.Value{nonce: secret.NewValue(value)})
	if err != nil {
		require.NotContains(t, err.Error(), value)
		return
	}
	to, err := egress.ParseTarget(filled.URL)
	if err != nil {
		return
	}
	require.Equal(t, target.Host, to.Host)
	require.Equal(t, target.Port, to.Port)
	require.Equal(
		t,
		strings.Count(target.URL.Path, "/"),
		strings.Count(to.URL.EscapedPath(), "/")-strings.Count(target.URL.EscapedPath(), "/")+strings.Count(target.URL.Path, "/"),
	)
	for _, text := range filled.Headers {
		require.True(t, isHeaderValue(text))
	}
	if json.Valid([]byte(r.Body)) {
		require.True(t, json.Valid([]byte(filled.Body)))
	}
}
