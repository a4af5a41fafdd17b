package search_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"countersign/internal/text/search"
)

func lowers(tokens []search.Token) []string {
	var words []string
	for _, t := range tokens {
		words = append(words, t.Lower)
	}
	return words
}

func TestTheWordsOfATextAreFound(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"":                          nil,
		"Add a system, now!":        {"add", "system", "now"},
		"ai.probeUrl":               {"ai", "probeurl", "probe", "url"},
		"HTTP2 über e\u0301t\u0301": {"http2", "über", "e\u0301t\u0301"},
	} {
		require.Equal(t, want, lowers(search.Tokens(text)), text)
	}
	require.Equal(t, []string{"ai", "probe", "url"}, lowers(search.Parts(search.Tokens("ai.probeUrl"))))
	require.Equal(t, []string{"a", "b", "é"}, search.Words("A-b É"))
	require.Equal(t, search.Stem("proposals"), search.Stem("proposed"))
}

func TestPhrasesHaveOtherWords(t *testing.T) {
	t.Parallel()
	stop := func(lower string) bool { return lower == "can" || lower == "the" }
	thesaurus, err := search.NewThesaurus("# comment\nget rid of, drop: delete\nget: read\ndrop: remove\ncan: tin", stop)
	require.NoError(t, err)
	for text, want := range map[string]struct {
		others []string
		words  int
	}{
		"getting rid of it": {[]string{"delete"}, 3},
		"gets it":           {[]string{"read"}, 1},
		"drops":             {[]string{"delete", "remove"}, 1},
		"canned":            {nil, 0},
		"can":               {[]string{"tin"}, 1},
		"other":             {nil, 0},
		"":                  {nil, 0},
	} {
		others, n := thesaurus.At(search.Tokens(text))
		require.Equal(t, want.others, others, text)
		require.Equal(t, want.words, n, text)
	}
	for _, wrong := range []string{"a", "drop:", ": x", "!: x"} {
		_, err := search.NewThesaurus(wrong, stop)
		require.Error(t, err, wrong)
	}
}

func TestRareWordsSayMoreAndRepeatedOnesLittleMore(t *testing.T) {
	t.Parallel()
	require.Greater(t, search.Information(100, 1), search.Information(100, 50))
	require.Positive(t, search.Information(100, 100))
	require.InDelta(t, search.Information(100, 100), search.Information(100, 200), 0)
	require.InDelta(t, 1, search.Saturated(1, 1.8), 1e-9)
	require.Less(t, search.Saturated(10, 1.8), 2.8)
	require.Greater(t, search.Saturated(3, 1.8), search.Saturated(2, 1.8))
}

func TestAnExcerptBeginsAtALineOrAWord(t *testing.T) {
	t.Parallel()
	text := "First line.\n" + strings.Repeat("word ", 30) + "here it is"
	at := strings.Index(text, "here")
	from, to := search.Excerpt(text, 0, len(text), at, 20)
	require.Equal(t, "word here it is", strings.TrimSpace(text[from:to]))
	from, to = search.Excerpt(text, 0, len(text), 3, 20)
	require.Equal(t, "First line.\nword", text[from:to])
}

func FuzzExcerpt(f *testing.F) {
	f.Add("a b\nc é", 3, 2)
	f.Fuzz(func(t *testing.T, text string, at, most int) {
		if !utf8.ValidString(text) || at < 0 || at > len(text) || !utf8.ValidString(text[:at]) || most < 1 || most > 1000 {
			return
		}
		from, to := search.Excerpt(text, 0, len(text), at, most)
		require.True(t, 0 <= from && from <= to && to <= len(text))
		require.True(t, utf8.ValidString(text[from:to]))
	})
}

func TestTermsMatchWhereWordsBegin(t *testing.T) {
	t.Parallel()
	terms := [][]rune{[]rune("pay"), []rune("payment")}
	require.Equal(t, 7, search.Match([]rune("payments"), 0, terms))
	require.Equal(t, 3, search.Match([]rune("a payroll"), 2, terms))
	require.Zero(t, search.Match([]rune("repay"), 2, terms))
	require.Zero(t, search.Match([]rune("x"), 0, terms))
}

func TestSwappedLettersAreOneEdit(t *testing.T) {
	t.Parallel()
	for pair, want := range map[[2]string]int{{"serach", "search"}: 1, {"", "ab"}: 2, {"kitten", "sitting"}: 3, {"a", "a"}: 0} {
		require.Equal(t, want, search.Distance(pair[0], pair[1]), pair)
	}
}
