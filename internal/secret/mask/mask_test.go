package mask_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
	"countersign/internal/secret"
	"countersign/internal/secret/mask"
)

func masker(t testing.TB, values ...string) *mask.Masker {
	t.Helper()
	held := make([]secret.Value, len(values))
	for i, v := range values {
		held[i] = secret.NewValue(v)
	}
	m, err := mask.New(held...)
	require.NoError(t, err)
	return m
}

// awkward are values with everything that encodings treat specially.
func awkward() []string {
	return []string{
		"abcd",
		"correct horse battery staple",
		`q"u\o/t'e<&>`,
		"sk-AbC/+=.~!*()",
		"pässwörd-✓-😀",
		"a\tb\x01c\x7fd",
		"percent%41%zz+plus",
		"line one of it\nline two \"of\" it\nthe third one",
		"  padded value \n",
		"win\r\ndows value\r\n",
		"\u2028sep\u2029arated",
		strings.Repeat("aa", 40),
		"12345678",
	}
}

func TestAValueIsHiddenInEveryForm(t *testing.T) {
	t.Parallel()
	for _, value := range awkward() {
		m := masker(t, value)
		asJSON, err := json.Marshal(value)
		require.NoError(t, err)
		nested, err := json.Marshal(map[string]string{"log": string(asJSON)})
		require.NoError(t, err)
		plain := bytes.Buffer{}
		encoder := json.NewEncoder(&plain)
		encoder.SetEscapeHTML(false)
		require.NoError(t, encoder.Encode(value))
		hexed := hex.EncodeToString([]byte(value))
		for name, text := range map[string]string{
			"plain": value, "trimmed": strings.TrimSpace(value), "hex": hexed, "HEX": strings.ToUpper(hexed), "query": url.QueryEscape(value),
			"path": url.PathEscape(value), "percent": percent(value, "%%%02X"), "percent small": percent(value, "%%%02x"),
			"component": strings.ReplaceAll(url.QueryEscape(value), "+", "%20"), "json": string(asJSON[1 : len(asJSON)-1]),
			"json without html": strings.Trim(strings.TrimSpace(plain.String()), `"`), "json in json": string(nested[10 : len(nested)-4]), "html": html.EscapeString(value),
			"base64": base64.StdEncoding.EncodeToString([]byte(value)), "base64 raw": base64.RawStdEncoding.EncodeToString([]byte(value)),
			"base64 url": base64.URLEncoding.EncodeToString([]byte(value)), "base64 raw url": base64.RawURLEncoding.EncodeToString([]byte(value)),
		} {
			shown := m.Text("before " + text + " after")
			require.NotContains(t, shown, strings.TrimSpace(text), "%q as %s", value, name)
			require.Equal(t, "before **** after", strings.Join(strings.Fields(shown), " "), "%q as %s", value, name)
		}
	}
}

func percent(value, format string) string {
	var b strings.Builder
	for i := range len(value) {
		_, _ = fmt.Fprintf(&b, format, value[i])
	}
	return b.String()
}

// Base64 of a longer text shows the value at one of three alignments. What is left must not say anything about it:
// decoding the rest, whatever is put in place of the stars, gives no four bytes of the value in a row.
func TestBase64OfASurroundingTextShowsNothing(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"abcd", "s3cr3t-value", "Basic dXNlcjpwYXNz", strings.Repeat("xyz0", 9)} {
		m := masker(t, value)
		for before := range 7 {
			for after := range 7 {
				for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
					whole := encoding.EncodeToString([]byte(strings.Repeat("<", before) + value + strings.Repeat(">", after)))
					shown := m.Text(whole)
					require.Contains(t, shown, mask.Stars, "%d %d", before, after)
					left, right, _ := strings.Cut(shown, mask.Stars)
					require.LessOrEqual(t, len(left)*3/4, before)
					require.LessOrEqual(t, len(strings.TrimRight(right, "="))*3/4, after)
				}
			}
		}
	}
}

func TestAValueIsHiddenOverLineBreaks(t *testing.T) {
	t.Parallel()
	value := strings.Repeat("0123456789abcdef-", 20)
	m := masker(t, value)
	for _, width := range []int{1, 5, 64, 76} {
		for _, end := range []string{"\n", "\r\n"} {
			for _, text := range []string{value, base64.StdEncoding.EncodeToString([]byte("user:" + value)), hex.EncodeToString([]byte(value))} {
				shown := m.Text("first line" + end + wrap(text, width, end) + end + ".last line")
				require.Contains(t, shown, mask.Stars)
				require.Less(t, len(shown), 60, shown)
				require.True(t, strings.HasPrefix(shown, "first line") && strings.HasSuffix(shown, ".last line"), shown)
			}
		}
	}
	lines := m.Lines([]string{"a", value[:30], value[30:], "b" + value + "c"})
	require.Equal(t, []string{"a", "****", "****", "b****c"}, lines)
}

