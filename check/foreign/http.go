package foreign

import (
	"encoding/base64"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"countersign/check"
	"countersign/internal/secret/scrub"
)

// sensitive finds names of headers whose values are secrets.
var sensitive = regexp.MustCompile(`(?i)authoriz|token|secret|passw|api-?key|cookie|credential|session|signature|auth-|-auth|[-_]key$`)

// methods are the methods of requests.
var methods = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}

// ownedHeaders belong to the connection.
var ownedHeaders = []string{
	"connection", "content-length", "transfer-encoding", "upgrade", "keep-alive", "te", "trailer", "proxy-authorization", "proxy-connection",
}

// address parses a URL and takes user and password out of it. nil drops the monitor.
func (m *monitor) address(raw string, line int, schemes ...string) *url.URL {
	raw = strings.TrimSpace(raw)
	if m.unknown(raw, line, "URL") {
		return nil
	}
	u, err := url.Parse(raw)
	if err != nil || u.Hostname() == "" || !slices.Contains(schemes, u.Scheme) {
		m.drop(line, "its URL is not one of %s", strings.Join(schemes, ", "))
		return nil
	}
	m.host = u.Hostname()
	return u
}

// unknown drops a monitor for a text with a placeholder whose value is not in the source.
func (m *monitor) unknown(content string, line int, what string) bool {
	if m.placeholder == nil || !m.placeholder.MatchString(content) {
		return false
	}
	m.drop(line, "its %s has the placeholder %s, whose value is not in the file: write the value there", what,
		m.placeholder.FindString(content))
	return true
}

// http makes the monitor an HTTP request to a URL.
func (m *monitor) http(raw string, line int, method string) {
	m.kind("healthcheck-http.http", "healthcheck-http.request")
	u := m.address(raw, line, "http", "https")
	if u == nil {
		return
	}
	if u.User != nil {
		password, _ := u.User.Password()
		m.basic(u.User.Username(), password, line)
		u.User = nil
	}
	m.collecting["url"] = u.String()
	method = strings.ToUpper(strings.TrimSpace(method))
	switch {
	case method == "" || method == "GET":
	case slices.Contains(methods, method):
		m.collecting["method"] = method
	default:
		m.drop(line, "there are no requests with the method %s", method)
	}
}

// basic sets user and password of basic authentication.
func (m *monitor) basic(user, password string, line int) {
	if user == "" && password == "" || m.unknown(user, line, "user name") {
		return
	}
	m.collecting["username"] = user
	if password != "" {
		m.collecting["password"] = m.secret("PASSWORD", password, line)
	}
	delete(m.collecting, "bearerToken")
}

// bearer sets a bearer token.
func (m *monitor) bearer(token string, line int) {
	if token != "" && m.collecting["username"] == nil {
		m.collecting["bearerToken"] = m.secret("TOKEN", token, line)
	}
}

// body sets the body of a request.
func (m *monitor) body(content string, line int) {
	if content == "" || m.unknown(content, line, "body") {
		return
	}
	if m.collecting["method"] == "HEAD" {
		m.leave(line, "body", "A HEAD request has no body")
		return
	}
	m.collecting["body"] = content
}

// header sets a header of a request.
func (m *monitor) header(name, value string, line int) {
	scheme, rest, _ := strings.Cut(strings.TrimSpace(value), " ")
	rest = strings.TrimSpace(rest)
	switch {
	case slices.Contains(ownedHeaders, strings.ToLower(name)):
		m.leave(line, "headers."+name, "belongs to the connection and cannot be set")
	case strings.EqualFold(name, "Authorization") && strings.EqualFold(scheme, "Bearer") && rest != "" &&
		m.strategy == "healthcheck-http.http":
		// A header of its own replaces the user of the URL.
		delete(m.collecting, "username")
		delete(m.collecting, "password")
		m.bearer(rest, line)
	case strings.EqualFold(name, "Authorization") && strings.EqualFold(scheme, "Basic") &&
		m.strategy == "healthcheck-http.http" && m.login(rest, line):
	case sensitive.MatchString(name) || scrub.Text(value) != value || scrub.Text(name+": "+value) != name+": "+value ||
		m.placeholder != nil && m.placeholder.MatchString(value):
		m.append("secretHeaders", config{"name": name, "value": m.secret(name, value, line)})
	default:
		m.append("headers", config{"name": name, "value": value})
	}
}

// login sets basic authentication from its encoded form.
func (m *monitor) login(encoded string, line int) bool {
	raw, err := base64.StdEncoding.DecodeString(encoded)
	user, password, ok := strings.Cut(string(raw), ":")
	if err != nil || !ok || user == "" {
		return false
	}
	m.basic(user, password, line)
	return true
}

// append adds to a list of the collector, or of the strategy of WebSocket checks, whose headers are there.
func (m *monitor) append(key string, element config) {
	part := m.collecting
	if m.strategy == "healthcheck-websocket.websocket" {
		part = m.config
	}
	all, _ := part[key].([]any)
	part[key] = append(all, element)
}

// anyStatus asserts no more than that there is an answer.
func (m *monitor) anyStatus() { m.assert("statusCode", "", "greaterThanOrEqual", 100) }

// proxy sets the proxy of HTTP requests.
func (m *monitor) proxy(raw string, line int) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		m.leave(line, "proxy", "is no http:// or https:// proxy")
		return
	}
	if u.User != nil {
		m.config["proxyUsername"] = u.User.Username()
		if password, ok := u.User.Password(); ok && password != "" {
			m.config["proxyPassword"] = m.secret("PROXY_PASSWORD", password, line)
		}
	}
	m.config["proxyUrl"] = u.Scheme + "://" + u.Host
}

// hostPort sets host and port of a connection. A port of 0 has to be in the address.
func (m *monitor) hostPort(address string, fallback, line int) {
	address = strings.TrimSpace(address)
	if m.unknown(address, line, "address") {
		return
	}
	host, port := address, fallback
	if h, p, err := net.SplitHostPort(address); err == nil {
		host = h
		if port, err = strconv.Atoi(p); err != nil {
			port = 0
		}
	}
	host = strings.Trim(host, "[]")
	if host == "" || port < 1 || port > 65535 {
		m.drop(line, "its address is no host with a port")
		return
	}
	m.host = host
	m.config["host"], m.config["port"] = host, port
}

// ping makes the monitor a ping of a host.
func (m *monitor) ping(host string, count, line int) {
	m.kind("healthcheck-ping.ping", "healthcheck-ping.ping")
	host = strings.Trim(strings.TrimSpace(host), "[]/")
	if m.unknown(host, line, "host") {
		return
	}
	if host == "" {
		m.drop(line, "it names no host")
		return
	}
	m.host = host
	m.collecting["host"], m.collecting["count"] = host, count
}

func urlEscape(s string) string { return url.QueryEscape(s) }

// checkAssertion is an assertion with a value in JSON.
func checkAssertion(field, path, operator, value string) check.Assertion {
	return check.Assertion{Field: field, JSONPath: path, Operator: operator, Value: []byte(value)}
}
