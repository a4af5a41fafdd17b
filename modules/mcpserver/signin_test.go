package mcpserver_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store/quota"
	"countersign/modules/mcpserver"
)

func TestAnAdministratorSignsInForEverybody(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	as := a.guarded(t)
	s := a.added(t, object{"auth": "oauth"})
	require.Equal(t, mcpserver.SignedOut, s.SignIn.State)
	require.Equal(t, "https://countersign.example.org/admin/mcp-servers/sign-in/tickets", s.SignIn.Redirect)
	refused := a.Do(t, "root", http.MethodPost, at(s.ID, "/refresh"), nil).Refused(t, problem.Conflict)
	require.Contains(t, refused.Detail, "is not connected")
	require.Zero(t, a.remote.asked())

	address := a.starts(t, "manager", s)
	asked, err := url.Parse(address)
	require.NoError(t, err)
	require.Equal(t, "tickets offline_access", asked.Query().Get("scope"), "what the server has asked for")
	s = apitest.Decode[mcpserver.Server](t, a.comesBack(t, "manager", s, as.allows(address)))
	require.Equal(t, mcpserver.SignedIn, s.SignIn.State)
	require.Equal(t, as.URL, s.SignIn.Issuer)
	require.NotNil(t, s.SignIn.Since)
	as.locked(func() {
		require.Len(t, as.clients, 1)
		require.Equal(t, "none", as.clients["client-1"]["token_endpoint_auth_method"], "a client without a secret, where there are such")
	})
	a.refreshed(t, s.ID)
	a.accepts(t, s.ID, "find", "read")
	answer := a.finds(t, s)
	require.Contains(t, called(t, answer).Text, "Bearer ****", "one identity for everybody")
	require.Equal(
		t,
		3,
		a.Count(t, `SELECT count(*) FROM ai_audit_entries WHERE object_type = 'mcp.server' AND summary NOT LIKE '%accepted%'`),
		"added, signed in, other tools",
	)
	require.Equal(
		t,
		1,
		a.Count(t, `SELECT count(*) FROM ai_audit_entries WHERE summary = 'A user signed in at an MCP server, for everybody'`),
	)
	a.hides(t, answer.Body, a.ok(t, http.MethodGet, at(s.ID), nil).Body)

	// Nobody is told of a token, and nobody without the rule ends or begins anything.
	for _, who := range []string{"user", "nobody"} {
		a.Do(t, who, http.MethodPost, at(s.ID, "/sign-in"), nil).Refused(t, problem.Forbidden)
		a.Do(t, who, http.MethodDelete, at(s.ID, "/sign-in"), nil).Refused(t, problem.Forbidden)
		a.comesBack(t, who, s, url.Values{"state": {"x"}}).Refused(t, problem.Forbidden)
	}

	// The same client signs in again. What is ended is gone, and given back.
	a.signsIn(t, "root", s, as)
	var access, refresh string
	as.locked(func() {
		require.Len(t, as.clients, 1)
		access, refresh = as.access, as.refresh
	})
	off := apitest.Decode[mcpserver.SignedOff](t, a.Do(t, "manager", http.MethodDelete, at(s.ID, "/sign-in"), nil))
	require.Equal(t, mcpserver.SignedOff{Ended: true, Revoked: true}, off)
	as.locked(func() { require.Equal(t, []string{refresh, access}, as.revoked) })
	off = apitest.Decode[mcpserver.SignedOff](t, a.Do(t, "manager", http.MethodDelete, at(s.ID, "/sign-in"), nil))
	require.Zero(t, off, "there is nothing more to end")
	require.Equal(t, 1, a.Count(t, `SELECT count(*) FROM ai_audit_entries WHERE summary = 'The sign-in at an MCP server was ended'`))
	require.Zero(t, a.Count(t, `SELECT count(*) FROM mcp_sign_ins`))
	before := a.remote.asked()
	out := a.finds(t, s).Refused(t, problem.Conflict)
	require.Equal(t, "out", out.Extra["signIn"])
	require.Equal(t, before, a.remote.asked(), "nothing was sent")
	a.hides(t)
}

