package schema

import (
	"strconv"
	"strings"
)

// The characters that mean something in a JSON pointer, RFC 6901.
var (
	escape   = strings.NewReplacer("~", "~0", "/", "~1")
	unescape = strings.NewReplacer("~1", "/", "~0", "~")
)

// Escaped is the name of a member as a part of a JSON pointer: a~1b for a/b.
func Escaped(name string) string { return escape.Replace(name) }

// Unescaped returns the name of an escaped part of a JSON pointer.
func Unescaped(part string) string { return unescape.Replace(part) }

// At resolves a reference within a document, such as #/$defs/address. Anchors are not resolved.
func At(tree any, reference string) (any, bool) {
	pointer, ok := strings.CutPrefix(reference, "#")
	if !ok || pointer != "" && !strings.HasPrefix(pointer, "/") {
		return nil, false
	}
	return at(tree, pointer)
}

// at resolves a JSON pointer.
func at(value any, pointer string) (any, bool) {
	if pointer == "" {
		return value, true
	}
	for part := range strings.SplitSeq(pointer[1:], "/") {
		part = Unescaped(part)
		switch v := value.(type) {
		case map[string]any:
			next, ok := v[part]
			if !ok {
				return nil, false
			}
			value = next
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(v) {
				return nil, false
			}
			value = v[i]
		default:
			return nil, false
		}
	}
	return value, true
}

// dotted turns a JSON pointer such as /contacts/0/email into contacts[0].email.
func dotted(pointer string) string {
	path := ""
	for part := range strings.SplitSeq(strings.Trim(pointer, "/"), "/") {
		part = Unescaped(part)
		switch {
		case part == "":
		case strings.Trim(part, "0123456789") == "":
			path += "[" + part + "]"
		default:
			path = memberPath(path, part)
		}
	}
	return path
}
