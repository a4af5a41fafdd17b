package model

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/propagation"

	"countersign/egress"
)

const (
	// DefaultStallTimeout applies when Options.StallTimeout is zero.
	DefaultStallTimeout = time.Minute
	// DefaultMaxAnswerBytes applies when Options.MaxAnswerBytes is zero: some two million tokens.
	DefaultMaxAnswerBytes = 8 << 20
	// DefaultMaxResponseBytes applies when Options.MaxResponseBytes is zero. A token costs some 300 bytes on the wire.
	DefaultMaxResponseBytes = 1 << 30
	// maxModels bounds what Models returns.
	maxModels = 2000
)

// Options configure a [Client].
type Options struct {
	// BaseURL ends before "/chat/completions", as in
	// "https://api.openai.com/v1". A query string is kept.
	BaseURL string
	// APIKey is sent as bearer token, to Azure as api-key; empty sends none.
	APIKey string
	// ID names the connection: what it wants back is sent to no other.
	ID string
	// Learned is told what refusals have taught, from the goroutine of a call; see [Client.Know].
	Learned func([]Learned)
	// HTTPClient replaces the default one, which has a connection pool shared
	// by all clients of the process. Redirects are never followed: they would
	// carry the conversation to another host.
	HTTPClient *http.Client
	// StallTimeout ends a call when the provider sends nothing for so long.
	StallTimeout time.Duration
	// MaxAnswerBytes bounds what an answer says: its text, its thoughts and the arguments of its calls.
	MaxAnswerBytes int
	// MaxResponseBytes bounds what is read of one response on the wire.
	MaxResponseBytes int64
	// Traceparent tells the provider the id of the trace that a call is part of.
	Traceparent bool
}

// Client calls the models of one connection. It is safe for concurrent use.
type Client struct {
	endpoint

	key      string
	id       string
	http     *http.Client
	stall    time.Duration
	maxBytes int64
	maxSaid  int
	// traceparent says whether the provider is told about traces.
	traceparent bool
	// forgetful says that the last answer was complete and its stream did not end.
	forgetful atomic.Bool
	readers   sync.Pool
	habits    habits
	// taught is what the provider has taught, for each model; learned is told of it.
	lessons sync.RWMutex
	taught  map[string]dialect
	learned func([]Learned)
}

// sharedTransport refuses what is never a model server: see egress.Own.
var sharedTransport = sync.OnceValue(func() http.RoundTripper { return egress.Own{}.Guarded(NewTransport()) })

// NewTransport returns a transport tuned for model calls: many connections per
// host stay open, and nothing is compressed, as a compressed stream arrives in
// lumps.
func NewTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           dialer.DialContext,
		ForceAttemptHTTP2:     true,
		MaxIdleConns:          1024,
		MaxIdleConnsPerHost:   512,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   10 * time.Second,
		ExpectContinueTimeout: time.Second,
		DisableCompression:    true,
	}
}

// New returns a client. A base URL that cannot be used is reported by the
// first call, as [Invalid].
func New(o Options) *Client {
	c := &Client{
		endpoint: endpointOf(strings.TrimSpace(o.BaseURL)),
		key:      strings.TrimSpace(o.APIKey),
		id:       o.ID,
		learned:  o.Learned,
		stall:    o.StallTimeout,
		maxBytes: o.MaxResponseBytes,
		maxSaid:  o.MaxAnswerBytes,
	}
	if c.stall <= 0 {
		c.stall = DefaultStallTimeout
	}
	if c.maxBytes <= 0 {
		c.maxBytes = DefaultMaxResponseBytes
	}
	if c.maxSaid <= 0 {
		c.maxSaid = DefaultMaxAnswerBytes
	}
	c.traceparent = o.Traceparent

	httpClient := http.Client{}
	if o.HTTPClient != nil {
		httpClient = *o.HTTPClient
	}
	if httpClient.Transport == nil {
		httpClient.Transport = sharedTransport()
	}
	httpClient.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c.http = &httpClient
	c.readers.New = func() any { return newAnswerReader() }
	return c
}

// Stream asks for an answer and calls onDelta, from this goroutine, for every
// piece of it as it arrives. Together with an error it returns what had arrived
// until then; tool calls of such a response may be incomplete. Every error is
// an [*Error].
func (c *Client) Stream(ctx context.Context, req Request, onDelta func(Delta)) (Response, error) {
	return c.answer(ctx, req, true, onDelta)
}

// Complete asks for an answer in one piece.
func (c *Client) Complete(ctx context.Context, req Request) (Response, error) {
	return c.answer(ctx, req, false, nil)
}

func (c *Client) answer(ctx context.Context, req Request, stream bool, onDelta func(Delta)) (Response, error) {
	ctx, span := c.begin(ctx, req, &onDelta)
	response, err := c.untraced(ctx, req, stream, onDelta)
	span.end(response, err)
	return response, err
}