// Nobody signs in in the place of a person.
func TestOnlyAPersonAtThePagesSignsIn(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	as := a.guarded(t)
	s := a.added(t, object{"auth": "oauth"})
	rules := []string{mcpserver.Manage, mcpserver.Read}
	a.SignIn("application", principal.Principal{Kind: principal.Application, ID: uuid.New(), Rules: rules})
	a.SignIn("turn", principal.Principal{Kind: principal.User, ID: uuid.New(), Rules: rules, TurnID: uuid.New()})
	a.SignIn(
		"program",
		principal.Principal{
			Kind:   principal.User,
			ID:     uuid.New(),
			Rules:  rules,
			Client: &principal.Client{ID: "x", Scopes: []string{principal.ScopeWrite}},
		},
	)
	query := as.allows(a.starts(t, "manager", s))
	for _, who := range []string{"application", "turn", "program"} {
		a.Do(t, who, http.MethodPost, at(s.ID, "/sign-in"), nil).Refused(t, problem.Forbidden)
		a.Do(t, who, http.MethodDelete, at(s.ID, "/sign-in"), nil).Refused(t, problem.Forbidden)
		a.comesBack(t, who, s, query).Refused(t, problem.Forbidden)
	}
	// Of a server that is told who calls in another way there is nothing to sign in at.
	other := apitest.Decode[mcpserver.Server](
		t,
		a.ok(t, http.MethodPost, servers, object{"slug": "other", "name": "Other", "address": "https://mcp.example.org/mcp"}),
	)
	require.Nil(t, other.SignIn)
	a.Do(t, "manager", http.MethodPost, at(other.ID, "/sign-in"), nil).Refused(t, problem.Conflict)
}

// Who has too many calls running comes back with the same answer, and a sign-in that comes too late is given back.
func TestASignInThatCannotBeKeptCostsNothing(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	as := a.guarded(t)
	s := a.added(t, object{"auth": "oauth"})
	query := as.allows(a.starts(t, "manager", s))
	running := quota.Kind{
		Name:       "mcp-call",
		Plural:     "calls of MCP servers running",
		Max:        a.options.Most,
		TTL:        time.Minute,
		RetryAfter: time.Second,
	}
	var places []*quota.Lease
	for range a.options.Most {
		place, err := a.options.Quota.Acquire(t.Context(), a.Principal("manager"), running)
		require.NoError(t, err)
		places = append(places, place)
	}
	a.comesBack(t, "manager", s, query).Refused(t, problem.Throttled)
	for _, place := range places {
		place.Release(t.Context())
	}
	require.Equal(t, http.StatusOK, a.comesBack(t, "manager", s, query).Status)

	query = as.allows(a.starts(t, "manager", s))
	as.meets(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/token" {
			a.Exec(t, `UPDATE mcp_servers SET scopes = 'more' WHERE id = $1`, s.ID)
		}
		return true
	})
	a.comesBack(t, "manager", s, query).Refused(t, problem.Conflict)
	as.locked(func() { require.Equal(t, []string{as.refresh, as.access}, as.revoked) })
}

