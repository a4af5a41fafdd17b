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
		"Fehler 50%":                            "Fehler 50%",
		"Payments (EU)":                         "Payments (EU)",
		"  \n \"\" \n":                          "",
		"":                                      "",
		"„Zahlungen prüfen“":                    "Zahlungen prüfen",
		"Titel: Zahlungen prüfen":               "Zahlungen prüfen",
		"Título：Pagos":                          "Pagos",
		"标题：支付系统":                               "支付系统",
		"Sure! Here is a title:\n\nWho owns it": "Who owns it",
		"Here's a short title for this conversation: **Owner of Payments**":   "Owner of Payments",
		"Incident 4711: checkout is down":                                     "Incident 4711: checkout is down",
		"I would call this a conversation about who owns the payments system": "",
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

// The first words of the message are not the best name, but they are one.
func TestAWorseTitleIsNoTitle(t *testing.T) {
	t.Parallel()
	const message = "Please look up who owns the payments system these days"
	for _, raw := range []string{
		"", "Conversation", "\"Untitled\"", "New chat", "Neue Unterhaltung", "Titel:", "I'm sorry, but I can't", "I cannot name this.", "Es tut mir leid.",
		"As an AI language model", "Here is a title", "You name conversations", "Title of at most six words", "Message:", "Hello", "4711", "?",
		"Please look up who owns the", "please look up who owns the payments system these days", "ON_TOPIC", "N/A", "None", "The user asks about payments",
	} {
		require.Empty(t, assistant.BetterTitle(message, raw), raw)
	}
	for _, title := range []string{"Owner of Payments", "Payments", "Who owns Payments", "支付系统", "Besitzer von Payments", "Look up who owns payments"} {
		require.Equal(t, title, assistant.BetterTitle(message, title))
	}
}

// A conversation is named after the first message that says what it is about.
func TestAGreetingNamesNothing(t *testing.T) {
	t.Parallel()
	for _, message := range []string{"hi", "Hello!", "Hallo zusammen", "hey there 👋", "Guten Morgen", "你好", "?", "👋", "test", "Can you help me?", "Hi, I have a question", "bonjour", "Thanks!"} {
		require.True(t, assistant.SaysNothing(message), message)
		require.Empty(t, assistant.HeuristicTitle(message), message)
	}
	for _, message := range []string{"Hello, who owns Payments?", "Test the checkout", "Payments", "Good morning report", "What can you do?", "help with Payments", "503"} {
		require.False(t, assistant.SaysNothing(message), message)
		require.NotEmpty(t, assistant.HeuristicTitle(message), message)
	}
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
