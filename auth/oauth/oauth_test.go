package oauth_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/auth"
	"countersign/auth/oauth"
	"countersign/internal/principal"
)

const (
	read  = principal.ScopeRead
	write = principal.ScopeWrite
)

func TestAPersonConnectsAProgram(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada := s.person(t, "ada@example.org")
	editor := s.registered(t)

	var q oauth.Question
	opened := ada.opens(t, editor.asks().Encode())
	require.Equal(t, http.StatusOK, ada.call(t, http.MethodPost, "/api/oauth/question", map[string]any{"request": opened}, &q))
	require.Equal(t, "Editor", q.Name)
	require.Equal(t, "client.example", q.ReturnsTo)
	require.Equal(t, s.url+"/mcp", q.Resource)
	require.Empty(t, q.Origin)
	require.Nil(t, q.Refused)
	require.Equal(t, []string{read, write}, []string{q.Scopes[0].ID, q.Scopes[1].ID})
	require.Zero(t, s.count(t, "SELECT count(*) FROM oauth_codes"))

	to := ada.allows(t, editor.asks())
	require.Equal(t, "client.example/callback", to.Host+to.Path)
	require.Equal(t, "s 1&2", to.Query().Get("state"))
	require.Equal(t, s.url, to.Query().Get("iss"), "RFC 9207: a program that knows several servers is not mixed up")

	got := editor.exchange(t, to.Query().Get("code"))
	require.Equal(t, http.StatusOK, got.status, got)
	require.Equal(t, "Bearer", got.TokenType)
	require.Equal(t, 3600, got.ExpiresIn)
	require.Equal(t, read+" "+write, got.Scope)
	p, status := s.acts(t, got.AccessToken)
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, ada.id, p.ID)
	require.Equal(t, editor.id, p.Client.ID)
	require.Equal(t, []string{read, write}, p.Client.Scopes)

	require.Equal(
		t,
		[]string{"granted", "added"},
		s.column(t, "SELECT action FROM ai_audit_entries WHERE object_type = 'oauth.client' ORDER BY id"),
	)
	for _, secret := range []string{got.AccessToken, got.RefreshToken, to.Query().Get("code")} {
		_, bare, _ := strings.Cut(secret, "_")
		require.NotContains(t, s.log.String(), bare)
	}
}

func TestTheMetadataSaysWhatThereIs(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, path := range []string{"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"} {
		var m map[string]any
		require.Equal(t, http.StatusOK, s.get(t, path, &m).StatusCode)
		require.Equal(t, s.url+"/mcp", m["resource"])
		require.Equal(t, []any{s.url}, m["authorization_servers"])
	}
	var m map[string]any
	answer := s.get(t, "/.well-known/oauth-authorization-server", &m)
	require.Equal(t, "*", answer.Header.Get("Access-Control-Allow-Origin"), "tools in browsers ask too")
	require.Equal(t, s.url, m["issuer"])
	require.Equal(t, []any{"S256"}, m["code_challenge_methods_supported"])
	require.Equal(t, []any{"none"}, m["token_endpoint_auth_methods_supported"])
	require.Equal(t, []any{"code"}, m["response_types_supported"])
	require.Equal(t, true, m["authorization_response_iss_parameter_supported"])
	require.Equal(t, true, m["client_id_metadata_document_supported"])
	require.Equal(t, s.url+"/oauth/register", m["registration_endpoint"])

	_, status := s.acts(t, "csa_x")
	require.Equal(t, http.StatusUnauthorized, status)
}

func (s *site) get(t testing.TB, path string, out any) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path, nil)
	require.NoError(t, err)
	return do(t, caller, r, out)
}

func (s *site) column(t testing.TB, sql string) (found []string) {
	t.Helper()
	rows, err := s.db.Conn(t.Context()).Query(t.Context(), sql)
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var v string
		require.NoError(t, rows.Scan(&v))
		found = append(found, v)
	}
	return found
}

