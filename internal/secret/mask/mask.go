// Package mask hides the values of secrets in what a run has written, also in the forms that a value takes on its way
// through a program: base64, hexadecimal, percent-encoded, escaped for JSON or HTML, broken into lines.
//
// It knows the values, so it finds what no pattern finds. It is no proof: a program that wants to can write a value in
// a form that nobody has listed. Masking protects from accidents; who may write scripts decides about the rest.
//
// The work is one pass of an Aho-Corasick automaton, and a few more where the text has line breaks or escapes: linear in
// the text, whatever the text and the values are.
package mask

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"unicode/utf8"

	"countersign/internal/problem"
	"countersign/internal/secret"
)

const (
	// MinLength is the least length of a value in characters: a shorter one would match everywhere.
	MinLength = 4
	// Stars replace a value.
	Stars = "****"
)

// Masker hides the values of one run. It is safe for concurrent use; the zero value and nil hide nothing.
type Masker struct {
	whole *automaton
	// unbroken searches a text without its line breaks.
	unbroken *automaton
}

// New makes a masker. A value that is too short to be masked is a problem.
func New(values ...secret.Value) (*Masker, error) {
	whole, unbroken := &automaton{}, &automaton{}
	for _, v := range values {
		text := v.Reveal()
		if TooShort(text) {
			return nil, problem.InvalidInput("A secret value must have at least 4 characters besides spaces, or it cannot be masked.")
		}
		for _, f := range forms(text) {
			whole.add(f)
			f.text = strings.Join(strings.FieldsFunc(f.text, isBreak), "")
			if utf8.RuneCountInString(f.text) >= MinLength {
				unbroken.add(f)
			}
		}
	}
	if len(values) == 0 {
		return &Masker{}, nil
	}
	whole.finish()
	unbroken.finish()
	return &Masker{whole: whole, unbroken: unbroken}, nil
}

// Format prints a placeholder: the automaton spells the values.
func (*Masker) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, "mask.Masker") }

// LogValue logs a placeholder.
func (*Masker) LogValue() slog.Value { return slog.StringValue("mask.Masker") }

// MarshalJSON writes a placeholder.
func (*Masker) MarshalJSON() ([]byte, error) { return []byte(`"mask.Masker"`), nil }

// TooShort reports whether a value cannot be masked.
func TooShort(value string) bool { return utf8.RuneCountInString(strings.TrimSpace(value)) < MinLength }

// Text masks every value in a complete text.
func (m *Masker) Text(text string) string {
	if m == nil || m.whole == nil || text == "" {
		return text
	}
	return replace(text, m.spans(text))
}

// Cut is Text for a text whose end may be lost: a value that begins at the end is hidden too.
func (m *Masker) Cut(text string) string {
	if m == nil || m.whole == nil || text == "" {
		return text
	}
	found := m.spans(text)
	if begun := m.whole.begun(text); begun >= MinLength {
		found = append(found, span{len(text) - begun, len(text)})
	}
	return replace(text, found)
}

// spans returns the matches in a text, unordered.
func (m *Masker) spans(text string) []span {
	found := m.whole.find(text)
	if strings.ContainsAny(text, "\r\n") {
		found = append(found, m.broken(text)...)
	}
	return append(found, m.decoded(text)...)
}

// Bytes is Text for bytes; it does not modify its input.
func (m *Masker) Bytes(data []byte) []byte { return []byte(m.Text(string(data))) }

// JSON masks every value in a JSON document and keeps it valid: strings and names are masked inside, a number that
// shows a value becomes the string "****". Other text becomes a masked string.
func (m *Masker) JSON(document json.RawMessage) json.RawMessage {
	if m == nil || m.whole == nil || len(document) == 0 {
		return document
	}
	if !bytes.ContainsRune(document, '\\') && m.Text(string(document)) == string(document) && json.Valid(document) {
		// Nothing is escaped, so what strings hold is what stands there.
		return document
	}
	masked, ok := m.tokens(document)
	if !ok {
		masked, _ = json.Marshal(m.Text(string(document)))
	}
	return masked
}

// Lines masks lines one by one, and values that cross line ends.
func (m *Masker) Lines(lines []string) []string {
	if m == nil || m.whole == nil || len(lines) == 0 {
		return lines
	}
	text := strings.Join(lines, "\n")
	found := merge(m.spans(text))
	masked, start := make([]string, len(lines)), 0
	for i, line := range lines {
		end := start + len(line)
		var inside []span
		for _, f := range found {
			if f.start >= end {
				break
			}
			if f.end > start {
				inside = append(inside, span{max(f.start, start) - start, min(f.end, end) - start})
			}
		}
		masked[i] = replace(line, inside)
		start = end + 1
		for len(found) > 0 && found[0].end <= start {
			found = found[1:]
		}
	}
	return masked
}

// broken finds values across line breaks, such as base64 wrapped at 76 columns.
func (m *Masker) broken(text string) []span {
	var unbroken strings.Builder
	unbroken.Grow(len(text))
	// starts are where the pieces between breaks begin: in the text, and without breaks.
	type piece struct{ in, out int }
	var pieces []piece
	for in := 0; in < len(text); {
		length := strings.IndexByte(text[in:], '\n')
		if length < 0 {
			length = len(text) - in
		}
		for line := text[in : in+length]; line != ""; {
			kept, rest, _ := strings.Cut(line, "\r")
			if kept != "" {
				pieces = append(pieces, piece{in + length - len(line), unbroken.Len()})
				unbroken.WriteString(kept)
			}
			line = rest
		}
		in += length + 1
	}
	found := m.unbroken.find(unbroken.String())
	at := 0
	// Matches are ordered by their ends; starts go back by at most the length of a value.
	place := func(offset int) int {
		for at+1 < len(pieces) && pieces[at+1].out <= offset {
			at++
		}
		for at > 0 && pieces[at].out > offset {
			at--
		}
		return pieces[at].in + offset - pieces[at].out
	}
	for i, f := range found {
		found[i] = span{place(f.start), place(f.end-1) + 1}
	}
	return found
}

func isBreak(r rune) bool { return r == '\n' || r == '\r' }

type span struct{ start, end int }

// merge joins what overlaps or touches.
func merge(found []span) []span {
	slices.SortFunc(found, func(a, b span) int { return a.start - b.start })
	merged := found[:0]
	for _, f := range found {
		if n := len(merged); n > 0 && f.start <= merged[n-1].end {
			merged[n-1].end = max(merged[n-1].end, f.end)
			continue
		}
		merged = append(merged, f)
	}
	return merged
}

func replace(text string, found []span) string {
	if len(found) == 0 {
		return text
	}
	var masked strings.Builder
	masked.Grow(len(text))
	at := 0
	for _, f := range merge(found) {
		masked.WriteString(text[at:f.start])
		masked.WriteString(Stars)
		at = f.end
	}
	masked.WriteString(text[at:])
	return masked.String()
}
