package oidc_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api"
	"countersign/auth"
	"countersign/auth/oidc"
	"countersign/auth/password"
	"countersign/internal/principal"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// idp is a provider: it signs whoever comes in as the person of its claims.
type idp struct {
	t   testing.TB
	url string
	// key signs, under the name kid.
	key *ecdsa.PrivateKey
	kid string
	// metadata is what it says of itself beside the rest.
	metadata map[string]any

	mu sync.Mutex
	// claims are those of the next ID token, over the right ones; nil takes one away.
	claims map[string]any
	// userinfo is what it says beside.
	userinfo map[string]any
	// forge makes the ID token of its claims, when it is not to be the right one.
	forge func(claims []byte) string
	// answer changes what the browser brings back.
	answer func(url.Values)
	codes  map[string]url.Values
}

func newIDP(t testing.TB) *idp {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	p := &idp{t: t, key: key, kid: "one", claims: map[string]any{}, codes: map[string]url.Values{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		metadata := map[string]any{
			"issuer":                                p.url,
			"authorization_endpoint":                p.url + "/authorize",
			"token_endpoint":                        p.url + "/token",
			"jwks_uri":                              p.url + "/keys",
			"userinfo_endpoint":                     p.url + "/userinfo",
			"id_token_signing_alg_values_supported": []string{"ES256", "HS256", "none"},
		}
		maps.Copy(metadata, p.metadata)
		p.json(w, metadata)
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		p.json(w, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: &p.key.PublicKey, KeyID: p.kid, Algorithm: "ES256", Use: "sig"}}})
	})
	mux.HandleFunc("GET /authorize", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		code := uuid.NewString()
		back := url.Values{"code": {code}, "state": {q.Get("state")}}
		p.mu.Lock()
		p.codes[code] = q
		if p.answer != nil {
			p.answer(back)
		}
		p.mu.Unlock()
		http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
	})
	mux.HandleFunc("POST /token", p.token)
	mux.HandleFunc("GET /userinfo", func(w http.ResponseWriter, _ *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.json(w, p.userinfo)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	p.url = server.URL
	return p
}

func (p *idp) json(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body)
}

func (p *idp) token(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, secret, _ := r.BasicAuth()
	asked, known := p.codes[r.FormValue("code")]
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	if !known || secret != "s3cret" || base64.RawURLEncoding.EncodeToString(sum[:]) != asked.Get("code_challenge") ||
		asked.Get("code_challenge_method") != "S256" {
		w.WriteHeader(http.StatusBadRequest)
		p.json(w, map[string]any{"error": "invalid_grant"})
		return
	}
	delete(p.codes, r.FormValue("code"))
	now := time.Now()
	claims := map[string]any{
		"iss":            p.url,
		"aud":            asked.Get("client_id"),
		"sub":            "ada-1",
		"iat":            now.Unix(),
		"exp":            now.Add(time.Minute).Unix(),
		"nonce":          asked.Get("nonce"),
		"email":          "ada@example.org",
		"email_verified": true,
		"name":           "Ada",
		"groups":         []string{"staff"},
	}
	maps.Copy(claims, p.claims)
	for name, value := range p.claims {
		if value == nil {
			delete(claims, name)
		}
	}
	raw, err := json.Marshal(claims)
	require.NoError(p.t, err)
	forge := p.forge
	if forge == nil {
		forge = func(claims []byte) string { return sign(p.t, p.key, p.kid, claims) }
	}
	token := forge(raw)
	p.json(w, map[string]any{"access_token": "opaque", "token_type": "Bearer", "id_token": token, "expires_in": 60})
}

func sign(t testing.TB, key *ecdsa.PrivateKey, kid string, claims []byte) string {
	t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: key, KeyID: kid}}, nil)
	require.NoError(t, err)
	signed, err := signer.Sign(claims)
	require.NoError(t, err)
	text, err := signed.CompactSerialize()
	require.NoError(t, err)
	return text
}

// site is the product with a provider.
type site struct {
	*auth.Auth
	db  *store.DB
	idp *idp
	url string
	log *bytes.Buffer
}

