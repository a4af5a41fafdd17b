package mask

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// minLine is the least length of a line of a value that is masked by itself.
const minLine = 8

// form is one way to write a value.
type form struct {
	text string
	// soft forms are base64: the characters around them can hold bits of the value too.
	soft bool
}

// forms returns the encodings of a value to search for, without duplicates.
func forms(value string) []form {
	known, all := map[form]bool{}, []form{}
	add := func(f form) {
		if f.text != "" && !known[f] {
			known[f] = true
			all = append(all, f)
		}
	}
	variants := []string{value}
	// Shells strip trailing line breaks, and programs trim.
	if trimmed := strings.TrimSpace(value); trimmed != value {
		variants = append(variants, trimmed)
	}
	if unix := strings.ReplaceAll(value, "\r\n", "\n"); unix != value {
		variants = append(variants, unix)
	}
	for _, v := range variants {
		for _, text := range escaped(v) {
			add(form{text: text})
		}
		for _, text := range encoded(v) {
			add(form{text: text, soft: true})
		}
	}
	for _, line := range lines(value) {
		add(form{text: line})
	}
	return all
}

// lines returns the lines of a multi-line value; delimiters such as those of a PEM block are no secret.
func lines(value string) []string {
	var found []string
	if !strings.Contains(value, "\n") {
		return nil
	}
	for line := range strings.SplitSeq(value, "\n") {
		line = strings.TrimSpace(line)
		if utf8.RuneCountInString(line) >= minLine && !strings.HasPrefix(line, "-----") {
			found = append(found, line)
		}
	}
	return found
}

func escaped(value string) []string {
	lower := hex.EncodeToString([]byte(value))
	query := url.QueryEscape(value)
	percent := percentAll(value)
	all := []string{
		value,
		lower,
		strings.ToUpper(lower),
		// A URL has the names of hosts small. A form has + for a space, and shells end a quote to write one.
		strings.ToLower(value),
		strings.ToUpper(value),
		strings.ReplaceAll(value, " ", "+"),
		strings.ReplaceAll(value, "'", `'\''`),
		strings.ReplaceAll(value, "'", `'"'"'`),
		query,
		lowerPercent(query),
		strings.ReplaceAll(query, "+", "%20"),
		lowerPercent(strings.ReplaceAll(query, "+", "%20")),
		component(value),
		lowerPercent(component(value)),
		url.PathEscape(value),
		lowerPercent(url.PathEscape(value)),
		percent,
		lowerPercent(percent),
		html.EscapeString(value),
		strings.ReplaceAll(strings.ReplaceAll(html.EscapeString(value), "&#34;", "&quot;"), "&#39;", "&#x27;"),
	}
	for _, once := range []string{inJSON(value, false), inJSON(value, true), asciiJSON(value)} {
		// A text in JSON that is itself a text in JSON, as logs are, is escaped twice.
		all = append(all, once, strings.ReplaceAll(once, "/", `\/`), inJSON(once, false))
	}
	return all
}

// encoded returns base64 of the value at its three alignments, without the characters that depend on its neighbours.
func encoded(value string) []string {
	var all []string
	for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		// Characters at the beginning that hold bits of the bytes before the value.
		for before, skip := range []int{0, 2, 3} {
			text := alphabet.EncodeToString(append(make([]byte, before), value...))
			if (before+len(value))%3 != 0 {
				text = text[:len(text)-1]
			}
			all = append(all, text[skip:])
		}
	}
	return all
}

// component escapes as JavaScript's encodeURIComponent does.
func component(value string) string {
	return strings.NewReplacer("+", "%20", "%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*").Replace(url.QueryEscape(value))
}

func percentAll(value string) string {
	var b strings.Builder
	for i := range len(value) {
		_, _ = fmt.Fprintf(&b, "%%%02X", value[i])
	}
	return b.String()
}

// lowerPercent writes percent-encoding with lower-case digits.
func lowerPercent(text string) string {
	b := []byte(text)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:i+3], bytes.ToLower(b[i+1:i+3]))
			i += 2
		}
	}
	return string(b)
}

// inJSON escapes a text for a JSON string, without the quotes.
func inJSON(text string, forHTML bool) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(forHTML)
	if err := encoder.Encode(text); err != nil {
		return text
	}
	line := strings.TrimSuffix(b.String(), "\n")
	if !forHTML {
		// JavaScript leaves these two unescaped, Go does not.
		line = strings.NewReplacer(`\\`, `\\`, `\u2028`, "\u2028", `\u2029`, "\u2029").Replace(line)
	}
	return line[1 : len(line)-1]
}

// asciiJSON escapes everything that is not ASCII, as several languages do by default.
func asciiJSON(text string) string {
	var b strings.Builder
	for _, r := range inJSON(text, false) {
		if r < utf8.RuneSelf {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			_, _ = fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}
