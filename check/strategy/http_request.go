package strategy

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
	"golang.org/x/net/publicsuffix"

	"countersign/check"
	"countersign/internal/egress"
)

// httpPlan is the prepared config of a request.
type httpPlan struct {
	request *http.Request
	body    []byte
	address string // host:port, for sentences
	final   string // the URL without its query
	// private are the headers that are not sent to another host.
	private []string
	// single requests a new connection: on a reused one that the server has just closed, it would be unknown whether the
	// request had an effect, so it could not be retried.
	single bool
	follow bool
	most   int
}

func newHTTPPlan(c *httpRequestConfig) (*httpPlan, error) {
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
		return nil, check.Fail(check.NotRunnable, "The URL of this check is not a valid http:// or https:// URL.")
	}
	u.Fragment, u.RawFragment = "", ""
	p := &httpPlan{address: addressOf(u), final: finalURL(u), follow: c.FollowRedirects, most: c.MaxRedirects}
	header := http.Header{"User-Agent": {"Countersign"}, "Accept-Encoding": {acceptEncoding}}
	r := &http.Request{Method: c.Method, URL: u, Header: header, Host: u.Host, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}
	if r.Method == "" {
		r.Method = http.MethodGet
	}
	set := func(name, value string) error {
		if !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			return check.Fail(check.NotRunnable, "The header "+brief(name)+" of this check has characters that no header can have.")
		}
		if strings.EqualFold(name, "Host") {
			r.Host = value
			return nil
		}
		header[http.CanonicalHeaderKey(name)] = []string{value}
		return nil
	}
	for _, h := range c.Headers {
		if err := set(h.Name, h.Value); err != nil {
			return nil, err
		}
	}
	for _, h := range c.SecretHeaders {
		if err := set(h.Name, h.Value); err != nil {
			return nil, err
		}
		p.private = append(p.private, h.Name)
	}
	if credentials := authorization(c.BearerToken, c.Username, c.Password); credentials != "" {
		if err := set("Authorization", credentials); err != nil {
			return nil, err
		}
	}
	p.private = append(p.private, "Authorization", "Cookie")
	p.single = r.Method != http.MethodGet && r.Method != http.MethodHead && r.Method != http.MethodOptions
	if c.Body != "" {
		p.body = []byte(c.Body)
		r.ContentLength = int64(len(p.body))
		r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(p.body)), nil }
	}
	p.request = r
	return p, nil
}

func addressOf(u *url.URL) string {
	port := u.Port()
	switch {
	case port != "":
	case u.Scheme == "https" || u.Scheme == "wss":
		port = "443"
	default:
		port = "80"
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// httpRequest makes one request and reads the response.
func httpRequest(ctx context.Context, run check.Run, client *httpClient, c *httpRequestConfig) (*httpResult, error) {
	plan := c.ready.Load()
	if plan == nil {
		made, err := newHTTPPlan(c)
		if err != nil {
			return nil, err
		}
		plan = made
		c.ready.Store(plan)
	}
	e := &exchange{Context: ctx, client: client, server: plan.address, begun: time.Now()}
	e.deadline, _ = ctx.Deadline()
	if client.proxy != nil {
		if err := client.permits(ctx, plan.request.URL); err != nil {
			return nil, err
		}
		e.trace.TLSHandshakeStart = e.shaking
		e.trace.TLSHandshakeDone = func(state tls.ConnectionState, err error) {
			e.shaken()
			if err == nil {
				client.certified(plan.address, state)
			}
		}
	}
	e.trace.GotConn, e.trace.GotFirstResponseByte = e.got, e.first
	request := plan.request.WithContext(httptrace.WithClientTrace(e, &e.trace))
	if plan.body != nil {
		request.Body = io.NopCloser(bytes.NewReader(plan.body))
	}
	transport := client.single
	if !plan.single && !client.key.fresh {
		transport = client.kept(plan.address, run.Now())
	}
	answer, err := transport.RoundTrip(request)
	redirects := 0
	if err == nil && plan.follow && answer.StatusCode >= 300 && answer.StatusCode < 400 && answer.Header.Get("Location") != "" {
		answer, redirects, err = plan.redirected(ctx, client, e, request, answer, transport)
	}
	if err != nil {
		return nil, e.failure(ctx, plan.address, err)
	}
	defer answer.Body.Close()
	return plan.read(ctx, run, client, e, answer, redirects)
}

// answeredTransport is a transport that starts with an existing response.
type answeredTransport struct {
	http.RoundTripper
	answer *http.Response
	// last is the response before, which http.Client does not return when it cannot follow its redirect.
	last *http.Response
}

// RoundTrip implements http.RoundTripper.
func (b *answeredTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	if answer := b.answer; answer != nil {
		b.answer, answer.Request = nil, request
		if request.Body != nil {
			_ = request.Body.Close()
		}
		b.last = answer
		return answer, nil
	}
	answer, err := b.RoundTripper.RoundTrip(request)
	b.last = answer
	return answer, err
}

// redirected follows a redirect. http.Client applies its effect on method, body and headers. Cookies of one answer are
// sent with the next requests of the run, as servers that sign in by redirects expect.
func (p *httpPlan) redirected(
	ctx context.Context, client *httpClient, e *exchange, request *http.Request, first *http.Response, transport http.RoundTripper,
) (*http.Response, int, error) {
	followed := 0
	jar, err := cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List})
	if err != nil {
		return nil, 0, err
	}
	answers := &answeredTransport{RoundTripper: transport, answer: first}
	answer, err := (&http.Client{
		Transport: answers,
		Jar:       jar,
		CheckRedirect: func(next *http.Request, via []*http.Request) error {
			followed = len(via)
			return p.redirect(ctx, client, e, next, via)
		},
	}).Do(request)
	return answer, followed, redirectFailure(answers.last, err)
}