func (c *Client) untraced(ctx context.Context, req Request, stream bool, onDelta func(Delta)) (Response, error) {
	call, failure := c.chat(ctx, req, stream)
	if failure != nil {
		return Response{}, failure
	}
	defer call.close()
	reader := c.readers.Get().(*answerReader) //nolint:errcheck // the pool holds nothing else
	defer c.readers.Put(reader)
	reader.reset(call, onDelta)
	failure = reader.read()
	response := reader.response()
	c.learn(req.Model, response, reader.thoughtTokens)
	reader.release()
	if response.Kept != nil {
		response.Kept.From, response.Kept.Model = c.id, req.Model
	}
	if failure != nil {
		// What is refused within an answer is not asked again here, but by whoever tries again.
		if taught := c.dialectFor(req.Model).adapt(failure, failure.Reported()); taught != nil {
			c.remember(req.Model, []*deviation{taught})
		}
		return response, failure
	}
	if req.NoCalls && len(req.Tools) > 0 && len(response.ToolCalls) > 0 && response.Text == "" {
		c.rememberLastTools(req.Model)
	}
	return response, nil
}

// chat sends a chat request, again when the refusal teaches how it wants to be asked. What did not help is forgotten.
func (c *Client) chat(ctx context.Context, req Request, stream bool) (*call, *Error) {
	accept := "application/json"
	if stream {
		accept = "text/event-stream"
	}
	said := c.dialectFor(req.Model)
	var taught []*deviation
	for {
		call, failure := c.send(ctx, http.MethodPost, c.endpoint.chat, c.body(req, said, stream), accept)
		if failure == nil {
			c.remember(req.Model, taught)
			return call, nil
		}
		next := said.adapt(failure, string(failure.body))
		failure.body = nil
		if next == nil || len(taught) == maxAdaptations {
			return nil, failure
		}
		said |= next.bit
		taught = append(taught, next)
	}
}

// body is a request as this provider takes it.
func (c *Client) body(req Request, said dialect, stream bool) []byte {
	req.Messages = validHistory(req.Messages, c.id, req.Model, said)
	return appendRequest(nil, &req, said, stream)
}

// send makes one round trip. A response that is not a success becomes an Error.
func (c *Client) send(ctx context.Context, method, target string, body []byte, accept string) (*call, *Error) {
	call := newCall(ctx, c)
	var payload io.Reader
	if body != nil {
		payload = bytes.NewReader(body)
	}
	req, err := http.NewRequestWithContext(call.ctx, method, target, payload)
	if err != nil {
		call.close()
		return nil, &Error{
			Class: Invalid, cause: err,
			Message: "The base URL of the connection is not a valid address. Correct it in the connection's settings.",
		}
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", accept)
	req.Header.Set("User-Agent", "countersign")
	// An empty value is not sent; it tells the transport that this POST may be
	// repeated when an idle connection turns out to be closed.
	req.Header["Idempotency-Key"] = []string{}
	c.authorize(req.Header, c.key)
	if c.traceparent {
		propagation.TraceContext{}.Inject(call.ctx, propagation.HeaderCarrier(req.Header))
	}
	resp, err := call.roundTrip(req)
	if err != nil {
		defer call.close()
		return nil, transportError(call.ctx, err, false, c.key)
	}
	call.body = newPatient(call.ctx, &unzipped{source: resp.Body})
	if resp.StatusCode < 200 {
		// The rest of such a connection is not HTTP, and reading it heeds no deadline.
		defer call.close()
		return nil, responseError(resp.StatusCode, resp.Header, nil, c.key)
	}
	if resp.StatusCode > 299 {
		defer call.close()
		text, err := io.ReadAll(io.LimitReader(call, maxErrorBody))
		if err != nil && len(text) == 0 && call.ctx.Err() != nil {
			return nil, transportError(call.ctx, err, false, c.key)
		}
		failure := responseError(resp.StatusCode, resp.Header, text, c.key)
		failure.body = text
		return nil, failure
	}
	return call, nil
}

// notAnAnswer explains a successful response that is not the protocol, without a word of it: the address may be that of
// another service on a private network.
func notAnAnswer(body []byte, key string) *Error {
	trimmed := bytes.TrimSpace(body)
	if len(trimmed) == 0 {
		return &Error{Class: Cut, Message: "The model provider closed the connection without an answer."}
	}
	reported := presentable(string(trimmed[:min(len(trimmed), maxMessageBytes)]), key)
	if trimmed[0] == '<' {
		return &Error{Class: Invalid, reported: reported, Message: "The address answered with a web page instead of an answer. " +
			"Check that the base URL of the connection is that of an OpenAI-compatible API."}
	}
	return &Error{Class: Malformed, reported: reported, Message: "The model provider's answer could not be understood."}
}