// An answer belongs to the person, the server and the authorization server of one sign-in, and is good once and for ten minutes.
func TestAnAnswerIsThatOfOneSignIn(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	as := a.guarded(t)
	s := a.added(t, object{"auth": "oauth"})
	other := apitest.Decode[mcpserver.Server](
		t,
		a.ok(t, http.MethodPost, servers, object{"slug": "other", "name": "Other", "address": as.resource, "auth": "oauth"}),
	)
	query := as.allows(a.starts(t, "manager", s))

	wrong := url.Values{"code": query["code"], "iss": query["iss"], "state": {strings.Repeat("A", 26)}}
	a.comesBack(t, "manager", s, wrong).Refused(t, problem.Expired)
	a.comesBack(t, "manager", s, url.Values{"code": query["code"], "iss": query["iss"]}).Refused(t, problem.Expired)
	a.comesBack(t, "root", s, query).Refused(t, problem.Expired)
	a.comesBack(t, "manager", other, query).Refused(t, problem.Expired)
	a.Do(t, "manager", http.MethodPost, "/api/mcp/sign-ins", object{"server": "none", "query": query.Encode()}).Refused(t, problem.NotFound)
	require.Zero(t, a.Count(t, `SELECT count(*) FROM mcp_sign_ins WHERE state <> 'out'`))
	require.Equal(t, http.StatusOK, a.comesBack(t, "manager", s, query).Status, "what others have tried takes nothing away")
	a.comesBack(t, "manager", s, query).Refused(t, problem.Expired)
	require.Equal(t, mcpserver.SignedIn, a.shown(t, s).SignIn.State, "a repeat ends nothing")

	late := as.allows(a.starts(t, "manager", s))
	a.Exec(t, `UPDATE mcp_sign_in_attempts SET expires_at = expires_at - interval '10 minutes'`)
	a.comesBack(t, "manager", s, late).Refused(t, problem.Expired)
	first := as.allows(a.starts(t, "manager", s))
	second := as.allows(a.starts(t, "manager", s))
	a.comesBack(t, "manager", s, first).Refused(t, problem.Expired)

	// The answer of another authorization server, or of one that does not say which: its code is sent to nobody.
	asked := 0
	as.meets(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/token" {
			asked++
		}
		return true
	})
	second.Set("iss", "https://elsewhere.example.org")
	require.Contains(t, a.comesBack(t, "manager", s, second).Refused(t, problem.Conflict).Detail, "another authorization server")
	second.Set("iss", as.URL)
	a.comesBack(t, "manager", s, second).Refused(t, problem.Expired)
	silent := as.allows(a.starts(t, "manager", s))
	silent.Del("iss")
	require.Contains(t, a.comesBack(t, "manager", s, silent).Refused(t, problem.Conflict).Detail, "names no authorization server")
	twice := as.allows(a.starts(t, "manager", s))
	twice.Add("code", "another")
	a.comesBack(t, "manager", s, twice).Refused(t, problem.Conflict)
	denied := as.allows(a.starts(t, "manager", s))
	denied.Del("code")
	denied.Set("error", "access_denied")
	require.Contains(t, a.comesBack(t, "manager", s, denied).Refused(t, problem.Conflict).Detail, "access_denied")
	require.Zero(t, asked)

	// What has begun before the server was changed or disconnected comes to nothing.
	for _, change := range []func(){
		func() { a.ok(t, http.MethodDelete, at(s.ID, "/sign-in"), nil) },
		func() { a.ok(t, http.MethodPatch, at(s.ID), object{"scopes": "all"}) },
	} {
		begun := as.allows(a.starts(t, "manager", s))
		change()
		a.comesBack(t, "manager", s, begun).Refused(t, problem.Expired)
	}
	require.Zero(t, asked)
	a.hides(t)
}

