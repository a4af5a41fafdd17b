package oauth_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"
	"github.com/stretchr/testify/require"

	"countersign/api"
	"countersign/auth"
	"countersign/auth/oauth"
	"countersign/auth/password"
	"countersign/internal/principal"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// caller is a program without a session.
var caller = &http.Client{Timeout: time.Minute}

const goodPassword = "correct horse"

// site is the product over HTTP, as far as programs and their people see it, with /mcp that says who asks.
type site struct {
	*auth.Auth
	programs *oauth.Server
	db       *store.DB
	url      string
	log      *lockedBuffer
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// who is the resource: it says who asks, by the authenticator alone.
type who struct{ a *auth.Authenticator }

func (h who) Describe(huma.API) {}
func (h who) Mount(e *echo.Echo) {
	e.GET(auth.ResourcePath, func(c echo.Context) error {
		p, err := h.a.Authenticate(c.Request().Context(), c.Request())
		if err != nil {
			c.Response().Header().Set("WWW-Authenticate", h.a.Challenge(err))
			return c.NoContent(http.StatusUnauthorized)
		}
		return c.JSON(http.StatusOK, p)
	})
}

type tuning struct {
	db     *store.DB
	fetch  *http.Client
	key    []byte
	trusts func(ctx context.Context, c principal.Client) (bool, error)
}

func newSite(t testing.TB, tune ...func(*tuning)) *site {
	t.Helper()
	with := tuning{fetch: &http.Client{Transport: nowhere{}}, key: bytes.Repeat([]byte("k"), 32)}
	for _, f := range tune {
		f(&with)
	}
	if with.db == nil {
		with.db = storetest.New(t)
	}
	var server http.Handler
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { server.ServeHTTP(w, r) }))
	t.Cleanup(front.Close)
	log := &lockedBuffer{}
	logger := slog.New(slog.NewTextHandler(log, nil))
	rules, err := auth.NewRegistry(
		new(auth.Auth).Rules(),
		new(oauth.Server).Rules(),
		[]auth.Rule{{ID: "ai.chat.read", Description: "Chat", Default: true}},
	)
	require.NoError(t, err)
	a, err := auth.New(auth.Options{
		DB:            with.db,
		Log:           logger,
		Rules:         rules,
		DelegationKey: with.key,
		URL:           front.URL,
		Password:      password.Params{MemoryKiB: 64, Time: 1, Threads: 1},
	})
	require.NoError(t, err)
	require.NoError(t, a.Directory.SyncRules(t.Context()))
	programs, err := oauth.New(oauth.Options{
		DB:       with.db,
		Log:      logger,
		Issuer:   front.URL,
		Resource: a.Authenticator.Resource(),
		Key:      with.key,
		Fetch:    with.fetch,
		Address:  a.Authenticator.Client,
		First:    time.Hour,
		Trusts:   with.trusts,
	})
	require.NoError(t, err)
	server, err = api.New(api.Options{
		DB:            with.db,
		Log:           slog.New(slog.DiscardHandler),
		Authenticator: a.Authenticator,
		Modules:       []api.Routes{a, programs},
		Streams:       []api.Streams{programs, who{a.Authenticator}},
	})
	require.NoError(t, err)
	return &site{Auth: a, programs: programs, db: with.db, url: front.URL, log: log}
}

// nowhere reaches nothing.
type nowhere struct{}

func (nowhere) RoundTrip(*http.Request) (*http.Response, error) { return nil, io.ErrUnexpectedEOF }

var root = principal.Principal{Kind: principal.User, ID: uuid.New(), Rules: []string{principal.Admin}}

// browser is where a person is signed in.
type browser struct {
	*site
	id     uuid.UUID
	client *http.Client
}

func (s *site) person(t testing.TB, email string, roles ...uuid.UUID) *browser {
	t.Helper()
	u, err := s.Directory.CreateUser(t.Context(), root, auth.NewUser{Email: email, Name: email, Password: goodPassword, RoleIDs: roles})
	require.NoError(t, err)
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	b := &browser{
		s,
		u.ID,
		&http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}
	require.Equal(
		t,
		http.StatusOK,
		b.call(t, http.MethodPost, "/api/auth/login", map[string]any{"email": email, "password": goodPassword}, nil),
	)
	return b
}

// call makes a request of the web app.
func (b *browser) call(t testing.TB, method, path string, in, out any) int {
	t.Helper()
	var body io.Reader
	if in != nil {
		raw, err := json.Marshal(in)
		require.NoError(t, err)
		body = bytes.NewReader(raw)
	}
	r, err := http.NewRequestWithContext(t.Context(), method, b.url+path, body)
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	return do(t, b.client, r, out).StatusCode
}

func do(t testing.TB, c *http.Client, r *http.Request, out any) *http.Response {
	t.Helper()
	response, err := c.Do(r)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	raw, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	if out != nil && len(raw) > 0 {
		require.NoError(t, json.Unmarshal(raw, out), string(raw))
	}
	return response
}

// program is a client as its makers write one, without a browser.
type program struct {
	*site
	id, redirect, verifier string
}

const callback = "https://client.example/callback"

const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

