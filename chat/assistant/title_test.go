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
	require.Empty(t, assistant.BetterTitle(message, "支付系统"), "a title in other letters than the message")
	require.Equal(t, "支付系统", assistant.BetterTitle("请告诉我谁负责支付系统以及它昨晚为什么这么慢和现在的情况", "支付系统"))
	for _, title := range []string{"Owner of Payments", "Payments", "Who owns Payments", "Besitzer von Payments", "Look up who owns payments"} {
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

// Small models answer in every form but the one that was asked for.
func TestATitleIsFoundInAnyForm(t *testing.T) {
	t.Parallel()
	const message = "Please tell me which of our payment systems were slow last night and who is responsible for them now"
	const slow = "Slow payment systems"
	for raw, want := range map[string]string{
		"```json\n{\"title\": \"Slow payment systems\"}\n```":                                 slow,
		"```\nSlow payment systems\n```":                                                      slow,
		`{"title":"Slow payment systems","emoji":"x"}`:                                        slow,
		`{"conversation_title": "Slow payment systems"}`:                                      slow,
		`{"result": "Slow payment systems"}`:                                                  slow,
		`{"title": "Slow payment systems`:                                                     slow,
		`["Slow payment systems", "Outage"]`:                                                  slow,
		`"Slow payment systems"`:                                                              slow,
		`"Slow payment systems" and owners`:                                                   "Slow payment systems and owners",
		"<title>Slow payment systems</title>":                                                 slow,
		"<analysis>It is about payments.</analysis>\n<title>\nSlow payment systems\n</title>": slow,
		"<title>Slow payment systems":                                                         slow,
		"<b>Slow payment systems</b>":                                                         slow,
		"Slow payment systems<|im_end|>":                                                      slow,
		"Slow payment systems last night<|im_end|>\n<|im_start|>user":                         "Slow payment systems last night",
		"Slow payment systems<|eot_id|>":                                                      slow,
		"Slow payment systems</s>":                                                            slow,
		"<|assistant|>Slow payment systems":                                                   slow,
		"Slow payment systems<end_of_turn>":                                                   slow,
		"[/INST] Slow payment systems":                                                        slow,
		"<|channel|>analysis<|message|>A title.<|end|><|start|>assistant<|channel|>final<|message|>Slow payment systems": slow,
		"1. Slow payment systems\n2. Payment outage owners":                                                              slow,
		"- Slow payment systems\n- Payment outage":                                                                       slow,
		"* **Slow payment systems**":                                                                                     slow,
		"A) Slow payment systems":                                                                                        slow,
		"Here are some titles:\n\n1. \"Slow payment systems\"\n2. Other":                                                 slow,
		"Three options:\nSlow payment systems":                                                                           slow,
		"Title: Slow payment systems\nExplanation: it is about payments":                                                 slow,
		"title - Slow payment systems":                                                                                   slow,
		"Assistant: Slow payment systems":                                                                                slow,
		"## Slow payment systems":                                                                                        slow,
		"> Slow payment systems":                                                                                         slow,
		"The title is \"Slow payment systems\".":                                                                         slow,
		"\"Slow payment systems\" would be a good title.":                                                                slow,
		"Der Titel lautet: „Slow payment systems“":                                                                       slow,
		"Sure! Slow payment systems":                                                                                     slow,
		"[Slow payment systems]":                                                                                         slow,
		"[Slow payment systems](https://example.com)":                                                                    slow,
		"Slow payment systems &amp; owners":                                                                              "Slow payment systems & owners",
		"Slow payment systems\\nOwners":                                                                                  slow,
		"<think>The person asks about payments.</think>\n\nSlow payment systems":                                         slow,
		"The person asks about payments.\n</think>\nSlow payment systems":                                                slow,
		"<think>The person asks":                                                                                         "",
		"Slow payment systems last night and their owners":                                                               "Slow payment systems last night",
		"<tool_call>\n{\"name\": \"catalog_listSystems\", \"arguments\": {}}\n</tool_call>":                              "",
		`{"name": "catalog_listSystems", "arguments": {}}`:                                                               "",
		"[TOOL_CALLS][{\"name\": \"a\"}]":                                                                                "",
		"<function=catalog_listSystems></function>":                                                                      "",
		"I'm sorry, but I can't help with that.\nPlease ask an operator.":                                                "",
		"抱歉，我无法回答。":                                                                                                      "",
		"支付系统":                                                                                                           "",
		"Системы оплаты":                                                                                                 "",
		"Okay, the user asks about slow systems":                                                                         "",
		"{}":                                                                                                             "",
		"[]":                                                                                                             "",
		"null":                                                                                                           "",
		"```":                                                                                                            "",
		"---":                                                                                                            "",
		"🐌":                                                                                                              "",
		"Please tell me which of our payment systems were slow":                                                          "",
		"Please tell me which of our":                                                                                    "",
	} {
		require.Equal(t, want, assistant.BetterTitle(message, raw), raw)
	}
}

// Whatever a model answers, its title is one short line.
func FuzzBetterTitle(f *testing.F) {
	for _, seed := range []string{"```json\n{\"title\": \"a", "<title>b</title>", "[c](d)", "1. e\n", "<|im_end|>", "\"f\" is a title", "[", "<think>", "a - b: c"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		title := assistant.BetterTitle("Please tell me which of our payment systems were slow", raw)
		require.True(t, utf8.ValidString(title))
		require.LessOrEqual(t, utf8.RuneCountInString(title), 60)
		require.LessOrEqual(t, len(strings.Fields(title)), 6)
		require.NotContains(t, title, "\n")
	})
}

// Marks, labels and wrappings of many models are no part of a title, and what is no title is none.
func TestTitlesOfManyModels(t *testing.T) {
	t.Parallel()
	const message = "Please tell me which of our payment systems were slow last night and who is responsible for them now"
	const title = "Slow payment systems"
	for _, form := range []string{
		"`%`", "%[/INST]", "%[EOS]", "%<|fim_pad|>", "%<pad>", "<|channel>thought\nHm.<channel|>%", "<start_of_turn>model\n%<end_of_turn>", "[%]", "(%)",
		"{title: %}", "{'title': '%'}", "title = \"%\"", "<b>%</b>", "Title - %", "\"%\" is a good title.", "% (3 words)", "% - 3 words",
		"Title\n\n%", "```title\n%\n```", "• %", "1) %", "assistant\n%", "model\n%", "final\n%", "%</title>", "[\"%\"]",
		"{\"result\": {\"title\": \"%\"}}", "%\n---\nLet me know!", "&quot;%&quot;", "~~~\n%\n~~~", "Output: %", "Final answer: %",
		"<think></think>\n\n%", "%<|eos|>", "> %", "\u200b%\u200b",
	} {
		require.Equal(t, title, assistant.BetterTitle(message, strings.ReplaceAll(form, "%", title)), form)
	}
	for _, raw := range []string{
		"```json\n{\"name\": \"catalog_listSystems\", \"arguments\": {}}\n```", "[catalog_listSystems()]", "catalog_listSystems(query=\"x\")", "true", "error",
		"让我查一下，请稍候", "Let me check that for you.", "{}", "<unk>", "<|tool_call>call:x{}<tool_call|>", "Here is the title:",
	} {
		require.Empty(t, assistant.BetterTitle(message, raw), raw)
	}
	for _, honest := range []string{"Payments (EU)", "Error of payments", "Model of payments", "Outage, 3 systems", "Payments [EU] and billing"} {
		require.Equal(t, honest, assistant.BetterTitle(message, honest))
	}
}
