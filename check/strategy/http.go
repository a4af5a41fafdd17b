package strategy

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"golang.org/x/net/http/httpguts"

	"countersign/check"
	"countersign/internal/problem"
)

// httpConfig configures connections to a web server.
type httpConfig struct {
	Protocol          string `json:"protocol,omitempty" jsonschema:"enum=auto,enum=http1,enum=http2,default=auto" jsonschema_description:"auto takes HTTP/2 where the server offers it over TLS, http1 never; http2 fails where the server does not speak it" check:"label=Protocol"`
	FreshConnection   *bool  `json:"freshConnection,omitempty" jsonschema_description:"Open a connection for every run, so that looking up the name, connecting and TLS are measured and checked each time. Left out, checks of 30 s intervals and more do. Otherwise connections are kept for up to half a minute, which costs a server and the checks less; POST, PUT, PATCH and DELETE always open one." check:"label=Fresh connection"`
	SkipVerify        bool   `json:"skipVerify,omitempty" jsonschema_description:"Take any certificate, also one for another name. An expired one fails all the same, unless an assertion is about certificateDaysRemaining." check:"label=Take any certificate"`
	ServerName        string `json:"serverName,omitempty" jsonschema:"maxLength=253" jsonschema_description:"The name that the certificate has to be for, when it is not the host of the URL" check:"template,label=Server name"`
	CA                string `json:"ca,omitempty" jsonschema:"maxLength=65536" jsonschema_description:"Certificates in PEM to trust instead of the public authorities" check:"editor=text,label=Certificate authority"`
	ClientCertificate string `json:"clientCertificate,omitempty" jsonschema:"maxLength=65536" jsonschema_description:"Certificate in PEM that the check shows to the server, with its chain" check:"editor=text,label=Client certificate"`
	ClientKey         string `json:"clientKey,omitempty" jsonschema:"maxLength=65536" jsonschema_description:"Private key in PEM of the client certificate" check:"secret,label=Client key"`
	ProxyURL          string `json:"proxyUrl,omitempty" jsonschema:"maxLength=2048" jsonschema_description:"Proxy to go through: http:// or https:// with host and port" check:"template,label=Proxy"`
	ProxyUsername     string `json:"proxyUsername,omitempty" jsonschema:"maxLength=255" jsonschema_description:"Who logs in to the proxy, where it asks for that" check:"template,label=Proxy user"`
	ProxyPassword     string `json:"proxyPassword,omitempty" jsonschema:"maxLength=4096" jsonschema_description:"Password for the proxy" check:"secret,label=Proxy password"`
	CertificateTerm
	check.Deadline
	check.Tries
	check.Addressing

	// ready caches the client that the first run built from the config.
	ready atomic.Pointer[httpClient]
}

// Check implements check.Checker.
func (c *httpConfig) Check() []problem.Issue {
	var issues []problem.Issue
	if c.ProxyURL != "" {
		if u, err := url.Parse(c.ProxyURL); err != nil || u.Host == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
			issues = append(
				issues,
				problem.Issue{
					Path:    "proxyUrl",
					Message: "must be like http://proxy.example.com:3128, with http or https and without a user; the user has a field of its own",
				},
			)
		}
	}
	return append(issues, pairIssues(c.ClientCertificate, c.ClientKey)...)
}

