package text_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
	"countersign/internal/text"
)

// hiding are characters that hide something, of every kind.
var hiding = []rune{
	0x00AD, 0x034F, 0x061C, 0x115F, 0x1160, 0x17B4, 0x180E, 0x200B, 0x200E, 0x200F, 0x2028, 0x202E, 0x2060, 0x2061, 0x2064, 0x2066, 0x206A,
	0x206F, 0x2800, 0x3164, 0xFE00, 0xFE0D, 0xFEFF, 0xFFA0, 0xFFF9, 0x1D173, 0xE0001, 0xE0041, 0xE007F, 0xE0100, 0xE01EF,
}

func TestWhatHidesIsRefusedAndSeen(t *testing.T) {
	t.Parallel()
	for _, r := range hiding {
		require.True(t, text.Disguises(r), "%U", r)
		var issues problem.Issues
		text.Line(&issues, "name", "Pay"+string(r)+"ments", 100)
		require.Error(t, issues.Err(), "%U", r)
		shown := text.Shown("Pay"+string(r)+"ments", 100)
		require.Contains(t, []string{"Pay\uFFFDments", "Pay ments"}, shown, "%U", r)
		require.NotContains(t, text.Visible("Pay"+string(r)+"ments"), "\uFFFD")
	}
	require.Equal(t, "a\uFFFDb", text.Shown("a\u202e\u2066\u2067b", 100), "one for a run of them")
	require.Equal(t, "one two three", text.Shown(" one\r\n\ttwo\u2029\u00a0three\n", 100))
}

func TestScriptsAndEmojiAreLeftAlone(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Zahlungen für Café", "支払い", "Платежи", "می\u200cخواهم", "क्\u200dष", "👩\u200d💻 Team", "🇩🇪", "👋🏽", "naïve"} {
		var issues problem.Issues
		require.Equal(t, name, text.Line(&issues, "name", name, 100))
		require.NoError(t, issues.Err(), name)
		require.Equal(t, name, text.Shown(name, 100))
		require.Equal(t, name, text.Visible(name))
	}
}

// A keyboard puts the selector behind an emoji. It goes, so that nobody is refused for it and no two names look the same;
// more than one of them, and one behind a letter, hides something.
func TestTheFormOfAnEmojiIsNotPartOfAName(t *testing.T) {
	t.Parallel()
	var issues problem.Issues
	require.Equal(t, "❤ Payments 1\u20e3 👁\u200d🗨", text.Line(&issues, "name", "❤\ufe0f Payments 1\ufe0f\u20e3 👁\ufe0f\u200d🗨\ufe0f", 100))
	require.NoError(t, issues.Err())
	for _, hides := range []string{"❤\ufe0f\ufe0f", "a\ufe0f", "\ufe0f", "❤\ufe0e\ufe0f"} {
		var issues problem.Issues
		text.Line(&issues, "name", hides, 100)
		require.Error(t, issues.Err(), "%+q", hides)
	}
}

func TestAJoinerMustJoinSomething(t *testing.T) {
	t.Parallel()
	for _, hides := range []string{"Pay\u200dments", "Pay\u200cments", "\u200dPayments", "Payments\u200c", "क्\u200d\u200dष", "支\u200d払", "👩\u200d \u200d💻"} {
		var issues problem.Issues
		text.Line(&issues, "name", hides, 100)
		require.Error(t, issues.Err(), "%+q", hides)
		require.Contains(t, text.Shown(hides, 100), "\uFFFD")
	}
}

func TestWhatIsShownIsBounded(t *testing.T) {
	t.Parallel()
	long := text.Shown(strings.Repeat("ä ", 5_000), 40)
	require.LessOrEqual(t, utf8.RuneCountInString(long), 40)
	require.True(t, strings.HasSuffix(long, "ä…"))
	require.Equal(t, "a\uFFFDb", text.Shown("a\xffb", 10))
	require.Empty(t, text.Shown(" \n", 10))
}

func FuzzShown(f *testing.F) {
	f.Add("Create the system Payments", 20)
	f.Add("a\u202eb\ufe0f❤\ufe0f\u200d", 3)
	f.Fuzz(func(t *testing.T, value string, limit int) {
		limit = 1 + max(limit, -limit)%500
		if limit < 1 {
			return
		}
		shown := text.Shown(value, limit)
		require.True(t, utf8.ValidString(shown))
		require.LessOrEqual(t, utf8.RuneCountInString(shown), limit)
		require.False(t, strings.ContainsFunc(shown, text.Disguises), "%+q", shown)
		require.Equal(t, shown, text.Shown(shown, limit), "%+q", shown)
		var issues problem.Issues
		text.Line(&issues, "name", shown, limit)
		require.NoError(t, issues.Err(), "%+q", shown)
	})
}
