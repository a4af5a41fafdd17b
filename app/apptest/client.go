package apptest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/auth"
	"countersign/internal/problem"
)

// Client makes requests to a process as one person or application.
type Client struct {
	// ID is the person's or application's id.
	ID uuid.UUID
	// Email and Password are a person's credentials.
	Credentials

	base  string
	jar   http.CookieJar
	token string
}

// At is the same session at another process of the installation.
func (c *Client) At(p *Product) *Client {
	other := *c
	other.base = p.URL
	from, to := mustParse(c.base), mustParse(p.URL)
	other.jar = newJar()
	if c.jar != nil {
		other.jar.SetCookies(to, c.jar.Cookies(from))
	}
	return &other
}

func newJar() http.CookieJar {
	jar, err := cookiejar.New(nil)
	if err != nil {
		panic(err) // the default options cannot be wrong
	}
	return jar
}

func mustParse(address string) *url.URL {
	u, err := url.Parse(address)
	if err != nil {
		panic(err) // addresses are made by this package
	}
	return u
}

// Anonymous is a client without credentials.
func (p *Product) Anonymous() *Client { return &Client{base: p.URL, jar: newJar()} }

// SignIn starts a session.
func (p *Product) SignIn(t testing.TB, as Credentials) *Client {
	t.Helper()
	c := p.Anonymous()
	c.Credentials = as
	var answer struct {
		Principal struct {
			ID uuid.UUID `json:"id"`
		} `json:"principal"`
	}
	c.Post(t, "/api/auth/login", as, &answer)
	c.ID = answer.Principal.ID
	return c
}

// SignInAgain starts another session of the same person.
func (c *Client) SignInAgain(t testing.TB, p *Product) *Client {
	t.Helper()
	return p.SignIn(t, c.Credentials)
}

// Person creates a user with these roles in addition to the default one, and signs in.
func (p *Product) Person(t testing.TB, roles ...uuid.UUID) *Client {
	t.Helper()
	person := Credentials{Email: uuid.NewString() + "@example.com", Password: "correct horse battery"}
	answer := p.Admin.Post(t, "/api/users", map[string]any{
		"email": person.Email, "name": "Person " + uuid.NewString()[:8], "password": person.Password, "roleIds": roles,
	}, nil)
	p.Countersign(t, answer)
	return p.SignIn(t, person)
}

// Application creates an application with these roles and returns its client.
func (p *Product) Application(t testing.TB, roles ...uuid.UUID) *Client {
	t.Helper()
	var made struct {
		Application struct {
			ID uuid.UUID `json:"id"`
		} `json:"application"`
		Token string `json:"token"`
	}
	p.Admin.Post(t, "/api/applications", map[string]any{"name": "Application " + uuid.NewString()[:8], "roleIds": roles}, &made)
	require.NotEmpty(t, made.Token)
	return p.Bearer(made.Application.ID, made.Token)
}

// Bearer is the client of an application with this token.
func (p *Product) Bearer(id uuid.UUID, token string) *Client {
	return &Client{base: p.URL, ID: id, token: token}
}

// Token is the bearer token of an application.
func (c *Client) Token() string { return c.token }

// Role creates a role with these rules.
func (p *Product) Role(t testing.TB, rules ...string) uuid.UUID {
	t.Helper()
	var role struct {
		ID uuid.UUID `json:"id"`
	}
	p.Admin.Post(t, "/api/roles", map[string]any{"name": "Role " + uuid.NewString(), "rules": rules}, &role)
	return role.ID
}

// Header is a header of one request.
type Header struct{ Name, Value string }

// Answer is a complete response.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Send makes a request and reads the response, whatever its status. A string body is sent unchanged, nil is no body,
// anything else is encoded as JSON.
func (c *Client) Send(ctx context.Context, method, path string, in any, headers ...Header) (Answer, error) {
	response, err := c.do(ctx, method, path, in, headers)
	if err != nil {
		return Answer{}, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return Answer{}, fmt.Errorf("%s %s: %w", method, path, err)
	}
	return Answer{Status: response.StatusCode, Header: response.Header, Body: body}, nil
}