// What is asked wrongly is told to the program and grants nothing, and what could lead elsewhere is told to nobody but the person.
func TestAWrongRequestGrantsNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada := s.person(t, "ada@example.org")
	editor := s.registered(t)
	for name, c := range map[string]struct {
		changes []string
		code    string
	}{
		"no PKCE":              {[]string{"code_challenge", "-"}, "invalid_request"},
		"PKCE plain":           {[]string{"code_challenge_method", "plain"}, "invalid_request"},
		"PKCE without method":  {[]string{"code_challenge_method", "-"}, "invalid_request"},
		"challenge is no hash": {[]string{"code_challenge", "short"}, "invalid_request"},
		"a token right away":   {[]string{"response_type", "token"}, "unsupported_response_type"},
		"a fragment":           {[]string{"response_mode", "fragment"}, "invalid_request"},
		"a request object":     {[]string{"request", "eyJ"}, "invalid_request"},
		"other audience":       {[]string{"resource", "https://other.example/mcp"}, "invalid_target"},
		"the REST API":         {[]string{"resource", s.url + "/api"}, "invalid_target"},
		"the whole server":     {[]string{"resource", s.url}, "invalid_target"},
	} {
		to := ada.allows(t, editor.asks(c.changes...))
		require.Equal(t, c.code, to.Query().Get("error"), name)
		require.Empty(t, to.Query().Get("code"), name)
		require.Equal(t, s.url, to.Query().Get("iss"), name)
		require.Equal(t, "s 1&2", to.Query().Get("state"), name)
		var q oauth.Question
		require.Equal(
			t,
			http.StatusOK,
			ada.call(t, http.MethodPost, "/api/oauth/question", map[string]any{"request": ada.opens(t, editor.asks(c.changes...).Encode())}, &q),
		)
		require.NotNil(t, q.Refused, name)
		require.Equal(t, to.String(), q.Refused.Redirect, name)
	}
	twice := editor.asks()
	twice.Add("redirect_uri", "https://evil.example/")
	for name, query := range map[string]string{
		"unknown program": editor.asks("client_id", "nobody").Encode(), "no program": editor.asks("client_id", "-").Encode(),
		"no address": editor.asks("redirect_uri", "-").Encode(), "an address twice": twice.Encode(), "no query": "", "broken": "%zz",
	} {
		require.Equal(
			t,
			http.StatusUnprocessableEntity,
			ada.call(t, http.MethodPost, "/api/oauth/decision", map[string]any{"request": ada.opens(t, query), "allow": true}, nil),
			name,
		)
	}
	require.Equal(
		t,
		http.StatusUnprocessableEntity,
		ada.call(t, http.MethodPost, "/api/oauth/decision", map[string]any{"request": "nonsense", "allow": true}, nil),
	)
	require.Zero(t, s.count(t, "SELECT count(*) FROM oauth_codes"))
}

func TestCodesGoToTheProgramsOwnAddressesAlone(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada := s.person(t, "ada@example.org")
	editor := s.registered(t, callback, "http://127.0.0.1:1234/cb", "http://localhost/cb", "cursor://editor/cb", "org.example.app:/cb")
	for _, good := range []string{callback, "http://127.0.0.1:1234/cb", "http://127.0.0.1:9/cb", "http://localhost:51234/cb", "cursor://editor/cb", "org.example.app:/cb"} {
		to := ada.allows(t, editor.asks("redirect_uri", good))
		require.NotEmpty(t, to.Query().Get("code"), good)
		require.True(t, strings.HasPrefix(to.String(), good+"?"), to)
	}
	for _, bad := range []string{
		"https://client.example/callback/", "https://client.example/callback/../x", "https://client.example/Callback", "https://client.example/callback?x=1",
		"https://client.example/callback#x", "https://client.example:444/callback", "https://client.example.evil.example/callback", "http://client.example/callback",
		"https://evil.example/callback", "https://client.example@evil.example/callback", "https://evil.example\\@client.example/callback", "HTTPS://client.example/callback",
		"https://client.example/callback%00", "http://127.0.0.1:1234/cb2", "http://127.0.0.2:1234/cb", "http://localhost.evil.example/cb", "http://[::1]:1234/cb", "http://127.0.0.1:1234/cb?x",
		"cursor://editor/cb/", "cursor://evil/cb", "javascript:alert(1)", "data:text/html,x", "//client.example/callback", "/callback", " " + callback, callback + "\n",
	} {
		status := ada.call(
			t,
			http.MethodPost,
			"/api/oauth/decision",
			map[string]any{"request": ada.opens(t, editor.asks("redirect_uri", bad).Encode()), "allow": true},
			nil,
		)
		require.Equal(t, http.StatusUnprocessableEntity, status, bad)
	}
}

