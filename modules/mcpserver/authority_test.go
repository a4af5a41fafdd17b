package mcpserver_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/modules/mcpserver"
)

// authority is an authorization server, as small as it can be and as strict. Everything that it gives has "s3cr3t" in it.
type authority struct {
	*httptest.Server

	t  *testing.T
	mu sync.Mutex
	// resource is the address of the MCP server that it is for.
	resource string
	// says is what its metadata has in place of what is right; nil takes a member away.
	says object
	// before sees each request to an endpoint; it answers those for which it returns false.
	before  func(w http.ResponseWriter, r *http.Request) bool
	clients map[string]object
	codes   map[string]url.Values
	// access and refresh are what is good at the moment.
	access, refresh string
	count           int
	lasts           int
	renewals        int
	revoked         []string
	// basic are the secrets that came by HTTP Basic, by client.
	basic map[string]string
}

// guarded is an authority before the remote server of the test, which asks for its tokens.
func (a *app) guarded(t *testing.T) *authority {
	t.Helper()
	s := &authority{
		t:        t,
		resource: a.remote.URL + "/mcp",
		clients:  map[string]object{},
		codes:    map[string]url.Values{},
		basic:    map[string]string{},
		lasts:    3600,
	}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	a.remote.meets(func(w http.ResponseWriter, r *http.Request) bool {
		switch {
		case r.URL.Path == "/.well-known/oauth-protected-resource/mcp":
			s.json(w, http.StatusOK, s.protected())
			return false
		case strings.HasPrefix(r.URL.Path, "/.well-known/"):
			http.NotFound(w, r)
			return false
		case !s.takes(r.Header.Get("Authorization")):
			w.Header().Set(
				"WWW-Authenticate",
				fmt.Sprintf(`Bearer resource_metadata="%s/.well-known/oauth-protected-resource/mcp", scope="tickets"`, a.remote.URL),
			)
			w.WriteHeader(http.StatusUnauthorized)
			return false
		}
		return true
	})
	return s
}

func (s *authority) locked(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do()
}

func (s *authority) meets(before func(w http.ResponseWriter, r *http.Request) bool) {
	s.locked(func() { s.before = before })
}

func (s *authority) takes(header string) (good bool) {
	s.locked(func() { good = s.access != "" && header == "Bearer "+s.access })
	return good
}

func (s *authority) protected() (said object) {
	s.locked(func() {
		said = object{"resource": s.resource, "authorization_servers": []string{s.URL}, "scopes_supported": []string{"tickets", "all"}}
	})
	return said
}

func (s *authority) json(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// ServeHTTP implements http.Handler.
func (s *authority) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	before := s.before
	s.mu.Unlock()
	if before != nil && !before(w, r) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch r.URL.Path {
	case "/.well-known/oauth-authorization-server":
		metadata := object{
			"issuer":                                         s.URL,
			"authorization_endpoint":                         s.URL + "/authorize",
			"token_endpoint":                                 s.URL + "/token",
			"registration_endpoint":                          s.URL + "/register",
			"revocation_endpoint":                            s.URL + "/revoke",
			"code_challenge_methods_supported":               []string{"S256"},
			"response_types_supported":                       []string{"code"},
			"token_endpoint_auth_methods_supported":          []string{"none", "client_secret_basic"},
			"authorization_response_iss_parameter_supported": true,
			"scopes_supported":                               []string{"tickets", "all", "offline_access"},
		}
		maps.Copy(metadata, s.says)
		maps.DeleteFunc(metadata, func(_ string, value any) bool { return value == nil })
		s.json(w, http.StatusOK, metadata)
	case "/register":
		var client object
		_ = json.NewDecoder(r.Body).Decode(&client)
		s.count++
		client["client_id"] = fmt.Sprint("client-", s.count)
		if client["token_endpoint_auth_method"] != "none" {
			client["client_secret"] = fmt.Sprint("s3cr3t-of-client-", s.count)
		}
		s.clients[client["client_id"].(string)] = client
		s.json(w, http.StatusCreated, client)
	case "/token":
		s.token(w, r)
	case "/revoke":
		if s.client(r) == "" {
			s.json(w, http.StatusUnauthorized, object{"error": "invalid_client"})
			return
		}
		s.revoked = append(s.revoked, r.FormValue("token"))
	default:
		http.NotFound(w, r)
	}
}

// client is who asks, "" for nobody who is known.
func (s *authority) client(r *http.Request) string {
	id, secret, ok := r.BasicAuth()
	if ok {
		id, _ = url.QueryUnescape(id)
		secret, _ = url.QueryUnescape(secret)
		s.basic[id] = secret
	} else {
		id, secret = r.FormValue("client_id"), r.FormValue("client_secret")
	}
	client, known := s.clients[id]
	if wanted, _ := client["client_secret"].(string); !known || secret != wanted {
		return ""
	}
	return id
}