func TestWhereToSignInIsCheckedBeforeABrowserGoesThere(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		wrong func(a *app, as *authority)
		says  string
	}{
		"another resource":             {func(_ *app, as *authority) { as.resource = "https://other.example.org/mcp" }, "cannot be used"},
		"a private issuer":             {func(a *app, as *authority) { named(a, as, "https://inside.example.org") }, "not a public internet address"},
		"a metadata service":           {func(a *app, as *authority) { named(a, as, "https://rebound.example.org") }, "not a public internet address"},
		"an issuer without TLS":        {func(a *app, as *authority) { named(a, as, "http://sign-in.example.org") }, "HTTPS"},
		"no issuer":                    {func(a *app, as *authority) { named(a, as) }, "names no authorization server"},
		"another issuer":               {func(_ *app, as *authority) { as.says = object{"issuer": "https://elsewhere.example.org"} }, "does not match"},
		"a private token endpoint":     {func(_ *app, as *authority) { as.says = object{"token_endpoint": "https://inside.example.org/token"} }, "not a public internet address"},
		"a token endpoint without TLS": {func(_ *app, as *authority) { as.says = object{"token_endpoint": "http://sign-in.example.org/token"} }, "HTTPS"},
		"a page for a script":          {func(_ *app, as *authority) { as.says = object{"authorization_endpoint": "javascript:alert(1)"} }, "scheme"},
		"no PKCE":                      {func(_ *app, as *authority) { as.says = object{"code_challenge_methods_supported": nil} }, "PKCE"},
		"plain PKCE":                   {func(_ *app, as *authority) { as.says = object{"code_challenge_methods_supported": []string{"plain"}} }, "S256"},
		"no registration":              {func(_ *app, as *authority) { as.says = object{"registration_endpoint": nil} }, "enter its client ID"},
		"a private registration":       {func(_ *app, as *authority) { as.says = object{"registration_endpoint": "https://inside.example.org/"} }, "not a public internet address"},
		"a refused registration": {func(_ *app, as *authority) {
			as.meets(answering("/register", func(w http.ResponseWriter) {
				as.json(w, http.StatusBadRequest, object{"error": "invalid_redirect_uri", "error_description": "not this one"})
			}))
		}, "invalid_redirect_uri not this one"},
		"a registration that says too much": {func(_ *app, as *authority) {
			as.meets(answering("/register", func(w http.ResponseWriter) { _, _ = w.Write([]byte(`{"client_secret":"s3cr3t`)) }))
		}, "not one of OAuth"},
		"metadata that is sent on": {func(_ *app, as *authority) {
			as.meets(answering("/.well-known/oauth-authorization-server", func(w http.ResponseWriter) {
				w.Header().Set("Location", "https://inside.example.org/")
				w.WriteHeader(http.StatusFound)
			}))
		}, "status 302, which is not followed"},
		"metadata without end": {func(_ *app, as *authority) {
			as.meets(answering("/.well-known/oauth-authorization-server", func(w http.ResponseWriter) {
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write([]byte(`{"issuer":"`))
				for range 1_000 {
					if _, err := w.Write([]byte(strings.Repeat("x", 1_000))); err != nil {
						return
					}
				}
			}))
		}, "more than"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newApp(t)
			as := a.guarded(t)
			c.wrong(a, as)
			s := a.added(t, object{"auth": "oauth"})
			require.Contains(t, a.Do(t, "manager", http.MethodPost, at(s.ID, "/sign-in"), nil).Refused(t, problem.Conflict).Detail, c.says)
			require.Zero(t, a.Count(t, `SELECT count(*) FROM mcp_sign_in_attempts`))
			a.hides(t)
		})
	}
}

// named lets the MCP server name other authorization servers.
func named(a *app, as *authority, issuers ...string) {
	a.remote.meets(func(w http.ResponseWriter, r *http.Request) bool {
		if strings.HasPrefix(r.URL.Path, "/.well-known/") {
			as.json(w, http.StatusOK, object{"resource": as.resource, "authorization_servers": issuers})
		} else {
			w.WriteHeader(http.StatusUnauthorized)
		}
		return false
	})
}

// answering answers requests to one path.
func answering(path string, with func(w http.ResponseWriter)) func(w http.ResponseWriter, r *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != path {
			return true
		}
		with(w)
		return false
	}
}

// A server of before there was metadata of resources has its authorization server at its own origin.
func TestAServerWithoutMetadataIsItsOwnAuthority(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	as := a.guarded(t)
	a.remote.meets(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/.well-known/oauth-authorization-server" {
			as.json(w, http.StatusOK, object{
				"issuer":                                a.remote.URL,
				"authorization_endpoint":                as.URL + "/authorize",
				"token_endpoint":                        as.URL + "/token",
				"registration_endpoint":                 as.URL + "/register",
				"code_challenge_methods_supported":      []string{"S256"},
				"token_endpoint_auth_methods_supported": []string{"client_secret_basic"},
			})
			return false
		}
		if as.takes(r.Header.Get("Authorization")) {
			return true
		}
		w.WriteHeader(map[bool]int{true: http.StatusNotFound, false: http.StatusUnauthorized}[strings.HasPrefix(r.URL.Path, "/.well-known/")])
		return false
	})
	s := a.added(t, object{"auth": "oauth"})
	query := as.allows(a.starts(t, "manager", s))
	query.Del("iss")
	s = apitest.Decode[mcpserver.Server](t, a.comesBack(t, "manager", s, query))
	require.Equal(t, a.remote.URL, s.SignIn.Issuer)
	as.locked(func() { require.Equal(t, "s3cr3t-of-client-1", as.basic["client-1"]) })
	require.Equal(t, 2, a.refreshed(t, s.ID).Waiting)
	a.hides(t)
}