// httpRequestConfig is one request.
type httpRequestConfig struct {
	URL             string             `json:"url" jsonschema:"minLength=1,maxLength=4096" jsonschema_description:"What to ask for: an http:// or https:// URL" check:"template,label=URL"`
	Method          string             `json:"method,omitempty" jsonschema:"enum=GET,enum=HEAD,enum=POST,enum=PUT,enum=PATCH,enum=DELETE,enum=OPTIONS,default=GET" jsonschema_description:"Method of the request" check:"label=Method"`
	Headers         []httpHeader       `json:"headers,omitempty" jsonschema:"maxItems=50" jsonschema_description:"Headers of the request" check:"label=Headers"`
	SecretHeaders   []httpSecretHeader `json:"secretHeaders,omitempty" jsonschema:"maxItems=20" jsonschema_description:"Headers whose values are secrets. They are not sent on when a redirect leads to another host." check:"label=Secret headers"`
	Body            string             `json:"body,omitempty" jsonschema:"maxLength=65536" jsonschema_description:"Body of the request. Say with the header Content-Type what it is." check:"template,editor=text,label=Body"`
	Username        string             `json:"username,omitempty" jsonschema:"maxLength=255" jsonschema_description:"User for basic authentication" check:"template,label=User"`
	Password        string             `json:"password,omitempty" jsonschema:"maxLength=4096" jsonschema_description:"Password for basic authentication" check:"secret,label=Password"`
	BearerToken     string             `json:"bearerToken,omitempty" jsonschema:"maxLength=16384" jsonschema_description:"Token that is sent as Authorization: Bearer" check:"secret,label=Bearer token"`
	FollowRedirects bool               `json:"followRedirects,omitempty" jsonschema:"default=true" jsonschema_description:"Follow redirects to the answer they lead to. Otherwise the redirect is the answer." check:"label=Follow redirects"`
	MaxRedirects    int                `json:"maxRedirects,omitempty" jsonschema:"minimum=1,maximum=20,default=5" jsonschema_description:"After how many redirects the check fails" check:"label=Most redirects"`

	ready atomic.Pointer[httpPlan]
}

// httpHeader is a header of a request.
type httpHeader struct {
	Name  string `json:"name" jsonschema:"minLength=1,maxLength=200" jsonschema_description:"Name of the header" check:"label=Name"`
	Value string `json:"value" jsonschema:"maxLength=8192" jsonschema_description:"Its value" check:"template,label=Value"`
}

// httpSecretHeader is a header whose value is a secret.
type httpSecretHeader struct {
	Name  string `json:"name" jsonschema:"minLength=1,maxLength=200" jsonschema_description:"Name of the header, such as X-Api-Key" check:"label=Name"`
	Value string `json:"value" jsonschema:"maxLength=8192" jsonschema_description:"Its value: a secret of the vault" check:"secret,label=Value"`
}

// ownedHeaders belong to the connection; a check that sets them would break the request.
var ownedHeaders = []string{
	"Connection",
	"Content-Length",
	"Transfer-Encoding",
	"Upgrade",
	"Keep-Alive",
	"Te",
	"Trailer",
	"Proxy-Authorization",
	"Proxy-Connection",
}

// Check implements check.Checker.
func (c *httpRequestConfig) Check() []problem.Issue {
	issues := urlIssues("url", c.URL, "http", "https")
	for i, h := range c.Headers {
		issues = append(issues, headerIssues("headers", i, h.Name, h.Value)...)
	}
	for i, h := range c.SecretHeaders {
		issues = append(issues, headerIssues("secretHeaders", i, h.Name, h.Value)...)
	}
	if c.BearerToken != "" && (c.Username != "" || c.Password != "") {
		issues = append(
			issues,
			problem.Issue{Path: "bearerToken", Message: "cannot be used together with username and password: a request has one Authorization"},
		)
	}
	if c.Body != "" && c.Method == http.MethodHead {
		issues = append(issues, problem.Issue{Path: "body", Message: "cannot be sent with HEAD; choose another method"})
	}
	return issues
}

func headerIssues(list string, i int, name, value string) []problem.Issue {
	path := list + "[" + itoa(i) + "]."
	switch {
	case !httpguts.ValidHeaderFieldName(name):
		return []problem.Issue{{Path: path + "name", Message: "is no name of a header"}}
	case slices.ContainsFunc(ownedHeaders, func(owned string) bool { return strings.EqualFold(owned, name) }):
		return []problem.Issue{{Path: path + "name", Message: "cannot be set: it belongs to the connection"}}
	case !httpguts.ValidHeaderFieldValue(value):
		return []problem.Issue{{Path: path + "value", Message: "has characters that no header can have, such as line breaks"}}
	}
	return nil
}

