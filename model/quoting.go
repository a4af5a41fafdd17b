package model

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"
)

// quoting follows quotations that reach over lines: code that is indented or in tags of HTML, spans of code, and quotes.
type quoting struct {
	// lead is the beginning of the current line, maxLead bytes at most, text says that more than blanks has come in it, and follows
	// that the line before has text. indented says that the block is code by its indentation.
	lead                    []byte
	text, follows, indented bool
	// tag is the tag that is being written; inTags counts the open ones that quote.
	tag    []byte
	inTags int
	// span is the run of backticks that an earlier line of the paragraph has opened, curly the quotes.
	span, curly int
}

const maxLead = 40

// listEntry is what stands before a citation in an entry of a list.
var listEntry = regexp.MustCompile(`^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+|>[ \t]*)*$`)

// quotingTags are the elements of HTML whose content is shown as it stands.
var quotingTags = marks("pre", "code", "blockquote", "xmp", "samp", "kbd", "textarea", "q")

// pass notes a byte of the text.
func (q *quoting) pass(c byte) {
	if c == '\n' {
		return
	}
	if len(q.lead) < maxLead {
		q.lead = append(q.lead, c)
	}
	if !q.text && strings.IndexByte(space, c) < 0 {
		q.indented = q.isCode()
		q.text = true
	}
	switch {
	case c == '<':
		q.tag = append(q.tag[:0], c)
	case c == '>' && len(q.tag) > 0:
		q.endTag()
	case len(q.tag) > maxLead:
		q.tag = q.tag[:0]
	case len(q.tag) > 0:
		q.tag = append(q.tag, c)
	}
}

func (q *quoting) endTag() {
	name, isEnd := bytes.CutPrefix(bytes.ToLower(q.tag[1:]), []byte("/"))
	name, _, _ = bytes.Cut(name, []byte(" "))
	q.tag = q.tag[:0]
	for _, t := range quotingTags {
		switch {
		case !bytes.Equal(name, t):
		case isEnd:
			q.inTags = max(q.inTags-1, 0)
		default:
			q.inTags++
		}
	}
}

// endLine ends a line in which so many quotes and such a run of backticks are open.
func (q *quoting) endLine(quotes, ticks int) {
	const fence = 3
	q.curly += quotes
	switch {
	case !q.text:
		q.span, q.curly = 0, 0 // a quotation ends with its paragraph
	case ticks == q.span:
		q.span = 0 // the first run of the line has closed it
	case ticks > 0 && ticks < fence && q.span == 0:
		q.span = ticks
	}
	q.follows, q.text, q.lead = q.text, false, q.lead[:0]
}

// quotes reports whether the text stands in code by its indentation or in tags.
func (q *quoting) quotes() bool {
	return q.inTags > 0 || q.text && q.indented || !q.text && q.isCode()
}

// isCode reports whether the current line is code by its indentation, which a paragraph's further lines are not.
func (q *quoting) isCode() bool {
	isIndented := bytes.HasPrefix(q.lead, []byte("\t")) || bytes.HasPrefix(q.lead, []byte("    "))
	return isIndented && (!q.follows || q.indented)
}

// quotedUntil is the length of the beginning of held text that ends a quotation of an earlier line, 0 without one. inSpan says that
// the current line has opened no code.
func (q *quoting) quotedUntil(held []byte, inSpan bool) int {
	paragraph := held
	if at := paragraphEnd.FindIndex(held); at != nil {
		paragraph = held[:at[0]]
	}
	if q.span > 0 && inSpan {
		for _, at := range backticks.FindAllIndex(paragraph, -1) {
			if at[1]-at[0] == q.span {
				return at[1]
			}
		}
	}
	if q.curly > 0 {
		for i := range paragraph {
			r, size := utf8.DecodeRune(paragraph[i:])
			if r == '”' || r == '’' || r == '»' || r == '“' {
				return i + size
			}
		}
	}
	return 0
}

var (
	paragraphEnd = regexp.MustCompile(`\n[ \t\r]*\n`)
	backticks    = regexp.MustCompile("`+")
)
