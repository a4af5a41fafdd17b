package strategy

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"countersign/check"
	"countersign/internal/problem"
)

// websocketConfig configures the address and the opening handshake.
type websocketConfig struct {
	URL           string             `json:"url" jsonschema:"minLength=1,maxLength=4096" jsonschema_description:"Where the server is: a ws:// or wss:// URL" check:"template,label=URL"`
	Headers       []httpHeader       `json:"headers,omitempty" jsonschema:"maxItems=50" jsonschema_description:"Headers of the request that opens the connection" check:"label=Headers"`
	SecretHeaders []httpSecretHeader `json:"secretHeaders,omitempty" jsonschema:"maxItems=20" jsonschema_description:"Headers whose values are secrets" check:"label=Secret headers"`
	BearerToken   string             `json:"bearerToken,omitempty" jsonschema:"maxLength=16384" jsonschema_description:"Token that is sent as Authorization: Bearer" check:"secret,label=Bearer token"`
	Subprotocols  []string           `json:"subprotocols,omitempty" jsonschema:"maxItems=10" jsonschema_description:"Subprotocols to offer, such as graphql-transport-ws; the check fails when the server takes none of them" check:"template,label=Subprotocols"`
	ServerName    string             `json:"serverName,omitempty" jsonschema:"maxLength=253" jsonschema_description:"The name that the certificate has to be for, when it is not the host of the URL" check:"template,label=Server name"`
	CA            string             `json:"ca,omitempty" jsonschema:"maxLength=65536" jsonschema_description:"Certificates in PEM to trust instead of the public authorities" check:"editor=text,label=Certificate authority"`
	SkipVerify    bool               `json:"skipVerify,omitempty" jsonschema_description:"Take any certificate. An expired one fails all the same, unless an assertion is about certificateDaysRemaining." check:"label=Take any certificate"`
	CertificateTerm
	check.Deadline
	check.Tries
	check.Addressing
}

// Check implements check.Checker.
func (c *websocketConfig) Check() []problem.Issue {
	issues := urlIssues("url", c.URL, "ws", "wss")
	if strings.HasPrefix(c.URL, "ws://") {
		issues = append(issues, c.without("use wss://")...)
	}
	for i, h := range c.Headers {
		issues = append(issues, headerIssues("headers", i, h.Name, h.Value)...)
	}
	for i, h := range c.SecretHeaders {
		issues = append(issues, headerIssues("secretHeaders", i, h.Name, h.Value)...)
	}
	return issues
}

// websocketExchangeConfig configures the messages of an exchange.
type websocketExchangeConfig struct {
	Send     string `json:"send,omitempty" jsonschema:"maxLength=65536" jsonschema_description:"Text message to send; none when empty" check:"template,editor=text,label=Send"`
	Expect   string `json:"expect,omitempty" jsonschema:"maxLength=4000" jsonschema_description:"Wait for a message that holds this text; others are passed over" check:"template,label=Expect"`
	Pattern  string `json:"expectPattern,omitempty" jsonschema:"maxLength=1000" jsonschema_description:"Wait for a message that this regular expression (RE2) matches" check:"label=Expect by pattern"`
	NoAnswer bool   `json:"noAnswer,omitempty" jsonschema_description:"Wait for no message: it is enough that the connection stands and the message was sent" check:"label=No answer"`
}

// Check implements check.Checker.
func (c *websocketExchangeConfig) Check() []problem.Issue {
	if _, err := regexp.Compile(c.Pattern); err != nil {
		return []problem.Issue{{Path: "expectPattern", Message: "is not a regular expression (RE2)"}}
	}
	if c.NoAnswer && (c.Expect != "" || c.Pattern != "") {
		return []problem.Issue{{Path: "noAnswer", Message: "cannot be used together with expect and expectPattern"}}
	}
	return nil
}