func newSite(t testing.TB, tune ...func(*auth.Federation)) *site {
	t.Helper()
	p := newIDP(t)
	var server http.Handler
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { server.ServeHTTP(w, r) }))
	t.Cleanup(front.Close)
	provider, err := oidc.New(oidc.Options{
		Issuer:       p.url,
		ClientID:     "countersign",
		ClientSecret: "s3cret",
		RedirectURL:  front.URL + auth.CallbackPath(),
		Scopes:       []string{"profile", "email"},
		GroupsClaim:  "groups",
	})
	require.NoError(t, err)
	federation := auth.Federation{Provider: provider, Name: "Example"}
	for _, f := range tune {
		f(&federation)
	}
	rules, err := auth.NewRegistry(new(auth.Auth).Rules(), []auth.Rule{{ID: "ai.chat.read", Description: "Chat", Default: true}})
	require.NoError(t, err)
	db, log := storetest.New(t), &bytes.Buffer{}
	a, err := auth.New(auth.Options{
		DB:            db,
		Log:           slog.New(slog.NewTextHandler(log, nil)),
		Rules:         rules,
		DelegationKey: bytes.Repeat([]byte("k"), 32),
		URL:           front.URL,
		Federation:    federation,
		Password:      password.Params{MemoryKiB: 64, Time: 1, Threads: 1},
		Throttle:      auth.Throttle{First: time.Hour},
	})
	require.NoError(t, err)
	require.NoError(t, a.Directory.SyncRules(t.Context()))
	server, err = api.New(api.Options{DB: db, Log: slog.New(slog.DiscardHandler), Authenticator: a.Authenticator, Modules: []api.Routes{a}})
	require.NoError(t, err)
	return &site{Auth: a, db: db, idp: p, url: front.URL, log: log}
}

var root = principal.Principal{Kind: principal.User, ID: uuid.New(), Rules: []string{principal.Admin}}

func (s *site) role(t testing.TB, name string) uuid.UUID {
	t.Helper()
	r, err := s.Directory.CreateRole(t.Context(), root, auth.NewRole{Name: name})
	require.NoError(t, err)
	return r.ID
}

// browser follows redirects by hand, as the tests look at each.
type browser struct {
	*site
	client *http.Client
}

func (s *site) browser(t testing.TB) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	return &browser{s, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

func (b *browser) get(t testing.TB, address string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	require.NoError(t, err)
	response, err := b.client.Do(r)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return response
}

func location(t testing.TB, response *http.Response) string {
	t.Helper()
	to := response.Header.Get("Location")
	require.NotEmpty(t, to, response.Status)
	return to
}

// returns goes to the provider and is sent back, to an address that it has not opened yet.
func (b *browser) returns(t testing.TB, next string) string {
	t.Helper()
	at := location(t, b.get(t, b.url+"/api/auth/oidc/start?next="+url.QueryEscape(next)))
	require.True(t, strings.HasPrefix(at, b.idp.url+"/authorize?"), at)
	return location(t, b.get(t, at))
}

// signIn goes all the way, and is where the browser ends.
func (b *browser) signIn(t testing.TB, next string) string {
	t.Helper()
	return location(t, b.get(t, b.returns(t, next)))
}

func (b *browser) me(t testing.TB) (me auth.Me, status int) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.url+"/api/me", nil)
	require.NoError(t, err)
	response, err := b.client.Do(r)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	require.NoError(t, json.NewDecoder(response.Body).Decode(&me))
	return me, response.StatusCode
}

func names(of []auth.Named) (found []string) {
	for _, n := range of {
		found = append(found, n.Name)
	}
	return found
}

func (s *site) count(t testing.TB, sql string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, s.db.Conn(t.Context()).QueryRow(t.Context(), sql, args...).Scan(&n))
	return n
}

func TestAPersonSignsInAtTheProvider(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.browser(t)
	require.Equal(t, "/oauth/consent?request=qabc", b.signIn(t, "/oauth/consent?request=qabc"))
	me, status := b.me(t)
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, "Ada", me.Name)
	require.Equal(t, "ada@example.org", me.Email)
	require.Equal(t, []string{"users"}, names(me.Roles))
	require.False(t, me.MustChangePassword)

	// By the subject they are the same, whatever they are called.
	s.idp.claims = map[string]any{"email": "lovelace@example.org", "name": "Lovelace"}
	again := s.browser(t)
	require.Equal(t, "/", again.signIn(t, ""))
	same, _ := again.me(t)
	require.Equal(t, me.ID, same.ID)
	require.Equal(t, 1, s.count(t, "SELECT count(*) FROM users"))
	require.Equal(t, 2, s.count(t, "SELECT count(*) FROM ai_audit_entries WHERE action = 'signed-in'"))
	require.Equal(t, 1, s.count(t, "SELECT count(*) FROM ai_audit_entries WHERE action = 'created' AND object_type = 'auth.user'"))

	// The account has no password, and none fits.
	for _, guess := range []string{"", " ", "opaque"} {
		body, err := json.Marshal(map[string]string{"email": "ada@example.org", "password": guess})
		require.NoError(t, err)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/api/auth/login", bytes.NewReader(body))
		require.NoError(t, err)
		r.Header.Set("Content-Type", "application/json")
		response, err := (&http.Client{Timeout: time.Minute}).Do(r)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, http.StatusUnauthorized, response.StatusCode)
	}
}

