package mcpserver_test

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/modules/mcpserver"
)

func TestTokensAreRenewedBeforeTheyEnd(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	as := a.guarded(t)
	s := a.connected(t, as)
	require.Equal(t, http.StatusOK, a.finds(t, s).Status)
	as.locked(func() { require.Zero(t, as.renewals) })
	var seen []string
	for n := 1; n <= 3; n++ {
		// It has less left than a call takes.
		a.Exec(t, `UPDATE mcp_sign_ins SET expires_at = now() + interval '50 seconds'`)
		require.Equal(t, http.StatusOK, a.finds(t, s).Status)
		as.locked(func() {
			require.Equal(t, n, as.renewals)
			seen = append(seen, as.refresh)
		})
	}
	require.Len(t, seen, 3)
	require.NotEqual(t, seen[0], seen[1], "each is used once")
	require.Equal(t, 1, a.Count(t, `SELECT count(*) FROM mcp_sign_ins WHERE expires_at > now() + interval '50 minutes'`))

	// An access token that the server takes no more is renewed before anything was called.
	as.locked(func() { as.access = "s3cr3t-another" })
	calls := len(a.remote.called())
	require.Equal(t, http.StatusOK, a.call(t, "user", s.ID, "create_ticket", object{"title": "x"}).Status)
	require.Len(t, a.remote.called(), calls+1)
	as.locked(func() { require.Equal(t, 4, as.renewals) })

	// One that is not taken even then is an error of the server, and asks for no third.
	a.remote.meets(func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusUnauthorized)
		return false
	})
	require.Contains(t, a.finds(t, s).Refused(t, problem.Conflict).Detail, "refused with status 401")
	as.locked(func() { require.Equal(t, 5, as.renewals) })
	require.Equal(t, mcpserver.SignedIn, a.shown(t, s).SignIn.State)
	a.hides(t)
}

func TestARefusedRenewalAsksForSomebody(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	as := a.guarded(t)
	s := a.connected(t, as)
	as.locked(func() { as.refresh = "" })
	a.ends(t)
	calls := len(a.remote.called())
	refused := a.finds(t, s).Refused(t, problem.Conflict)
	require.Equal(t, "again", refused.Extra["signIn"])
	require.Equal(t, "/admin/mcp-servers", refused.Extra["link"])
	require.Contains(t, refused.Detail, "An administrator has to sign in again")
	again := a.shown(t, s)
	require.Equal(t, mcpserver.SignInAgain, again.SignIn.State)
	require.Contains(t, again.SignIn.Reason, "invalid_grant")
	require.Equal(
		t,
		1,
		a.Count(t, `SELECT count(*) FROM ai_audit_entries WHERE summary LIKE '%refused to renew%' AND principal_kind = 'service'`),
	)
	require.Equal(t, 1, a.Count(t, `SELECT count(*) FROM mcp_sign_ins WHERE connection IS NULL`), "what is worth nothing is not kept")

	asked := a.remote.asked()
	require.Equal(t, "again", a.finds(t, s).Refused(t, problem.Conflict).Extra["signIn"])
	as.locked(func() { require.Equal(t, 1, as.renewals, "it is asked once") })
	require.Equal(t, asked, a.remote.asked())
	require.Len(t, a.remote.called(), calls)
	require.Len(t, a.offered(t, "user"), 2, "the tools stay what they are")
	require.Equal(t, mcpserver.SignedIn, a.signsIn(t, "manager", s, as).SignIn.State)
	require.Equal(t, http.StatusOK, a.finds(t, s).Status)

	// Where nothing was given to renew with, the end of the access token is the end.
	as.meets(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/token" {
			return true
		}
		as.locked(func() { as.access = "s3cr3t-alone" })
		as.json(w, http.StatusOK, object{"access_token": "s3cr3t-alone", "token_type": "Bearer", "expires_in": 30})
		return false
	})
	a.signsIn(t, "manager", s, as)
	require.Equal(t, http.StatusOK, a.finds(t, s).Status, "it is good for half a minute")
	a.ends(t)
	require.Equal(t, "again", a.finds(t, s).Refused(t, problem.Conflict).Extra["signIn"])
	a.hides(t)
}

