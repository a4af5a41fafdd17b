package chat

import "strings"

// imageFilter removes from an answer everything that a client fetches by itself when it renders it: the URL of a remote
// image could exfiltrate data to the author of injected text (prompt injection). The web app does the same with its
// renderer. The remaining text reads the same; links are followed only by a person.
type imageFilter struct {
	// pending may be the beginning of something to remove.
	pending string
}

// fetching are the names of elements that trigger a request.
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

// push takes the next piece of a text and returns the part that can be shown.
func (f *imageFilter) push(piece string) string { return f.filter(f.pending+piece, false) }

// flush returns the pending text at the end.
func (f *imageFilter) flush() string { return f.filter(f.pending, true) }

// filter returns the part of a text that can be shown, and keeps the rest pending unless it is the last.
func (f *imageFilter) filter(text string, last bool) string {
	f.pending = ""
	var out strings.Builder
	for i := range len(text) {
		harmful, open := false, false
		switch text[i] {
		case '!':
			harmful, open = strings.HasPrefix(text[i+1:], "["), i+1 == len(text)
		case '<':
			harmful, open = isFetching(text[i+1:])
		}
		if open && !harmful && !last {
			f.pending = text[i:]
			return out.String()
		}
		out.WriteByte(text[i])
		if harmful {
			out.WriteByte(' ')
		}
	}
	return out.String()
}

// Bounds of an element's name and attributes that the filter waits for. Longer ones are split.
const (
	maxTagName = 40
	maxTagGap  = 40
	tagSpace   = " \t\r\n\f/"
)

// isFetching reports whether a "<" opens an element that triggers a request, by its name, or by attributes such as
// style with a URL; open means that more text is needed to decide.
func isFetching(text string) (harmful, open bool) {
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
