package assistant

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// marks are those of every fence, open or closed, however they are spelled.
var marks = regexp.MustCompile(`(?i)[<＜﹤‹]([\s/]*(?:untrusted|data|notes|skill|memories|decision|context)\b)`)

// Fence marks a text that somebody else than the person wrote. The text cannot hold a mark, neither this one nor another.
func Fence(name, text string) string {
	return "<" + name + ">\n" + marks.ReplaceAllString(text, "&lt;$1") + "\n</" + name + ">"
}

// Fenced reports whether a result of a tool stands in a fence: everything does but the texts of the product.
func Fenced(content string) bool { return strings.HasPrefix(content, "<") }

// FenceJSON is Fence for JSON, which stays the same JSON.
func FenceJSON(name string, document json.RawMessage) string {
	escaped := marks.ReplaceAllStringFunc(string(document), func(mark string) string {
		first, size := utf8.DecodeRuneInString(mark)
		return fmt.Sprintf(`\u%04x`, first) + mark[size:]
	})
	return "<" + name + ">\n" + escaped + "\n</" + name + ">"
}
