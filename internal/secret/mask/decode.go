package mask

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Limits of repeated decoding: logs of JSON in JSON in JSON are common.
const (
	percentLevels   = 2
	backslashLevels = 3
)

// decoded finds values after percent, backslash and entity decoding. Each is decoded separately, since each program
// leaves other characters unencoded.
func (m *Masker) decoded(text string) []span {
	var found []span
	for _, d := range []struct {
		marker byte
		levels int
		unit   func(text string) (meant string, length int)
	}{{'%', percentLevels, percentUnit}, {'\\', backslashLevels, backslashUnit}, {'&', 1, entityUnit}} {
		// Where each byte comes from; nil while it is where it was.
		var from []int32
		for read := text; d.levels > 0; d.levels-- {
			next, at := decode(read, d.marker, d.unit)
			if at == nil {
				break
			}
			if from != nil {
				for i, a := range at {
					at[i] = from[a]
				}
			}
			read, from = next, at
			for _, f := range m.whole.find(read) {
				found = append(found, span{int(from[f.start]), int(from[f.end])})
			}
		}
	}
	return found
}

// decode decodes a text once. at maps each byte of the result, and its end, to the text; it is nil when nothing was
// encoded.
func decode(text string, marker byte, unit func(string) (string, int)) (meant string, at []int32) {
	first := nextUnit(text, marker, unit)
	if first < 0 {
		return text, nil
	}
	var out strings.Builder
	out.Grow(len(text))
	at = make([]int32, 0, len(text)+1)
	for i := 0; i < len(text); {
		if i >= first && text[i] == marker {
			if meant, length := unit(text[i:]); length > 0 {
				out.WriteString(meant)
				for range len(meant) {
					at = append(at, int32(i))
				}
				i += length
				continue
			}
		}
		out.WriteByte(text[i])
		at = append(at, int32(i))
		i++
	}
	return out.String(), append(at, int32(len(text)))
}

// nextUnit returns where the first encoded unit begins, -1 without one.
func nextUnit(text string, marker byte, unit func(string) (string, int)) int {
	for i := 0; ; i++ {
		next := strings.IndexByte(text[i:], marker)
		if next < 0 {
			return -1
		}
		i += next
		if _, length := unit(text[i:]); length > 0 {
			return i
		}
	}
}

func percentUnit(text string) (meant string, length int) {
	if b, ok := number(text, 1, 2, 16); ok {
		return string([]byte{byte(b)}), 3
	}
	if len(text) > 1 && text[1] == 'u' {
		if r, ok := number(text, 2, 4, 16); ok {
			return string(rune(r)), 6
		}
	}
	return "", 0
}

// simple are the escapes of C, JSON, JavaScript and shells that are no number.
var simple = map[byte]string{'n': "\n", 't': "\t", 'r': "\r", 'b': "\b", 'f': "\f", 'v': "\v", 'a': "\a", 'e': "\x1b"}

func backslashUnit(text string) (meant string, length int) {
	if len(text) < 2 {
		return "", 0
	}
	switch c := text[1]; {
	case c == 'x':
		if b, ok := number(text, 2, 2, 16); ok {
			return string([]byte{byte(b)}), 4
		}
		return "x", 2
	case c == 'u':
		return unicodeUnit(text)
	case c >= '0' && c <= '7':
		if b, ok := number(text, 1, 3, 8); ok && b < 256 {
			return string([]byte{byte(b)}), 4
		}
		return text[1:2], 2
	case simple[c] != "":
		return simple[c], 2
	case c > ' '-1 && c < utf8.RuneSelf:
		return text[1:2], 2
	default:
		return "", 0
	}
}

func unicodeUnit(text string) (meant string, length int) {
	if inside, ok := strings.CutPrefix(text, `\u{`); ok {
		digits, _, closed := strings.Cut(inside[:min(len(inside), 8)], "}")
		if r, err := strconv.ParseUint(digits, 16, 21); closed && err == nil {
			return string(rune(r)), len(digits) + 4
		}
		return "u", 2
	}
	r, ok := number(text, 2, 4, 16)
	if !ok {
		return "u", 2
	}
	if utf16.IsSurrogate(rune(r)) && strings.HasPrefix(text[6:], `\u`) {
		if low, ok := number(text, 8, 4, 16); ok {
			return string(utf16.DecodeRune(rune(r), rune(low))), 12
		}
	}
	return string(rune(r)), 6
}

// entities are the named ones that XML and HTML share.
var entities = map[string]string{"amp": "&", "lt": "<", "gt": ">", "quot": `"`, "apos": "'"}

func entityUnit(text string) (meant string, length int) {
	name, _, ok := strings.Cut(text[1:min(len(text), 11)], ";")
	if !ok {
		return "", 0
	}
	length = len(name) + 2
	if c, known := entities[name]; known {
		return c, length
	}
	digits, numeric := strings.CutPrefix(name, "#")
	base := 10
	if rest, hex := strings.CutPrefix(strings.ToLower(digits), "x"); hex {
		digits, base = rest, 16
	}
	r, err := strconv.ParseUint(digits, base, 21)
	if !numeric || err != nil {
		return "", 0
	}
	return string(rune(r)), length
}

// number parses digits at an offset of a text.
func number(text string, at, digits, base int) (uint64, bool) {
	if len(text) < at+digits {
		return 0, false
	}
	n, err := strconv.ParseUint(text[at:at+digits], base, 32)
	return n, err == nil
}