// An authorization server that is away or talks nonsense has refused nothing.
func TestATokenEndpointThatDoesNotAnswerAsItShould(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		with func(w http.ResponseWriter)
		says string
	}{
		"nothing": {func(w http.ResponseWriter) { w.WriteHeader(http.StatusServiceUnavailable) }, "status 503"},
		"an error for now": {func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"error":"temporarily_unavailable"}`))
		}, "status 400"},
		"garbage": {func(w http.ResponseWriter) { _, _ = w.Write([]byte("<html>s3cr3t</html>")) }, "not one of OAuth"},
		"no token": {func(w http.ResponseWriter) {
			_, _ = w.Write([]byte(`{"refresh_token":"s3cr3t","token_type":"bearer"}`))
		}, "not one of OAuth"},
		"a token for MACs": {func(w http.ResponseWriter) { _, _ = w.Write([]byte(`{"access_token":"s3cr3t","token_type":"mac"}`)) }, "not a bearer token"},
		"two headers": {func(w http.ResponseWriter) {
			_, _ = w.Write([]byte(`{"access_token":"s3cr3t\r\nHost: x","token_type":"bearer"}`))
		}, "cannot be sent"},
		"a token of a mile": {func(w http.ResponseWriter) {
			_, _ = w.Write([]byte(`{"access_token":"s3cr3t` + strings.Repeat("x", 20_000) + `","token_type":"bearer"}`))
		}, "cannot be sent"},
		"too much": {func(w http.ResponseWriter) {
			for range 1_000 {
				if _, err := w.Write([]byte(strings.Repeat("s3cr3t", 200))); err != nil {
					return
				}
			}
		}, "more than"},
		"another place": {func(w http.ResponseWriter) {
			w.Header().Set("Location", "https://inside.example.org/")
			w.WriteHeader(http.StatusTemporaryRedirect)
		}, "not followed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newApp(t)
			as := a.guarded(t)
			s := a.connected(t, as)
			query := as.allows(a.starts(t, "manager", s))
			as.meets(func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path == "/token" {
					w.Header().Set("Content-Type", "application/json")
				}
				return answering("/token", c.with)(w, r)
			})
			require.Contains(t, a.comesBack(t, "manager", s, query).Refused(t, problem.Conflict).Detail, c.says)
			require.Equal(t, mcpserver.SignedIn, a.shown(t, s).SignIn.State, "the sign-in of before stays")

			a.Exec(t, `UPDATE mcp_sign_ins SET expires_at = now() + interval '50 seconds'`)
			require.Equal(t, http.StatusOK, a.finds(t, s).Status, "the token is good for a while")
			a.ends(t)
			refused := a.finds(t, s).Refused(t, problem.Conflict)
			require.Contains(t, refused.Detail, "could not be renewed")
			require.Contains(t, refused.Detail, c.says)
			require.Equal(t, mcpserver.SignedIn, a.shown(t, s).SignIn.State)
			as.meets(nil)
			require.Equal(t, http.StatusOK, a.finds(t, s).Status)
			a.hides(t)
		})
	}
}

// However many processes find that a token has ended, it is renewed once: a refresh token that is used twice would end the sign-in.
func TestTokensAreRenewedOnceOverAllProcesses(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	as := a.guarded(t)
	s := a.connected(t, as)
	a.ends(t)
	other := mcpserver.New(a.options)
	reached, release := make(chan struct{}, 10), make(chan struct{})
	var held atomic.Bool
	as.meets(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/token" && held.CompareAndSwap(false, true) {
			reached <- struct{}{}
			<-release
		}
		return true
	})
	ctx := principal.NewContext(t.Context(), a.Principal("user"))
	done := make(chan error, 6)
	call := func(m *mcpserver.Module) {
		_, err := m.Call(ctx, s.ID, "find", "", "", mcpserver.CallInput{Args: []byte(`{"query":"x"}`)})
		done <- err
	}
	go call(a.Module)
	<-reached
	go call(a.Module)
	for range 3 {
		go call(other)
	}
	require.Eventually(t, func() bool {
		return a.Count(
			t,
			`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%mcp_sign_ins%'`,
		) == 1
	}, time.Minute, 10*time.Millisecond, "of another process one waits for the row")
	close(release)
	for range 5 {
		require.NoError(t, <-done)
	}
	as.locked(func() { require.Equal(t, 1, as.renewals) })
	require.Len(t, a.remote.called(), 5)
}

