package model

import (
	"bytes"
	"strings"
)

// thinkTags enclose the thoughts of models whose server leaves them in the answer. They count only at its beginning:
// further on they are part of the content.
var thinkTags = [...]struct{ open, end []byte }{
	{[]byte("<think>"), []byte("</think>")},
	{[]byte("<thinking>"), []byte("</thinking>")},
	{[]byte("<thought>"), []byte("</thought>")},
	{[]byte("<reasoning>"), []byte("</reasoning>")},
	{[]byte("<seed:think>"), []byte("</seed:think>")},
	{[]byte("<mm:think>"), []byte("</mm:think>")},
	{[]byte("<|think|>"), []byte("<|/think|>")},
	{[]byte("<|channel>thought"), []byte("<channel|>")},
	{[]byte("<unused94>thought"), []byte("<unused95>")},
	{[]byte("[THINK]"), []byte("[/THINK]")},
	{[]byte("<|begin_of_thought|>"), []byte("<|end_of_thought|>")},
	{[]byte("◁think▷"), []byte("◁/think▷")},
	{[]byte("<|START_THINKING|>"), []byte("<|END_THINKING|>")},
}

// ThinkTags returns the opening and the closing tags of thoughts, in the same order.
func ThinkTags() (opening, closing []string) {
	for _, tag := range thinkTags {
		opening, closing = append(opening, string(tag.open)), append(closing, string(tag.end))
	}
	return opening, closing
}

// thoughts separates leading thoughts from a text that arrives in pieces. Text that could be part of a tag is held
// back.
type thoughts struct {
	held  []byte
	state thinkState
	tag   int
}

type thinkState uint8

const (
	thinkBefore  thinkState = iota // nothing but white space has come
	thinkInside                    // inside an opening tag
	thinkBetween                   // behind the closing tag, before the answer
	thinkOver                      // in the answer
)

const space = " \t\r\n"

// write adds a piece and returns the thoughts and the answer known so far. The slices are valid until the next call.
func (t *thoughts) write(piece []byte) (thought, answer []byte) {
	if t.state == thinkOver {
		return nil, piece
	}
	t.held = append(t.held, piece...)
	rest := t.held
	if t.state == thinkBefore {
		begun, found := opening(rest)
		switch {
		case !begun && !found:
			t.state = thinkOver
			t.held = nil
			return nil, rest
		case !found:
			return nil, nil
		}
		rest = bytes.TrimLeft(rest, space)
		for i, tag := range thinkTags {
			if bytes.HasPrefix(rest, tag.open) {
				t.state, t.tag = thinkInside, i
				rest = rest[len(tag.open):]
				break
			}
		}
	}
	if t.state == thinkInside {
		end := thinkTags[t.tag].end
		at := bytes.Index(rest, end)
		if at < 0 {
			keep := partOf(rest, end)
			thought = rest[:len(rest)-keep]
			t.held = append([]byte(nil), rest[len(rest)-keep:]...)
			return thought, nil
		}
		thought, rest = rest[:at], rest[at+len(end):]
		t.state = thinkBetween
	}
	if rest = bytes.TrimLeft(rest, space); len(rest) > 0 {
		t.state = thinkOver
	}
	t.held = nil
	return thought, rest
}

// close returns the text held back when the stream ends.
func (t *thoughts) close() (thought, answer []byte) {
	held := t.held
	t.held = nil
	if t.state == thinkInside {
		return held, nil
	}
	return nil, held
}

// opening reports whether text could still begin with thoughts, and whether it does.
func opening(text []byte) (could, does bool) {
	text = bytes.TrimLeft(text, space)
	for _, tag := range thinkTags {
		if bytes.HasPrefix(text, tag.open) {
			return true, true
		}
		could = could || bytes.HasPrefix(tag.open, text)
	}
	return could, false
}

// partOf returns how many bytes at the end of text could be the beginning of tag.
func partOf(text, tag []byte) int {
	for n := min(len(text), len(tag)-1); n > 0; n-- {
		if bytes.HasSuffix(text, tag[:n]) {
			return n
		}
	}
	return 0
}

// mayClose reports whether a closing tag is in a text.
func mayClose(text []byte) bool {
	if bytes.IndexByte(text, '<') < 0 && bytes.IndexByte(text, '[') < 0 && !bytes.Contains(text, []byte("◁")) {
		return false
	}
	for _, tag := range thinkTags {
		if bytes.Contains(text, tag.end) {
			return true
		}
	}
	return false
}

// unopened separates thoughts that have only the closing tag, because the model's template opens them. A tag in quotes,
// in code or within a sentence is content.
func unopened(text []byte) (thought, answer []byte, found bool) {
	for _, tag := range thinkTags {
		at := bytes.Index(text, tag.end)
		if at < 0 || bytes.Contains(text[:at], tag.open) {
			continue
		}
		before, rest := text[:at], text[at+len(tag.end):]
		if closes(before, rest) {
			return bytes.TrimSpace(before), bytes.TrimLeft(rest, space), true
		}
	}
	return nil, text, false
}

// closes reports whether a closing tag between these two ends thoughts.
func closes(before, rest []byte) bool {
	const quotes = "`\"'"
	if bytes.Count(before, []byte("```"))%2 == 1 || bytes.Count(before, []byte("`"))%2 == 1 ||
		len(before) > 0 && strings.IndexByte(quotes, before[len(before)-1]) >= 0 ||
		len(rest) > 0 && strings.IndexByte(quotes, rest[0]) >= 0 {
		return false
	}
	line := bytes.TrimLeft(rest, " \t\r")
	ends := len(line) == 0 || line[0] == '\n'
	said := bytes.TrimRight(before, " \t\r")
	begins := len(said) == 0 || said[len(said)-1] == '\n'
	return ends || begins || len(line) == len(rest) || len(said) == len(before)
}
