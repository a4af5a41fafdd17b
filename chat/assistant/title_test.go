package assistant_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"countersign/chat/assistant"
)

func TestATitleIsCleaned(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"Checkout latency":                         "Checkout latency",
		"\n\n  \"Checkout latency.\"\nHere is why": "Checkout latency",
		"**Title:** Owner of Payments!":            "Owner of Payments",
		"# Rotate the keys; then restart...":       "Rotate the keys; then restart",
		"one two three four five six seven eight":  "one two three four five six",
		"Fehler 50%":         "Fehler 50%",
		"Payments (EU)":      "Payments (EU)",
		"  \n \"\" \n":       "",
		"":                   "",
		"„Zahlungen prüfen“": "Zahlungen prüfen",
	} {
		require.Equal(t, want, assistant.CleanTitle(raw), raw)
	}
	require.Equal(t, 60, utf8.RuneCountInString(assistant.CleanTitle(strings.Repeat("é", 300))))
}

func TestAShortMessageIsItsOwnTitle(t *testing.T) {
	t.Parallel()
	require.False(t, assistant.NeedsTitle("Who owns Payments?"))
	require.True(t, assistant.NeedsTitle("Please tell me who owns the Payments system these days"))
}

func FuzzCleanTitle(f *testing.F) {
	f.Add("**Title:** \"x\"")
	f.Add("a\x00b\n\xff")
	f.Fuzz(func(t *testing.T, raw string) {
		title := assistant.CleanTitle(raw)
		require.LessOrEqual(t, utf8.RuneCountInString(title), 60)
		require.LessOrEqual(t, len(strings.Fields(title)), 7)
		require.NotContains(t, title, "\n")
		require.NotContains(t, title, "\x00")
		require.True(t, utf8.ValidString(title))
	})
}