func TestAnAnswerThatIsNotRightSignsNobodyIn(t *testing.T) {
	t.Parallel()
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	unsigned := func(alg string) func([]byte) string {
		return func(claims []byte) string {
			return base64.RawURLEncoding.EncodeToString(
				[]byte(`{"alg":"`+alg+`","kid":"one"}`),
			) + "." + base64.RawURLEncoding.EncodeToString(
				claims,
			) + "."
		}
	}
	for name, c := range map[string]struct {
		change func(*idp)
		why    string
	}{
		"another nonce":    {func(p *idp) { p.claims["nonce"] = "x" }, "provider"},
		"no nonce":         {func(p *idp) { p.claims["nonce"] = nil }, "provider"},
		"another audience": {func(p *idp) { p.claims["aud"] = "other" }, "provider"},
		"another issuer":   {func(p *idp) { p.claims["iss"] = "https://evil.example" }, "provider"},
		"an old token":     {func(p *idp) { p.claims["exp"] = time.Now().Add(-time.Minute).Unix() }, "provider"},
		"nobody":           {func(p *idp) { p.claims["sub"] = "" }, "provider"},
		"another key":      {func(p *idp) { p.forge = func(claims []byte) string { return sign(t, other, "one", claims) } }, "provider"},
		"no signature":     {func(p *idp) { p.forge = unsigned("none") }, "provider"},
		"a symmetric one":  {func(p *idp) { p.forge = unsigned("HS256") }, "provider"},
		"no token":         {func(p *idp) { p.forge = func([]byte) string { return "" } }, "provider"},
		"another state":    {func(p *idp) { p.answer = func(v url.Values) { v.Set("state", "x") } }, "stale"},
		"no state":         {func(p *idp) { p.answer = func(v url.Values) { v.Del("state") } }, "stale"},
		"two states":       {func(p *idp) { p.answer = func(v url.Values) { v.Add("state", "x") } }, "stale"},
		"another provider": {func(p *idp) { p.answer = func(v url.Values) { v.Set("iss", "https://evil.example") } }, "provider"},
		"a foreign code":   {func(p *idp) { p.answer = func(v url.Values) { v.Set("code", "x") } }, "provider"},
		"denied":           {func(p *idp) { p.answer = func(v url.Values) { v.Del("code"); v.Set("error", "access_denied") } }, "denied"},
		"no address":       {func(p *idp) { p.claims["email"] = nil; p.userinfo = map[string]any{"sub": "ada-1"} }, "email"},
		"somebody else's": {func(p *idp) {
			p.claims["email"] = nil
			p.userinfo = map[string]any{"sub": "bob", "email": "bob@example.org"}
		}, "provider"},
		"an unverified one":   {func(p *idp) { p.claims["email_verified"] = false }, "email"},
		"unverified, as text": {func(p *idp) { p.claims["email_verified"] = "false" }, "email"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			c.change(s.idp)
			b := s.browser(t)
			require.Equal(t, "/sign-in?failed="+c.why+"&next=%2Fchat", b.signIn(t, "/chat"))
			_, status := b.me(t)
			require.Equal(t, http.StatusUnauthorized, status)
			require.Zero(t, s.count(t, "SELECT count(*) FROM users"))
			require.NotContains(t, s.log.String(), "opaque")
		})
	}
}

// Nobody finishes in another browser what was begun in one, so nobody is signed in to the account of somebody else.
func TestAnAnswerBelongsToTheBrowserThatHasAsked(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	mallory, victim := s.browser(t), s.browser(t)
	answer := mallory.returns(t, "/")
	require.Equal(t, "/sign-in?failed=stale", location(t, victim.get(t, answer)))
	victim.returns(t, "/")
	require.Equal(t, "/sign-in?failed=stale", location(t, victim.get(t, answer)), "nor with an attempt of its own")
	require.Equal(t, "/", location(t, mallory.get(t, answer)))
	require.Equal(t, "/sign-in?failed=stale", location(t, mallory.get(t, answer)), "once")
}

func TestASignInLeadsNowhereElse(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, next := range []string{"https://evil.example/", "//evil.example", "/\\evil.example", "\\\\evil.example", "javascript:alert(1)", "/a\nb", "evil", "/\t/evil.example"} {
		require.Equal(t, "/", s.browser(t).signIn(t, next), next)
	}
}

