package model

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
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
	// DefaultMaxResponseBytes applies when Options.MaxResponseBytes is zero.
	DefaultMaxResponseBytes = 8 << 20
	// maxModels bounds what Models returns.
	maxModels = 2000
)

// Options configure a [Client].
type Options struct {
	// BaseURL ends before "/chat/completions", as in
	// "https://api.openai.com/v1". A query string is kept.
	BaseURL string
	// APIKey is sent as bearer token; empty sends none.
	APIKey string
	// HTTPClient replaces the default one, which has a connection pool shared
	// by all clients of the process. Redirects are never followed: they would
	// carry the conversation to another host.
	HTTPClient *http.Client
	// StallTimeout ends a call when the provider sends nothing for so long.
	StallTimeout time.Duration
	// MaxResponseBytes bounds what is read of one response.
	MaxResponseBytes int64
	// Traceparent tells the provider the id of the trace that a call is part of.
	Traceparent bool
}

// Client calls the models of one connection. It is safe for concurrent use.
type Client struct {
	chatURL   string
	modelsURL string
	key       string
	http      *http.Client
	stall     time.Duration
	maxBytes  int64
	// host is where the provider is, without port; traceparent says whether it is told about traces.
	host        string
	traceparent bool
	// dialect is what this provider taught us about optional request fields.
	dialect atomic.Uint32
	// forgetful says that the last answer was complete and its stream did not end.
	forgetful atomic.Bool
	readers   sync.Pool
	habits    habits
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
		key:      strings.TrimSpace(o.APIKey),
		stall:    o.StallTimeout,
		maxBytes: o.MaxResponseBytes,
	}
	if c.stall <= 0 {
		c.stall = DefaultStallTimeout
	}
	if c.maxBytes <= 0 {
		c.maxBytes = DefaultMaxResponseBytes
	}
	c.chatURL, c.modelsURL = endpoints(strings.TrimSpace(o.BaseURL))
	if u, err := url.Parse(c.chatURL); err == nil {
		c.host = u.Hostname()
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

func endpoints(base string) (chat, models string) {
	u, err := url.Parse(base)
	if err != nil {
		return base, base // the round trip explains what is wrong with it
	}
	return u.JoinPath("chat", "completions").String(), u.JoinPath("models").String()
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
	if failure != nil {
		return response, failure
	}
	return response, nil
}

// chat sends a chat request, again when the provider refuses an optional field.
func (c *Client) chat(ctx context.Context, req Request, stream bool) (*call, *Error) {
	accept := "application/json"
	if stream {
		accept = "text/event-stream"
	}
	wire := wireRequest(req, stream)
	for attempt := 0; ; attempt++ {
		dialect := dialect(c.dialect.Load())
		body := appendRequest(nil, &wire, dialect)
		call, failure := c.send(ctx, http.MethodPost, c.chatURL, body, accept)
		if failure == nil {
			return call, nil
		}
		adapted, ok := dialect.adapt(failure)
		failure.body = nil
		if !ok || attempt == maxAdaptations {
			return nil, failure
		}
		c.dialect.CompareAndSwap(uint32(dialect), uint32(adapted))
	}
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
		return nil, &Error{Class: Invalid, cause: err,
			Message: "The base URL of the connection is not a valid address. Correct it in the connection's settings."}
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", accept)
	req.Header.Set("User-Agent", "countersign")
	// An empty value is not sent; it tells the transport that this POST may be
	// repeated when an idle connection turns out to be closed.
	req.Header["Idempotency-Key"] = []string{}
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
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

// notAnAnswer explains a successful response that is not the protocol.
func notAnAnswer(body []byte, key string) *Error {
	const hint = "Check that the base URL of the connection is that of an OpenAI-compatible API."
	trimmed := bytes.TrimSpace(body)
	if len(trimmed) == 0 {
		return &Error{Class: Cut, Message: "The model provider closed the connection without an answer."}
	}
	if trimmed[0] == '<' {
		return &Error{Class: Invalid, Message: presentable(fmt.Sprintf(
			"The address answered with a web page (%q) instead of an answer. %s", htmlText(string(trimmed)), hint), key)}
	}
	return &Error{Class: Malformed, Message: presentable(fmt.Sprintf(
		"The model provider's answer could not be understood: %.300s", trimmed), key)}
}