func TestNoProgramHasAnAddressThatABrowserWouldReadOtherwise(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, bad := range []string{
		"http://client.example/cb", "javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "about:blank", "blob:https://x/y", "chrome://x", "custom://x", "https://", "https:/x", "x",
		"https://u:p@client.example/", "https://client.example/#x", "https://client.example/?code=mine", "https://client.example/?a=%zz", "https://client.example/ x", "https://client.example\\x", "http://0177.0.0.1/cb", "http://[::ffff:127.0.0.1]/cb", "http://[::1%25lo]/cb", "http://%6cocalhost/cb", "https://%65vil.example/cb", "http://localhost@evil.example/",
		"HTTPS://client.example/", "https://client.example/" + strings.Repeat("x", 500), "",
	} {
		// Each from an address of its own would need a proxy: the limit is not what this is about.
		s.exec(t, "DELETE FROM throttled_failures")
		var out tokenAnswer
		require.Equal(t, http.StatusBadRequest, s.register(t, map[string]any{"redirect_uris": []string{callback, bad}}, &out).StatusCode, bad)
		require.Equal(t, "invalid_redirect_uri", out.Error, bad)
	}
	s.exec(t, "DELETE FROM throttled_failures")
	for _, bad := range []any{map[string]any{}, []any{}, map[string]any{"redirect_uris": callback}, map[string]any{"redirect_uris": []string{callback}, "grant_types": []string{"client_credentials"}}} {
		require.Equal(t, http.StatusBadRequest, s.register(t, bad, nil).StatusCode, bad)
	}
	require.Zero(t, s.count(t, "SELECT count(*) FROM oauth_clients"))
}

func TestACodeIsWorthNothingToAnybodyElse(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada := s.person(t, "ada@example.org")
	editor, thief := s.registered(t), s.registered(t)
	other := strings.Repeat("x", 43)
	for name, changes := range map[string][]string{
		"no verifier":          {"code_verifier", "-"},
		"another verifier":     {"code_verifier", other},
		"the challenge itself": {"code_verifier", editor.asks().Get("code_challenge")},
		"another program":      {"client_id", thief.id},
		"another address":      {"redirect_uri", "https://client.example/other"},
		"no address":           {"redirect_uri", "-"},
	} {
		s.exec(t, "DELETE FROM throttled_failures")
		code := ada.code(t, editor)
		got := editor.exchange(t, code, changes...)
		require.Equal(t, http.StatusBadRequest, got.status, name)
		require.Equal(t, "invalid_grant", got.Error, name)
		require.Equal(t, "invalid_grant", editor.exchange(t, code).Error, "%s: nobody tries twice", name)
	}
	code := ada.code(t, editor)
	require.Equal(t, "invalid_target", editor.exchange(t, code, "resource", "https://other.example/mcp").Error)
	require.Equal(t, "unsupported_grant_type", editor.exchange(t, code, "grant_type", "password").Error)
	require.Equal(t, "invalid_client", editor.exchange(t, code, "client_id", "-").Error)
	require.Equal(t, "invalid_client", editor.exchange(t, code, "client_id", "nobody").Error)
	require.Equal(t, http.StatusOK, editor.exchange(t, code).status, "what says nothing about the code does not use it up")

	s.exec(t, "UPDATE oauth_codes SET expires_at = now() - interval '1 second'")
	late := ada.code(t, editor)
	s.exec(t, "UPDATE oauth_codes SET expires_at = now() - interval '1 second' WHERE used_at IS NULL")
	require.Equal(t, "invalid_grant", editor.exchange(t, late).Error)
	gone := ada.code(t, editor)
	s.exec(t, "UPDATE users SET disabled = true")
	require.Equal(t, "invalid_grant", editor.exchange(t, gone).Error)
	for _, text := range []string{"", "csc_", "csc_" + other, "x"} {
		require.Equal(t, "invalid_grant", editor.exchange(t, text).Error)
	}
}