// websocketExchangeResult is the received messages of an exchange.
type websocketExchangeResult struct {
	Success        bool    `json:"success" jsonschema_description:"Whether the expected message came, or any when none is named" check:"label=Success"`
	Message        string  `json:"message" jsonschema_description:"The message that was waited for, or else the last that came; a path can find values in JSON" check:"jsonpath,label=Message"`
	MessageLength  int     `json:"messageLength" jsonschema_description:"Its bytes" check:"chart=line,unit=bytes,label=Message length"`
	Messages       int     `json:"messages" jsonschema_description:"How many messages came until then" check:"label=Messages"`
	ConnectTimeMs  float64 `json:"connectTimeMs" jsonschema_description:"How long it took until the server had agreed to speak WebSocket" check:"chart=line,unit=ms,label=Connect time"`
	ResponseTimeMs float64 `json:"responseTimeMs" jsonschema_description:"From then, or from the message that was sent, until the awaited message" check:"chart=line,unit=ms,label=Response time,keep"`
	Subprotocol    string  `json:"subprotocol" jsonschema_description:"The subprotocol that the server took" check:"label=Subprotocol"`
	CertificateDays
	cutFields
}

// websocketSession is an open connection that collectors use in turn.
type websocketSession struct {
	conn    *websocket.Conn
	address string
	took    time.Duration
	turn    sync.Mutex

	certificate lifetime
}

func websocketStrategy() check.Strategy {
	return check.NewStrategy(
		check.Kind{
			ID: "healthcheck-websocket.websocket", Name: "WebSocket", Category: "Web",
			Description: "Opens a WebSocket connection, over TLS or not.",
		},
		openWebsocket, func(s *websocketSession) { _ = s.conn.Close(websocket.StatusNormalClosure, "") },
		check.NewCollector(check.Kind{
			ID: "healthcheck-websocket.exchange", Name: "WebSocket messages", Category: "Web",
			Description: "Sends a message and waits for the one that answers it.",
		}, websocketExchange),
	)
}

// handshake records errors below HTTP during the opening handshake.
type handshake struct {
	mu     sync.Mutex
	failed error
	wire   *wire
}

func (h *handshake) note(w *wire, err error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.wire = w; err != nil {
		h.failed = err
	}
	return err
}

func openWebsocket(ctx context.Context, run check.Run, c *websocketConfig) (*websocketSession, error) {
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" {
		return nil, check.Fail(check.NotRunnable, "The URL of this check is not valid.")
	}
	s := &websocketSession{address: addressOf(u)}
	h := &handshake{}
	var sent []*x509.Certificate
	expected := trust{
		name: otherwise(c.ServerName, u.Hostname()), roots: authorities(c.CA), unchecked: c.SkipVerify, least: c.MinDaysUntilExpiry, sent: &sent,
	}
	transport := &http.Transport{
		// The transport's own context does not end with the run.
		DialContext: func(_ context.Context, _, address string) (net.Conn, error) {
			w, err := reachAddress(ctx, run, address)
			return w, h.note(w, err)
		},
		DialTLSContext: func(_ context.Context, _, address string) (net.Conn, error) {
			w, err := reachAddress(ctx, run, address)
			if err != nil {
				return nil, h.note(nil, err)
			}
			conn, err := encrypt(ctx, w, expected, "http/1.1")
			if err != nil {
				_ = w.Close()
			}
			return conn, h.note(w, err)
		},
		TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12}, MaxResponseHeaderBytes: maxHeaderBytes,
	}
	header := http.Header{"User-Agent": {"Countersign"}}
	for _, given := range c.Headers {
		header.Set(given.Name, given.Value)
	}
	for _, given := range c.SecretHeaders {
		header.Set(given.Name, given.Value)
	}
	if c.BearerToken != "" {
		header.Set("Authorization", "Bearer "+c.BearerToken)
	}
	host := header.Get("Host")
	header.Del("Host")
	begun := time.Now()
	conn, answer, err := websocket.Dial(ctx, c.URL, &websocket.DialOptions{ //nolint:bodyclose // nothing of it is left to read
		HTTPClient: &http.Client{
			Transport:     transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		HTTPHeader:   header,
		Host:         host,
		Subprotocols: c.Subprotocols,
	})
	s.took = time.Since(begun)
	if err != nil {
		return nil, h.failure(ctx, s.address, answer, err)
	}
	if len(c.Subprotocols) > 0 && conn.Subprotocol() == "" {
		_ = conn.Close(websocket.StatusProtocolError, "")
		return nil, check.Fail(check.WrongAnswer, "The server at "+s.address+" takes none of the subprotocols that this check offers.")
	}
	conn.SetReadLimit(maxHTTPBody)
	s.conn, s.certificate = conn, expected.lifetime(s.address, sent, run.Now())
	return s, nil
}

