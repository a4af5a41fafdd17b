package assistant_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"countersign/chat/assistant"
	"countersign/internal/problem"
	"countersign/model"
)

func TestBackoffGrowsAndBelievesTheProvider(t *testing.T) {
	t.Parallel()
	var waits []time.Duration
	for next := 2; next <= 8; next++ {
		waits = append(waits, assistant.Backoff(next, 0))
	}
	const second = time.Second
	require.Equal(t, []time.Duration{second / 2, second, 2 * second, 4 * second, 8 * second, 8 * second, 8 * second}, waits)
	require.Equal(t, 3*second, assistant.Backoff(2, 3*second))
	require.Equal(t, 90*second, assistant.Backoff(2, 90*second), "the request would be refused again before")
	require.Equal(t, assistant.MaxWait, assistant.Backoff(2, time.Hour), "a person waits for this")
}

func TestASilentCutIsNoticed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sent, counted int
		cut           bool
	}{
		{9_800, 4_096, true},
		{20_000, 8_192, true},
		{9_800, 7_000, false},
		{9_800, 5_000, false},
		{9_800, 12_000, false}, // an estimate is rough
		{9_800, 1, false},
		{9_800, 0, false},
		{1_900, 900, false}, // no count at all
	} {
		require.Equal(t, c.cut, assistant.CutSilently(c.sent, model.Usage{InputTokens: c.counted, Reported: true}), "%d of %d", c.counted, c.sent)
		require.False(t, assistant.CutSilently(c.sent, model.Usage{InputTokens: c.counted}))
	}
}

// A wait that is too long for a turn, and one that the last attempt was told, is said to the person.
func TestAWaitThatTheProviderNamesIsSaid(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		wait time.Duration
		want string
	}{
		{0, `The model provider still limits requests after several attempts: "Slow down." Try again in a while.`},
		{90 * time.Second, `The model provider still limits requests after several attempts: "Slow down." It asks to wait 90 seconds; try again then, or choose another model.`},
		{19*time.Minute + time.Second, `The model provider limits requests: "Slow down." It asks to wait 20 minutes; try again then, or choose another model.`},
		{time.Hour, `The model provider limits requests: "Slow down." It asks to wait an hour or longer; try again then, or choose another model.`},
	} {
		_, text := assistant.Explain(&model.Error{Class: model.RateLimited, Message: "Slow down.", FromProvider: true, RetryAfter: c.wait})
		require.Equal(t, c.want, text)
	}
	_, text := assistant.Explain(
		&model.Error{Class: model.RateLimited, Reason: model.Quota, Message: "No credit.", FromProvider: true, RetryAfter: time.Hour},
	)
	require.NotContains(t, text, "wait", "waiting changes nothing about a quota")
}

func TestATitleIsTheBeginningOfTheFirstMessage(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"Add a system":                                       "Add a system",
		"  Add\n a\tsystem  ":                                "Add a system",
		"Add a system called Payments API":                   "Add a system called Payments API",
		"Add a system called Payments API owned by Platform": "Add a system called Payments API…",
		"":                                       "",
		" \n\t":                                  "",
		strings.Repeat("é", 100):                 strings.Repeat("é", 59) + "…",
		strings.Repeat("123456789 ", 6) + "more": "123456789 123456789 123456789 123456789 123456789 123456789…",
	} {
		require.Equal(t, want, assistant.HeuristicTitle(message))
	}
}

func FuzzATitleIsShort(f *testing.F) {
	f.Add("Add a system called Payments API owned by the platform team")
	f.Add(strings.Repeat("x ", 100))
	f.Add("\xff\xfe broken")
	f.Fuzz(func(t *testing.T, message string) {
		title := assistant.HeuristicTitle(message)
		require.LessOrEqual(t, utf8.RuneCountInString(title), 60)
		require.LessOrEqual(t, len(strings.Fields(title)), 6)
		require.NotContains(t, title, "\n")
	})
}

// Whatever the provider does, the person reads what happened, in the provider's words, and what to do about it.
func TestEveryModelErrorIsExplained(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		class  model.Class
		code   problem.Code
		advice string
	}{
		{model.Unauthorized, problem.ModelRefused, "administrator"},
		{model.NotFound, problem.ModelRefused, "Choose another model"},
		{model.ContextLength, problem.ModelContext, "Start a new chat"},
		{model.ContentFilter, problem.ModelRefused, "Rephrase"},
		{model.Invalid, problem.ModelRefused, "administrator"},
		{model.RateLimited, problem.ModelFailed, "Try again"},
		{model.Unavailable, problem.ModelFailed, "Try again"},
		{model.Stalled, problem.ModelFailed, "Try again"},
		{model.Cut, problem.ModelFailed, "Try again"},
		{model.Malformed, problem.ModelFailed, "Try again"},
		{"a class of tomorrow", problem.ModelFailed, "Try again"},
	} {
		code, text := assistant.ExplainModelError(c.class, "its own words", true)
		require.Equal(t, c.code, code, c.class)
		require.Contains(t, text, c.advice, c.class)
		require.Contains(t, text, `: "its own words". `, c.class)
		require.Regexp(t, `\.$`, text)
		require.Regexp(t, `\.$`, assistant.DescribeModelError(c.class))
	}
	_, text := assistant.ExplainModelError(model.Invalid, strings.Repeat("é", 10_000), true)
	require.Less(t, utf8.RuneCountInString(text), 800, "a provider that is verbose is cut short")
}

func TestAnExplanationSaysNothingTwice(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]struct {
		class   model.Class
		message string
		said    bool
	}{
		`The model provider refused the API key of this connection: "Incorrect API key provided." An administrator can correct it on the Connections page.`: {
			model.Unauthorized, "Incorrect API key provided.", true,
		},
		`The model provider refused: "The prompt was refused by the content filter." Rephrase your message.`: {
			model.ContentFilter, "The prompt was refused by the content filter.\n", true,
		},
		`The model provider's content filter stopped the answer. Rephrase your message.`: {
			model.ContentFilter, "The model provider's content filter stopped the answer.", false,
		},
		`The model provider could not be reached. Try again in a while.`: {model.Unavailable, "The model provider could not be reached.", false},
		`The model provider's answer ended in the middle. Try again in a while.`: {
			model.Cut, "The model provider's answer ended in the middle. Try again.", false,
		},
	} {
		_, text := assistant.ExplainModelError(c.class, c.message, c.said)
		require.Equal(t, want, text)
	}
}
