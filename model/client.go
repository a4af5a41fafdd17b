package model

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/propagation"

	"countersign/internal/egress"
)

const (
	// DefaultStallTimeout applies when Options.StallTimeout is zero.
	DefaultStallTimeout = time.Minute
	// DefaultMaxAnswerBytes applies when Options.MaxAnswerBytes is zero: some two million tokens.
	DefaultMaxAnswerBytes = 8 << 20
	// DefaultMaxResponseBytes applies when Options.MaxResponseBytes is zero. A token costs some 300 bytes on the wire.
	DefaultMaxResponseBytes = 1 << 30
	// maxModels bounds the list that Models returns.
	maxModels = 2000
)

// Options configure a [Client].
type Options struct {
	// BaseURL ends before "/chat/completions", as in
	// "https://api.openai.com/v1". A query string is kept.
	BaseURL string
	// APIKey is sent as bearer token, to Azure as api-key; empty sends none.
	APIKey string
	// ID names the connection. Reasoning and signatures go back only to the connection that sent them.
	ID string
	// OnQuirks receives newly detected quirks, on the goroutine of the call; see [Client.AddQuirks].
	OnQuirks func([]ModelQuirk)
	// HTTPClient replaces the default client, whose connection pool is shared by the process. Redirects are never
	// followed: they would carry the conversation to another host.
	HTTPClient *http.Client
	// StallTimeout ends a call after this time without a byte of the answer. Request.FirstToken replaces it before the answer
	// begins.
	StallTimeout time.Duration
	// MaxAnswerBytes bounds the content of an answer: text, thoughts and the arguments of calls.
	MaxAnswerBytes int
	// MaxResponseBytes bounds one response on the wire.
	MaxResponseBytes int64
	// Traceparent sends the W3C trace context of a call to the provider.
	Traceparent bool
	// Headers are sent with every request. Those that the client or HTTP itself sets are left out ([OwnsHeader]).
	Headers http.Header
	// ExtraBody is a JSON object whose members are added to chat requests, without those of the client ([OwnsMember]).
	ExtraBody json.RawMessage
	// ReasoningEffort is sent with chat requests; "" sends none.
	ReasoningEffort string
	// Streaming is StreamAlways, StreamNever, or "" for what the caller asks and the model takes.
	Streaming string
	// TextCalls is TextCallsMade, TextCallsNotMade, or "" for those in the marks of templates of a model that is known to write
	// them ([Client.NoteTextCalls]).
	TextCalls string
}

// Values of [Options.Streaming].
const (
	StreamAlways = "on"
	StreamNever  = "off"
)

// Client calls the models of one connection. It is safe for concurrent use.
type Client struct {
	endpoint

	key            string
	secrets        []string
	headers        http.Header
	extraBody      []byte
	effort         string
	streaming      string
	textCalls      string
	id             string
	http           *http.Client
	stall          time.Duration
	maxBytes       int64
	maxAnswerBytes int
	// traceparent says that calls carry the W3C trace context.
	traceparent bool
	// omitsEndMarker says that the last answer was complete and its stream did not end.
	omitsEndMarker atomic.Bool
	readers        sync.Pool
	thinking       thinkingModels
	// quirks are the detected quirkRules of the provider by model; onQuirks receives new ones.
	quirksMu sync.RWMutex
	detected map[string]quirks
	onQuirks func([]ModelQuirk)
}

// sharedTransport applies the SSRF guard of egress.Own.
var sharedTransport = sync.OnceValue(func() http.RoundTripper { return egress.Own{}.Guarded(NewTransport()) })

// NewTransport returns a transport tuned for model calls: many idle connections per host, and no compression, since a
// compressed stream arrives in lumps.
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