// A renewal that is under way keeps nobody from ending the sign-in or making another, and what it brings then is given back.
func TestASignInEndsWhileItsTokenIsRenewed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		meanwhile func(t *testing.T, a *app, s mcpserver.Server, as *authority)
		state     mcpserver.SignInState
	}{
		"ended": {func(t *testing.T, a *app, s mcpserver.Server, _ *authority) {
			off := apitest.Decode[mcpserver.SignedOff](t, a.Do(t, "manager", http.MethodDelete, at(s.ID, "/sign-in"), nil))
			require.True(t, off.Ended)
		}, mcpserver.SignedOut},
		"made anew": {func(t *testing.T, a *app, s mcpserver.Server, as *authority) { a.signsIn(t, "root", s, as) }, mcpserver.SignedIn},
		"ended and made anew": {func(t *testing.T, a *app, s mcpserver.Server, as *authority) {
			a.ok(t, http.MethodDelete, at(s.ID, "/sign-in"), nil)
			a.signsIn(t, "root", s, as)
		}, mcpserver.SignedIn},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newApp(t)
			as := a.guarded(t)
			s := a.connected(t, as)
			a.ends(t)
			reached, release := make(chan struct{}), make(chan struct{})
			as.meets(func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path != "/token" || r.FormValue("grant_type") != "refresh_token" {
					return true
				}
				close(reached)
				<-release
				as.json(w, http.StatusOK, object{"access_token": "s3cr3t-late-access", "refresh_token": "s3cr3t-late-refresh", "token_type": "bearer"})
				return false
			})
			done := make(chan error, 1)
			go func() {
				_, err := a.Module.Call(
					principal.NewContext(t.Context(), a.Principal("user")),
					s.ID,
					"find",
					"",
					"",
					mcpserver.CallInput{Args: []byte(`{"query":"x"}`)},
				)
				done <- err
			}()
			<-reached
			c.meanwhile(t, a, s, as)
			close(release)
			err := <-done
			require.True(t, problem.Is(err, problem.Conflict), "%v", err)
			as.locked(func() { require.Subset(t, as.revoked, []string{"s3cr3t-late-refresh", "s3cr3t-late-access"}) })
			require.Equal(t, c.state, a.shown(t, s).SignIn.State)
			if c.state == mcpserver.SignedIn {
				require.Equal(t, http.StatusOK, a.finds(t, s).Status, "what was made meanwhile is not touched")
			}
			a.hides(t)
		})
	}
}

func TestWhoGoesWhileATokenIsRenewedLosesNothing(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	as := a.guarded(t)
	s := a.connected(t, as)
	a.ends(t)
	reached, release := make(chan struct{}), make(chan struct{})
	var held atomic.Bool
	as.meets(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/token" && held.CompareAndSwap(false, true) {
			close(reached)
			<-release
		}
		return true
	})
	ctx, cancel := context.WithCancel(principal.NewContext(t.Context(), a.Principal("user")))
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := a.Module.Call(ctx, s.ID, "find", "", "", mcpserver.CallInput{Args: []byte(`{"query":"x"}`)})
		done <- err
	}()
	<-reached
	cancel()
	require.Error(t, <-done)
	close(release)
	require.Equal(t, http.StatusOK, a.finds(t, s).Status)
	as.locked(func() { require.Equal(t, 1, as.renewals) })
}

func TestRotationSealsSignInsWithTheNewestKey(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	as := a.guarded(t)
	s := a.connected(t, as)
	rotated, err := a.keys.Rotate()
	require.NoError(t, err)
	n, err := mcpserver.Reseal(t.Context(), a.DB, rotated)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	n, err = mcpserver.Reseal(t.Context(), a.DB, rotated)
	require.NoError(t, err)
	require.Zero(t, n, "the second time there is nothing to do")
	a.Do(t, "user", http.MethodPost, at(s.ID, "/tools/find/call"), object{"args": object{"query": "x"}}).Refused(t, problem.Internal)
	options := a.options
	options.Sealer = rotated
	after := mcpserver.New(options)
	called, err := after.Call(
		principal.NewContext(t.Context(), a.Principal("user")),
		s.ID,
		"find",
		"",
		"",
		mcpserver.CallInput{Args: []byte(`{"query":"x"}`)},
	)
	require.NoError(t, err)
	require.True(t, called.OK)

	// What cannot be opened can be ended.
	off := apitest.Decode[mcpserver.SignedOff](t, a.Do(t, "manager", http.MethodDelete, at(s.ID, "/sign-in"), nil))
	require.Equal(t, mcpserver.SignedOff{Ended: true}, off)
}

// What an authorization server says of a refusal is told in the words of OAuth alone: whatever else stands there may be the token.
func TestARefusalIsNotRepeatedToTheLetter(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	as := a.guarded(t)
	s := a.connected(t, as)
	as.meets(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/token" {
			return true
		}
		as.json(w, http.StatusBadRequest, object{"error": "bad refresh token " + r.FormValue("refresh_token")})
		return false
	})
	a.ends(t)
	require.Equal(t, "again", a.finds(t, s).Refused(t, problem.Conflict).Extra["signIn"])
	require.Contains(t, a.shown(t, s).SignIn.Reason, "an error of its own")
	a.hides(t)
}