// redirectFailure explains an error after the first answer.
func redirectFailure(last *http.Response, err error) error {
	switch {
	case err == nil:
		return nil
	case last != nil && strings.Contains(err.Error(), "Location header"):
		return invalidRedirect(addressOf(last.Request.URL), last.Header.Get("Location"))
	default:
		return err
	}
}

func invalidRedirect(from, location string) error {
	return check.Fail(
		check.BadProtocol, "The server at "+from+" sends a redirect that is not a valid URL: "+brief(clip(location, 200))+".",
	)
}

// permits checks the address of a server that a proxy would connect to. It allows a name that only the proxy resolves.
func (c *httpClient) permits(ctx context.Context, u *url.URL) error {
	if _, err := c.key.host.Addresses(ctx, addressOf(u)); errors.Is(err, egress.ErrRefused) {
		return check.Classify(ctx, "connect to "+addressOf(u), err)
	}
	return nil
}

// redirect decides about the next request of a redirect chain.
func (p *httpPlan) redirect(ctx context.Context, client *httpClient, e *exchange, next *http.Request, via []*http.Request) error {
	from := otherwise(e.redirectedTo(), p.address)
	if next.URL.Scheme != "http" && next.URL.Scheme != "https" {
		return check.Fail(
			check.BadProtocol, "The server at "+from+" redirects to "+brief(finalURL(next.URL))+", which is not on the web.",
		)
	}
	if !validPort(next.URL) {
		return invalidRedirect(from, finalURL(next.URL))
	}
	if len(via) > max(p.most, 1) {
		return check.Fail(
			check.WrongAnswer,
			"The server at "+from+" redirects more often than this check follows, which is "+times(max(p.most, 1))+
				"; the next would go to "+brief(finalURL(next.URL))+".",
		)
	}
	e.redirecting(p.address, addressOf(next.URL))
	if client.proxy != nil {
		if err := client.permits(ctx, next.URL); err != nil {
			return err
		}
	}
	if addressOf(next.URL) != p.address || next.URL.Scheme != p.request.URL.Scheme {
		for _, name := range p.private {
			next.Header.Del(name)
		}
	}
	next.URL.User = nil
	e.reach(connecting)
	return nil
}

// read converts a response to a result. When the body fails, the result holds the part before.
func (p *httpPlan) read(
	ctx context.Context, run check.Run, client *httpClient, e *exchange, answer *http.Response, redirects int,
) (*httpResult, error) {
	e.reach(reading)
	address := otherwise(e.redirectedTo(), p.address)
	if answer.StatusCode == http.StatusSwitchingProtocols {
		// The body of a 101 response is the connection, which no request deadline ends.
		return nil, check.Fail(check.BadProtocol, "The server at "+p.address+" switches to another protocol without being asked to.")
	}
	r := &httpResult{
		StatusCode: answer.StatusCode, StatusText: statusText(answer), Success: answer.StatusCode < 400,
		ContentType: clip(answer.Header.Get("Content-Type"), 200), Redirects: redirects,
		FinalURL: p.final, Protocol: answer.Proto,
	}
	r.Headers, r.headersTruncated = headerDocument(answer.Header)
	if redirects > 0 {
		r.FinalURL = finalURL(answer.Request.URL)
	}
	var expires error
	if answer.TLS != nil && len(answer.TLS.PeerCertificates) > 0 {
		l := client.trust("").lifetime(address, answer.TLS.PeerCertificates, run.Now())
		r.CertificateDays, expires = l.days, l.failure(run)
		if client.proxy != nil { // the transport itself shakes hands through one
			client.certified(e.server, *answer.TLS)
		}
	} else if least := client.key.least; least > 0 {
		expires = check.Fail(
			check.BadCertificate, "The answer of "+address+" came without TLS; this check requires a certificate valid for "+days(least)+".",
		)
	}
	err := r.readBody(answer, address)
	if strings.Contains(r.ContentType, "html") {
		r.Title = htmlTitle(r.Body)
	}
	r.ResponseTimeMs = milliseconds(time.Since(e.begun))
	e.times(r)
	if err != nil {
		return r, e.failure(ctx, p.address, err)
	}
	if client.proxy != nil && answer.Request.URL.Scheme == "http" {
		if f := gatewayFailure(run, answer); f != nil {
			return r, f
		}
		r.mayBeProxy = mayBeProxy(r.StatusCode)
	}
	return r, expires
}

func statusText(answer *http.Response) string {
	_, text, _ := strings.Cut(answer.Status, " ")
	return clip(text, 100)
}

func finalURL(u *url.URL) string {
	if u.RawQuery != "" || u.User != nil || u.Fragment != "" {
		plain := *u
		plain.RawQuery, plain.User, plain.Fragment, plain.RawFragment, plain.ForceQuery = "", nil, "", "", false
		u = &plain
	}
	return clip(u.String(), 2048)
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return itoa(n) + " times"
}

func itoa(n int) string { return strconv.Itoa(n) }

// authorization is the value of an Authorization header; "" without credentials.
func authorization(bearerToken, username, password string) string {
	switch {
	case bearerToken != "":
		return "Bearer " + bearerToken
	case username != "" || password != "":
		return "Basic " + base64.StdEncoding.EncodeToString([]byte(username+":"+password))
	}
	return ""
}
