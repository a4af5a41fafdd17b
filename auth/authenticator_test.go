package auth_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/auth"
	"countersign/internal/principal"
	"countersign/internal/problem"
)

func TestAnAPITokenActsWithTheRulesOfItsRoles(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	role := a.role(t, "Editors", "catalog.system.manage", "catalog.system.read")
	made, token := a.application(t, "CI", role.ID)
	require.Regexp(t, `^csa_[A-Za-z0-9_-]{43}$`, token)

	p, err := a.principalOf(t, bearer(token))
	require.NoError(t, err)
	require.Equal(t, principal.Application, p.Kind)
	require.Equal(t, made.ID, p.ID)
	require.Equal(t, "CI", p.Name)
	require.Equal(t, []string{"catalog.system.manage", "catalog.system.read"}, p.Rules, "the role users is for users")
	require.NotEqual(t, uuid.Nil, p.SessionID)
	require.Equal(t, uuid.Nil, p.TurnID)

	me := decode[auth.Me](t, a.do(t, http.MethodGet, "/api/me", nil, bearer(token)))
	require.Equal(t, []auth.Named{{ID: role.ID, Name: "Editors"}}, me.Roles)
	used, err := a.Directory.Application(t.Context(), made.ID)
	require.NoError(t, err)
	require.NotNil(t, used.LastUsedAt)
}

func TestATokenThatIsNotGoodIsRefused(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	_, token := a.application(t, "CI")
	for name, bad := range map[string]string{
		"unknown":       auth.TokenPrefix + strings.Repeat("A", 43),
		"no prefix":     strings.TrimPrefix(token, auth.TokenPrefix),
		"other prefix":  "csx_" + strings.TrimPrefix(token, auth.TokenPrefix),
		"too long":      token + "A",
		"not base64":    auth.TokenPrefix + strings.Repeat("!", 43),
		"delegated":     auth.DelegatedPrefix + strings.Repeat("A", 120),
		"empty":         "",
		"null byte":     "csa_\x00",
		"a stolen hash": auth.TokenPrefix + strings.Repeat("0", 64),
	} {
		got := a.do(t, http.MethodGet, "/api/me", nil, bearer(bad))
		require.Equal(t, http.StatusUnauthorized, got.status, name)
		require.NotEmpty(t, got.header.Get("WWW-Authenticate"), name)
	}
	require.Equal(t, http.StatusOK, a.do(t, http.MethodGet, "/api/me", nil, bearer(token)).status)
	require.Equal(
		t,
		http.StatusOK,
		a.do(t, http.MethodGet, "/api/me", nil, header("Authorization", "bearer  "+token)).status,
		"the scheme has no case",
	)
}

func TestABadTokenIsRefusedEvenWithAGoodCookie(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.user(t, "ada@example.org")
	session := a.signIn(t, "ada@example.org")
	require.Equal(t, http.StatusUnauthorized, a.do(t, http.MethodGet, "/api/me", nil, session, bearer("csa_x")).status)
	require.Equal(t, http.StatusOK, a.do(t, http.MethodGet, "/api/me", nil, session, header("Authorization", "Basic dXNlcjpwYXNz")).status,
		"another scheme belongs to a proxy in front")
}

func TestAnOldCookieDoesNotKeepAPersonFromSigningIn(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.user(t, "ada@example.org")
	for _, value := range []string{strings.Repeat("A", 43), "garbage", "", strings.Repeat("é", 43)} {
		require.Equal(t, http.StatusOK, a.login(t, "ada@example.org", goodPassword, cookie(auth.PlainCookie, value)).status)
		require.Equal(t, http.StatusUnauthorized, a.do(t, http.MethodGet, "/api/me", nil, cookie(auth.PlainCookie, value)).status)
	}
}

func TestRightsAreReadWithEveryRequest(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	role := a.role(t, "Editors", "catalog.system.manage")
	user := a.user(t, "ada@example.org", role.ID)
	team := a.team(t, "Platform")
	session := a.signIn(t, "ada@example.org")
	rules := func() []string {
		p, err := a.principalOf(t, session)
		require.NoError(t, err)
		return p.Rules
	}
	require.Contains(t, rules(), "catalog.system.manage")
	none := []string{}
	_, err := a.Directory.UpdateRole(t.Context(), root, role.ID, auth.RoleChange{Rules: &none}, nil)
	require.NoError(t, err)
	require.NotContains(t, rules(), "catalog.system.manage")

	_, err = a.Directory.AddMember(t.Context(), team.ID, user.ID, nil)
	require.NoError(t, err)
	p, err := a.principalOf(t, session)
	require.NoError(t, err)
	require.Equal(t, []uuid.UUID{team.ID}, p.TeamIDs)
}

