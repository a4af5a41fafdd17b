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
	"audio",
	"base",
	"body",
	"embed",
	"frame",
	"iframe",
	"image",
	"img",
	"input",
	"link",
	"meta",
	"object",
	"picture",
	"script",
	"source",
	"style",
	"svg",
	"table",
	"td",
	"track",
	"video",
}

// pass takes the next piece of a text and returns what of the text can be shown.
func (f *imageless) pass(piece string) string { return f.take(f.held+piece, false) }

// rest is what is held when the text is at its end.
func (f *imageless) rest() string { return f.take(f.held, true) }

// take returns what of a text can be shown, and holds the rest unless it is the last.
func (f *imageless) take(text string, last bool) string {
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
		if open && !harmful && !last {
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

// How long the name of an element and what stands behind it may be to be waited for. Longer ones are taken apart.
const (
	maxTagName = 40
	maxTagGap  = 40
	tagSpace   = " \t\r\n\f/"
)

// begins reports whether what stands behind a "<" begins an element that is fetched, by its name, or by an attribute, as each can have a
// style with an address; or may yet.
func begins(text string) (harmful, open bool) {
	if text == "" {
		return false, true
	}
	if c := text[0] | 0x20; c < 'a' || c > 'z' {
		return false, false
	}
	for _, name := range fetching {
		if len(text) >= len(name) && strings.EqualFold(name, text[:len(name)]) {
			return true, false
		}
	}
	end := strings.IndexAny(text, tagSpace+">")
	switch {
	case end > maxTagName || end < 0 && len(text) > maxTagName:
		return true, false
	case end < 0:
		return false, true
	}
	rest := strings.TrimLeft(text[end:], tagSpace)
	switch gap := len(text) - end - len(rest); {
	case gap > maxTagGap:
		return true, false
	case rest == "":
		return false, true
	}
	return rest[0] != '>', false
}
