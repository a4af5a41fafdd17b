package model

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"countersign/internal/egress"
	"countersign/internal/secret/scrub"
	characters "countersign/internal/text"
)

const (
	// maxMessageBytes bounds Error.Message.
	maxMessageBytes = 2 << 10
	// maxErrorBody bounds the bytes read of a failed response.
	maxErrorBody  = 64 << 10
	maxRetryAfter = time.Hour
	// shortestSecret is the minimum length for redaction, so that a placeholder key such as "x" does not shred the
	// text.
	shortestSecret = 4
	// maxMatched bounds the part of a body that is searched for wordings.
	maxMatched = 16 << 10
	// statusKind marks a report that came as "base_resp", which has its own codes.
	statusKind = "base_resp"
)

var (
	htmlTitle = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)
	htmlTag   = regexp.MustCompile(`(?is)<(script|style)\b.*?</(script|style)>|<[^>]*>`)
)

// report is a provider's description of a failure.
type report struct {
	message, code, kind string
	// shaped is set when message comes from an error object as providers send it. The text of any other body can reveal a
	// quirk, but is not shown: it may come from a service on a private address that is no provider (SSRF).
	shaped bool
	// body is the whole body, in lower case.
	body string
}

// responseError turns a failed response into an Error.
func responseError(status int, header http.Header, body []byte, secrets []string) *Error {
	rep := readReport(body)
	e := &Error{Status: status, Code: presentable(rep.code, secrets), FromProvider: rep.shaped, reported: presentable(rep.message, secrets)}
	e.Class, e.Reason = classify(status, rep)
	e.RetryAfter = retryAfter(header)
	if e.RetryAfter == 0 && (e.Class == RateLimited || e.Class == Unavailable) {
		e.RetryAfter = statedWait(header, rep)
	}
	if location := header.Get("Location"); status >= 300 && status < 400 && location != "" {
		e.Message, e.FromProvider = "The model provider redirects to another address.", false
		e.Detail = presentable("use the address that it redirects to as the base URL of the connection: "+location, secrets)
	}
	switch {
	case e.Message != "":
	case e.FromProvider:
		e.Message = e.reported
	default:
		e.Message = strings.TrimSpace(fmt.Sprintf("The model provider answered with %d %s", status, http.StatusText(status))) + "."
	}
	return e
}

// reportedError turns an error object inside a stream, or in a response with
// status 200, into an Error.
func reportedError(body []byte, secrets []string) *Error {
	rep := readReport(body)
	status, err := strconv.Atoi(rep.code)
	if err != nil || status < 400 || status > 599 {
		status = 0
	}
	e := &Error{
		Status: status, Code: presentable(rep.code, secrets), FromProvider: rep.shaped,
		Message: "The model provider reported an error without saying which.", reported: presentable(rep.message, secrets),
	}
	if e.FromProvider {
		e.Message = e.reported
	}
	e.Class, e.Reason = classify(status, rep)
	if e.Class == RateLimited || e.Class == Unavailable {
		e.RetryAfter = statedWait(nil, rep)
	}
	return e
}

// readReport extracts the text from the many shapes of error bodies.
func readReport(body []byte) report {
	trimmed := strings.TrimSpace(string(body))
	if strings.HasPrefix(trimmed, "<") {
		return report{message: htmlText(trimmed)}
	}
	var value any
	if json.Unmarshal(body, &value) != nil {
		return report{message: trimmed}
	}
	rep := reportIn(value, 0)
	if _, bare := value.(string); !bare {
		rep.shaped = rep.message != ""
	}
	if rep.message == "" && trimmed != "{}" && trimmed != "null" {
		rep.message = trimmed
	}
	rep.body = strings.ToLower(trimmed[:min(len(trimmed), maxMatched)])
	return rep
}

