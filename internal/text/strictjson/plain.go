package strictjson

import (
	"bytes"
	"encoding/json"
)

const (
	// plainNames bounds the members of the objects that are open at one place of a text, and plainDepth how many these are.
	plainNames = 64
	plainDepth = 32
)

// plain reports whether data is certainly what check asks for, which most texts are, without making a token of each word. Where it does
// not know, check looks closely. data is UTF-8; folded says that names which differ in case alone are the same.
func plain(data []byte, folded bool) bool { //nolint:gocognit // one switch over what JSON is made of
	if !json.Valid(data) || loneSurrogate(data) {
		return false
	}
	names := make([][]byte, 0, plainNames)
	// Of each object and list that is open: where the names of its members begin in names, -1 for a list.
	opened := make([]int, 0, plainDepth)
	name := false
	// The text is valid, so each string ends, and all that is closed was opened.
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			end, escaped := i+1, false
			for ; data[end] != '"'; end++ {
				if data[end] == '\\' {
					escaped = true
					end++
				}
			}
			if name {
				member := data[i+1 : end]
				if escaped || len(names) == plainNames || twice(names[opened[len(opened)-1]:], member, folded) {
					return false
				}
				names, name = append(names, member), false
			}
			i = end
		case '{', '[':
			if len(opened) == plainDepth {
				return false
			}
			first := -1
			if name = data[i] == '{'; name {
				first = len(names)
			}
			opened = append(opened, first)
		case '}', ']':
			if first := opened[len(opened)-1]; first >= 0 {
				names = names[:first]
			}
			opened, name = opened[:len(opened)-1], false
		case ',':
			name = opened[len(opened)-1] >= 0
		}
	}
	return true
}

// twice reports whether a name is, or may be, that of another member.
func twice(names [][]byte, member []byte, folded bool) bool {
	if folded && bytes.ContainsFunc(member, func(r rune) bool { return r >= 0x80 }) {
		// More than two letters can be one in other writings.
		return true
	}
	for _, other := range names {
		if bytes.Equal(other, member) || folded && bytes.EqualFold(other, member) {
			return true
		}
	}
	return false
}
