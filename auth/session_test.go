package auth_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/auth"
	"countersign/auth/password"
	"countersign/internal/problem"
)

func TestAPersonSignsInAndOut(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.user(t, "ada@example.org")

	in := a.login(t, " ADA@Example.org ", goodPassword)
	session := sessionOf(t, in)
	require.Equal(t, auth.PlainCookie, session.Name)
	require.True(t, session.HttpOnly)
	require.False(t, session.Secure)
	require.Equal(t, http.SameSiteLaxMode, session.SameSite)
	require.Equal(t, "/", session.Path)
	require.Equal(t, int((7 * 24 * time.Hour).Seconds()), session.MaxAge)
	me := decode[struct{ Principal auth.Me }](t, in).Principal
	require.Equal(t, "ada@example.org", me.Email)
	require.NotContains(t, string(in.body), session.Value)

	same := decode[auth.Me](t, a.do(t, http.MethodGet, "/api/me", nil, cookie(session.Name, session.Value)))
	require.Equal(t, me, same)
	require.Equal(t, []string{"ai.chat.read", "auth.teams.read", "catalog.system.read"}, same.Rules, "the defaults, sorted")
	require.Equal(t, []auth.Named{{ID: auth.UsersRole, Name: "users"}}, same.Roles)
	require.Empty(t, same.Teams)

	out := a.do(t, http.MethodPost, "/api/auth/logout", nil, cookie(session.Name, session.Value))
	require.Equal(t, http.StatusNoContent, out.status)
	cleared := (&http.Response{Header: out.header}).Cookies()[0]
	require.Negative(t, cleared.MaxAge)
	require.Empty(t, cleared.Value)
	require.Equal(t, http.StatusUnauthorized, a.do(t, http.MethodGet, "/api/me", nil, cookie(session.Name, session.Value)).status)
	require.Equal(t, http.StatusNoContent, a.do(t, http.MethodPost, "/api/auth/logout", nil).status, "signing out twice is no error")
}

func TestNobodyIsNobody(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	got := a.do(t, http.MethodGet, "/api/me", nil)
	require.Equal(t, http.StatusUnauthorized, got.status)
	require.Equal(t, problem.Unauthorized, got.problem(t).Code)
}

func TestAWrongPasswordAndAnUnknownAddressGetTheSameAnswer(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.user(t, "ada@example.org")
	wrong := a.login(t, "ada@example.org", "wrong horse")
	unknown := a.login(t, "nobody@example.org", "wrong horse")
	require.Equal(t, http.StatusUnauthorized, wrong.status)
	require.Equal(t, wrong.status, unknown.status)
	require.Equal(t, string(wrong.body), string(unknown.body))
	require.Equal(t, wrong.header, unknown.header)
}

func TestOddSignInsAreRefusedWithoutAnError(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	for _, email := range []string{"", "\x00", "a\x00@example.org", "' OR 1=1 --", strings.Repeat("é", 200)} {
		require.Equal(t, http.StatusUnauthorized, a.login(t, email, "x").status, email)
	}
	require.Equal(t, http.StatusUnprocessableEntity, a.login(t, "a@example.org", strings.Repeat("x", 300)).status)
}

func TestOverTLSTheCookieHasTheHostPrefixAndNoOtherIsAccepted(t *testing.T) {
	t.Parallel()
	a := newApp(t, func(o *auth.Options) { o.TrustProxy = true })
	a.user(t, "ada@example.org")
	tls := header("X-Forwarded-Proto", "https")
	session := sessionOf(t, a.login(t, "ada@example.org", goodPassword, tls))
	require.Equal(t, auth.SecureCookie, session.Name)
	require.True(t, session.Secure)
	require.Empty(t, session.Domain)

	require.Equal(t, http.StatusOK, a.do(t, http.MethodGet, "/api/me", nil, tls, cookie(auth.SecureCookie, session.Value)).status)
	require.Equal(t, http.StatusUnauthorized, a.do(t, http.MethodGet, "/api/me", nil, tls, cookie(auth.PlainCookie, session.Value)).status,
		"a sibling domain could have set this one")
}

