package scriptpolicy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"countersign/internal/egress"
	"countersign/internal/problem"
	"countersign/sandbox"
)

// The limits of one request of a script.
const (
	MaxRequestBody  = 1 << 20
	MaxResponseBody = 5 << 20
	MaxHeaders      = 64
	MaxHeaderBytes  = 16 << 10
	// FetchTimeout bounds a request whose context has a later deadline.
	FetchTimeout = 60 * time.Second
)

const advice = "An administrator can change what scripts reach under Admin, Script policy"

// Fetcher makes the network requests that the policy allows, none of them to closed; nil when it allows none.
func Fetcher(p Policy, closed *egress.Endpoints) sandbox.Fetcher {
	options := egress.Options{Closed: closed}
	switch p.Network {
	case Public:
	case Allowlist:
		options.Only = p.allowlist()
	default:
		return nil
	}
	return fetcherWith(options)
}

func fetcherWith(o egress.Options) sandbox.Fetcher {
	o.Advice = advice
	return &fetcher{client: egress.New(o).Client(FetchTimeout)}
}

type fetcher struct{ client *http.Client }

// refusal is an error whose text a script may see.
type refusal struct {
	text  string
	cause error
}

func (r *refusal) Error() string { return r.text }
func (r *refusal) Unwrap() error { return r.cause }

func refuse(format string, args ...any) error { return &refusal{text: fmt.Sprintf(format, args...)} }

// Fetch implements sandbox.Fetcher. Any HTTP status is an answer. It adds only missing User-Agent, Accept and
// Accept-Encoding headers: no cookie, no credential.
func (f *fetcher) Fetch(ctx context.Context, r sandbox.Request) (sandbox.Response, error) {
	request, err := build(ctx, r)
	if err != nil {
		return sandbox.Response{}, err
	}
	response, err := f.client.Do(request)
	if err != nil {
		return sandbox.Response{}, shown(ctx, err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode < http.StatusOK {
		return sandbox.Response{}, refuse(
			"The URL answered with status %d, which switches to another protocol. Scripts can only use HTTP.",
			response.StatusCode,
		)
	}
	body, err := io.ReadAll(io.LimitReader(counted{response.Body, r.Received}, MaxResponseBody+1))
	if errors.Is(err, sandbox.ErrHostBytes) {
		return sandbox.Response{}, refuse("The answer is larger than what the script may still receive.")
	}
	if err != nil {
		return sandbox.Response{}, shown(ctx, err)
	}
	if len(body) > MaxResponseBody {
		return sandbox.Response{}, refuse("The answer is larger than %d bytes. Ask for less, such as one page of it.", MaxResponseBody)
	}
	_, phrase, _ := strings.Cut(response.Status, " ")
	answer := sandbox.Response{
		Status:     response.StatusCode,
		StatusText: readable(phrase),
		Headers:    make(map[string]string, len(response.Header)),
		Body:       body,
	}
	for name, values := range response.Header {
		answer.Headers[strings.ToLower(name)] = readable(strings.Join(values, ", "))
	}
	for _, value := range response.Header.Values("Set-Cookie") {
		answer.SetCookie = append(answer.SetCookie, readable(value))
	}
	return answer, nil
}

// counted reports bytes during reading.
type counted struct {
	from     io.Reader
	received func(n int) error
}

// Read implements io.Reader.
func (c counted) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	if c.received != nil && n > 0 {
		if over := c.received(n); over != nil {
			return 0, over
		}
	}
	return n, err
}

// build validates a request and returns exactly the one that is sent, with the normalised URL.
func build(ctx context.Context, r sandbox.Request) (*http.Request, error) {
	method := strings.ToUpper(r.Method)
	if method == "" {
		method = http.MethodGet
	}
	if !slices.Contains([]string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}, method) {
		return nil, refuse("The method must be GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS.")
	}
	if len(r.Body) > MaxRequestBody {
		return nil, refuse("The body of a request may have at most %d bytes.", MaxRequestBody)
	}
	if len(r.Body) > 0 && (method == http.MethodGet || method == http.MethodHead) {
		return nil, refuse("A %s request cannot have a body. Use POST, or leave the body out.", method)
	}
	target, err := egress.ParseTarget(r.URL)
	if err != nil {
		return nil, shown(ctx, err)
	}
	request, err := http.NewRequestWithContext(ctx, method, target.URL.String(), bytes.NewReader(r.Body))
	if err != nil {
		return nil, refuse("This URL cannot be requested: it is not a valid URL.")
	}
	if request.Header, err = headers(r.Headers); err != nil {
		return nil, err
	}
	for name, value := range map[string]string{"User-Agent": "Countersign-Script/1", "Accept": "*/*", "Accept-Encoding": "identity"} {
		if request.Header.Get(name) == "" {
			request.Header.Set(name, value)
		}
	}
	return request, nil
}

// hopHeaders belong to the connection, not to the request, or determine its target.
func hopHeaders() []string {
	return []string{
		"connection",
		"content-length",
		"expect",
		"host",
		"keep-alive",
		"te",
		"trailer",
		"transfer-encoding",
		"upgrade",
		"http2-settings",
	}
}

func headers(wanted map[string]string) (http.Header, error) {
	if len(wanted) > MaxHeaders {
		return nil, refuse("A request may have at most %d headers.", MaxHeaders)
	}
	sent, size := make(http.Header, len(wanted)), 0
	for name, value := range wanted {
		lower := strings.ToLower(name)
		switch {
		case !httpguts.ValidHeaderFieldName(name):
			return nil, refuse("A header of the request has a name that is not valid.")
		case slices.Contains(hopHeaders(), lower) || strings.HasPrefix(lower, "proxy-"):
			return nil, refuse("The header %s cannot be set by a script.", name)
		case !httpguts.ValidHeaderFieldValue(value):
			return nil, refuse("The header %s has a value with a line break or a control character.", name)
		case len(sent.Values(name)) > 0:
			return nil, refuse("The header %s is there twice.", name)
		}
		if size += len(name) + len(value); size > MaxHeaderBytes {
			return nil, refuse("The headers of a request may have at most %d bytes together.", MaxHeaderBytes)
		}
		sent.Set(name, value)
	}
	return sent, nil
}

// shown removes everything from an error that a script may not see. Messages of package egress name no address.
func shown(ctx context.Context, err error) error {
	if known, ok := errors.AsType[*problem.Error](err); ok {
		return &refusal{text: known.Detail, cause: err}
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return &refusal{text: "The request was stopped.", cause: err}
	}
	reason := egress.Reason(err)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		reason = "the script's time was over"
	}
	return &refusal{text: "The URL did not answer: " + reason + ".", cause: err}
}

// readable returns text that fits into JSON.
func readable(text string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "")
}
