package app_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// program is a client that has registered itself.
type program struct {
	stage

	id, verifier string
}

const programCallback = "http://127.0.0.1:1/callback"

// program makes one, by its row: whether programs may register is set by another example at the same time.
func (s stage) program() program {
	s.Helper()
	p := program{s, uuid.NewString(), strings.ReplaceAll(uuid.NewString()+uuid.NewString(), "-", "")}
	s.p.Row(s, `INSERT INTO oauth_clients (id, client_id, kind, name, redirect_uris)
		VALUES (gen_random_uuid(), $1, 'registered', $1, ARRAY[$2]) RETURNING client_id`, []any{p.id, programCallback}, &p.id)
	return p
}

// row is the id that lists know it by.
func (p program) row() (id string) {
	p.Helper()
	p.p.Row(p, `SELECT id::text FROM oauth_clients WHERE client_id = $1`, []any{p.id}, &id)
	return id
}

// asks is what the page of the consent knows.
func (p program) asks() string {
	sum := sha256.Sum256([]byte(p.verifier))
	query := url.Values{
		"response_type": {"code"}, "client_id": {p.id}, "redirect_uri": {programCallback}, "scope": {"countersign:read"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
	}
	return "q" + base64.RawURLEncoding.EncodeToString([]byte(query.Encode()))
}

// connect lets the administrator connect it, and returns the id of that.
func (p program) connect() string {
	p.Helper()
	var decided struct{ Redirect string }
	p.p.Admin.Post(p, "/api/oauth/decision", map[string]any{"request": p.asks(), "allow": true}, &decided)
	to, err := url.Parse(decided.Redirect)
	require.NoError(p, err)
	form := url.Values{
		"grant_type": {
			"authorization_code",
		},
		"code":          {to.Query().Get("code")},
		"client_id":     {p.id},
		"redirect_uri":  {programCallback},
		"code_verifier": {p.verifier},
	}
	r, err := http.NewRequestWithContext(p.Context(), http.MethodPost, p.p.URL+"/oauth/token", bytes.NewBufferString(form.Encode()))
	require.NoError(p, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := (&http.Client{Timeout: time.Minute}).Do(r)
	require.NoError(p, err)
	defer func() { _ = response.Body.Close() }()
	var got map[string]any
	require.NoError(p, json.NewDecoder(response.Body).Decode(&got))
	require.Equal(p, http.StatusOK, response.StatusCode, got)
	var list struct {
		Programs []struct{ ID, Name string }
	}
	p.p.Admin.Get(p, "/api/oauth/programs", &list)
	for _, one := range list.Programs {
		if one.Name == p.id {
			return one.ID
		}
	}
	require.Fail(p, "not listed")
	return ""
}