func reportIn(value any, depth int) report {
	const deepest = 6
	switch v := value.(type) {
	case string:
		var encoded map[string]any
		if depth > 0 && depth < deepest && strings.HasPrefix(v, "{") && json.Unmarshal([]byte(v), &encoded) == nil {
			if found := reportIn(encoded, depth+1); found.message != "" {
				return found
			}
		}
		return report{message: v}
	case []any:
		if len(v) > 0 && depth < deepest {
			return reportIn(v[0], depth+1)
		}
	case map[string]any:
		v = inLowerCase(v)
		rep := report{code: codeText(v["code"]), kind: codeText(v["type"])}
		for _, name := range []string{"status", "error_type", "error_code"} {
			if rep.kind == "" {
				rep.kind = codeText(v[name])
			}
		}
		if status, ok := v["base_resp"].(map[string]any); ok && codeText(status["status_code"]) != "0" {
			return report{message: codeText(status["status_msg"]), code: codeText(status["status_code"]), kind: statusKind}
		}
		for _, name := range reportMembers {
			inner, ok := v[name]
			if !ok || inner == nil || depth == deepest {
				continue
			}
			found := reportIn(inner, depth+1)
			if found.message == "" {
				continue
			}
			rep.message = found.message
			if found.code != "" {
				rep.code = found.code
			}
			if found.kind != "" {
				rep.kind = found.kind
			}
			break
		}
		for _, name := range []string{"data", "result", "response", "body", "choices"} {
			if inner, ok := v[name]; ok && rep.message == "" && depth < deepest && (v["event"] == "error" || !isText(inner)) {
				rep = reportIn(inner, depth+1)
			}
		}
		// Gateways put the answer of the provider behind them here.
		if metadata, ok := v["metadata"].(map[string]any); ok {
			if raw, ok := metadata["raw"].(string); ok && raw != "" {
				rep.message += ": " + raw
			}
		}
		return rep
	}
	return report{}
}

var (
	// errorMembers are the members in which only errors stand, in lower case, reportMembers all in which their words do.
	errorMembers = []string{
		"error", "message", "detail", "errors", "error_msg", "error_message", "errormessage", "error_description", "exception",
	}
	reportMembers = append(slices.Clone(errorMembers), "msg", "description", "status_msg", "title")
)

// inLowerCase is an object with names in lower case.
func inLowerCase(object map[string]any) map[string]any {
	lower := make(map[string]any, len(object))
	for name, value := range object {
		if low := strings.ToLower(name); low == name || lower[low] == nil {
			lower[low] = value
		}
	}
	return lower
}

func isText(value any) bool {
	_, ok := value.(string)
	return ok
}

func codeText(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	default:
		return ""
	}
}

func htmlText(page string) string {
	if title := htmlTitle.FindStringSubmatch(page); title != nil {
		page = title[1]
	}
	text := html.UnescapeString(htmlTag.ReplaceAllString(page, " "))
	return strings.Join(strings.Fields(text), " ")
}

func containsAny(text string, needles ...string) bool {
	for _, needle := range needles {
		if strings.Contains(text, needle) {
			return true
		}
	}
	return false
}

// transportError turns a failed round trip or read into an Error. A connection that breaks during the answer is Cut,
// one that was never established is Unavailable.
func transportError(ctx context.Context, err error, answering bool, secrets []string) *Error {
	if stalled, ok := errors.AsType[*stallError](context.Cause(ctx)); ok {
		return stalled.failure()
	}
	if ctx.Err() != nil {
		return &Error{Class: Canceled, Message: "The model call was canceled.", cause: ctx.Err()}
	}
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	if errors.Is(err, egress.ErrRefused) {
		return &Error{
			Class: Invalid,
			cause: err,
			Message: "The base URL of the connection leads to a link-local address or to a metadata service, where no model " +
				"is. Correct it in the connection's settings.",
		}
	}
	detail := presentable(err.Error(), secrets)
	if answering {
		return &Error{
			Class: Cut, cause: err, Detail: detail,
			Message: "The connection to the model provider broke in the middle of the answer.",
		}
	}
	class := Unavailable
	if isConfigurationError(err) {
		class = Invalid
	}
	return &Error{Class: class, Message: "The model provider could not be reached.", Detail: detail, cause: err}
}

// isConfigurationError recognizes failures that only a changed connection can repair.
func isConfigurationError(err error) bool {
	_, badCertificate := errors.AsType[*tls.CertificateVerificationError](err)
	_, unknownAuthority := errors.AsType[x509.UnknownAuthorityError](err)
	_, notTLS := errors.AsType[tls.RecordHeaderError](err)
	text := err.Error()
	return badCertificate || unknownAuthority || notTLS ||
		containsAny(text, "unsupported protocol scheme", "no Host in request URL", "invalid header field")
}

// presentable makes a provider's text safe to show and store.
func presentable(text string, secrets []string) string {
	// Order: remove characters that could hide a key from the redaction, redact, then cut, which could leave half a
	// key.
	text = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		if unicode.IsControl(r) || characters.Disguises(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	for _, secret := range secrets {
		text = strings.ReplaceAll(text, secret, scrub.Marker)
	}
	text = strings.TrimSpace(scrub.Text(text))
	if len(text) <= maxMessageBytes {
		return text
	}
	end := maxMessageBytes - len("…")
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}
