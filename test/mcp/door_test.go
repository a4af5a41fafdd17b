package mcp_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/auth"
	"countersign/internal/problem"
)

// All of this happens to one installation.
func TestMCPClients(t *testing.T) { //nolint:tparallel // its parts share one installation
	t.Parallel()
	p := apptest.Start(
		t,
		apptest.Options{Env: map[string]string{"COUNTERSIGN_TOOL_BUDGET_WINDOW": "1h", "COUNTERSIGN_STREAM_HEARTBEAT": "50ms"}},
	)
	for _, part := range []struct {
		name string
		try  func(*testing.T, *apptest.Product)
	}{
		{"list what may be used", listsWhatMayBeUsed},
		{"run reads", readsRun},
		{"propose what may leave", whatMayLeaveIsProposed},
		{"propose writes", writesPropose},
		{"have no token for what removes", whatRemovesHasNoToken},
		{"ask their person", aPersonIsAskedInTheClient},
		{"send their person to the app", aPersonDecidesInTheApp},
		{"send back what they were given", aStateFitsOneCall},
		{"do not decide for whom they have sent to the app", aPageIsNoForm},
		{"wait", waitingEnds},
		{"read resources", resourcesAreRead},
		{"have skills as prompts", promptsAreSkills},
		{"complete names", namesAreCompleted},
		{"complete targets", targetsAreCompleted},
		{"hear of changes", changesAreTold},
		{"hear of updates", updatesAreTold},
		{"hear of no changes in earlier revisions", earlierClientsHearOfNoChanges},
		{"go on with a stream", aStreamGoesOnWhereItEnded},
		{"have streams that end often", aStreamMayEndOften},
		{"are under policies", policiesHold},
		{"have one budget", theBudgetIsOne},
		{"come by the door", nobodyComesInOtherwise},
	} {
		t.Run(part.name, func(t *testing.T) { part.try(t, p) })
	}
	require.Empty(t, p.Failures(t))
}

const ping = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`

// Only a bearer token opens the endpoint, in its header, from no other site, to a name of this server.
func nobodyComesInOtherwise(t *testing.T, p *apptest.Product) {
	c := p.Application(t, p.Role(t, "ai.chat.read"))
	require.Equal(t, http.StatusOK, post(t, p, c.Token(), ping).Status)

	answer := post(t, p, "", ping)
	require.Equal(t, http.StatusUnauthorized, answer.Status)
	require.Contains(t, answer.Header.Get("WWW-Authenticate"), "Bearer")
	require.Equal(t, problem.Unauthorized, problemOf(t, answer).Code)
	for name, headers := range map[string][]apptest.Header{
		"a session":           {{Name: "Cookie", Value: auth.PlainCookie + "=" + p.Admin.Cookie(t)}},
		"the id of a session": {{Name: "Mcp-Session-Id", Value: c.ID.String()}},
		"a wrong token":       {{Name: "Authorization", Value: "Bearer " + auth.TokenPrefix + strings.Repeat("A", 43)}},
		"a password":          {{Name: "Authorization", Value: "Basic YWRtaW46YWRtaW4="}},
	} {
		require.Equal(t, http.StatusUnauthorized, post(t, p, "", ping, headers...).Status, name)
	}
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		r, err := http.NewRequestWithContext(t.Context(), method, p.URL+"/mcp", http.NoBody)
		require.NoError(t, err)
		r.Header.Set("Accept", "text/event-stream")
		response, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		_ = response.Body.Close()
		require.Equal(t, http.StatusUnauthorized, response.StatusCode)
		r.Header.Set("Authorization", "Bearer "+c.Token())
		response, err = http.DefaultClient.Do(r)
		require.NoError(t, err)
		_ = response.Body.Close()
		require.Equal(t, http.StatusMethodNotAllowed, response.StatusCode)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.URL+"/mcp?access_token="+c.Token(), strings.NewReader(ping))
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	_ = response.Body.Close()
	require.Equal(t, http.StatusBadRequest, response.StatusCode)

	require.Equal(t, http.StatusForbidden, post(t, p, c.Token(), ping, apptest.Header{Name: "Origin", Value: "https://evil.example"}).Status)
	require.Equal(t, http.StatusForbidden, post(t, p, c.Token(), ping, apptest.Header{Name: "Sec-Fetch-Site", Value: "cross-site"}).Status)
	for _, foreign := range []apptest.Header{{Name: "Origin", Value: "https://evil.example"}, {Name: "Sec-Fetch-Site", Value: "cross-site"}} {
		response := openStream(t, p, begin(t, p, c, "2025-11-25"), "", foreign)
		require.Equal(t, http.StatusForbidden, response.StatusCode, "nor a stream")
	}
	require.Equal(t, http.StatusMisdirectedRequest, post(t, p, c.Token(), ping, apptest.Header{Name: "Host", Value: "evil.example"}).Status)

	none := p.Application(t, p.Role(t, "catalog.system.read"))
	answer = post(t, p, none.Token(), ping)
	require.Equal(t, http.StatusForbidden, answer.Status)
	require.Equal(t, []string{"ai.chat.read"}, problemOf(t, answer).MissingRules)

	for name, body := range map[string]string{
		"a member twice": `{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}`,
		"no JSON":        `{`,
		"many at once":   "[" + strings.Repeat(ping+",", 16) + ping + "]",
		"nothing":        ``,
	} {
		require.Equal(t, http.StatusBadRequest, post(t, p, c.Token(), body).Status, name)
	}
	require.Equal(t, http.StatusRequestEntityTooLarge, post(t, p, c.Token(), `"`+strings.Repeat("a", 2<<20)+`"`).Status)
	require.Equal(t, http.StatusOK, post(t, p, c.Token(), "["+ping+"]").Status)

	// A token that was revoked ends at once.
	p.Admin.Call(t, http.MethodDelete, "/api/applications/"+c.ID.String(), nil)
	require.Equal(t, http.StatusUnauthorized, post(t, p, c.Token(), ping).Status)
}
