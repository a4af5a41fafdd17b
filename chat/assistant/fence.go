package assistant

import (
	"encoding/json"
	"regexp"
	"strings"
)

// marks are those of every fence, open or closed, however they are spelled.
var marks = regexp.MustCompile(`(?i)[<＜﹤‹]([\s/]*(?:untrusted|data|notes|skill|memories|decision)\b)`)

// Fence marks a text that somebody else than the person wrote. The text cannot hold a mark, neither this one nor another.
func Fence(name, text string) string {
	return "<" + name + ">\n" + marks.ReplaceAllString(text, "&lt;$1") + "\n</" + name + ">"
}

// FenceJSON is Fence for JSON, which stays the same JSON: escaped, no "<" is left in it.
func FenceJSON(name string, document json.RawMessage) string {
	escaped := strings.NewReplacer("<", `\u003c`, "＜", `\uff1c`, "﹤", `\ufe64`, "‹", `\u2039`).Replace(string(document))
	return "<" + name + ">\n" + escaped + "\n</" + name + ">"
}