// failure explains a failed opening handshake.
func (h *handshake) failure(ctx context.Context, address string, answer *http.Response, err error) error {
	h.mu.Lock()
	below, spoke := h.failed, h.wire
	h.mu.Unlock()
	switch {
	case below != nil:
		return check.Classify(ctx, "connect to "+address, below)
	case answer != nil && (answer.StatusCode == http.StatusUnauthorized || answer.StatusCode == http.StatusForbidden ||
		answer.StatusCode == http.StatusProxyAuthRequired):
		return check.Fail(
			check.NotAdmitted,
			"The server at "+address+" does not admit this check: it answered with status "+itoa(answer.StatusCode)+".",
		)
	case answer != nil && answer.StatusCode >= 500:
		return check.Fail(
			check.WrongAnswer,
			"The server at "+address+" sent status "+itoa(answer.StatusCode)+" instead of opening a WebSocket connection.",
		)
	case answer != nil && answer.StatusCode >= 300 && answer.StatusCode < 400:
		return check.Fail(
			check.BadProtocol,
			"The server at "+address+" redirects"+redirectGoal(answer)+" with status "+itoa(answer.StatusCode)+
				", which a WebSocket connection does not follow: use that URL.",
		)
	case answer != nil && plainToTLS(answer.StatusCode, beginningOf(answer)):
		return check.Fail(check.BadProtocol, "The server at "+address+" expects TLS there: use wss://.")
	case answer != nil:
		return check.Fail(
			check.BadProtocol,
			"The server at "+address+" does not open WebSocket connections: it answered with status "+itoa(answer.StatusCode)+".",
		)
	case ctx.Err() == nil && spoke != nil && bytes.HasPrefix(spoke.began(), []byte{0x15, 0x03}): // a TLS alert
		return check.Fail(check.BadProtocol, "The server at "+address+" expects TLS there: use wss://.")
	case ctx.Err() == nil && halfAnswer(ctx, spoke, address, err) != nil:
		return halfAnswer(ctx, spoke, address, err)
	case ctx.Err() == nil && spoke != nil && len(spoke.began()) > 0:
		return misspoken(address, "HTTP")
	case ctx.Err() != nil && spoke != nil:
		return check.Fail(check.TimedOut, "The connection to "+address+" stood, but the server did not agree to speak WebSocket in time.")
	default:
		return check.Classify(ctx, "open a WebSocket connection to "+address, err)
	}
}

// redirectGoal names where a redirect leads, without its query.
func redirectGoal(answer *http.Response) string {
	u, err := answer.Location()
	if err != nil {
		return ""
	}
	return " to " + finalURL(u)
}

// beginningOf returns the beginning of a body, of which the WebSocket client keeps a kilobyte.
func beginningOf(answer *http.Response) string {
	body, err := io.ReadAll(io.LimitReader(answer.Body, 1024))
	if err != nil {
		return ""
	}
	return string(body)
}

// maxMessages bounds the messages that one exchange passes over.
const maxMessages = 10_000

