// Package strictjson checks JSON from outside for what two readers may read differently.
//
// The decoder of the standard library takes the last of two members with one name and puts U+FFFD in the place of half a
// surrogate pair and of bytes that are not UTF-8. A proxy, a log or a person who reads the same text may see the first member, or
// other text: what is checked and shown would then not be what is done. So such a text is refused as a whole.
//
// Depth bounds a text before it is decoded, and Same compares two.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"golang.org/x/text/cases"
)

// maxDepth bounds how deep values may be nested. Nothing that the product reads is nearly as deep.
const maxDepth = 200

// maxName bounds how much of a member's name an error quotes.
const maxName = 60

// Errors complete "the input is not valid JSON: ...".
var (
	errTrailing  = errors.New("there is text after the value")
	errUTF8      = errors.New("it is not UTF-8")
	errSurrogate = errors.New("it has half of a surrogate pair, such as \\ud800, which is no character")
	errDepth     = fmt.Errorf("it is nested more than %d levels deep", maxDepth)
)

// Check is nil for exactly one JSON value that everybody reads in the same way: UTF-8, no member twice in an object, no
// half surrogate pairs. The error says what is wrong in words that may be shown.
func Check(data []byte) error { return check(data, false) }

// CheckFolded is Check for what a Go struct is decoded from: the decoder takes "Name" for "name", so members that differ in
// case alone are the same one.
func CheckFolded(data []byte) error { return check(data, true) }

func check(data []byte, folded bool) error {
	if !utf8.Valid(data) {
		return errUTF8
	}
	if plain(data, folded) {
		return nil
	}
	if folded {
		return closely(data, cases.Fold().String)
	}
	return closely(data, func(name string) string { return name })
}

// closely is check by the decoder, which finds the words for what is wrong.
func closely(data []byte, same func(string) string) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := (reader{decoder, same}).value(0); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errTrailing
	}
	// Within valid JSON a backslash stands in strings only.
	if loneSurrogate(data) {
		return errSurrogate
	}
	return nil
}

// Unmarshal is json.Unmarshal for what has passed Check.
func Unmarshal(data []byte, into any) error {
	if err := Check(data); err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}

// DecodeNumbers decodes one value and keeps every digit of its numbers.
func DecodeNumbers(data []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if len(bytes.TrimLeft(data[decoder.InputOffset():], " \t\r\n")) > 0 {
		return errTrailing
	}
	return nil
}

// reader goes through a value. Two names are the same member when same makes the same text of them.
type reader struct {
	*json.Decoder
	same func(string) string
}

func (r reader) value(depth int) error {
	token, err := r.next()
	if err != nil {
		return err
	}
	if depth > maxDepth {
		return errDepth
	}
	switch token {
	case json.Delim('{'):
		return r.object(depth)
	case json.Delim('['):
		for r.More() {
			if err := r.value(depth + 1); err != nil {
				return err
			}
		}
		_, err = r.next()
		return err
	}
	return nil
}

func (r reader) object(depth int) error {
	seen := map[string]struct{}{}
	for r.More() {
		token, err := r.next()
		if err != nil {
			return err
		}
		name, ok := token.(string)
		if !ok {
			return errors.New("a member has no name")
		}
		key := r.same(name)
		if _, twice := seen[key]; twice {
			return fmt.Errorf("the member %s stands twice in one object", quoted(name))
		}
		seen[key] = struct{}{}
		if err := r.value(depth + 1); err != nil {
			return err
		}
	}
	_, err := r.next()
	return err
}

func (r reader) next() (json.Token, error) {
	token, err := r.Token()
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, errors.New("it ends too soon")
	}
	return token, err
}

func quoted(name string) string {
	if runes := []rune(name); len(runes) > maxName {
		name = string(runes[:maxName]) + "…"
	}
	return strconv.QuoteToASCII(name)
}

// loneSurrogate reports whether valid JSON has an escape of one half of a surrogate pair without the other.
func loneSurrogate(data []byte) bool {
	for i := bytes.IndexByte(data, '\\'); i >= 0 && i+1 < len(data); {
		step := 2
		switch r := escaped(data[i:]); {
		case r >= 0xDC00 && r <= 0xDFFF:
			return true
		case r >= 0xD800 && r <= 0xDBFF:
			if low := escaped(data[i+6:]); low < 0xDC00 || low > 0xDFFF {
				return true
			}
			step = 12
		}
		j := bytes.IndexByte(data[i+step:], '\\')
		if j < 0 {
			return false
		}
		i += step + j
	}
	return false
}

// escaped is the code unit of an escape such as \ud800 at the beginning of data, and -1 when there is none.
func escaped(data []byte) int64 {
	if len(data) < 6 || data[0] != '\\' || data[1] != 'u' {
		return -1
	}
	unit, err := strconv.ParseUint(string(data[2:6]), 16, 16)
	if err != nil {
		return -1
	}
	return int64(unit)
}