func (s *site) registered(t testing.TB, redirects ...string) *program {
	t.Helper()
	if redirects == nil {
		redirects = []string{callback}
	}
	var made struct {
		ID string `json:"client_id"`
	}
	require.Equal(t, http.StatusCreated, s.register(t, map[string]any{"client_name": "Editor", "redirect_uris": redirects}, &made).StatusCode)
	return &program{s, made.ID, redirects[0], verifier}
}

func (s *site) register(t testing.TB, in, out any) *http.Response {
	t.Helper()
	raw, err := json.Marshal(in)
	require.NoError(t, err)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+oauth.RegisterPath, bytes.NewReader(raw))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	return do(t, caller, r, out)
}

// asks is what the program sends the browser with; changes are name and value, "-" to leave a parameter out.
func (p *program) asks(changes ...string) url.Values {
	sum := sha256.Sum256([]byte(p.verifier))
	v := url.Values{
		"response_type": {
			"code",
		},
		"client_id":             {p.id},
		"redirect_uri":          {p.redirect},
		"state":                 {"s 1&2"},
		"scope":                 {"countersign:read countersign:write"},
		"code_challenge":        {base64.RawURLEncoding.EncodeToString(sum[:])},
		"code_challenge_method": {"S256"},
		"resource":              {p.url + "/mcp"},
	}
	return changed(v, changes)
}

func changed(v url.Values, changes []string) url.Values {
	for i := 0; i < len(changes); i += 2 {
		if v.Set(changes[i], changes[i+1]); changes[i+1] == "-" {
			v.Del(changes[i])
		}
	}
	return v
}

// opens is what the page knows of an address that a program has opened.
func (b *browser) opens(t testing.TB, query string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.url+oauth.AuthorizePath+"?"+query, nil)
	require.NoError(t, err)
	response := do(t, b.client, r, nil)
	require.Equal(t, http.StatusSeeOther, response.StatusCode)
	to, err := response.Location()
	require.NoError(t, err)
	require.Equal(t, oauth.ConsentPath, to.Path)
	return to.Query().Get("request")
}

// allows clicks, and returns where the browser goes.
func (b *browser) allows(t testing.TB, asked url.Values, scopes ...string) *url.URL {
	t.Helper()
	var out struct{ Redirect string }
	in := map[string]any{"request": b.opens(t, asked.Encode()), "allow": true}
	if scopes != nil {
		in["scopes"] = scopes
	}
	require.Equal(t, http.StatusOK, b.call(t, http.MethodPost, "/api/oauth/decision", in, &out))
	to, err := url.Parse(out.Redirect)
	require.NoError(t, err)
	return to
}

// code is one for a program that a person allows.
func (b *browser) code(t testing.TB, p *program, changes ...string) string {
	t.Helper()
	to := b.allows(t, p.asks(changes...))
	require.NotEmpty(t, to.Query().Get("code"), to.String())
	return to.Query().Get("code")
}

type tokenAnswer struct {
	status       int
	AccessToken  string `json:"access_token"`
	RefreshToken string `json:"refresh_token"`
	TokenType    string `json:"token_type"`
	Scope        string `json:"scope"`
	ExpiresIn    int    `json:"expires_in"`
	Error        string `json:"error"`
	Description  string `json:"error_description"`
}

func (s *site) post(t testing.TB, path string, form url.Values, headers ...string) tokenAnswer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+path, strings.NewReader(form.Encode()))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	var out tokenAnswer
	out.status = do(t, caller, r, &out).StatusCode
	return out
}

func (p *program) exchange(t testing.TB, code string, changes ...string) tokenAnswer {
	t.Helper()
	return p.post(t, oauth.TokenPath, changed(url.Values{
		"grant_type": {
			"authorization_code",
		},
		"code":          {code},
		"client_id":     {p.id},
		"redirect_uri":  {p.redirect},
		"code_verifier": {p.verifier},
		"resource":      {p.url + "/mcp"},
	}, changes))
}

func (p *program) refresh(t testing.TB, token string, changes ...string) tokenAnswer {
	t.Helper()
	return p.post(t, oauth.TokenPath, changed(url.Values{
		"grant_type": {"refresh_token"}, "refresh_token": {token}, "client_id": {p.id}, "resource": {p.url + "/mcp"},
	}, changes))
}

// connected is a program with tokens.
func (b *browser) connected(t testing.TB, p *program, changes ...string) tokenAnswer {
	t.Helper()
	answer := p.exchange(t, b.code(t, p, changes...))
	require.Equal(t, http.StatusOK, answer.status, answer)
	return answer
}

// acts is who the resource takes the holder of a token for; the status is that of its answer.
func (s *site) acts(t testing.TB, token string) (p principal.Principal, status int) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+auth.ResourcePath, nil)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+token)
	status = do(t, caller, r, &p).StatusCode
	return p, status
}

func (s *site) exec(t testing.TB, sql string, args ...any) {
	t.Helper()
	_, err := s.db.Conn(t.Context()).Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

func (s *site) count(t testing.TB, sql string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, s.db.Conn(t.Context()).QueryRow(t.Context(), sql, args...).Scan(&n))
	return n
}
