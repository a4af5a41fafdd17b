package attack_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
)

// linked makes the password link of a person as somebody, and returns its token.
func linked(t *testing.T, by, person *apptest.Client) string {
	t.Helper()
	var made struct{ Path string }
	by.Post(t, "/api/users/"+person.ID.String()+"/password-link", nil, &made)
	_, token, found := strings.Cut(made.Path, "#")
	require.True(t, found)
	return token
}

// Whoever sets a password by a link has the account to themselves: nothing that acted for it before goes on.
func TestAResetEndsWhateverActedForThePerson(t *testing.T) {
	t.Parallel()
	p := scripted(t, map[string]string{"COUNTERSIGN_STREAM_HEARTBEAT": "50ms"})
	ada := p.Person(t)
	program, chat := connects(t, p, ada, "countersign:read"), p.Bearer(ada.ID, chatToken(t, ada))
	streams := []*apptest.Stream{
		ada.Changes(t, "").Stream,
		ada.Stream(t, http.MethodPost, "/api/ai/chat", map[string]any{"id": "one", "messages": []any{
			map[string]any{
				"id":    "m1",
				"role":  "user",
				"parts": []any{map[string]any{"type": "text", "text": "script: tokens=10000 delay_token=20ms"}},
			},
		}}),
	}
	list := calling("ai_listDocs", `{}`)
	require.Equal(t, http.StatusOK, asProgram(t, p, program.access, list).Status)

	token := linked(t, p.Admin, ada)
	anybody := p.Anonymous()
	for _, path := range []string{"/api/auth/password-link/look", "/api/auth/password-link"} {
		answer := anybody.Call(t, http.MethodPost, path, map[string]any{"token": token, "password": "mine mine mine"},
			apptest.Header{Name: "Origin", Value: "https://evil.example"}, apptest.Header{Name: "Sec-Fetch-Site", Value: "cross-site"})
		require.Equal(t, http.StatusForbidden, answer.Status, "from another site: %s", answer.Body)
		require.NotEqual(
			t,
			http.StatusOK,
			anybody.Call(t, http.MethodGet, path+"?token="+url.QueryEscape(token), nil).Status,
			"a token is in no address",
		)
	}
	require.Equal(t, http.StatusOK, asProgram(t, p, program.access, list).Status, "a link that nobody has used changes nothing")
	answer := anybody.Call(t, http.MethodPost, "/api/auth/password-link", map[string]any{"token": token, "password": "chosen by nobody else"})
	require.Equal(t, http.StatusNoContent, answer.Status, "%s", answer.Body)
	require.Empty(t, answer.Header.Values("Set-Cookie"), "it signs nobody in")

	for _, stream := range streams {
		stream.BreaksOff(t)
	}
	require.Equal(t, http.StatusUnauthorized, ada.Call(t, http.MethodGet, "/api/me", nil).Status)
	require.Equal(t, http.StatusUnauthorized, asProgram(t, p, program.access, list).Status)
	require.Equal(t, http.StatusUnauthorized, chat.Call(t, http.MethodGet, "/v1/models", nil).Status)
	response, err := http.PostForm(
		p.URL+"/oauth/token",
		url.Values{"grant_type": {"refresh_token"}, "client_id": {program.client}, "refresh_token": {program.refresh}},
	)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusBadRequest, response.StatusCode)
	require.NotContains(t, p.Log.String(), token)
	require.NotContains(t, p.Log.String(), token[len(token)-20:])
}

// A link is no way around a second person: whoever made it could sign in as the one who countersigns.
func TestALinkIsNoWayAroundTheSecondPerson(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	ada := p.Person(t)
	second := p.Second(t)
	p.Countersign(t, p.Admin.Patch(t, "/api/ai/policies/catalog.createSystem", map[string]any{"twoPerson": true, "anyway": true}, nil))
	for name, person := range map[string]*apptest.Client{"the second person": second, "anybody": ada} {
		e := p.Admin.Refused(t, problem.Forbidden, http.MethodPost, "/api/users/"+person.ID.String()+"/password-link", nil)
		require.NotEmpty(t, e.Detail, name)
	}
	require.Zero(t, p.Count(t, `SELECT count(*) FROM password_links`))
}