func wrap(text string, width int, end string) string {
	var b strings.Builder
	for len(text) > width {
		b.WriteString(text[:width] + end)
		text = text[width:]
	}
	return b.String() + text
}

func TestEachLineOfALongValueIsHidden(t *testing.T) {
	t.Parallel()
	m := masker(t, "-----BEGIN KEY-----\nMIIBOgIBAAJBAKj34GkxFhD90vcNLYLI\nnFEX6Ppy1tPf9Cnzj4p4WGeKLs1Pt8Qu\n-----END KEY-----\n")
	require.Equal(t, "> **** <", m.Text("> nFEX6Ppy1tPf9Cnzj4p4WGeKLs1Pt8Qu <"))
	require.Equal(t, "-----BEGIN KEY-----", m.Text("-----BEGIN KEY-----"), "what says nothing stays")
}

func TestOverlappingAndTouchingValuesLeaveNoRest(t *testing.T) {
	t.Parallel()
	m := masker(t, "abcdef", "cdefgh", "efghijkl", "abcd")
	require.Equal(t, "x****y", m.Text("xabcdefghijkly"))
	require.Equal(t, "****", m.Text("abcdabcdabcd"))
	require.Equal(t, "x****", m.Text("xabcdefgh"))
	require.Equal(t, "abc", m.Text("abc"))
	require.Empty(t, m.Text(""))
}

func TestShortValuesAreRefused(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"", "a", "abc", "  abc  ", "äöü", "\n\n\n\n\n"} {
		_, err := mask.New(secret.NewValue(value))
		require.True(t, problem.Is(err, problem.Invalid), "%q", value)
		require.True(t, mask.TooShort(value))
	}
	require.False(t, mask.TooShort("äöüß"))
}

func TestAMaskerWithoutValuesChangesNothing(t *testing.T) {
	t.Parallel()
	var none *mask.Masker
	for _, m := range []*mask.Masker{none, {}, masker(t)} {
		require.Equal(t, "text\n", m.Text("text\n"))
		require.Equal(t, `{"a": 1}`, string(m.JSON(json.RawMessage(`{"a": 1}`))))
		require.Equal(t, []string{"a"}, m.Lines([]string{"a"}))
	}
}

func TestMaskedJSONIsStillJSON(t *testing.T) {
	t.Parallel()
	m := masker(t, `to"ken`, "12345678", `":1,"b`, "naïve-value", "true")
	for document, want := range map[string]string{
		`{"a":"x to\"ken y","b":[12345678,1.5,true,null],"to\"ken":{}}`: `{"a":"x **** y","b":["****",1.5,true,null],"****":{}}`,
		`{"a":1,"b":2}`:                       `{"a":1,"b":2}`,
		`"na\u00efve-value"`:                  `"****"`,
		`"\u0074\u006f\"ken"`:                 `"****"`,
		`[]`:                                  `[]`,
		` { "a" : [ ] } `:                     ` { "a" : [ ] } `,
		`{"a":"true","c":"\n"}`:               `{"a":"****","c":"\n"}`,
		`{"broken": 12345678`:                 `"{\"broken\": ****"`,
		`1 2`:                                 `"1 2"`,
		`{"a":1,"a":12345678,"z":0,"b":"\\"}`: `{"a":1,"a":"****","z":0,"b":"\\"}`,
	} {
		masked := m.JSON(json.RawMessage(document))
		require.Equal(t, want, string(masked))
		require.True(t, json.Valid(masked), document)
	}
}

func TestAMaskerPrintsNoValue(t *testing.T) {
	t.Parallel()
	m := masker(t, "canary-value")
	asJSON, err := json.Marshal(map[string]any{"m": m})
	require.NoError(t, err)
	text := fmt.Sprintf("%v %+v %#v %s %d %s", m, m, m, m, m, asJSON)
	require.NotContains(t, text, "canary")
	require.NotContains(t, text, "99 97 110")
}

// The texts are the worst ones for an automaton: they follow the values for a long time and then leave them.
func TestMaskingFiveMebibytesIsLinear(t *testing.T) {
	t.Parallel()
	const size = 5 << 20
	long := strings.Repeat("a", 16<<10)
	random := make([]byte, 8<<10)
	source := rand.NewChaCha8([32]byte{1})
	_, _ = source.Read(random)
	m := masker(t, long, strings.ToValidUTF8(string(random), "x"), "abababababababac", "short", strings.Repeat("ab", 500)+"!")
	for name, unit := range map[string]string{
		"prose": "The quick brown fox jumps over the lazy dog, and nothing of it is secret at all.\n", "almost": strings.Repeat("a", 1000) + "b", "steps": "abababababababad",
		"matches": "short", "lines": "a\n", "base64": base64.StdEncoding.EncodeToString(random[:5000]),
	} {
		text := strings.Repeat(unit, size/len(unit))
		started := time.Now()
		m.Text(text)
		// It takes some ten milliseconds on a quiet machine. Work that grows with text times value would take minutes.
		require.Less(t, time.Since(started), 20*time.Second, name)
	}
}