// The secret of a client goes to the authorization server that an administrator has named, whatever the MCP server says.
func TestTheSecretOfAClientGoesWhereAnAdministratorSays(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	as := a.guarded(t)
	as.clients["ours"] = object{
		"client_secret": value,
		"redirect_uris": []any{"https://countersign.example.org/admin/mcp-servers/sign-in/tickets"},
	}
	body := object{
		"slug":     "tickets",
		"name":     "Tickets",
		"address":  as.resource,
		"auth":     "oauth",
		"secret":   "TICKETS_TOKEN",
		"clientId": "ours",
	}
	a.Do(t, "root", http.MethodPost, servers, body).Refused(t, problem.Invalid)
	body["issuer"] = as.URL + "/"
	a.Do(t, "manager", http.MethodPost, servers, body).Refused(t, problem.Forbidden)
	s := apitest.Decode[mcpserver.Server](t, a.ok(t, http.MethodPost, servers, body))
	a.signsIn(t, "manager", s, as)
	as.locked(func() { require.Equal(t, map[string]string{"ours": value}, as.basic) })
	require.Equal(t, []string{"manager: a sign-in at the MCP server tickets"}, a.uses)
	a.ends(t)
	a.refreshed(t, s.ID)
	require.Len(t, a.uses, 2, "who has the sign-in renewed is on record")

	// Another address for it, and the sign-in is another.
	a.Do(t, "manager", http.MethodPatch, at(s.ID), object{"issuer": "https://elsewhere.example.org"}).Refused(t, problem.Forbidden)
	moved := apitest.Decode[mcpserver.Server](t, a.ok(t, http.MethodPatch, at(s.ID), object{"issuer": "https://elsewhere.example.org"}))
	require.Equal(t, mcpserver.SignedOut, moved.SignIn.State)
	require.Contains(
		t,
		a.Do(t, "manager", http.MethodPost, at(s.ID, "/sign-in"), nil).Refused(t, problem.Conflict).Detail,
		"another authorization server",
	)
	require.Len(t, a.uses, 2)
	for _, wrong := range []object{{"issuer": "mcp.example.org"}, {"issuer": "https://x.example.org/?a=b"}, {"clientId": "é"}, {"clientId": ""}, {"scopes": `a"b`}} {
		a.Do(t, "root", http.MethodPatch, at(s.ID), wrong).Refused(t, problem.Invalid)
	}
	plain := apitest.Decode[mcpserver.Server](t, a.ok(t, http.MethodPatch, at(s.ID), object{"auth": "none"}))
	require.Empty(t, plain.ClientID+plain.Issuer+plain.Secret)
	a.hides(t)
}

func TestSignInsThatNobodyFinishesAreForgotten(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	as := a.guarded(t)
	s := a.added(t, object{"auth": "oauth"})
	a.starts(t, "manager", s)
	a.starts(t, "root", s)
	look := a.Chores()[0]
	require.NoError(t, look.Do(t.Context()))
	require.Equal(t, 2, a.Count(t, `SELECT count(*) FROM mcp_sign_in_attempts`))
	require.Equal(t, 10*time.Minute, look.Every)
	a.Exec(t, `UPDATE mcp_sign_in_attempts SET expires_at = now() WHERE user_id = $1`, a.Principal("root").ID)
	require.NoError(t, look.Do(t.Context()))
	require.Equal(t, 1, a.Count(t, `SELECT count(*) FROM mcp_sign_in_attempts`))

	// The product by itself sends no token, and what an administrator has let go stays gone.
	a.signsIn(t, "manager", s, as)
	asked := a.remote.asked()
	require.NoError(t, look.Do(t.Context()))
	require.Equal(t, asked, a.remote.asked())
	a.ok(t, http.MethodDelete, at(s.ID), nil)
	require.Zero(t, a.Count(t, `SELECT (SELECT count(*) FROM mcp_sign_ins) + (SELECT count(*) FROM mcp_sign_in_attempts)`))
}
