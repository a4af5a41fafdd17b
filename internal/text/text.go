// Package text normalizes names and texts of people, and removes Unicode confusables, bidi controls and invisible characters.
package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// disguising are the characters that have no look of their own or reorder what is around them, whatever stands beside them.
var disguising = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x00AD, Hi: 0x00AD, Stride: 1}, // soft hyphen
		{Lo: 0x034F, Hi: 0x034F, Stride: 1}, // combining grapheme joiner
		{Lo: 0x061C, Hi: 0x061C, Stride: 1}, // Arabic letter mark
		{Lo: 0x115F, Hi: 0x1160, Stride: 1}, // Hangul fillers
		{Lo: 0x17B4, Hi: 0x17B5, Stride: 1}, // Khmer inherent vowels
		{Lo: 0x180B, Hi: 0x180F, Stride: 1}, // Mongolian variation selectors, vowel separator
		{Lo: 0x200B, Hi: 0x200B, Stride: 1}, // zero width space
		{Lo: 0x200E, Hi: 0x200F, Stride: 1}, // direction marks
		{Lo: 0x2028, Hi: 0x202E, Stride: 1}, // separators of lines and paragraphs, embeddings and overrides
		{Lo: 0x2060, Hi: 0x206F, Stride: 1}, // word joiner, invisible operators, isolates, deprecated controls
		{Lo: 0x2800, Hi: 0x2800, Stride: 1}, // blank Braille pattern
		{Lo: 0x3164, Hi: 0x3164, Stride: 1}, // Hangul filler
		{Lo: 0xFE00, Hi: 0xFE0F, Stride: 1}, // variation selectors
		{Lo: 0xFEFF, Hi: 0xFEFF, Stride: 1}, // byte order mark
		{Lo: 0xFFA0, Hi: 0xFFA0, Stride: 1}, // halfwidth Hangul filler
		{Lo: 0xFFF0, Hi: 0xFFFB, Stride: 1}, // unassigned ignorables, interlinear annotation
	},
	R32: []unicode.Range32{
		{Lo: 0x13430, Hi: 0x13440, Stride: 1}, // Egyptian format controls
		{Lo: 0x1BCA0, Hi: 0x1BCA3, Stride: 1}, // shorthand format controls
		{Lo: 0x1D173, Hi: 0x1D17A, Stride: 1}, // musical format controls
		{Lo: 0xE0000, Hi: 0xE0FFF, Stride: 1}, // tags, variation selectors, unassigned ignorables
	},
	LatinOffset: 1,
}

// Disguises reports whether a character is invisible or reorders text, and so makes it look like other text: people
// decide by what a card or a page shows, while a model reads what is there.
func Disguises(r rune) bool { return unicode.Is(disguising, r) }

// Joiners change how the letters around them are drawn. Some scripts and emoji need them.
const (
	nonJoiner = '\u200C'
	joiner    = '\u200D'
)

// unjoined are the scripts in which a joiner changes nothing that can be seen.
var unjoined = []*unicode.RangeTable{
	unicode.Latin,
	unicode.Greek,
	unicode.Cyrillic,
	unicode.Han,
	unicode.Hangul,
	unicode.Hiragana,
	unicode.Katakana,
	unicode.White_Space,
}

// joins reports whether a joiner between the two characters can be seen; 0 stands for none.
func joins(before, after rune) bool {
	for _, r := range []rune{before, after} {
		if r <= '~' || r == joiner || r == nonJoiner || unicode.IsControl(r) || Disguises(r) || unicode.In(r, unjoined...) {
			return false
		}
	}
	return true
}

// hidden calls found for every character of a text that hides something, and stops when it answers false: what
// disguises, controls other than those that are allowed, and joiners where they join nothing.
func hidden(value string, allowed func(rune) bool, found func(at int, r rune) bool) {
	var before rune
	for at, r := range value {
		hides := Disguises(r) || unicode.IsControl(r)
		if r == joiner || r == nonJoiner {
			after, size := utf8.DecodeRuneInString(value[at+utf8.RuneLen(r):])
			hides = size == 0 || !joins(before, after)
		}
		before = r
		if hides && !allowed(r) && !found(at, r) {
			return
		}
	}
}

// plainEmoji leaves out the selectors that ask for a character's coloured or plain form. Keyboards put them behind emoji,
// so nobody is to be refused for one, and two names that differ in one alone look the same. Only the one that directly
// follows a character with two forms is left out: any other hides something.
func plainEmoji(value string) string {
	const plain, coloured = '\uFE0E', '\uFE0F'
	if !strings.ContainsAny(value, "\uFE0E\uFE0F") {
		return value
	}
	var b strings.Builder
	var before rune
	for _, r := range value {
		if (r != plain && r != coloured) || !hasForms(before) {
			b.WriteRune(r)
		}
		before = r
	}
	return b.String()
}

// hasForms reports whether a character can be followed by a selector of its form: symbols, and the digits and signs of
// keycaps.
func hasForms(r rune) bool {
	return unicode.IsSymbol(r) || r == '#' || r == '*' || r >= '0' && r <= '9' || strings.ContainsRune("\u203C\u2049\u2139\u3030\u303D", r)
}

// Shown is untrusted text on one line, safe to display and decide by: the summary of a change, a title, the name in a label. It
// has at most limit characters and no control characters, bidi controls or invisible ones, which become the replacement
// character; white space of any kind becomes one space.
func Shown(value string, limit int) string {
	value = norm.NFC.String(plainEmoji(strings.ToValidUTF8(value, "\uFFFD")))
	var b strings.Builder
	from := 0
	hidden(value, unicode.IsSpace, func(at int, r rune) bool {
		if at > from || at == 0 {
			b.WriteString(value[from:at] + "\uFFFD")
		}
		from = at + utf8.RuneLen(r)
		return true
	})
	b.WriteString(value[from:])
	value = strings.Join(strings.FieldsFunc(b.String(), blank), " ")
	if utf8.RuneCountInString(value) <= limit {
		return value
	}
	return strings.TrimSpace(string([]rune(value)[:limit-1])) + "…"
}

func blank(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Zs, r) }

// Clip cuts a text that is longer than limit bytes.
func Clip(value string, limit int) string {
	if len(value) <= limit {
		return value
	}
	return strings.ToValidUTF8(value[:limit], "") + "…"
}

// Visible is a text without control and disguising characters, for machine-made text that no decision depends on.
func Visible(value string) string {
	value = plainEmoji(strings.ToValidUTF8(value, ""))
	var b strings.Builder
	from := 0
	hidden(value, unicode.IsSpace, func(at int, r rune) bool {
		b.WriteString(value[from:at])
		from = at + utf8.RuneLen(r)
		return true
	})
	b.WriteString(value[from:])
	return b.String()
}

// Key is the form in which names are compared: the same name in another case or composition has the same key.
func Key(name string) string {
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(strings.TrimSpace(name))))
}

// Pattern is for LIKE what finds a text anywhere, "" for none.
func Pattern(query string) string {
	if query == "" {
		return ""
	}
	return "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(query) + "%"
}