func TestACodeThatComesAgainEndsWhatCameOfIt(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada := s.person(t, "ada@example.org")
	editor := s.registered(t)
	code := ada.code(t, editor)
	got := editor.exchange(t, code)
	_, status := s.acts(t, got.AccessToken)
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, "invalid_grant", editor.exchange(t, code).Error)
	_, status = s.acts(t, got.AccessToken)
	require.Equal(t, http.StatusUnauthorized, status)
	require.Equal(t, "invalid_grant", editor.refresh(t, got.RefreshToken).Error)
	require.Equal(t, 1, s.count(t, "SELECT count(*) FROM ai_audit_entries WHERE summary LIKE 'A code came a second time%'"))

	// Of many at once one is the first.
	code = ada.code(t, editor)
	answers := make([]tokenAnswer, 8)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() { answers[i] = editor.exchange(t, code) })
	}
	all.Wait()
	good := 0
	for _, a := range answers {
		if a.status == http.StatusOK {
			good++
		}
	}
	require.Equal(t, 1, good)
	require.Zero(t, s.count(t, "SELECT count(*) FROM oauth_consents"), "the others were its replays")
}

// A refresh asks for exactly what was granted. Whoever asks for more or for less is told so, and has not used the token up.
func TestARefreshGivesWhatWasGranted(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada := s.person(t, "ada@example.org")
	for granted, others := range map[string][]string{
		read:               {read + " " + write, write, read + " openid", "admin", "COUNTERSIGN:READ"},
		read + " " + write: {read, read + " offline_access", read + " " + write + " openid", "admin"},
	} {
		editor := s.registered(t)
		tokens := ada.connected(t, editor, "scope", granted)
		require.Equal(t, granted, tokens.Scope)
		for _, other := range others {
			refused := editor.refresh(t, tokens.RefreshToken, "scope", other)
			require.Equal(t, http.StatusBadRequest, refused.status, other)
			require.Equal(t, "invalid_scope", refused.Error, other)
			require.Empty(t, refused.AccessToken, other)
		}
		for _, same := range []string{granted, "", "offline_access", granted + " offline_access"} {
			tokens = editor.refresh(t, tokens.RefreshToken, "scope", same)
			require.Equal(t, http.StatusOK, tokens.status, tokens)
			require.Equal(t, granted, tokens.Scope)
		}
	}
}

func TestAStolenRefreshTokenEndsTheConnection(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada := s.person(t, "ada@example.org")
	editor, other := s.registered(t), s.registered(t)
	first := ada.connected(t, editor)
	apart := ada.connected(t, editor)

	second := editor.refresh(t, first.RefreshToken)
	require.Equal(t, http.StatusOK, second.status, second)
	require.NotEqual(t, first.RefreshToken, second.RefreshToken)
	_, status := s.acts(t, second.AccessToken)
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, "invalid_grant", other.refresh(t, second.RefreshToken).Error, "it is bound to its program")
	require.Equal(t, "invalid_target", editor.refresh(t, second.RefreshToken, "resource", "https://other.example/mcp").Error)
	require.Equal(t, "invalid_scope", editor.refresh(t, second.RefreshToken, "scope", read).Error)

	third := editor.refresh(t, second.RefreshToken, "scope", read+" "+write)
	require.Equal(t, http.StatusOK, third.status, third)
	require.Equal(t, "invalid_grant", editor.refresh(t, first.RefreshToken).Error, "a thief comes late")
	for _, token := range []string{first.AccessToken, second.AccessToken, third.AccessToken} {
		_, status := s.acts(t, token)
		require.Equal(t, http.StatusUnauthorized, status)
	}
	require.Equal(t, "invalid_grant", editor.refresh(t, third.RefreshToken).Error)
	_, status = s.acts(t, apart.AccessToken)
	require.Equal(t, http.StatusOK, status, "what was connected apart stays")
	require.Equal(
		t,
		1,
		s.count(t, "SELECT count(*) FROM ai_audit_entries WHERE action = 'withdrawn' AND summary LIKE 'A refresh token came a second time%'"),
	)

	require.Equal(
		t,
		"invalid_grant",
		editor.refresh(t, strings.Replace(apart.AccessToken, auth.AccessPrefix, auth.RefreshPrefix, 1)).Error,
		"an access token is no refresh token",
	)
	_, status = s.acts(t, strings.Replace(apart.RefreshToken, auth.RefreshPrefix, auth.AccessPrefix, 1))
	require.Equal(t, http.StatusUnauthorized, status, "nor the other way round")
}

