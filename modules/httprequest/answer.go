package httprequest

import (
	"context"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"countersign/internal/egress"
	"countersign/internal/problem"
	"countersign/internal/secret/scrub"
)

// Answer is the response without the values of secrets and without other credentials.
type Answer struct {
	// URL is the final URL, after redirects.
	URL           string            `json:"url"`
	Status        int               `json:"status"`
	StatusText    string            `json:"status_text"`
	Redirects     int               `json:"redirects" doc:"How often the request was sent on."`
	Headers       map[string]string `json:"headers"`
	Body          string            `json:"body" doc:"Text, or a sentence about what is none. **** stands where the value of a secret was."`
	BodyTruncated bool              `json:"body_truncated" doc:"The body is longer than 1 MiB, or was interrupted."`
}

const (
	maxShownHeaders = 40
	maxShownHeader  = 1_000
)

func (s *sender) read(ctx context.Context, res *http.Response, target egress.Target, method string, redirects int) (Answer, error) {
	_, phrase, _ := strings.Cut(res.Status, " ")
	a := Answer{
		URL: s.clean(
			target.URL.String(),
			len(target.URL.String()),
		),
		Status:     res.StatusCode,
		StatusText: s.clean(phrase, maxShownHeader),
		Redirects:  redirects,
		Headers:    map[string]string{},
	}
	for _, name := range slices.Sorted(maps.Keys(res.Header)) {
		// Cookies are for the client, not for the reader of the answer.
		if name == "Set-Cookie" || len(a.Headers) == maxShownHeaders {
			continue
		}
		a.Headers[s.clean(strings.ToLower(name), maxShownHeader)] = s.clean(strings.Join(res.Header[name], ", "), maxShownHeader)
	}
	if method == http.MethodHead {
		return a, nil
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if ctx.Err() != nil && len(body) == 0 {
		return Answer{}, s.unmade(ctx.Err())
	}
	a.BodyTruncated = err != nil || len(body) > maxAnswer
	if len(body) > 0 && len(s.stands) > 0 && inParts(res) {
		a.Body = "(The server sent a part of the answer although it was not asked to. It is not shown, as a secret is not " +
			"recognised by a part of its value.)"
		return a, nil
	}
	body = body[:min(len(body), maxAnswer)]
	a.Body = s.text(body, res.Header, a.BodyTruncated)
	return a, nil
}

// inParts reports whether a body is partial content or a delta.
func inParts(res *http.Response) bool {
	media, _, _ := strings.Cut(res.Header.Get("Content-Type"), ";")
	return res.StatusCode == http.StatusPartialContent || res.StatusCode == http.StatusIMUsed || len(res.Header.Values("Content-Range")) > 0 ||
		strings.EqualFold(strings.TrimSpace(media), "multipart/byteranges")
}

// clean masks and shortens a line of an answer.
func (s *sender) clean(line string, most int) string {
	line = strings.TrimSpace(strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, line))
	// Masking precedes the cut, so that no half of a value is left.
	line = scrub.Text(s.masker.Cut(line))
	if runes := []rune(line); len(runes) > most {
		line = string(runes[:most]) + "…"
	}
	return line
}

// text returns a displayable body. A binary body is omitted: it could hold a secret in any form.
func (s *sender) text(body []byte, header http.Header, cut bool) string {
	if len(body) == 0 {
		return ""
	}
	if encoding := header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return fmt.Sprintf("(The server encoded the body although it was asked not to, %d bytes. It is not shown.)", len(body))
	}
	if cut {
		// The last character may be half of one.
		for i := 0; i < utf8.UTFMax && len(body) > 0 && !utf8.Valid(body[max(0, len(body)-utf8.UTFMax):]); i++ {
			body = body[:len(body)-1]
		}
	}
	media, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil {
		media = "unknown"
	}
	if !utf8.Valid(body) || slices.Contains(body, 0) {
		return fmt.Sprintf("(Not UTF-8 text: %s, %d bytes. The content is not shown.)", s.clean(media, maxShownHeader), len(body))
	}
	text := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r' || r == '\ufeff' {
			return -1
		}
		return r
	}, string(body))
	if cut {
		return scrub.Text(s.masker.Cut(text))
	}
	return scrub.Text(s.masker.Text(text))
}

// lost is the problem of a request whose process died before the answer.
func lost() *problem.Error {
	return problem.Errorf(
		problem.Unknown,
		"The process that sent this request died before it had the answer. Whether the request has arrived is not known, "+
			"so it is not sent again. Look at the other side before you ask for it once more.",
	)
}
