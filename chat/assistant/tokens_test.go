package assistant_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"countersign/chat/assistant"
	"countersign/model"
)

// counted is a text with what the tokenizers of five families of models count. testdata/tokens.mjs makes them.
type counted struct {
	Kind, Text string
	Tokens     map[string]int
}

// least and most are those that any of the tokenizers counts.
func (c counted) least() int {
	least := len(c.Text)
	for _, n := range c.Tokens {
		least = min(least, n)
	}
	return least
}

func (c counted) most() (most int) {
	for _, n := range c.Tokens {
		most = max(most, n)
	}
	return most
}

func countedTexts(t testing.TB) (texts []counted) {
	t.Helper()
	raw, err := os.ReadFile("testdata/tokens.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &texts))
	return texts
}

// An estimate is at most a fifth below what the worst tokenizer counts, and at most two thirds above what the best one
// does. Tokenizers differ by more than that in a few scripts: by a factor of five in Georgian.
func TestTokensOfEachKindOfTextAreEstimated(t *testing.T) {
	t.Parallel()
	apart := map[string]bool{"georgian": true, "greek": true, "hebrew": true, "hindi": true, "vietnamese": true, "thai": true}
	worst := 1.0
	for _, c := range countedTexts(t) {
		estimate := float64(assistant.Tokens(c.Text))
		low, high := estimate/float64(c.most()), estimate/float64(c.least())
		if apart[c.Kind] {
			require.Greater(t, low, 0.55, c.Kind)
			require.Less(t, high, 3.1, c.Kind)
			continue
		}
		require.Greater(t, low, 0.77, c.Kind)
		require.Less(t, high, 1.67, c.Kind)
		worst = min(worst, low)
		// Four characters a token, which is what an estimate for English alone assumes, is worse everywhere but there.
		english := float64(utf8.RuneCountInString(c.Text)) / 4 / float64(c.most())
		if c.Kind == "chinese" || c.Kind == "base64" || c.Kind == "digits" {
			require.Less(t, english, 0.4, c.Kind)
		}
	}
	require.Less(t, worst, 0.95, "the bound is tight")
}

func TestTokensOfMessagesAndCallsAddUp(t *testing.T) {
	t.Parallel()
	require.Equal(t, 0, assistant.Tokens(""))
	require.Equal(t, 4, assistant.MessageTokens(model.Message{}))
	require.Equal(t, 5, assistant.MessageTokens(model.Message{Content: "four"}))
	withCall := model.Message{ToolCalls: []model.ToolCall{{Name: "ai_getDoc", Arguments: `{"a":12}`}}}
	require.Greater(t, assistant.MessageTokens(withCall), 10)
	require.Equal(t, assistant.MessageTokens(withCall)+5, assistant.EstimateTokens([]model.Message{withCall, {Content: "x"}}))
	signed := model.Message{ReplayData: &model.ReplayData{Field: "reasoning_details", Blocks: strings.Repeat("s", 400)}}
	require.Equal(t, 204, assistant.MessageTokens(signed))
}

func FuzzTokensGrowWithTheText(f *testing.F) {
	for _, c := range countedTexts(f) {
		f.Add(c.Text[:min(len(c.Text), 200)], "x")
	}
	f.Add("\xff\xfe", "👍🏽")
	f.Fuzz(func(t *testing.T, a, b string) {
		both := assistant.Tokens(a + b)
		require.GreaterOrEqual(t, both, 0)
		require.LessOrEqual(t, both, 2*len(a+b))
		// A piece that is cut in two may weigh a few tokens more, never less than half of the whole.
		require.GreaterOrEqual(t, 2*(assistant.Tokens(a)+assistant.Tokens(b))+2, both)
	})
}

func BenchmarkTokens(b *testing.B) {
	text := ""
	for _, c := range countedTexts(b) {
		text += c.Text
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		assistant.Tokens(text)
	}
}
