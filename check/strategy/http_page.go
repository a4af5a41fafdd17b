package strategy

import (
	"encoding/json"
	"math"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// htmlTitle returns the text of a page's first title.
func htmlTitle(page string) string {
	page = page[:min(len(page), 256<<10)]
	tokens := html.NewTokenizer(strings.NewReader(page))
	for inside := false; ; {
		switch tokens.Next() {
		case html.ErrorToken:
			return ""
		case html.StartTagToken:
			name, _ := tokens.TagName()
			inside = string(name) == "title"
		case html.TextToken:
			if inside {
				return clip(strings.Join(strings.Fields(string(tokens.Text())), " "), 500)
			}
		case html.EndTagToken:
			inside = false
		}
	}
}

// maxHeaders bounds the header document before its last header, and the value of a header, in bytes.
const maxHeaders = 16 << 10

// headerDocument encodes headers as a JSON object, sorted by name, and reports whether it left out some. It omits the
// values of cookies, which open sessions.
func headerDocument(header http.Header) (text string, truncated bool) {
	var room [24]string
	names := room[:0]
	for name := range header {
		names = append(names, name)
	}
	slices.Sort(names)
	var page [1024]byte
	document := append(page[:0], '{')
	for _, name := range names {
		if len(document) > maxHeaders {
			truncated = true
			break
		}
		value := strings.Join(header[name], ", ")
		if name == "Set-Cookie" {
			value = cookieNames(header[name])
		}
		if value = clip(value, math.MaxInt); len(value) > maxHeaders {
			truncated = true // a value that is there is whole
			continue
		}
		if len(document) > 1 {
			document = append(document, ',')
		}
		document = appendText(document, name)
		// Header names need no JSON escapes, so they are lower-cased in place.
		for i := len(document) - len(name) - 1; i < len(document); i++ {
			if c := document[i]; c >= 'A' && c <= 'Z' {
				document[i] = c + 'a' - 'A'
			}
		}
		document = append(document, ':')
		document = appendText(document, value)
	}
	return string(append(document, '}')), truncated
}

func cookieNames(cookies []string) string {
	names := make([]string, 0, len(cookies))
	for _, cookie := range cookies {
		name, _, _ := strings.Cut(cookie, "=")
		names = append(names, strings.TrimSpace(name))
	}
	return strings.Join(names, ", ")
}

// appendText appends a text as JSON. Most need no escapes.
func appendText(document []byte, text string) []byte {
	plain := !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' || r > '~' })
	if plain {
		document = append(document, '"')
		document = append(document, text...)
		return append(document, '"')
	}
	escaped, err := json.Marshal(text)
	if err != nil {
		return append(document, `""`...)
	}
	return append(document, escaped...)
}
