package assistant

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// marks matches the marks of every fence, open or closed, in any spelling.
var marks = regexp.MustCompile(`(?i)[<＜﹤‹]([\s/]*(?:untrusted|data|notes|skill|memories|decision|context)\b)`)

// Fence marks a text that the person has not written as data, against prompt injection. The text cannot hold a mark.
func Fence(name, text string) string {
	return "<" + name + ">\n" + marks.ReplaceAllString(text, "&lt;$1") + "\n</" + name + ">"
}

// Fenced reports whether a result of a tool is fenced: every one is, except texts of the product.
func Fenced(content string) bool { return strings.HasPrefix(content, "<") }

// FenceJSON is Fence for JSON, which stays the same JSON.
func FenceJSON(name string, document json.RawMessage) string {
	escaped := marks.ReplaceAllStringFunc(string(document), func(mark string) string {
		first, size := utf8.DecodeRuneInString(mark)
		return fmt.Sprintf(`\u%04x`, first) + mark[size:]
	})
	return "<" + name + ">\n" + escaped + "\n</" + name + ">"
}