func BenchmarkText(b *testing.B) {
	const size = 5 << 20
	m := masker(b, "correct horse battery staple", "sk-1234567890abcdef", strings.Repeat("k", 2000), strings.Repeat("a", 16<<10))
	for name, unit := range map[string]string{
		"prose": "The quick brown fox jumps over the lazy dog, and nothing of it is secret at all. ", "almost": strings.Repeat("a", 1000) + "b",
		"lines": "The quick brown fox jumps over the lazy dog\n", "matches": "sk-1234567890abcdef",
	} {
		text := strings.Repeat(unit, size/len(unit))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				m.Text(text)
			}
		})
	}
}

func FuzzText(f *testing.F) {
	f.Add("abcd", "xabcdx", 3)
	f.Add("line one\nline two", "a\nb", 0)
	f.Add(`"\/<>`, "{}", 1)
	f.Add("\xff\xfe\xfd\xfc", "\xff", 2)
	f.Fuzz(func(t *testing.T, value, around string, at int) {
		if mask.TooShort(value) || len(value) > 4096 {
			return
		}
		m := masker(t, value)
		cut := min(max(at, 0), len(around))
		text := around[:cut] + value + around[cut:]
		shown := m.Text(text)
		require.Contains(t, shown, mask.Stars)
		if !strings.Contains(value, "*") {
			require.NotContains(t, shown, value)
		}
		require.Equal(t, text, around[:cut]+value+around[cut:])
		encoded, err := json.Marshal(map[string]string{around: text})
		require.NoError(t, err)
		masked := m.JSON(encoded)
		require.True(t, json.Valid(masked))
	})
}

// Each program that escapes leaves other characters as they are.
func TestAValueIsHiddenHoweverItWasEscaped(t *testing.T) {
	t.Parallel()
	percentBut := func(value, kept string) string {
		var b strings.Builder
		for i := range len(value) {
			if c := value[i]; strings.IndexByte(kept, c) >= 0 || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' {
				_ = b.WriteByte(c)
			} else {
				_, _ = fmt.Fprintf(&b, "%%%02x", c)
			}
		}
		return b.String()
	}
	each := func(value, format string) string {
		var b strings.Builder
		for _, r := range value {
			_, _ = fmt.Fprintf(&b, format, r)
		}
		return b.String()
	}
	inJSON := func(value string) string {
		data, err := json.Marshal(value)
		require.NoError(t, err)
		return string(data[1 : len(data)-1])
	}
	for _, value := range awkward() {
		if strings.TrimSpace(value) != value {
			continue
		}
		m := masker(t, value)
		once := inJSON(value)
		forms := map[string]string{
			"path of a URL":  percentBut(value, "-_.~!$&'()*+,;=:@/"),
			"query of a URL": percentBut(value, "-_.~!$'()*,;:@/?\\[]^`{|}"),
			"encodeURI":      percentBut(value, "-_.!~*'();,/?:@&=+$#"),
			"form":           strings.ReplaceAll(percentBut(value, "*-._ "), " ", "+"),
			"percent twice": percentBut(
				percentBut(value, ""),
				"",
			),
			"base64 in a URL": percentBut(base64.StdEncoding.EncodeToString([]byte(value)), "-_"),
			"JSON three times": inJSON(
				inJSON(once),
			),
			"unicode escapes":      each(value, `\u{%x}`),
			"entities":             each(value, "&#%d;"),
			"hexadecimal entities": each(value, "&#x%X;"),
			"quoted for a shell": strings.NewReplacer(
				`\`,
				`\\`,
				"'",
				`\'`,
				"\n",
				`\n`,
				"\t",
				`\t`,
			).Replace(
				value,
			),
			"in single quotes": strings.ReplaceAll(value, "'", `'\''`),
			"in double quotes": strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(value),
			"small":            strings.ToLower(value),
		}
		if strings.Contains(value, `\`) {
			delete(forms, "in single quotes") // what is not escaped looks as if it were
		}
		for name, text := range forms {
			require.Equal(
				t,
				"before **** after",
				strings.Join(strings.Fields(m.Text("before "+text+" after")), " "),
				"%q as %s: %s",
				value,
				name,
				text,
			)
		}
	}
	require.Equal(t, "100% of \\ & 5%zz \\u12 &#; &unknown; %", masker(t, "abcd").Text("100% of \\ & 5%zz \\u12 &#; &unknown; %"))
}

func TestAValueThatTheEndCutsIsHidden(t *testing.T) {
	t.Parallel()
	m := masker(t, "correct horse battery staple")
	require.Equal(t, "x ****", m.Cut("x correct hor"))
	require.Equal(t, "**** ****", m.Cut("correct horse battery staple corre"))
	require.Equal(t, "x cor", m.Cut("x cor"), "too little to say anything")
	require.Equal(t, "corr x", m.Cut("corr x"))
	var none *mask.Masker
	require.Equal(t, "corre", none.Cut("corre"))
}