func TestATurnActsAsThePersonWhoStartedIt(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.user(t, "ada@example.org")
	session := a.signIn(t, "ada@example.org")
	person, err := a.principalOf(t, session)
	require.NoError(t, err)
	turn := uuid.New()
	credential := a.Delegator.Mint(person, turn, 0)
	require.True(t, strings.HasPrefix(credential, auth.DelegatedPrefix))

	var me auth.Me
	_, err = a.inProcess(credential).Get(t.Context(), "/api/me", &me)
	require.NoError(t, err)
	require.Equal(t, person.ID, me.ID)
	require.Equal(t, person.Rules, me.Rules)

	p, err := a.principalOf(t, bearer(credential), from("127.0.0.1:0"))
	require.NoError(t, err)
	require.Equal(t, turn, p.TurnID)
	p.TurnID = uuid.Nil
	require.Equal(t, person, p)
}

func TestAnApplicationsTurnEndsWithItsToken(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	made, token := a.application(t, "CI")
	p, err := a.principalOf(t, bearer(token))
	require.NoError(t, err)
	client := a.inProcess(a.Delegator.Mint(p, uuid.New(), 0))
	_, err = client.Get(t.Context(), "/api/me", nil)
	require.NoError(t, err)

	_, fresh, err := a.Directory.ReplaceToken(t.Context(), root, made.ID, auth.TokenReplacement{}, nil)
	require.NoError(t, err)
	_, err = client.Get(t.Context(), "/api/me", nil)
	require.True(t, problem.Is(err, problem.Unauthorized), err)
	_, err = a.principalOf(t, bearer(token))
	require.True(t, problem.Is(err, problem.Unauthorized))
	_, err = a.principalOf(t, bearer(fresh))
	require.NoError(t, err)
}

func TestATurnIsRefusedOnceItsSessionIsGone(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(a *app, p principal.Principal) error{
		"revoked": func(a *app, p principal.Principal) error {
			_, err := a.Sessions.Revoke(t.Context(), p, p.SessionID)
			return err
		},
		"disabled": func(a *app, p principal.Principal) error { return disable(t, a, p.ID) },
		"deleted":  func(a *app, p principal.Principal) error { return a.Directory.DeleteUser(t.Context(), root, p.ID, nil) },
		"new password": func(a *app, p principal.Principal) error {
			next := "another horse"
			_, err := a.Directory.UpdateUser(t.Context(), root, p.ID, auth.UserChange{Password: &next}, nil)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newApp(t)
			a.user(t, "admin@example.org", auth.AdminRole)
			a.user(t, "ada@example.org")
			p, err := a.principalOf(t, a.signIn(t, "ada@example.org"))
			require.NoError(t, err)
			client := a.inProcess(a.Delegator.Mint(p, uuid.New(), 0))
			_, err = client.Get(t.Context(), "/api/me", nil)
			require.NoError(t, err)

			require.NoError(t, end(a, p))
			_, err = client.Get(t.Context(), "/api/me", nil)
			require.True(t, problem.Is(err, problem.Unauthorized), err)
			_, err = a.Authenticator.Load(t.Context(), p.Kind, p.ID, p.SessionID)
			require.True(t, problem.Is(err, problem.Unauthorized), err)
		})
	}
}

func disable(t *testing.T, a *app, id uuid.UUID) error {
	t.Helper()
	yes := true
	_, err := a.Directory.UpdateUser(t.Context(), root, id, auth.UserChange{Disabled: &yes}, nil)
	return err
}