// New returns a client. The first call reports an unusable base URL, as [Invalid].
func New(o Options) *Client {
	c := &Client{
		endpoint:       endpointOf(strings.TrimSpace(o.BaseURL)),
		key:            strings.TrimSpace(o.APIKey),
		id:             o.ID,
		onQuirks:       o.OnQuirks,
		stall:          o.StallTimeout,
		maxBytes:       o.MaxResponseBytes,
		maxAnswerBytes: o.MaxAnswerBytes,
		headers:        ownHeadersRemoved(o.Headers),
		extraBody:      membersOf(o.ExtraBody),
		effort:         o.ReasoningEffort,
		streaming:      o.Streaming,
		textCalls:      o.TextCalls,
	}
	c.secrets = secretsOf(c.key, c.headers)
	if c.stall <= 0 {
		c.stall = DefaultStallTimeout
	}
	if c.maxBytes <= 0 {
		c.maxBytes = DefaultMaxResponseBytes
	}
	if c.maxAnswerBytes <= 0 {
		c.maxAnswerBytes = DefaultMaxAnswerBytes
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

// Stream requests an answer and calls onDelta, on this goroutine, for every piece as it arrives. An error comes with
// the partial response; its tool calls may be incomplete. Every error is an [*Error].
func (c *Client) Stream(ctx context.Context, req Request, onDelta func(Delta)) (Response, error) {
	return c.answer(ctx, req, true, onDelta)
}

// Complete requests an answer in one piece.
func (c *Client) Complete(ctx context.Context, req Request) (Response, error) {
	return c.answer(ctx, req, false, nil)
}

func (c *Client) answer(ctx context.Context, req Request, stream bool, onDelta func(Delta)) (Response, error) {
	ctx, span := c.startSpan(ctx, req, &onDelta)
	response, err := c.untraced(ctx, req, stream, onDelta)
	span.end(response, err)
	return response, err
}

func (c *Client) untraced(ctx context.Context, req Request, stream bool, onDelta func(Delta)) (Response, error) {
	call, sent, failure := c.chat(ctx, req, stream)
	if failure != nil {
		return Response{}, failure
	}
	defer call.close()
	reader := c.readers.Get().(*answerReader) //nolint:errcheck // the pool holds nothing else
	defer c.readers.Put(reader)
	reader.reset(call, req.Tools, c.madeCalls(req), onDelta)
	failure = reader.decode()
	response := reader.response()
	c.observeThinking(req.Model, response, reader.thoughtTokens)
	wroteCalls := reader.wroteCalls
	reader.release()
	if response.ReplayData != nil {
		response.ReplayData.From, response.ReplayData.Model = c.id, req.Model
	}
	if failure != nil {
		// A refusal inside an answer only records the quirk; the retry is the caller's.
		if revealed := c.quirksOf(req.Model).detect(failure, failure.Reported(), sent); revealed != nil {
			c.record(req.Model, []*quirkRule{revealed})
		}
		return response, failure
	}
	if req.NoCalls && len(req.Tools) > 0 && len(response.ToolCalls) > 0 && response.Text == "" {
		c.noteIgnoredToolChoice(req.Model)
	}
	if wroteCalls && req.ToldOfTextCalls && !req.NoCalls {
		c.NoteTextCalls(req.Model, "")
	}
	return response, nil
}

// chat sends a chat request, and again with the quirks that each refusal reveals. Quirks that did not help are dropped.
func (c *Client) chat(ctx context.Context, req Request, stream bool) (*call, sentAs, *Error) {
	q := c.quirksOf(req.Model)
	var revealed []*quirkRule
	for {
		sent, accept := c.streams(q, stream), "application/json"
		if sent == streamed {
			accept = "text/event-stream"
		}
		call, failure := c.send(ctx, http.MethodPost, c.endpoint.chat, c.body(req, q, sent == streamed), accept, c.firstLimit(req, sent))
		if failure == nil {
			c.record(req.Model, revealed)
			return call, sent, nil
		}
		if limit, ok := toolLimit(failure, string(failure.body), len(offeredTools(&req, q))); ok {
			failure.Class, failure.Reason, failure.MaxTools, failure.body = Invalid, TooManyTools, limit, nil
			return nil, sent, failure
		}
		next := q.detect(failure, string(failure.body), sent)
		failure.body = nil
		if next == nil || len(revealed) == maxAdaptations {
			return nil, sent, failure
		}
		q |= next.bit
		revealed = append(revealed, next)
	}
}

// body encodes a request with the provider's quirks.
func (c *Client) body(req Request, q quirks, stream bool) []byte {
	req.Messages = validHistory(req.Messages, c.id, req.Model, q)
	return appendRequest(nil, &req, q, extras{stream, c.effort, c.extraBody})
}

// wholeAnswerStalls is the number of stall timeouts for an answer that comes in one piece, beside the time before its first
// words.
const wholeAnswerStalls = 5

// firstLimit is the time in which the provider has to begin its answer.
func (c *Client) firstLimit(req Request, sent sentAs) time.Duration {
	first := c.stall
	if req.FirstToken > 0 {
		first = req.FirstToken
	}
	if sent == unstreamed {
		first += wholeAnswerStalls * c.stall
	}
	return first
}

// send makes one round trip. A response that is not a success becomes an Error.
func (c *Client) send(ctx context.Context, method, target string, body []byte, accept string, first time.Duration) (*call, *Error) {
	call := newCall(ctx, c, first)
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
	req.Header.Set("User-Agent", "countersign")
	maps.Copy(req.Header, c.headers)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", accept)
	// An empty header is not sent; it marks this POST as idempotent for the transport, so that it is repeated when an
	// idle connection turns out to be closed.
	req.Header["Idempotency-Key"] = []string{}
	c.authorize(req.Header, c.key)
	if c.traceparent {
		propagation.TraceContext{}.Inject(call.ctx, propagation.HeaderCarrier(req.Header))
	}
	resp, err := call.roundTrip(req)
	if err != nil {
		defer call.close()
		return nil, transportError(call.ctx, err, false, c.secrets)
	}
	call.body = newAbandonableBody(call.ctx, &unzipped{source: resp.Body})
	if resp.StatusCode < 200 {
		// The remaining bytes of such a connection are not HTTP, and reading them ignores deadlines.
		defer call.close()
		return nil, responseError(resp.StatusCode, resp.Header, nil, c.secrets)
	}
	if resp.StatusCode > 299 {
		defer call.close()
		text, err := io.ReadAll(io.LimitReader(call, maxErrorBody))
		if err != nil && len(text) == 0 && call.ctx.Err() != nil {
			return nil, transportError(call.ctx, err, false, c.secrets)
		}
		text = withoutEcho(text)
		failure := responseError(resp.StatusCode, resp.Header, text, c.secrets)
		failure.body = text
		return nil, failure
	}
	return call, nil
}

// notAnAnswer explains a successful response that is not the protocol, without a word of it: the address may be that of
// another service on a private network.
func notAnAnswer(body []byte, secrets []string) *Error {
	trimmed := bytes.TrimSpace(body)
	if len(trimmed) == 0 {
		return &Error{Class: Cut, Message: "The model provider closed the connection without an answer."}
	}
	reported := presentable(string(trimmed[:min(len(trimmed), maxMessageBytes)]), secrets)
	if trimmed[0] == '<' {
		return &Error{Class: Invalid, reported: reported, Message: "The address answered with a web page instead of an answer. " +
			"Check that the base URL of the connection is that of an OpenAI-compatible API."}
	}
	return &Error{Class: Malformed, reported: reported, Message: "The model provider's answer could not be understood."}
}
