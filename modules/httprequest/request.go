package httprequest

import (
	"encoding/json"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"countersign/internal/egress"
	"countersign/internal/problem"
	"countersign/internal/secret"
)

// The limits of a request.
const (
	DefaultTimeout = 15 * time.Second
	MaxTimeout     = 60 * time.Second
	maxBody        = 128 << 10
	maxHeaders     = 40
	maxHeaderBytes = 8 << 10
	maxAnswer      = 1 << 20
	maxRedirects   = 5
)

// Request is a request to send. Placeholders of secrets may stand in url, headers and body.
type Request struct {
	Method    string            `json:"method" enum:"GET,HEAD,POST,PUT,PATCH,DELETE,OPTIONS" jsonschema:"enum=GET,enum=HEAD,enum=POST,enum=PUT,enum=PATCH,enum=DELETE,enum=OPTIONS"`
	URL       string            `json:"url" minLength:"1" maxLength:"2000" doc:"http or https. Placeholders may stand in the path and the query." jsonschema:"minLength=1,maxLength=2000"`
	Headers   map[string]string `json:"headers,omitempty" doc:"At most 40, by name."`
	Body      string            `json:"body,omitempty" maxLength:"131072" doc:"At most 128 KiB. In a JSON body, placeholders stand in strings." jsonschema:"maxLength=131072"`
	TimeoutMs int               `json:"timeout_ms,omitempty" minimum:"100" maximum:"60000" doc:"15000 when absent." jsonschema:"minimum=100,maximum=60000"`
}

func (r Request) timeout() time.Duration {
	if r.TimeoutMs == 0 {
		return DefaultTimeout
	}
	return time.Duration(r.TimeoutMs) * time.Millisecond
}

// kept are headers that the transport writes itself.
var kept = []string{
	"Host",
	"Content-Length",
	"Transfer-Encoding",
	"Connection",
	"Keep-Alive",
	"Upgrade",
	"Te",
	"Trailer",
	"Expect",
	"Accept-Encoding",
	"Proxy-Authorization",
	"Proxy-Connection",
	"Http2-Settings",
}

// partial are headers that request a part or another form of an answer. Masking recognizes whole values only.
var partial = []string{
	"Range",
	"If-Range",
	"Request-Range",
	"A-Im",
	"Want-Digest",
	"Want-Content-Digest",
	"Want-Repr-Digest",
	"Accept-Charset",
	"Accept-Transfer-Encoding",
}

// checked returns the request in canonical form and its target before any redirect.
func (r Request) checked() (Request, egress.Target, error) {
	var v problem.Issues
	if r.Method = strings.ToUpper(r.Method); !slices.Contains([]string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}, r.Method) {
		v.Report("method", "must be GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS")
	}
	if r.TimeoutMs != 0 && (r.TimeoutMs < 100 || r.TimeoutMs > int(MaxTimeout.Milliseconds())) {
		v.Report("timeout_ms", "must be from 100 to %d", MaxTimeout.Milliseconds())
	}
	switch {
	case len(r.Body) > maxBody:
		v.Report("body", "has %d bytes, at most %d are allowed", len(r.Body), maxBody)
	case !utf8.ValidString(r.Body):
		v.Report("body", "is not text")
	case r.Body != "" && (r.Method == http.MethodGet || r.Method == http.MethodHead):
		v.Report("body", "cannot be sent with %s", r.Method)
	}
	r.Headers = checkedHeaders(&v, r.Headers)
	if len(r.placeholders()) > 0 {
		for _, name := range partial {
			if _, there := r.Headers[name]; there {
				v.Report(
					"headers."+name,
					"asks for a part or another form of the answer, which a request with secrets cannot: their values could not be taken out of it",
				)
			}
		}
	}
	if err := v.Err(); err != nil {
		return r, egress.Target{}, err
	}
	target, err := egress.ParseTarget(r.URL)
	if err != nil {
		return r, target, err
	}
	if placeholderPattern.MatchString(target.URL.Host) {
		return r, target, problem.InvalidInput(
			"A placeholder of a secret can stand in the path and the query of a URL, and not in its host: where a secret goes "+
				"is decided before it is known.",
			problem.Issue{Path: "url", Message: "has a placeholder in its host"},
		)
	}
	// The URL as sent: otherwise a later escape of the path would turn a slash of a substituted value into a separator.
	r.URL = target.URL.String()
	return r, target, nil
}