func TestForwardedHeadersCountOnlyBehindATrustedProxy(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.user(t, "ada@example.org")
	require.Equal(t, auth.PlainCookie, sessionOf(t, a.login(t, "ada@example.org", goodPassword, header("X-Forwarded-Proto", "https"))).Name)
	always := newProcess(t, a.db, a.key, func(o *auth.Options) { o.SecureCookie = true })
	require.Equal(t, auth.SecureCookie, sessionOf(t, always.login(t, "ada@example.org", goodPassword)).Name)
}

func TestOnlyTheHashOfASessionIsStored(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.user(t, "ada@example.org")
	session := sessionOf(t, a.login(t, "ada@example.org", goodPassword))
	raw, err := base64.RawURLEncoding.DecodeString(session.Value)
	require.NoError(t, err)
	require.Len(t, raw, 32)
	require.Equal(t, 1, a.count(t, "SELECT count(*) FROM sessions WHERE token_hash = sha256($1)", raw))
	require.Zero(
		t,
		a.count(
			t,
			"SELECT count(*) FROM sessions WHERE sessions::text LIKE '%' || $1 || '%' OR sessions::text LIKE '%' || encode($2, 'hex') || '%'",
			session.Value,
			raw,
		),
	)
	require.NotContains(t, a.log.String(), session.Value)
	require.NotContains(t, a.log.String(), goodPassword)
}

func TestASessionEndsByIdlenessAndByAge(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.user(t, "ada@example.org")
	for name, ageing := range map[string]string{
		"idle":    "UPDATE sessions SET last_seen_at = now() - interval '12 hours 1 second'",
		"too old": "UPDATE sessions SET expires_at = now()",
		"ended":   "DELETE FROM sessions",
	} {
		session := a.signIn(t, "ada@example.org")
		require.Equal(t, http.StatusOK, a.do(t, http.MethodGet, "/api/me", nil, session).status, name)
		a.exec(t, ageing)
		require.Equal(t, http.StatusUnauthorized, a.do(t, http.MethodGet, "/api/me", nil, session).status, name)
	}
}

func TestUseRenewsASessionAtMostOnceAMinute(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.user(t, "ada@example.org")
	session := a.signIn(t, "ada@example.org")
	lastSeen := func() (at time.Time) {
		require.NoError(t, a.db.Conn(t.Context()).QueryRow(t.Context(), "SELECT last_seen_at FROM sessions").Scan(&at))
		return at
	}
	fresh := lastSeen()
	require.Equal(t, http.StatusOK, a.do(t, http.MethodGet, "/api/me", nil, session).status)
	require.Equal(t, fresh, lastSeen(), "no write for every request")

	a.exec(t, "UPDATE sessions SET last_seen_at = now() - interval '2 hours'")
	old := lastSeen()
	require.Equal(t, http.StatusOK, a.do(t, http.MethodGet, "/api/me", nil, session).status)
	require.True(t, lastSeen().After(old))
}

