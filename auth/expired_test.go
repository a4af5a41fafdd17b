package auth_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/auth"
)

// Only who holds the whole of a token that could otherwise be used hears that it has expired, and when.
func TestAnExpiredTokenIsExplainedToItsHolder(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	made, token := a.application(t, "CI")
	refusal := func(token string) string {
		t.Helper()
		got := a.do(t, http.MethodGet, "/api/me", nil, bearer(token))
		require.Equal(t, http.StatusUnauthorized, got.status)
		require.NotEmpty(t, got.header.Get("WWW-Authenticate"))
		return string(got.body)
	}
	stranger := refusal(auth.TokenPrefix + strings.Repeat("A", 43))
	require.Contains(t, stranger, "unknown, expired or revoked")
	require.NotContains(t, stranger, "expiredAt")

	a.exec(t, "UPDATE applications SET expires_at = '2026-03-01T10:30:00Z'")
	said := refusal(token)
	require.Contains(t, said, "expired on 1 March 2026, 10:30 UTC. An administrator can renew it")
	require.Contains(t, said, `"expiredAt":"2026-03-01T10:30:00Z"`)
	require.NotContains(t, said, token)
	require.NotContains(t, said, made.ID.String())

	other := func(is byte) string {
		if is == 'A' {
			return "E"
		}
		return "A"
	}
	first, last := len(auth.TokenPrefix), len(token)-1
	for name, wrong := range map[string]string{
		"another end":       token[:last] + other(token[last]),
		"another beginning": token[:first] + other(token[first]) + token[first+1:],
		"unknown":           auth.TokenPrefix + strings.Repeat("A", 43),
	} {
		require.Equal(t, stranger, refusal(wrong), name)
	}

	a.exec(t, "UPDATE applications SET disabled = true")
	require.Equal(t, stranger, refusal(token), "a disabled application hears nothing")
	a.exec(t, "UPDATE applications SET disabled = false")
	_, renewed, err := a.Directory.ReplaceToken(t.Context(), root, made.ID, auth.TokenReplacement{}, nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, a.do(t, http.MethodGet, "/api/me", nil, bearer(renewed)).status)
	require.Equal(t, stranger, refusal(token), "it was replaced")
}

// Whoever tries on and on waits, with a good token that has expired too.
func TestAnExpiredTokenWaitsAsOthersDo(t *testing.T) {
	t.Parallel()
	a := newApp(t, func(o *auth.Options) { o.Throttle = auth.Throttle{PerPair: 3, PerAccount: 3, PerAddress: 3} })
	_, token := a.application(t, "CI")
	a.exec(t, "UPDATE applications SET expires_at = now()")
	waits := 0
	for range 60 {
		got := a.do(t, http.MethodGet, "/api/me", nil, bearer(token))
		if got.status == http.StatusTooManyRequests {
			waits++
			require.NotContains(t, string(got.body), "expiredAt")
		}
	}
	require.Positive(t, waits)
}