func (c *Client) do(ctx context.Context, method, path string, in any, headers []Header) (*http.Response, error) {
	var body io.Reader
	switch v := in.(type) {
	case nil:
	case string:
		body = strings.NewReader(v)
	default:
		raw, err := json.Marshal(in)
		if err != nil {
			return nil, fmt.Errorf("encode request: %w", err)
		}
		body = bytes.NewReader(raw)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	if in != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	for _, h := range headers {
		request.Header.Set(h.Name, h.Value)
	}
	// Each request has its own connection: a client keeps nothing open to a stopped process.
	client := http.Client{Jar: c.jar, Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	return response, nil
}

// Call is Send without a context.
func (c *Client) Call(t testing.TB, method, path string, in any, headers ...Header) Answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), eventTimeout)
	defer cancel()
	answer, err := c.Send(ctx, method, path, in, headers...)
	require.NoError(t, err)
	return answer
}

// Get reads a resource.
func (c *Client) Get(t testing.TB, path string, out any) Answer {
	t.Helper()
	return c.succeed(t, http.MethodGet, path, nil, out)
}

// Post makes a request that must succeed. out may be nil.
func (c *Client) Post(t testing.TB, path string, in, out any, headers ...Header) Answer {
	t.Helper()
	return c.succeed(t, http.MethodPost, path, in, out, headers...)
}

// Patch changes a resource. out may be nil.
func (c *Client) Patch(t testing.TB, path string, in, out any, headers ...Header) Answer {
	t.Helper()
	return c.succeed(t, http.MethodPatch, path, in, out, headers...)
}

// Delete removes a resource.
func (c *Client) Delete(t testing.TB, path string, headers ...Header) Answer {
	t.Helper()
	return c.succeed(t, http.MethodDelete, path, nil, nil, headers...)
}

func (c *Client) succeed(t testing.TB, method, path string, in, out any, headers ...Header) Answer {
	t.Helper()
	answer := c.Call(t, method, path, in, headers...)
	require.Less(t, answer.Status, http.StatusBadRequest, "%s %s: %s", method, path, answer.Body)
	if out != nil {
		answer.Decode(t, out)
	}
	return answer
}

// Decode reads the body as JSON.
func (a Answer) Decode(t testing.TB, out any) {
	t.Helper()
	require.NoError(t, json.Unmarshal(a.Body, out), "%s", a.Body)
}

// Refused makes a request that must fail with this code and returns the problem document.
func (c *Client) Refused(t testing.TB, code problem.Code, method, path string, in any, headers ...Header) problem.Error {
	t.Helper()
	answer := c.Call(t, method, path, in, headers...)
	e := answer.Problem(t)
	require.Equal(t, code, e.Code, "%s %s: %s", method, path, answer.Body)
	return e
}

// Problem decodes a problem document and checks that it is fit for people.
func (a Answer) Problem(t testing.TB) problem.Error {
	t.Helper()
	require.GreaterOrEqual(t, a.Status, http.StatusBadRequest, "%s", a.Body)
	require.Equal(t, "application/problem+json", a.Header.Get("Content-Type"), "%s", a.Body)
	var e problem.Error
	a.Decode(t, &e)
	require.Equal(t, a.Status, e.GetStatus(), "%s", a.Body)
	require.Regexp(t, `^[A-Z“"].*[.!?]$`, e.Detail, "a problem is told in full sentences")
	require.NotRegexp(
		t,
		`(?i)goroutine|panic|\.go:\d|sqlstate|pgx|\buuid\.[A-Z]|struct|interface \{`,
		e.Detail,
		"a problem shows no internals",
	)
	return e
}

// Cookie is the value of the session cookie.
func (c *Client) Cookie(t testing.TB) string {
	t.Helper()
	for _, cookie := range c.jar.Cookies(mustParse(c.base)) {
		if cookie.Name == auth.PlainCookie {
			return cookie.Value
		}
	}
	require.FailNow(t, "The client has no session")
	return ""
}