func (s *authority) token(w http.ResponseWriter, r *http.Request) {
	client := s.client(r)
	if client == "" {
		s.json(w, http.StatusUnauthorized, object{"error": "invalid_client"})
		return
	}
	bad := r.FormValue("resource") != s.resource
	switch r.FormValue("grant_type") {
	case "authorization_code":
		asked := s.codes[r.FormValue("code")]
		delete(s.codes, r.FormValue("code"))
		sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
		bad = bad || asked == nil || asked.Get("client_id") != client || asked.Get("redirect_uri") != r.FormValue("redirect_uri") ||
			asked.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(sum[:])
	case "refresh_token":
		s.renewals++
		bad = bad || s.refresh == "" || r.FormValue("refresh_token") != s.refresh
	default:
		bad = true
	}
	if bad {
		s.refresh, s.access = "", ""
		s.json(w, http.StatusBadRequest, object{"error": "invalid_grant", "error_description": "s3cr3t"})
		return
	}
	s.count++
	s.access, s.refresh = fmt.Sprint("s3cr3t-access-", s.count), fmt.Sprint("s3cr3t-refresh-", s.count)
	s.json(w, http.StatusOK, object{"access_token": s.access, "refresh_token": s.refresh, "token_type": "bearer", "expires_in": s.lasts})
}

// allows is what a person does in their browser who is sent to the authority: it comes back with this query.
func (s *authority) allows(address string) url.Values {
	s.t.Helper()
	u, err := url.Parse(address)
	require.NoError(s.t, err)
	require.Equal(s.t, s.URL+"/authorize", u.Scheme+"://"+u.Host+u.Path)
	asked := u.Query()
	s.mu.Lock()
	defer s.mu.Unlock()
	client := s.clients[asked.Get("client_id")]
	require.NotNil(s.t, client, address)
	require.Equal(s.t, "code", asked.Get("response_type"))
	require.Equal(s.t, "S256", asked.Get("code_challenge_method"))
	require.Equal(s.t, s.resource, asked.Get("resource"))
	require.True(s.t, slices.Contains(client["redirect_uris"].([]any), any(asked.Get("redirect_uri"))), asked.Get("redirect_uri"))
	require.GreaterOrEqual(s.t, len(asked.Get("state")), 20)
	s.count++
	code := fmt.Sprint("s3cr3t-code-", s.count)
	s.codes[code] = asked
	return url.Values{"code": {code}, "state": asked["state"], "iss": {s.URL}}
}

// starts begins a sign-in, and is where the browser goes.
func (a *app) starts(t *testing.T, as string, s mcpserver.Server) string {
	t.Helper()
	return apitest.Decode[mcpserver.SignInStart](t, a.Do(t, as, http.MethodPost, at(s.ID, "/sign-in"), nil)).Address
}

// comesBack ends a sign-in with what the browser has come back with.
func (a *app) comesBack(t *testing.T, as string, s mcpserver.Server, query url.Values) apitest.Answer {
	t.Helper()
	return a.Do(t, as, http.MethodPost, "/api/mcp/sign-ins", object{"server": s.Slug, "query": query.Encode()})
}

// signsIn signs a person in at a server.
func (a *app) signsIn(t *testing.T, as string, s mcpserver.Server, at *authority) mcpserver.Server {
	t.Helper()
	return apitest.Decode[mcpserver.Server](t, a.comesBack(t, as, s, at.allows(a.starts(t, as, s))))
}

// connected is the server of the test with its tools accepted, at which the manager has signed in.
func (a *app) connected(t *testing.T, at *authority) mcpserver.Server {
	t.Helper()
	s := a.added(t, object{"auth": "oauth"})
	a.signsIn(t, "manager", s, at)
	a.refreshed(t, s.ID)
	a.accepts(t, s.ID, "find", "read")
	a.accepts(t, s.ID, "create_ticket", "mutate")
	return a.shown(t, s)
}

func (a *app) shown(t *testing.T, s mcpserver.Server) mcpserver.Server {
	t.Helper()
	return apitest.Decode[mcpserver.Server](t, a.ok(t, http.MethodGet, at(s.ID), nil))
}

// ends lets the access token of a server end.
func (a *app) ends(t *testing.T) {
	t.Helper()
	a.Exec(t, `UPDATE mcp_sign_ins SET expires_at = now() - interval '1 second'`)
}

func (a *app) finds(t *testing.T, s mcpserver.Server) apitest.Answer {
	t.Helper()
	return a.call(t, "user", s.ID, "find", object{"query": "x"})
}
