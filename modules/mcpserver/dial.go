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

	"countersign/egress"
	"countersign/modules/mcpserver/mcpserverdb"
	"countersign/problem"
	"countersign/secret"
	"countersign/secret/mask"
	"countersign/secret/scrub"
	"countersign/text"
)

// door is the way to one server for one exchange: requests go to its origin only, with its credential, and everything that comes
// back counts against one bound.
type door struct {
	base   http.RoundTripper
	origin string
	// name is the header of the credential, "" for none.
	name  string
	value secret.Value

	left   atomic.Int64
	status atomic.Int64
	// sent says that a request has gone out since it was reset.
	sent    atomic.Bool
	failure atomic.Pointer[error]
}

var (
	errElsewhere = errors.New("the server wants requests to be sent elsewhere")
	errTooMuch   = fmt.Errorf("the server sent more than %d bytes", maxAnswer)
)

// RoundTrip implements http.RoundTripper.
func (d *door) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Scheme+"://"+req.URL.Host != d.origin {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		err := errElsewhere
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
	res.Body = &bounded{res.Body, d}
	return res, nil
}

// bounded is a body that counts against what may come through a door.
type bounded struct {
	io.ReadCloser

	door *door
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.door.left.Load() <= 0 {
		err := errTooMuch
		b.door.failure.Store(&err)
		return 0, err
	}
	n, err := b.ReadCloser.Read(p)
	b.door.left.Add(-int64(n))
	return n, err
}

// session is an exchange with a server.
type session struct {
	client *sdk.ClientSession
	door   *door
	masker *mask.Masker
	server mcpserverdb.McpServer
	// quotes says that errors may hold words of the server: administrators read them. A model would take them for words of the product.
	quotes bool
}

// dial begins an exchange with a server, which close ends. What it returns as an error holds no credential.
func (m *Module) dial(ctx context.Context, server mcpserverdb.McpServer, value secret.Value, quotes bool) (*session, error) {
	target, err := m.target(ctx, server.Address)
	if err != nil {
		return nil, err
	}
	x := &session{server: server, quotes: quotes, door: &door{origin: target.URL.Scheme + "://" + target.URL.Host}}
	x.door.left.Store(maxAnswer)
	if err := x.carry(value); err != nil {
		return nil, err
	}
	client := m.Guard.Client(callTimeout)
	x.door.base, client.Transport = client.Transport, x.door
	// The server can ask for nothing: no sampling, no elicitation, no roots, and no stream of its own.
	protocol := sdk.NewClient(&sdk.Implementation{Name: "countersign", Title: "Countersign", Version: m.Version}, &sdk.ClientOptions{
		Capabilities: &sdk.ClientCapabilities{}, MultiRoundTrip: &sdk.MultiRoundTripOptions{Disabled: true},
	})
	x.client, err = protocol.Connect(ctx, &sdk.StreamableClientTransport{
		Endpoint: target.URL.String(), HTTPClient: client, MaxRetries: -1, DisableStandaloneSSE: true, MaxEventSize: maxAnswer,
	}, nil)
	if err != nil {
		return nil, x.failed(ctx, err)
	}
	return x, nil
}

// carry gives the door the credential.
func (x *session) carry(value secret.Value) error {
	switch Auth(x.server.Auth) {
	case Bearer, OAuth:
		x.door.name, x.door.value = "Authorization", secret.NewValue("Bearer "+value.Reveal())
	case Header:
		x.door.name, x.door.value = x.server.Header, value
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

// close ends the exchange. A server that does not answer to that keeps nobody waiting.
func (x *session) close() {
	go func() { _ = x.client.Close() }()
}

// list is every tool that the server has, as far as that is read.
func (x *session) list(ctx context.Context) ([]*sdk.Tool, error) {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	var listed []*sdk.Tool
	params := &sdk.ListToolsParams{}
	for range maxPages {
		page, err := x.client.ListTools(ctx, params)
		if err != nil {
			return nil, x.failed(ctx, err)
		}
		listed = append(listed, page.Tools...)
		if page.NextCursor == "" || len(listed) >= maxListed {
			break
		}
		params = &sdk.ListToolsParams{Cursor: page.NextCursor}
	}
	return listed[:min(len(listed), maxListed)], nil
}

// said is a text of the server in one line, as it may be shown.
func (x *session) said(line string) string {
	const most = 300
	return text.Shown(scrub.Text(x.masker.Text(line)), most)
}

// failed is why an exchange came to nothing.
func (x *session) failed(ctx context.Context, err error) error {
	failure := problem.Errorf(problem.Conflict, "The MCP server %s did not answer as it should: %s.", x.server.Name, x.reason(ctx, err))
	if x.door.status.Load() == http.StatusUnauthorized && x.door.failure.Load() == nil {
		return failure.WithCause(errUntold)
	}
	return failure
}

// errUntold is that a server does not take what it was told of who calls.
var errUntold = errors.New("the server answered with status 401")

// reason is what went wrong in an exchange, as the end of a sentence that holds no credential.
func (x *session) reason(ctx context.Context, err error) string {
	if failure := x.door.failure.Load(); failure != nil {
		err = *failure
	}
	status := x.door.status.Load()
	if refused, ok := errors.AsType[*problem.Error](err); ok {
		return strings.TrimSuffix(x.said(refused.Detail), ".")
	}
	switch {
	case errors.Is(err, errTooMuch), errors.Is(err, errElsewhere):
		return err.Error()
	case ctx.Err() != nil:
		return egress.Reason(context.DeadlineExceeded)
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return fmt.Sprintf("it refused with status %d; check how it is told who calls", status)
	case status >= http.StatusMultipleChoices && status < http.StatusBadRequest:
		return fmt.Sprintf("it sent the request on with status %d, which is not followed", status)
	}
	if refused, ok := x.refusal(err); ok {
		if !x.quotes {
			return fmt.Sprintf("it answered with the error %d", refused.Code)
		}
		return "it said: " + strings.TrimSuffix(x.said(refused.Message), ".")
	}
	if status >= http.StatusBadRequest {
		return fmt.Sprintf("it answered with status %d", status)
	}
	return egress.Reason(err)
}

// local are the codes by which the client library says itself that a request came to nothing. A server that sends one says no more.
var local = []int64{-32001, -32003, -32004, -32005}

// refusal is the error that a server has answered with.
func (x *session) refusal(err error) (*jsonrpc.Error, bool) {
	refused, ok := errors.AsType[*jsonrpc.Error](err)
	return refused, ok && x.door.failure.Load() == nil && !slices.Contains(local, refused.Code)
}

// protocol is what the server calls itself, and the revision that it speaks.
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
