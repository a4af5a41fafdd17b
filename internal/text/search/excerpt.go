package search

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Excerpt is a range of about most characters of text[from:to] that begins at a byte or before it: at the beginning of its
// line where that costs little, otherwise at a word. At the end of the text it has more of what stands before.
func Excerpt(text string, from, to, at, most int) (begin, end int) {
	begin = at
	if line := from + strings.LastIndexByte(text[from:at], '\n') + 1; at-line <= most/5 {
		begin = line
	} else if space := strings.LastIndexFunc(text[from:at], unicode.IsSpace); space >= 0 {
		begin = from + space + 1
	}
	count := 0
	for end = begin; end < to && count < most; count++ {
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	if end < to {
		if space := strings.LastIndexFunc(text[begin:end], unicode.IsSpace); space > 0 {
			end = begin + space
		}
		return begin, end
	}
	early := begin
	for ; early > from && count < most; count++ {
		_, size := utf8.DecodeLastRuneInString(text[:early])
		early -= size
	}
	if early == from {
		return early, end
	}
	if space := strings.IndexFunc(text[early:begin], unicode.IsSpace); space >= 0 {
		begin = early + space
	}
	return begin, end
}

// Match is the longest term with which a word begins at a place of a folded text, as its number of characters; 0 for none.
func Match(folded []rune, at int, terms [][]rune) (longest int) {
	if at > 0 && InWord(folded[at-1]) {
		return 0
	}
	for _, term := range terms {
		if len(term) > longest && len(folded)-at >= len(term) && string(folded[at:at+len(term)]) == string(term) {
			longest = len(term)
		}
	}
	return longest
}
