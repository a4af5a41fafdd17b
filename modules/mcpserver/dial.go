package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"countersign/internal/egress"
	"countersign/internal/problem"
	"countersign/internal/secret"
	"countersign/internal/secret/mask"
	"countersign/internal/secret/scrub"
	"countersign/internal/text"
	"countersign/modules/mcpserver/mcpserverdb"
)

// originTransport is the HTTP transport of one exchange with a server: it sends requests to the server's origin only, adds the
// credential, and bounds the bytes of all responses together.
type originTransport struct {
	base   http.RoundTripper
	origin string
	// name is the header of the credential, "" for none.
	name  string
	value secret.Value

	bytesLeft atomic.Int64
	status    atomic.Int64
	// sent reports that a request was written since the last reset.
	sent    atomic.Bool
	failure atomic.Pointer[error]
}

var (
	errOtherOrigin    = errors.New("the server wants requests to be sent elsewhere")
	errAnswerTooLarge = fmt.Errorf("the server sent more than %d bytes", maxAnswer)
)

// RoundTrip implements http.RoundTripper.
func (d *originTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Scheme+"://"+req.URL.Host != d.origin {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		err := errOtherOrigin
		d.failure.Store(&err)
		return nil, err
	}
	trace := &httptrace.ClientTrace{WroteHeaders: func() { d.sent.Store(true) }}
	req = req.Clone(httptrace.WithClientTrace(req.Context(), trace))
	if d.name != "" {
		req.Header.Set(d.name, d.value.Reveal())
	}
	req.Header.Set("User-Agent", "Countersign-MCP/1")
	req.Header.Set("Accept-Encoding", "identity")
	res, err := d.base.RoundTrip(req)
	if err != nil {
		d.failure.Store(&err)
		return nil, err
	}
	d.failure.Store(nil)
	d.status.Store(int64(res.StatusCode))
	res.Body = &boundedBody{res.Body, d}
	return res, nil
}

// boundedBody is a response body that counts against the byte limit of its transport.
type boundedBody struct {
	io.ReadCloser

	transport *originTransport
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.transport.bytesLeft.Load() <= 0 {
		err := errAnswerTooLarge
		b.transport.failure.Store(&err)
		return 0, err
	}
	n, err := b.ReadCloser.Read(p)
	b.transport.bytesLeft.Add(-int64(n))
	return n, err
}

// session is an exchange with a server.
type session struct {
	client    *sdk.ClientSession
	transport *originTransport
	masker    *mask.Masker
	server    mcpserverdb.McpServer
	// quotes permits quoting the server in errors. Only administrators see those: a model would take the text for the
	// product's own.
	quotes bool
}

// dial opens an exchange with a server; the caller closes it. Errors hold no credential.
func (m *Module) dial(ctx context.Context, server mcpserverdb.McpServer, value secret.Value, quotes bool) (*session, error) {
	target, err := m.target(ctx, server.Address)
	if err != nil {
		return nil, err
	}
	x := &session{server: server, quotes: quotes, transport: &originTransport{origin: target.URL.Scheme + "://" + target.URL.Host}}
	x.transport.bytesLeft.Store(maxAnswer)
	if err := x.setCredential(value); err != nil {
		return nil, err
	}
	client := m.Guard.Client(callTimeout)
	x.transport.base, client.Transport = client.Transport, x.transport
	// The client declares no capabilities: no sampling, elicitation or roots, and no stream from the server.
	protocol := sdk.NewClient(&sdk.Implementation{Name: "countersign", Title: "Countersign", Version: m.Version}, &sdk.ClientOptions{
		Capabilities: &sdk.ClientCapabilities{}, MultiRoundTrip: &sdk.MultiRoundTripOptions{Disabled: true},
	})
	x.client, err = protocol.Connect(ctx, &sdk.StreamableClientTransport{
		Endpoint: target.URL.String(), HTTPClient: client, MaxRetries: -1, DisableStandaloneSSE: true, MaxEventSize: maxAnswer,
	}, nil)
	if err != nil {
		return nil, x.exchangeError(ctx, err)
	}
	return x, nil
}

