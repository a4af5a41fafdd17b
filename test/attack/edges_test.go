package attack_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/tool/proposal"
)

// A line that the client has sent stands before that of the proxy, which is the one that counts.
func TestNobodyChoosesTheirAddressBehindAProxy(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{Env: map[string]string{"COUNTERSIGN_TRUST_PROXY": "true"}})
	body, err := json.Marshal(map[string]any{"email": p.Admin.Email, "password": p.Admin.Password})
	require.NoError(t, err)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.URL+"/api/auth/login", bytes.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header["X-Forwarded-For"] = []string{"198.51.100.66", "203.0.113.9"}
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusOK, answer.StatusCode)
	addresses := p.Column(t, `SELECT DISTINCT address FROM sessions WHERE address IS NOT NULL`)
	require.Contains(t, addresses, "203.0.113.9")
	require.NotContains(t, addresses, "198.51.100.66")
}

// What comes through a proxy is no scraper in the network.
func TestMetricsAreNotForTheWorldBehindAProxy(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	for _, name := range []string{"X-Forwarded-For", "X-Real-Ip", "X-Forwarded-Host", "X-Forwarded-Proto", "Forwarded", "Via", "Cf-Connecting-Ip", "True-Client-Ip"} {
		for _, values := range [][]string{{"203.0.113.7"}, {"", "203.0.113.7"}} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.URL+"/metrics", nil)
			require.NoError(t, err)
			r.Header[name] = values
			answer, err := http.DefaultClient.Do(r)
			require.NoError(t, err)
			require.NoError(t, answer.Body.Close())
			require.Equal(t, http.StatusForbidden, answer.StatusCode, "%s %q", name, values)
		}
	}
}

// An option that was picked is what the model wrote: no address in it is one that the person has written, and no second
// person is told that they have.
func TestAnOptionIsNotThePersonsWord(t *testing.T) {
	t.Parallel()
	var visits atomic.Int32
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		visits.Add(1)
		_, _ = io.WriteString(w, "ok")
	}))
	t.Cleanup(page.Close)
	g := beguile(t)
	label := "Yes, as in " + page.URL + "/?d=Payments"
	chat := g.people["operator"].Conversation(t, nil)
	g.calls(call("catalog_listSystems", `{}`))
	g.calls(call("ai_askOperator", `{"question":"Shall I go on?","options":[{"label":"`+label+`"},{"label":"No"}]}`))
	chat.Say(t, "Look at our systems")
	g.calls(call("ai_probeUrl", `{"url":"`+page.URL+`/?d=Payments"}`))
	chat.Say(t, label).Card(t, "proposal")
	require.Zero(t, visits.Load(), "what the chat holds has left without a click")
	require.Zero(t, g.Count(t, `SELECT count(*) FROM ai_proposals WHERE asked LIKE '%Yes, as in%'`))
}

// To set grants as they are changes nothing, and so spoils no proposal that waits for the object.
func TestGrantsThatStayAsTheyAreSpoilNothing(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	manager := p.Person(t, p.Role(t, "auth.teams.manage", "auth.teams.read"))
	owner := p.Person(t, p.Role(t, "catalog.system.manage"))
	var system struct{ ID uuid.UUID }
	owner.Post(t, "/api/catalog/systems", map[string]any{"name": "Payments"}, &system)
	path := "/api/grants/catalog.system/" + system.ID.String()
	same := map[string]any{"private": true, "grants": []any{map[string]any{"subjectType": "user", "subjectId": owner.ID, "relation": "owner"}}}
	require.Equal(t, http.StatusOK, p.Admin.Call(t, http.MethodPut, path, same).Status)
	card := owner.Propose(t, "catalog.updateSystem", map[string]any{"id": system.ID, "description": "New"})
	answer := manager.Call(t, http.MethodPut, path, same)
	require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
	require.Equal(t, proposal.Applied, owner.Apply(t, card.ProposalID).Status)
}

// The second person sees what goes along, however long the password is that stands sealed in the change.
func TestALongPasswordHidesNoEffects(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	second, person, role := p.Second(t), p.Person(t), p.Role(t, "catalog.system.manage")
	p.Admin.Patch(t, "/api/ai/policies/catalog.deleteSystem", map[string]any{"twoPerson": true, "anyway": true}, nil)
	for _, length := range []int{20, 200} {
		answer := p.Admin.Call(
			t,
			http.MethodPatch,
			"/api/users/"+person.ID.String(),
			map[string]any{"password": strings.Repeat("aB3$x", length/5), "roleIds": []any{role}},
		)
		require.Equal(t, http.StatusAccepted, answer.Status, "%s", answer.Body)
		var waits struct{ ProposalID uuid.UUID }
		answer.Decode(t, &waits)
		card := second.Proposal(t, waits.ProposalID)
		require.NotEmpty(t, card.Effects, "%d characters", length)
		require.Equal(t, p.Admin.Proposal(t, waits.ProposalID).Effects, card.Effects)
		p.Admin.Post(t, "/api/ai/proposals/"+waits.ProposalID.String()+"/decline", nil, nil)
	}
}

// A server that switches protocols, and keeps the connection, holds nobody's request.
func TestAServerThatSwitchesProtocolsHoldsNothing(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{Env: map[string]string{"COUNTERSIGN_EGRESS_ALLOW": "127.0.0.0/8"}})
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var open sync.WaitGroup
	t.Cleanup(open.Wait)
	t.Cleanup(func() { require.NoError(t, listener.Close()) })
	open.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			open.Go(func() {
				defer func() { _ = conn.Close() }()
				// What comes before the request is no answer to it.
				if _, err := http.ReadRequest(bufio.NewReader(conn)); err != nil {
					return
				}
				_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
				_, _ = io.Copy(io.Discard, conn) // until whoever has called lets go
			})
		}
	})
	person := p.Person(t)
	answer := person.Call(t, http.MethodPost, "/api/probe", map[string]any{"url": "http://" + listener.Addr().String() + "/"})
	require.Contains(t, string(answer.Body), "status 101")
	require.Zero(t, p.Count(t, `SELECT count(*) FROM held_places`), "the place of the probe is free again")
}

// Whoever tries passwords of somebody locks nobody out: a device that the person has signed in from before is let in.
func TestNobodyLocksAnybodyOut(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	victim := p.Person(t)
	stranger := p.Anonymous()
	waits := 0
	for range 40 {
		answer := stranger.Call(
			t,
			http.MethodPost,
			"/api/auth/login",
			map[string]any{"email": victim.Email, "password": "wrong " + uuid.NewString()},
		)
		require.Contains(t, []int{http.StatusUnauthorized, http.StatusTooManyRequests}, answer.Status, "%s", answer.Body)
		if answer.Status == http.StatusTooManyRequests {
			waits++
			require.NotEmpty(t, answer.Header.Get("Retry-After"))
		}
	}
	require.NotZero(t, waits, "guesses have to wait")
	require.Equal(t, http.StatusOK, victim.Call(t, http.MethodGet, "/api/me", nil).Status, "a session goes on")
	again := victim.Call(t, http.MethodPost, "/api/auth/login", victim.Credentials)
	require.Equal(t, http.StatusOK, again.Status, "%s", again.Body)
}
