package egress

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"countersign/internal/problem"
)

// The limits of a probe.
const (
	ProbeTimeout   = 5 * time.Second
	MaxProbeBody   = 256 << 10 // bytes read from the body
	MaxSampleRunes = 4000      // characters of the body that are shown
	maxHeaderRunes = 512
)

// Result is the response of a URL for the model.
type Result struct {
	// URL is the normalised URL that was requested.
	URL        string `json:"url"`
	Status     int    `json:"status"`
	StatusText string `json:"statusText"`
	// Redirected reports a redirect, which is not followed; Location is its target.
	Redirected  bool              `json:"redirected"`
	Location    string            `json:"location,omitempty"`
	ContentType string            `json:"contentType,omitempty"`
	Headers     map[string]string `json:"headers"`
	// BodySample is the beginning of a text body, or a sentence about a body that is not text.
	BodySample    string `json:"bodySample"`
	BodyTruncated bool   `json:"bodyTruncated"`
}

// Probe makes one GET or HEAD request without credentials and reports what came back. Any HTTP status is a result; a
// refused URL (ErrRefused) or one that does not answer (ErrUnreachable) is a *problem.Error. A body that stalls or
// breaks off is a truncated result.
func Probe(ctx context.Context, guard *Guard, rawURL, method string) (Result, error) {
	if method == "" {
		method = http.MethodGet
	}
	if method != http.MethodGet && method != http.MethodHead {
		return Result{}, problem.InvalidInput(
			"A probe uses the method GET or HEAD.",
			problem.Issue{Path: "method", Message: "must be GET or HEAD"},
		)
	}
	target, err := ParseTarget(rawURL)
	if err != nil {
		return Result{}, err
	}
	timed, cancel := context.WithTimeout(ctx, ProbeTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(timed, method, target.URL.String(), http.NoBody)
	if err != nil {
		return Result{}, refuse("it is not a valid URL")
	}
	req.Header.Set("User-Agent", "Countersign-Probe/1")
	req.Header.Set("Accept", "*/*")
	req.Header.Set("Accept-Encoding", "identity")

	res, err := guard.Client(ProbeTimeout).Do(req)
	if err != nil {
		if shown, ok := errors.AsType[*problem.Error](err); ok {
			return Result{}, shown
		}
		return Result{}, unreachable(err, "%s", reasonOf(err))
	}
	defer res.Body.Close()
	result := describe(target, method, res)
	if ctx.Err() != nil {
		return Result{}, unreachable(ctx.Err(), "%s", reasonOf(ctx.Err()))
	}
	return result, nil
}

func describe(target Target, method string, res *http.Response) Result {
	result := Result{
		URL: target.URL.String(), Status: res.StatusCode, StatusText: statusText(res),
		ContentType: headerText(res.Header.Get("Content-Type")),
		Location:    headerText(res.Header.Get("Location")),
		Headers:     make(map[string]string),
	}
	result.Redirected = res.StatusCode >= 300 && res.StatusCode < 400 && result.Location != ""
	for _, name := range []string{"content-type", "content-length", "server", "location"} {
		if value := headerText(res.Header.Get(name)); value != "" {
			result.Headers[name] = value
		}
	}
	if method == http.MethodHead {
		return result
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, MaxProbeBody+1))
	cut := err != nil || len(body) > MaxProbeBody
	body = body[:min(len(body), MaxProbeBody)]
	result.BodySample, result.BodyTruncated = sample(body, res.Header.Get("Content-Type"), cut)
	return result
}

// statusText is the phrase that the server sent, without the number.
func statusText(res *http.Response) string {
	_, phrase, _ := strings.Cut(res.Status, " ")
	if phrase = headerText(phrase); phrase != "" {
		return phrase
	}
	return http.StatusText(res.StatusCode)
}

// headerText makes a header value fit for a model and for the database: valid, printable, bounded.
func headerText(value string) string {
	value = strings.TrimSpace(strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, value))
	return firstRunes(value, maxHeaderRunes)
}

// sample answers the shown part of a body and whether there was more.
func sample(body []byte, contentType string, cut bool) (string, bool) {
	if len(body) == 0 {
		return "", cut
	}
	if !isText(body, contentType, cut) {
		kind := headerText(contentType)
		if kind == "" {
			kind = http.DetectContentType(body)
		}
		amount := fmt.Sprintf("%d bytes", len(body))
		if cut {
			amount = fmt.Sprintf("more than %d bytes", len(body))
		}
		return fmt.Sprintf("(Not text: %s, %s. The content is not shown.)", kind, amount), cut
	}
	text := cleanText(decode(body, contentType))
	shown := firstRunes(text, MaxSampleRunes)
	return shown, cut || len(shown) < len(text)
}

// isText trusts the bytes more than the header: a body with NUL or with many broken sequences is no text, whatever
// the server calls it.
func isText(body []byte, contentType string, cut bool) bool {
	media, params, err := mime.ParseMediaType(contentType)
	if err == nil &&
		(strings.HasPrefix(media, "image/") || strings.HasPrefix(media, "audio/") || strings.HasPrefix(media, "video/") ||
			strings.HasPrefix(media, "font/")) &&
		media != "image/svg+xml" {
		return false
	}
	if bytes.IndexByte(body, 0) >= 0 {
		return false
	}
	if latin1(params["charset"]) {
		return true
	}
	broken := 0
	for rest := body; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		incomplete := cut && len(rest) < utf8.UTFMax && !utf8.FullRune(rest)
		if (r == utf8.RuneError && size == 1 && !incomplete) || (r < ' ' && !unicode.IsSpace(r) && r != 0x1b) {
			broken++
		}
		rest = rest[size:]
	}
	return broken*50 <= len(body)
}

func latin1(charset string) bool {
	switch strings.ToLower(charset) {
	case "iso-8859-1", "latin1", "windows-1252":
		return true
	default:
		return false
	}
}

func decode(body []byte, contentType string) string {
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil || !latin1(params["charset"]) || utf8.Valid(body) {
		return strings.ToValidUTF8(string(body), "")
	}
	var b strings.Builder
	for _, c := range body {
		b.WriteRune(rune(c))
	}
	return b.String()
}

// cleanText drops what neither a model nor Postgres can use: control characters other than tab and line ends, and a
// byte order mark.
func cleanText(text string) string {
	return strings.Map(func(r rune) rune {
		if (unicode.IsControl(r) && r != '\n' && r != '\t') || r == '\ufeff' {
			return -1
		}
		return r
	}, text)
}

func firstRunes(text string, limit int) string {
	count := 0
	for i := range text {
		if count == limit {
			return text[:i]
		}
		count++
	}
	return text
}