// setCredential sets the credential of the transport.
func (x *session) setCredential(value secret.Value) error {
	switch Auth(x.server.Auth) {
	case Bearer, OAuth:
		x.transport.name, x.transport.value = "Authorization", secret.NewValue("Bearer "+value.Reveal())
	case Header:
		x.transport.name, x.transport.value = x.server.Header, value
	default:
		return nil
	}
	if strings.ContainsFunc(value.Reveal(), func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
		return problem.Errorf(
			problem.Conflict,
			"The value of the secret %s has line breaks or control characters, which no header can hold. Replace the value.",
			x.server.Secret,
		)
	}
	var err error
	x.masker, err = mask.New(value)
	return err
}

// close ends the exchange in the background, so that a slow server does not delay the caller.
func (x *session) close() {
	go func() { _ = x.client.Close() }()
}

// list returns the server's tools, up to the limits of pages and tools.
func (x *session) list(ctx context.Context) ([]*sdk.Tool, error) {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	var listed []*sdk.Tool
	params := &sdk.ListToolsParams{}
	for range maxPages {
		page, err := x.client.ListTools(ctx, params)
		if err != nil {
			return nil, x.exchangeError(ctx, err)
		}
		listed = append(listed, page.Tools...)
		if page.NextCursor == "" || len(listed) >= maxListed {
			break
		}
		params = &sdk.ListToolsParams{Cursor: page.NextCursor}
	}
	return listed[:min(len(listed), maxListed)], nil
}

// safeLine returns a text of the server as one safe line: without credentials and control characters, cut.
func (x *session) safeLine(line string) string {
	const most = 300
	return text.Shown(scrub.Text(x.masker.Text(line)), most)
}

// exchangeError wraps the error of an exchange as a problem.
func (x *session) exchangeError(ctx context.Context, err error) error {
	failure := problem.Errorf(problem.Conflict, "The MCP server %s did not answer as it should: %s.", x.server.Name, x.reason(ctx, err))
	if x.transport.status.Load() == http.StatusUnauthorized && x.transport.failure.Load() == nil {
		return failure.WithCause(errUnauthorized)
	}
	return failure
}

// errUnauthorized is the cause when a server rejects the credential.
var errUnauthorized = errors.New("the server answered with status 401")

// reason is the failure of an exchange as the end of a sentence that holds no credential.
func (x *session) reason(ctx context.Context, err error) string {
	if failure := x.transport.failure.Load(); failure != nil {
		err = *failure
	}
	status := x.transport.status.Load()
	if refused, ok := errors.AsType[*problem.Error](err); ok {
		return strings.TrimSuffix(x.safeLine(refused.Detail), ".")
	}
	switch {
	case errors.Is(err, errAnswerTooLarge), errors.Is(err, errOtherOrigin):
		return err.Error()
	case ctx.Err() != nil:
		return egress.Reason(context.DeadlineExceeded)
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return fmt.Sprintf("it refused with status %d; check its credential", status)
	case status >= http.StatusMultipleChoices && status < http.StatusBadRequest:
		return fmt.Sprintf("it sent the request on with status %d, which is not followed", status)
	}
	if refused, ok := x.serverError(err); ok {
		if !x.quotes {
			return fmt.Sprintf("it answered with the error %d", refused.Code)
		}
		return "it said: " + strings.TrimSuffix(x.safeLine(refused.Message), ".")
	}
	if status >= http.StatusBadRequest {
		return fmt.Sprintf("it answered with status %d", status)
	}
	return egress.Reason(err)
}

// clientErrorCodes are the error codes that the client library itself uses for failed requests. A server that sends one is not
// quoted.
var clientErrorCodes = []int64{-32001, -32003, -32004, -32005}

// serverError returns the JSON-RPC error that the server answered with.
func (x *session) serverError(err error) (*jsonrpc.Error, bool) {
	refused, ok := errors.AsType[*jsonrpc.Error](err)
	return refused, ok && x.transport.failure.Load() == nil && !slices.Contains(clientErrorCodes, refused.Code)
}

// protocol returns the server's name for itself and the protocol revision that it speaks.
func (x *session) protocol() (implementation, revision string) {
	result := x.client.InitializeResult()
	if result == nil {
		return "", ""
	}
	if info := result.ServerInfo; info != nil {
		const most = 120
		implementation = text.Shown(strings.TrimSpace(x.masker.Text(info.Name+" "+info.Version)), most)
	}
	const longest = 20
	return implementation, text.Shown(result.ProtocolVersion, longest)
}