func TestAnAccountIsNotTakenOverByItsAddress(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		link   bool
		claims map[string]any
		ends   string
	}{
		"by default":               {false, nil, "/sign-in?failed=taken"},
		"when nothing is verified": {true, map[string]any{"email_verified": nil}, "/sign-in?failed=taken"},
		"when the operator wants":  {true, nil, "/"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, func(f *auth.Federation) { f.LinkByEmail = c.link })
			u, err := s.Directory.CreateUser(t.Context(), root, auth.NewUser{Email: "Ada@example.org", Name: "Local", Password: "correct horse"})
			require.NoError(t, err)
			s.idp.claims = c.claims
			b := s.browser(t)
			require.Equal(t, c.ends, b.signIn(t, ""))
			me, status := b.me(t)
			if c.ends != "/" {
				require.Equal(t, http.StatusUnauthorized, status)
				return
			}
			require.Equal(t, u.ID, me.ID)
			s.idp.claims = map[string]any{"sub": "another"}
			require.Equal(t, "/sign-in?failed=taken", s.browser(t).signIn(t, ""), "one account is one person's")
		})
	}
}

func TestGroupsAdmitAndGiveRoles(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(f *auth.Federation) {
		f.Groups, f.Roles = []string{"staff"}, map[string]string{"ops": "Operator", "sre": "admin", "gone": "Nobody's"}
	})
	s.role(t, "operator")
	byHand := s.role(t, "By hand")
	groups := func(of ...string) { s.idp.claims = map[string]any{"groups": of} }

	groups("ops")
	require.Equal(t, "/sign-in?failed=group", s.browser(t).signIn(t, ""))
	require.Zero(t, s.count(t, "SELECT count(*) FROM users"))

	roles := func() []string {
		b := s.browser(t)
		require.Equal(t, "/", b.signIn(t, ""))
		me, _ := b.me(t)
		return names(me.Roles)
	}
	_, err := s.Directory.CreateUser(
		t.Context(),
		root,
		auth.NewUser{Email: "root@example.org", Name: "Root", Password: "correct horse", RoleIDs: []uuid.UUID{auth.AdminRole}},
	)
	require.NoError(t, err)
	groups("staff", "ops")
	require.ElementsMatch(t, []string{"users", "operator"}, roles())
	require.Equal(t, 1, s.count(t, "SELECT count(*) FROM ai_audit_entries WHERE summary LIKE 'Roles follow the groups%'"))
	_, err = s.db.Conn(t.Context()).Exec(t.Context(), "INSERT INTO user_roles SELECT user_id, $1 FROM auth_identities", byHand)
	require.NoError(t, err)
	groups("staff", "sre")
	require.ElementsMatch(t, []string{"users", "admin", "By hand"}, roles())
	groups("staff")
	require.ElementsMatch(t, []string{"users", "By hand"}, roles(), "what the groups no longer give is taken, and nothing else")
	s.idp.claims = map[string]any{"groups": "staff"}
	require.ElementsMatch(t, []string{"users", "By hand"}, roles(), "one group may come as a text")

	// The last administrator stays one.
	groups("staff", "sre")
	roles()
	_, err = s.db.Conn(t.Context()).Exec(t.Context(), "UPDATE users SET disabled = true WHERE email = 'root@example.org'")
	require.NoError(t, err)
	groups("staff")
	require.Contains(t, roles(), "admin")
}

func TestADisabledAccountStaysOut(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.browser(t).signIn(t, "")
	_, err := s.db.Conn(t.Context()).Exec(t.Context(), "UPDATE users SET disabled = true")
	require.NoError(t, err)
	b := s.browser(t)
	require.Equal(t, "/sign-in?failed=disabled", b.signIn(t, ""))
	_, status := b.me(t)
	require.Equal(t, http.StatusUnauthorized, status)
}

func TestRepeatedRefusedSignInsHaveToWait(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.idp.claims = map[string]any{"nonce": "x"}
	for range 30 {
		require.Equal(t, "/sign-in?failed=provider", s.browser(t).signIn(t, ""))
	}
	require.Equal(t, "/sign-in?failed=wait", s.browser(t).signIn(t, ""))
}

func TestAProviderThatDoesNotAnswerIsNoFaultOfTheServer(t *testing.T) {
	t.Parallel()
	provider, err := oidc.New(
		oidc.Options{Issuer: "http://127.0.0.1:1", ClientID: "x", RedirectURL: "http://localhost/api/auth/oidc/callback"},
	)
	require.NoError(t, err)
	s := newSite(t, func(f *auth.Federation) { f.Provider = provider })
	require.Equal(t, "/sign-in?failed=provider&next=%2Fchat", location(t, s.browser(t).get(t, s.url+"/api/auth/oidc/start?next=/chat")))
	alone := newSite(t, func(f *auth.Federation) { f.Provider = nil })
	require.Equal(t, http.StatusNotFound, alone.browser(t).get(t, alone.url+"/api/auth/oidc/start").StatusCode)
	require.Equal(t, http.StatusNotFound, alone.browser(t).get(t, alone.url+auth.CallbackPath()).StatusCode)
}