// urlIssues lists the problems of a URL that must have one of the schemes.
func urlIssues(path, raw string, schemes ...string) []problem.Issue {
	u, err := url.Parse(raw)
	switch {
	case err != nil || strings.ContainsFunc(raw, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		return []problem.Issue{{Path: path, Message: "is not a valid URL"}}
	case !slices.Contains(schemes, u.Scheme) || u.Hostname() == "" || u.Opaque != "":
		return []problem.Issue{{Path: path, Message: "must begin with " + strings.Join(schemes, ":// or ") + ":// and name a host"}}
	case !validPort(u):
		return []problem.Issue{{Path: path, Message: "must have a port from 1 to 65535, or none"}}
	case u.User != nil:
		return []problem.Issue{{Path: path, Message: "must not hold a user or a password; they have fields of their own"}}
	}
	if message := check.HostProblem(u.Hostname()); message != "" {
		return []problem.Issue{{Path: path, Message: "has a host that " + message}}
	}
	return nil
}

// validPort reports whether the port of a URL is one; a URL without a port has that of its scheme.
func validPort(u *url.URL) bool {
	n, err := strconv.ParseUint(u.Port(), 10, 16)
	return u.Port() == "" || err == nil && n > 0
}

// httpResult is the response of a web server. The times of the DNS lookup, the connection and the TLS handshake are present if
// this run opened the connection.
type httpResult struct {
	StatusCode     int      `json:"statusCode" jsonschema_description:"Status of the answer, such as 200" check:"chart=line,label=Status code"`
	StatusText     string   `json:"statusText" jsonschema_description:"What the server calls the status, such as OK" check:"label=Status text"`
	Success        bool     `json:"success" jsonschema_description:"Whether the status is below 400" check:"label=Success"`
	ResponseTimeMs float64  `json:"responseTimeMs" jsonschema_description:"From the beginning until the whole body was there, redirects included" check:"chart=line,unit=ms,label=Response time"`
	FirstByteMs    float64  `json:"firstByteMs" jsonschema_description:"From the beginning until the first byte of the answer" check:"chart=line,unit=ms,label=First byte"`
	DNSMs          *float64 `json:"dnsMs,omitempty" jsonschema_description:"How long looking up the name took" check:"chart=line,unit=ms,label=DNS"`
	ConnectMs      *float64 `json:"connectMs,omitempty" jsonschema_description:"How long connecting took" check:"chart=line,unit=ms,label=Connect"`
	TLSMs          *float64 `json:"tlsMs,omitempty" jsonschema_description:"How long setting up TLS took" check:"chart=line,unit=ms,label=TLS"`
	Body           string   `json:"body" jsonschema_description:"The body, decoded and decompressed, at most 1 MiB of it; a path can find values in JSON" check:"jsonpath,ephemeral,label=Body"`
	BodyLength     int      `json:"bodyLength" jsonschema_description:"Bytes of the body that were read, decompressed" check:"chart=line,unit=bytes,label=Body length"`
	BodyTruncated  bool     `json:"bodyTruncated" jsonschema_description:"Whether the body is longer than that" check:"label=Body truncated"`
	Headers        string   `json:"headers" jsonschema_description:"The headers of the answer as a JSON object with names in lower case, for a path such as $['content-type']; values of cookies are left out" check:"jsonpath,lowernames,label=Headers"`
	ContentType    string   `json:"contentType" jsonschema_description:"The kind of the body as the server names it, such as text/html; charset=utf-8" check:"label=Content type"`
	Title          string   `json:"title,omitempty" jsonschema_description:"The title of an HTML page" check:"label=Title"`
	CertificateDays
	Redirects int    `json:"redirects" jsonschema_description:"How many redirects were followed" check:"label=Redirects"`
	FinalURL  string `json:"finalUrl" jsonschema_description:"The URL that the answer came from, without its query" check:"label=Final URL"`
	Protocol  string `json:"protocol" jsonschema_description:"Such as HTTP/1.1 or HTTP/2.0" check:"label=Protocol"`

	headersTruncated bool
	// unknownCoding is a content coding of the body that is none of those that are decoded.
	unknownCoding string
	// mayBeProxy reports that the proxy of the check could have made the answer by itself.
	mayBeProxy bool
}

// Circumstance implements check.Circumstance.
func (r *httpResult) Circumstance() string {
	var all []string
	switch {
	case r.Redirects == 1:
		all = append(all, "after a redirect to "+r.FinalURL)
	case r.Redirects > 1:
		all = append(all, "after a redirect, the last of "+itoa(r.Redirects)+", to "+r.FinalURL)
	}
	if r.mayBeProxy {
		all = append(all, "the answer could come from the proxy")
	}
	if plainToTLS(r.StatusCode, r.Body) {
		all = append(all, "the port expects TLS: use https://")
	}
	return strings.Join(all, "; ")
}

// plainToTLS reports whether a server says that it got a request without TLS where it expects TLS: Go, nginx and Apache.
func plainToTLS(status int, body string) bool {
	return status == http.StatusBadRequest && (strings.Contains(body, "HTTP request to an HTTPS server") ||
		strings.Contains(body, "HTTP request was sent to HTTPS port") || strings.Contains(body, "speaking plain HTTP to an SSL-enabled"))
}

// Incomplete implements check.Incomplete.
func (r *httpResult) Incomplete(field string) string {
	switch {
	case (field == "body" || field == "bodyLength") && r.BodyTruncated:
		return "only the first 1 MiB was looked at"
	case (field == "body" || field == "title") && r.unknownCoding != "":
		return "its Content-Encoding " + r.unknownCoding + " was not decoded"
	case field == "headers" && r.headersTruncated:
		return "the headers were cut after 16 KiB"
	default:
		return ""
	}
}

// Code returns the status, which is stored with each result.
func (r *httpResult) Code() int16 { return int16(min(max(r.StatusCode, 0), 999)) }

func httpStrategy(pool *transports) check.Strategy {
	return check.NewStrategy(
		check.Kind{
			ID: "healthcheck-http.http", Name: "HTTP", Category: "Web",
			Description: "Makes requests to a web server or an HTTP API, over TLS or not, directly or through a proxy.",
		},
		func(ctx context.Context, run check.Run, c *httpConfig) (*httpClient, error) {
			return pool.client(ctx, run, c)
		}, nil,
		check.NewCollector(check.Kind{
			ID: "healthcheck-http.request", Name: "HTTP request", Category: "Web",
			Description: "The answer to one request: status, headers, body, times and the days that the certificate is valid yet. " +
				"An answer of any status is a result: without other assertions, 2xx passes.",
			Defaults: []check.Assertion{{Field: "statusCode", Operator: "between", Value: json.RawMessage("[200,299]")}},
		}, httpRequest),
	)
}

// Sends implements check.Sender.
func (c *httpConfig) Sends() check.Sending {
	s := check.Sending{Reads: true}
	if c.ProxyURL != "" {
		s.Lines = []string{"It goes through the proxy " + c.ProxyURL + "."}
	}
	return unlessLines(s, c.ServerName)
}

// Sends implements check.Sender. Methods are safe by RFC 9110, section 9.2.1; headers that make servers use another
// method are not.
func (c *httpRequestConfig) Sends() check.Sending {
	method := otherwise(c.Method, http.MethodGet)
	safe := c.Body == "" && slices.Contains([]string{http.MethodGet, http.MethodHead, http.MethodOptions}, method)
	line := method + " " + c.URL
	var headers []string
	note := func(name, value string) {
		lower := strings.ToLower(name)
		safe = safe && !strings.Contains(lower, "method") && !strings.Contains(lower, "override")
		headers = append(headers, name+": "+value)
	}
	for _, h := range c.Headers {
		note(h.Name, h.Value)
	}
	for _, h := range c.SecretHeaders {
		note(h.Name, h.Value)
	}
	if c.BearerToken != "" {
		note("Authorization", "Bearer "+c.BearerToken)
	} else if c.Username != "" || c.Password != "" {
		headers = append(headers, "the login "+c.Username+" with the password "+otherwise(c.Password, "(empty)"))
	}
	if len(headers) > 0 {
		line += " with " + excerpt(strings.Join(headers, ", "))
	}
	if c.Body != "" {
		line += " and a body of " + itoa(len(c.Body)) + " bytes: " + excerpt(c.Body)
	}
	return check.Sending{Reads: safe, Lines: []string{line}}
}
