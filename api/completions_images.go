package api

import "strings"

// imageless takes out of an answer what a client fetches by itself when it shows it: an address in it would tell whoever wrote the
// page that the assistant has read what else it has read. The web app does the same with a renderer of its own. What is left reads
// the same; a link is followed by a person or not at all.
type imageless struct {
	// held may be the beginning of something to take out.
	held string
}

// fetching are the names of elements that are fetched, or by which something is.
var fetching = []string{
	"audio", "base", "body", "embed", "frame", "iframe", "image", "img", "input", "link", "meta", "object", "picture", "script", "source", "style", "svg", "table", "td", "track", "video",
}

// pass takes the next piece of a text and returns what of the text can be shown.
func (f *imageless) pass(piece string) string {
	text := f.held + piece
	f.held = ""
	var out strings.Builder
	for i := range len(text) {
		harmful, open := false, false
		switch text[i] {
		case '!':
			harmful, open = strings.HasPrefix(text[i+1:], "["), i+1 == len(text)
		case '<':
			harmful, open = begins(text[i+1:])
		}
		if open && !harmful {
			f.held = text[i:]
			return out.String()
		}
		out.WriteByte(text[i])
		if harmful {
			out.WriteByte(' ')
		}
	}
	return out.String()
}

// rest is what is held when the text is at its end.
func (f *imageless) rest() string {
	held := f.held
	f.held = ""
	return held
}

// begins reports whether what stands behind a "<" is the name of an element that is fetched, or may become one.
func begins(text string) (harmful, open bool) {
	for _, name := range fetching {
		n := min(len(name), len(text))
		if !strings.EqualFold(name[:n], text[:n]) {
			continue
		}
		if n == len(name) {
			return true, false
		}
		open = true
	}
	return false, open
}