func websocketExchange(
	ctx context.Context,
	run check.Run,
	s *websocketSession,
	c *websocketExchangeConfig,
) (*websocketExchangeResult, error) {
	s.turn.Lock()
	defer s.turn.Unlock()
	pattern, err := regexp.Compile(c.Pattern)
	if err != nil {
		return nil, check.Fail(check.NotRunnable, "The pattern of this check is not a regular expression.")
	}
	r := &websocketExchangeResult{
		ConnectTimeMs: milliseconds(s.took), Subprotocol: clip(s.conn.Subprotocol(), 200), CertificateDays: s.certificate.days,
	}
	begun := time.Now()
	if c.Send != "" {
		if err := s.conn.Write(ctx, websocket.MessageText, []byte(c.Send)); err != nil {
			return nil, s.broken(ctx, r, c, err)
		}
	}
	for !r.Success {
		if c.NoAnswer {
			r.Success = true
			break
		}
		_, message, err := s.conn.Read(ctx)
		if err != nil {
			r.ResponseTimeMs = milliseconds(time.Since(begun))
			return r, s.broken(ctx, r, c, err)
		}
		if r.Messages++; r.Messages > maxMessages {
			return r, check.Fail(
				check.WrongAnswer,
				"The server at "+s.address+" sends more than a check takes: "+itoa(maxMessages)+" messages, none of them the expected one.",
			)
		}
		r.Message, r.MessageLength = r.clip("message", string(message), maxHTTPBody), len(message)
		r.Success = strings.Contains(r.Message, c.Expect) && pattern.MatchString(r.Message)
	}
	r.ResponseTimeMs = milliseconds(time.Since(begun))
	return r, s.certificate.failure(run)
}

// broken explains why the awaited message did not arrive.
func (s *websocketSession) broken(ctx context.Context, r *websocketExchangeResult, c *websocketExchangeConfig, err error) error {
	closed, isClosed := errors.AsType[websocket.CloseError](err)
	awaited := "a message"
	if c.Expect != "" || c.Pattern != "" {
		awaited = "the expected message"
	}
	switch {
	case ctx.Err() != nil && r.Messages > 0:
		return check.Fail(check.WrongAnswer, "The expected message did not come in time; others did.")
	case ctx.Err() != nil:
		return check.Fail(check.TimedOut, "The connection to "+s.address+" stood, but "+awaited+" did not come in time.")
	case isClosed && (closed.Code == websocket.StatusPolicyViolation || closed.Code == 4401 || closed.Code == 4403):
		return check.Fail(check.NotAdmitted, "The server closed the connection with code "+itoa(int(closed.Code))+reason(closed.Reason)+".")
	case isClosed:
		return check.Fail(
			check.WrongAnswer,
			"The server closed the connection with code "+itoa(int(closed.Code))+reason(closed.Reason)+" before "+awaited+" came.",
		)
	case errors.Is(err, websocket.ErrMessageTooBig):
		return check.Fail(check.WrongAnswer, "The message of "+s.address+" is larger than a check takes.")
	case errors.Is(err, io.EOF):
		return check.Fail(check.Broken, "The connection to "+s.address+" was interrupted before "+awaited+" came.")
	}
	return check.Classify(ctx, "hear from "+s.address, err)
}

func reason(text string) string {
	if text = brief(text); text == "" {
		return ""
	}
	return " (" + text + ")"
}

// Sends implements check.Sender.
func (c *websocketConfig) Sends() check.Sending {
	line := "It opens a WebSocket to " + c.URL
	var headers []string
	for _, h := range c.Headers {
		headers = append(headers, h.Name+": "+h.Value)
	}
	for _, h := range c.SecretHeaders {
		headers = append(headers, h.Name+": "+h.Value)
	}
	if c.BearerToken != "" {
		headers = append(headers, "Authorization: Bearer "+c.BearerToken)
	}
	if len(headers) > 0 {
		line += " with " + excerpt(strings.Join(headers, ", "))
	}
	return check.Sending{Lines: []string{line + "."}}
}

// Sends implements check.Sender.
func (c *websocketExchangeConfig) Sends() check.Sending {
	if c.Send == "" {
		return check.Sending{}
	}
	return check.Sending{Lines: []string{"It sends a message of " + itoa(len(c.Send)) + " bytes: " + excerpt(c.Send)}}
}