func checkedHeaders(v *problem.Issues, headers map[string]string) map[string]string {
	if len(headers) > maxHeaders {
		v.Report("headers", "are %d, at most %d are allowed", len(headers), maxHeaders)
		return nil
	}
	made, size := make(map[string]string, len(headers)), 0
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		path, value := "headers."+clipped(name), strings.TrimSpace(headers[name])
		canonical := http.CanonicalHeaderKey(name)
		size += len(name) + len(value)
		switch _, twice := made[canonical]; {
		case !isToken(name):
			v.Report("headers", "have a name that is none: it may have letters, digits and hyphens")
		case placeholderPattern.MatchString(strings.ToLower(name)):
			v.Report("headers", "have a placeholder in a name")
		case twice:
			v.Report(path, "is there twice, in two spellings")
		case slices.Contains(kept, canonical):
			v.Report(path, "is written by the server itself")
		case !isHeaderValue(value):
			v.Report(path, "has a line break or another control character")
		default:
			made[canonical] = value
		}
	}
	if size > maxHeaderBytes {
		v.Report("headers", "have %d bytes, at most %d are allowed", size, maxHeaderBytes)
	}
	return made
}

func clipped(text string) string {
	const most = 80
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// isToken reports whether a text can be the name of a header (RFC 9110, section 5.6.2).
func isToken(name string) bool {
	return name != "" && len(name) <= 100 && !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	})
}

// isHeaderValue refuses characters that could end a header (header injection).
func isHeaderValue(value string) bool {
	return utf8.ValidString(value) && !strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}

// placeholders returns the distinct placeholders of the request, in order.
func (r Request) placeholders() []string {
	texts := []string{r.URL}
	for _, name := range slices.Sorted(maps.Keys(r.Headers)) {
		texts = append(texts, r.Headers[name])
	}
	var found []string
	for _, text := range append(texts, r.Body) {
		for _, p := range placeholderPattern.FindAllString(text, -1) {
			if !slices.Contains(found, p) {
				found = append(found, p)
			}
		}
	}
	return found
}

// places describes the places of a placeholder.
func (r Request) places(placeholder string) []string {
	var found []string
	if strings.Contains(r.URL, placeholder) {
		found = append(found, "the URL")
	}
	for _, name := range slices.Sorted(maps.Keys(r.Headers)) {
		if strings.Contains(r.Headers[name], placeholder) {
			found = append(found, "the header "+name)
		}
	}
	if strings.Contains(r.Body, placeholder) {
		found = append(found, "the body")
	}
	return found
}

// filled substitutes the placeholders by values, each escaped for its place. No error quotes one.
func (r Request) filled(values map[string]secret.Value) (Request, error) {
	if len(values) == 0 {
		return r, nil
	}
	r.URL = replaced(r.URL, values, inURL)
	headers := make(map[string]string, len(r.Headers))
	for name, value := range r.Headers {
		filled := replaced(value, values, asItIs)
		if !isHeaderValue(filled) {
			return r, problem.InvalidInput(
				"The value of a secret has a line break or another control character, so it cannot stand in a header.",
				problem.Issue{Path: "headers." + name, Message: "cannot hold the value of the secret"},
			)
		}
		headers[name] = filled
	}
	r.Headers = headers
	escape, err := r.bodyEscape()
	if err != nil {
		return r, err
	}
	r.Body = replaced(r.Body, values, escape)
	return r, nil
}

// replaced substitutes in a single pass, so that a value cannot contain placeholders.
func replaced(text string, values map[string]secret.Value, escape func(string) string) string {
	return placeholderPattern.ReplaceAllStringFunc(text, func(p string) string {
		value, ok := values[p]
		if !ok {
			return p
		}
		return escape(value.Reveal())
	})
}

func asItIs(value string) string { return value }

// inURL escapes a value so that it cannot leave its path segment or query value.
func inURL(value string) string {
	var b strings.Builder
	for i := range len(value) {
		c := value[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '~' {
			b.WriteByte(c)
			continue
		}
		_, _ = fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}

// inJSON escapes a value for the inside of a JSON string.
func inJSON(value string) string {
	quoted, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return string(quoted[1 : len(quoted)-1])
}

// bodyEscape returns the escape function for the body: for strings of JSON, whatever the content type, for values of a
// form, else none.
func (r Request) bodyEscape() (func(string) string, error) {
	if !placeholderPattern.MatchString(r.Body) {
		return asItIs, nil
	}
	media, _, err := mime.ParseMediaType(r.Headers["Content-Type"])
	isJSON := json.Valid([]byte(r.Body))
	switch {
	case r.Headers["Content-Type"] != "" && err != nil:
		return nil, problem.InvalidInput(
			"The header Content-Type cannot be read.",
			problem.Issue{Path: "headers.Content-Type", Message: "is no media type"},
		)
	case isJSON:
		return inJSON, nil
	case media == "application/json" || strings.HasSuffix(media, "+json"):
		return nil, problem.InvalidInput(
			"The body is said to be JSON and is none. With placeholders of secrets it has to be valid before they are filled "+
				"in: put them in strings.",
			problem.Issue{Path: "body", Message: "is not valid JSON"},
		)
	case media == "application/x-www-form-urlencoded":
		return inURL, nil
	}
	return asItIs, nil
}