func TestADelegatedCredentialIsWorthlessElsewhere(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.user(t, "ada@example.org")
	other := a.user(t, "eve@example.org")
	p, err := a.principalOf(t, a.signIn(t, "ada@example.org"))
	require.NoError(t, err)
	good := a.Delegator.Mint(p, uuid.New(), time.Minute)
	inProcess := from("127.0.0.1:0")

	_, err = a.principalOf(t, bearer(good), inProcess)
	require.NoError(t, err)
	for _, address := range []string{"127.0.0.1:54321", "203.0.113.9:0", "@", "", "[::1]:0"} {
		_, err = a.principalOf(t, bearer(good), from(address))
		require.True(t, problem.Is(err, problem.Unauthorized), "over the network, from %q", address)
	}
	someoneElse, service := p, p
	someoneElse.ID = other.ID
	service.Kind = principal.Service
	foreign := newProcess(t, a.db, []byte(strings.Repeat("k", 32)))
	for name, bad := range map[string]string{
		"expired":            a.Delegator.Mint(p, uuid.New(), time.Nanosecond),
		"without a turn":     a.Delegator.Mint(p, uuid.Nil, 0),
		"of a service":       a.Delegator.Mint(service, uuid.New(), 0),
		"another principal":  a.Delegator.Mint(someoneElse, uuid.New(), 0),
		"another key":        foreign.Delegator.Mint(p, uuid.New(), 0),
		"truncated":          good[:len(good)-1],
		"changed":            good[:30] + flip(good[30]) + good[31:],
		"changed signature":  good[:len(good)-1] + flip(good[len(good)-1]),
		"as an API token":    strings.Replace(good, auth.DelegatedPrefix, auth.TokenPrefix, 1),
		"with another space": strings.Replace(good, auth.DelegatedPrefix, auth.DelegatedPrefix+" ", 1),
	} {
		_, err := a.principalOf(t, bearer(bad), inProcess)
		require.True(t, problem.Is(err, problem.Unauthorized), name)
	}
}

// A message is read as its receiver, who has no session: their rights are those of now, and none of them is one to change something.
func TestACredentialWithoutASessionOnlyReads(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	ada := a.user(t, "ada@example.org")
	reader := principal.Principal{Kind: principal.User, ID: ada.ID}
	good := a.Delegator.Mint(reader, uuid.New(), 0)
	got, err := a.principalOf(t, bearer(good), from("127.0.0.1:0"))
	require.NoError(t, err)
	require.Equal(t, ada.ID, got.ID)
	require.True(t, got.ReadOnly())
	require.False(t, got.InPerson())
	_, err = a.principalOf(t, bearer(good), from("127.0.0.1:54321"))
	require.True(t, problem.Is(err, problem.Unauthorized), "over the network")
	application := reader
	application.Kind = principal.Application
	_, err = a.principalOf(t, bearer(a.Delegator.Mint(application, uuid.New(), 0)), from("127.0.0.1:0"))
	require.True(t, problem.Is(err, problem.Unauthorized), "an application has no readers")
	_, err = a.db.Conn(t.Context()).Exec(t.Context(), `UPDATE users SET disabled = true WHERE id = $1`, ada.ID)
	require.NoError(t, err)
	_, err = a.principalOf(t, bearer(good), from("127.0.0.1:0"))
	require.Error(t, err, "the person may not sign in any more")
}

func flip(b byte) string {
	if b == 'A' {
		return "B"
	}
	return "A"
}

func TestATurnCannotMakeCredentialsThatOutliveIt(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	admin := a.user(t, "admin@example.org", auth.AdminRole)
	made, _ := a.application(t, "CI")
	p, err := a.principalOf(t, a.signIn(t, "admin@example.org"))
	require.NoError(t, err)
	client := a.inProcess(a.Delegator.Mint(p, uuid.New(), 0))
	for _, call := range []struct {
		method, path string
		body         any
	}{
		{http.MethodPost, "/api/applications", auth.NewApplication{Name: "Back door"}},
		{http.MethodPost, "/api/applications/" + made.ID.String() + "/token", auth.TokenReplacement{}},
		{http.MethodPost, "/api/users", auth.NewUser{Email: "b@example.org", Name: "B", Password: goodPassword}},
		{http.MethodPatch, "/api/users/" + admin.ID.String(), map[string]string{"password": "changed by the model"}},
		{http.MethodPost, "/api/auth/password", map[string]string{"currentPassword": goodPassword, "newPassword": "changed by the model"}},
		{http.MethodGet, "/api/auth/sessions", nil},
		{http.MethodDelete, "/api/auth/sessions", nil},
	} {
		_, err := client.Do(t.Context(), call.method, call.path, call.body, nil)
		require.True(t, problem.Is(err, problem.Forbidden), "%s %s: %v", call.method, call.path, err)
	}
	_, err = client.Do(t.Context(), http.MethodPost, "/api/auth/logout", nil, nil)
	require.NoError(t, err)
	_, err = client.Get(t.Context(), "/api/me", nil)
	require.NoError(t, err, "the person stays signed in")
}

func BenchmarkAuthenticate(b *testing.B) {
	a := newApp(b)
	a.user(b, "ada@example.org")
	p, err := a.principalOf(b, a.signIn(b, "ada@example.org"))
	require.NoError(b, err)
	credential := a.Delegator.Mint(p, uuid.New(), 15*time.Minute)
	for b.Loop() {
		_, err := a.principalOf(b, bearer(credential), from("127.0.0.1:0"))
		require.NoError(b, err)
	}
}