func TestAPersonSeesAndEndsTheirSessions(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.user(t, "ada@example.org")
	a.user(t, "eve@example.org")
	laptop := cookie(
		auth.PlainCookie,
		sessionOf(t, a.login(t, "ada@example.org", goodPassword, header("User-Agent", "Laptop/1.0"), from("203.0.113.9:4711"))).Value,
	)
	phone, tablet := a.signIn(t, "ada@example.org"), a.signIn(t, "ada@example.org")
	eve := a.signIn(t, "eve@example.org")

	list := decode[struct{ Sessions []auth.Session }](t, a.do(t, http.MethodGet, "/api/auth/sessions", nil, laptop)).Sessions
	require.Len(t, list, 3)
	var current auth.Session
	others := []uuid.UUID{}
	for _, s := range list {
		if s.Current {
			current = s
		} else {
			others = append(others, s.ID)
		}
	}
	require.Equal(t, "Laptop/1.0", current.UserAgent)
	require.Equal(t, "203.0.113.9", current.Address)
	require.Len(t, others, 2)

	path := "/api/auth/sessions/" + others[0].String()
	require.Equal(t, http.StatusNotFound, a.do(t, http.MethodDelete, path, nil, eve).status, "somebody else's session")
	require.Equal(t, http.StatusNoContent, a.do(t, http.MethodDelete, path, nil, laptop).status)
	require.Equal(t, http.StatusNotFound, a.do(t, http.MethodDelete, path, nil, laptop).status)

	revoked := decode[struct{ Revoked int }](t, a.do(t, http.MethodDelete, "/api/auth/sessions", nil, laptop))
	require.Equal(t, 1, revoked.Revoked)
	require.Equal(t, http.StatusOK, a.do(t, http.MethodGet, "/api/me", nil, laptop).status)
	require.Equal(t, http.StatusUnauthorized, a.do(t, http.MethodGet, "/api/me", nil, phone).status)
	require.Equal(t, http.StatusUnauthorized, a.do(t, http.MethodGet, "/api/me", nil, tablet).status)
	require.Equal(t, http.StatusOK, a.do(t, http.MethodGet, "/api/me", nil, eve).status)
}

func TestANewPasswordEndsTheOtherSessions(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.user(t, "ada@example.org")
	here, there := a.signIn(t, "ada@example.org"), a.signIn(t, "ada@example.org")
	change := func(current, next string) answer {
		return a.do(t, http.MethodPost, "/api/auth/password", map[string]string{"currentPassword": current, "newPassword": next}, here)
	}
	require.Equal(t, http.StatusUnprocessableEntity, change("wrong horse", "a better password").status)
	require.Equal(t, http.StatusUnprocessableEntity, change(goodPassword, "short").status)
	require.Equal(t, http.StatusNoContent, change(goodPassword, "a better password").status)

	require.Equal(t, http.StatusOK, a.do(t, http.MethodGet, "/api/me", nil, here).status)
	require.Equal(t, http.StatusUnauthorized, a.do(t, http.MethodGet, "/api/me", nil, there).status)
	require.Equal(t, http.StatusUnauthorized, a.login(t, "ada@example.org", goodPassword).status)
	require.Equal(t, http.StatusOK, a.login(t, "ada@example.org", "a better password").status)
}

func TestASignInRenewsAHashWithOldCosts(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.user(t, "ada@example.org")
	costlier := newProcess(t, a.db, a.key, func(o *auth.Options) { o.Password = password.Params{MemoryKiB: 128, Time: 1, Threads: 1} })
	require.Equal(t, http.StatusOK, costlier.login(t, "ada@example.org", goodPassword).status)
	require.Equal(t, 1, a.count(t, "SELECT count(*) FROM users WHERE password_hash LIKE '$argon2id$v=19$m=128,%' AND revision = 1"))
	require.Equal(t, http.StatusOK, costlier.login(t, "ada@example.org", goodPassword).status)
}

func TestDeadSessionsAndOldAttemptsAreSwept(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.user(t, "ada@example.org")
	a.signIn(t, "ada@example.org")
	a.exec(t, "UPDATE sessions SET expires_at = now()")
	live := a.signIn(t, "ada@example.org")
	require.Equal(t, http.StatusUnauthorized, a.login(t, "ada@example.org", "wrong horse").status)
	a.exec(t, "UPDATE throttled_failures SET kept_until = now()")

	n, err := a.Sweep(t.Context())
	require.NoError(t, err)
	require.Equal(t, int64(4), n, "a session and an attempt in three buckets")
	require.Equal(t, http.StatusOK, a.do(t, http.MethodGet, "/api/me", nil, live).status)
}