func TestWhatAPersonGrantsIsWhatTheProgramMayDo(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada := s.person(t, "ada@example.org")
	editor := s.registered(t)
	granted := func(asked url.Values, scopes ...string) []string {
		got := editor.exchange(t, ada.allows(t, asked, scopes...).Query().Get("code"))
		require.Equal(t, http.StatusOK, got.status)
		p, status := s.acts(t, got.AccessToken)
		require.Equal(t, http.StatusOK, status)
		require.Equal(t, strings.Join(p.Client.Scopes, " "), got.Scope)
		return p.Client.Scopes
	}
	require.Equal(t, []string{read}, granted(editor.asks("scope", "-")), "who asks for nothing gets the least")
	require.Equal(t, []string{read, write}, granted(editor.asks("scope", "offline_access "+write)))
	for _, least := range []string{read + " offline_access", "offline_access", "openid offline_access", "admin", "COUNTERSIGN:WRITE"} {
		require.Equal(t, []string{read}, granted(editor.asks("scope", least)), least)
	}
	var q oauth.Question
	opened := map[string]any{"request": ada.opens(t, editor.asks("scope", "offline_access").Encode())}
	require.Equal(t, http.StatusOK, ada.call(t, http.MethodPost, "/api/oauth/question", opened, &q))
	require.Len(t, q.Scopes, 1, "the page says what is granted")
	require.Equal(t, read, q.Scopes[0].ID)
	require.Equal(t, []string{read}, granted(editor.asks(), read), "the person takes something off")
	require.Equal(t, []string{read, write}, granted(editor.asks("scope", write)))
	status := ada.call(
		t,
		http.MethodPost,
		"/api/oauth/decision",
		map[string]any{"request": ada.opens(t, editor.asks("scope", read).Encode()), "allow": true, "scopes": []string{write}},
		nil,
	)
	require.Equal(t, http.StatusUnprocessableEntity, status, "nobody grants more than what was asked for")

	denied := map[string]any{"request": ada.opens(t, editor.asks().Encode()), "allow": false}
	var out struct{ Redirect string }
	require.Equal(t, http.StatusOK, ada.call(t, http.MethodPost, "/api/oauth/decision", denied, &out))
	require.Contains(t, out.Redirect, "error=access_denied")
	require.NotContains(t, out.Redirect, "code=")
}

func TestOnlyAPersonInPersonGrants(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada := s.person(t, "ada@example.org")
	editor := s.registered(t)
	decision := map[string]any{"request": ada.opens(t, editor.asks().Encode()), "allow": true}
	stranger := &browser{site: s, client: caller}
	require.Equal(t, http.StatusUnauthorized, stranger.call(t, http.MethodPost, "/api/oauth/decision", decision, nil))

	role, err := s.Directory.CreateRole(t.Context(), root, auth.NewRole{Name: "All", Rules: []string{oauth.RuleManage}})
	require.NoError(t, err)
	_, token, err := s.Directory.CreateApplication(t.Context(), root, auth.NewApplication{Name: "CI", RoleIDs: []uuid.UUID{role.ID}})
	require.NoError(t, err)
	application := &browser{site: s, client: &http.Client{Transport: withToken(token)}}
	require.Equal(t, http.StatusForbidden, application.call(t, http.MethodPost, "/api/oauth/decision", decision, nil))
	program := &browser{site: s, client: &http.Client{Transport: withToken(ada.connected(t, editor).AccessToken)}}
	require.Equal(t, http.StatusUnauthorized, program.call(t, http.MethodPost, "/api/oauth/decision", decision, nil))

	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/api/oauth/decision", strings.NewReader(`{}`))
	require.NoError(t, err)
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	require.Equal(t, http.StatusForbidden, do(t, ada.client, r, nil).StatusCode, "another site does not click for anybody")
	code := ada.code(t, editor)
	cross := editor.post(t, oauth.TokenPath, url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "client_id": {editor.id}, "redirect_uri": {callback}, "code_verifier": {verifier},
	}, "Sec-Fetch-Site", "cross-site", "Origin", "https://inspector.example")
	require.Equal(t, http.StatusOK, cross.status, "a program in a browser exchanges its own")
}

func TestARevokedTokenIsWorthNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada := s.person(t, "ada@example.org")
	editor, other := s.registered(t), s.registered(t)
	got := ada.connected(t, editor)
	revoke := func(p *program, token string) int {
		return s.post(t, oauth.RevokePath, url.Values{"token": {token}, "client_id": {p.id}}).status
	}
	require.Equal(t, http.StatusOK, revoke(other, got.RefreshToken), "as for one that is not known")
	_, status := s.acts(t, got.AccessToken)
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, http.StatusOK, revoke(editor, got.AccessToken))
	_, status = s.acts(t, got.AccessToken)
	require.Equal(t, http.StatusUnauthorized, status)
	next := editor.refresh(t, got.RefreshToken)
	require.Equal(t, http.StatusOK, next.status)
	require.Equal(t, http.StatusOK, revoke(editor, next.RefreshToken))
	_, status = s.acts(t, next.AccessToken)
	require.Equal(t, http.StatusUnauthorized, status)
	require.Zero(t, s.count(t, "SELECT count(*) FROM oauth_consents"))
	require.Equal(t, http.StatusOK, revoke(editor, next.RefreshToken), "again")
	require.Equal(t, http.StatusOK, revoke(editor, "nonsense"))
	require.Equal(t, http.StatusBadRequest, revoke(editor, ""))
}

func TestRepeatedInvalidCodesHaveToWait(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada := s.person(t, "ada@example.org")
	editor := s.registered(t)
	got := ada.connected(t, editor)
	guess := "csc_" + strings.Repeat("A", 43)
	for range 30 {
		require.Equal(t, http.StatusBadRequest, editor.exchange(t, guess).status)
	}
	require.Equal(t, http.StatusTooManyRequests, editor.exchange(t, guess).status)
	require.Equal(t, http.StatusOK, editor.refresh(t, got.RefreshToken).status, "a good one passes all the same")
}

func TestParametersStandInTheBodyAndOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	form := url.Values{"grant_type": {"refresh_token"}, "client_id": {s.registered(t).id}, "refresh_token": {"csr_x"}}
	require.Equal(t, "invalid_request", s.post(t, oauth.TokenPath+"?refresh_token=csr_x", form).Error)
	form.Add("client_id", "y")
	require.Equal(t, "invalid_request", s.post(t, oauth.TokenPath, form).Error)
	form.Set("client_id", "x")
	require.Equal(t, "invalid_request", s.post(t, oauth.TokenPath, form, "Content-Type", "text/plain").Error)
	form.Set("refresh_token", strings.Repeat("x", 20<<10))
	require.Equal(t, "invalid_request", s.post(t, oauth.TokenPath, form).Error)
}

func TestWhatIsOverIsDeleted(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada := s.person(t, "ada@example.org")
	editor := s.registered(t)
	ada.connected(t, editor)
	require.NoError(t, s.programs.Sweep(t.Context()))
	require.Equal(t, []int{1, 1, 2, 1}, s.rows(t))
	s.exec(t, "UPDATE oauth_consents SET expires_at = now() - interval '1 second'")
	s.exec(t, "UPDATE oauth_codes SET expires_at = now() - interval '2 days'")
	require.NoError(t, s.programs.Sweep(t.Context()))
	require.Equal(t, []int{0, 0, 0, 1}, s.rows(t), "the program is known for a while")
	s.exec(t, "UPDATE oauth_clients SET allowed_at = now() - interval '91 days'")
	s.registered(t)
	require.NoError(t, s.programs.Sweep(t.Context()))
	require.Equal(t, []int{0, 0, 0, 1}, s.rows(t))
	require.Equal(t, 1, s.count(t, "SELECT count(*) FROM ai_audit_entries WHERE summary LIKE '1 connections of programs%'"))
	require.Len(t, s.programs.Chores(), 1)
}

func (s *site) rows(t testing.TB) (n []int) {
	t.Helper()
	for _, table := range []string{"oauth_consents", "oauth_codes", "oauth_tokens", "oauth_clients"} {
		n = append(n, s.count(t, "SELECT count(*) FROM "+table))
	}
	return n
}

// withToken sends a bearer token with each request.
type withToken string

func (token withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(token))
	return http.DefaultTransport.RoundTrip(r)
}
