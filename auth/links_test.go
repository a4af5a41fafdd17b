package auth_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/auth"
	"countersign/internal/principal"
	"countersign/internal/problem"
)

const ownPassword = "chosen by nobody else"

// linkFor makes a password link as somebody and returns its token and the path of its page.
func (a *app) linkFor(t testing.TB, id uuid.UUID, as with) (token, page string) {
	t.Helper()
	made := decode[auth.MadeLink](t, a.do(t, http.MethodPost, "/api/users/"+id.String()+"/password-link", nil, as))
	page, token, found := strings.Cut(made.Path, "#")
	require.True(t, found)
	return token, page
}

func (a *app) useLink(t testing.TB, token, password string, with ...with) answer {
	t.Helper()
	return a.do(t, http.MethodPost, "/api/auth/password-link", map[string]string{"token": token, "password": password}, with...)
}

func (a *app) lookAt(t testing.TB, token string, with ...with) answer {
	t.Helper()
	return a.do(t, http.MethodPost, "/api/auth/password-link/look", map[string]string{"token": token}, with...)
}

func TestAUserIsInvitedByLink(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.user(t, "admin@example.org", auth.AdminRole)
	admin := a.signIn(t, "admin@example.org")
	ada := decode[auth.User](
		t,
		a.do(t, http.MethodPost, "/api/users", map[string]any{"email": "ada@example.org", "name": "Ada", "mustChangePassword": true}, admin),
	)
	require.Equal(t, auth.Invited, ada.Status)
	require.False(t, ada.MustChangePassword, "there is no password that somebody else knows")
	require.Nil(t, ada.LastSignInAt)
	require.Equal(t, http.StatusUnauthorized, a.login(t, "ada@example.org", "").status)

	token, page := a.linkFor(t, ada.ID, admin)
	require.Equal(t, "/invite", page)
	linked := decode[auth.Linked](t, a.lookAt(t, token))
	require.Equal(t, "Ada", linked.Name)
	require.Equal(t, "ada@example.org", linked.Email)
	require.Equal(t, auth.Invite, linked.Kind)
	require.WithinDuration(t, time.Now().Add(auth.InviteLifetime), linked.ExpiresAt, time.Hour)
	shown := decode[auth.User](t, a.do(t, http.MethodGet, "/api/users/"+ada.ID.String(), nil, admin))
	require.Equal(t, &linked.PasswordLink, shown.PasswordLink)

	short := a.useLink(t, token, "1234567")
	require.Equal(t, http.StatusUnprocessableEntity, short.status, "the rules for passwords hold")
	require.Equal(t, http.StatusNoContent, a.useLink(t, token, ownPassword).status)
	require.Equal(t, http.StatusOK, a.login(t, "ada@example.org", ownPassword).status)
	again := a.useLink(t, token, "another password")
	require.Equal(t, http.StatusNotFound, again.status, "it is used once")
	require.Equal(t, problem.NotFound, again.problem(t).Code)
	require.Equal(t, http.StatusNotFound, a.lookAt(t, token).status)

	shown = decode[auth.User](t, a.do(t, http.MethodGet, "/api/users/"+ada.ID.String(), nil, admin))
	require.Equal(t, auth.Active, shown.Status)
	require.NotNil(t, shown.LastSignInAt)
	require.Nil(t, shown.PasswordLink)
	require.Equal(
		t,
		1,
		a.count(
			t,
			"SELECT count(*) FROM ai_audit_entries WHERE summary = 'Set their first password with a link' AND object_id = $1",
			ada.ID.String(),
		),
	)
	require.Equal(
		t,
		1,
		a.count(
			t,
			"SELECT count(*) FROM ai_audit_entries WHERE summary = 'A link was made with which they can set their first password' AND object_id = $1",
			ada.ID.String(),
		),
	)
	for _, secret := range []string{token, token[len(auth.LinkPrefix)+32:], ownPassword} {
		require.NotContains(t, a.log.String(), secret)
		require.Zero(t, a.count(t, "SELECT count(*) FROM password_links l WHERE to_jsonb(l)::text LIKE '%' || $1 || '%'", secret))
		require.Zero(t, a.count(t, "SELECT count(*) FROM ai_audit_entries e WHERE to_jsonb(e)::text LIKE '%' || $1 || '%'", secret))
		require.Zero(t, a.count(t, "SELECT count(*) FROM idempotency_keys e WHERE to_jsonb(e)::text LIKE '%' || $1 || '%'", secret))
	}
}

func TestAResetEndsAllThatSignedIn(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.user(t, "admin@example.org", auth.AdminRole)
	admin := a.signIn(t, "admin@example.org")
	ada := a.user(t, "ada@example.org")
	session := a.signIn(t, "ada@example.org")
	token, page := a.linkFor(t, ada.ID, admin)
	require.Equal(t, "/reset", page)
	require.Equal(t, http.StatusOK, a.do(t, http.MethodGet, "/api/me", nil, session).status, "a link that nobody has used changes nothing")
	require.Equal(t, http.StatusNoContent, a.useLink(t, token, ownPassword).status)
	require.Equal(t, http.StatusUnauthorized, a.do(t, http.MethodGet, "/api/me", nil, session).status)
	require.Equal(t, http.StatusUnauthorized, a.login(t, "ada@example.org", goodPassword).status)
	require.Equal(t, http.StatusOK, a.login(t, "ada@example.org", ownPassword).status)
}

func TestALinkEndsWithWhatItStoodOn(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.user(t, "root@example.org", auth.AdminRole)
	first := a.signIn(t, "root@example.org")
	managers := a.role(t, "Managers", auth.RuleUsersManage)
	editors := a.role(t, "Editors", "catalog.system.manage")
	clerk := a.user(t, "clerk@example.org", managers.ID)
	asClerk := a.signIn(t, "clerk@example.org")
	for name, end := range map[string]func(t *testing.T, id uuid.UUID, path string){
		"a newer link": func(t *testing.T, id uuid.UUID, _ string) { t.Helper(); a.linkFor(t, id, asClerk) },
		"withdrawn": func(t *testing.T, _ uuid.UUID, path string) {
			t.Helper()
			a.do(t, "DELETE", path+"/password-link", nil, asClerk)
		},
		"disabled": func(t *testing.T, _ uuid.UUID, path string) {
			t.Helper()
			a.do(t, "PATCH", path, map[string]any{"disabled": true}, first)
		},
		"another password": func(t *testing.T, _ uuid.UUID, path string) {
			t.Helper()
			a.do(t, "PATCH", path, map[string]any{"password": "set by hand"}, first)
		},
		"another address": func(t *testing.T, _ uuid.UUID, path string) {
			t.Helper()
			a.do(t, "PATCH", path, map[string]any{"email": uuid.NewString() + "@example.org"}, first)
		},
		"deleted": func(t *testing.T, _ uuid.UUID, path string) { t.Helper(); a.do(t, "DELETE", path, nil, first) },
		"its time is over": func(t *testing.T, id uuid.UUID, _ string) {
			t.Helper()
			a.exec(t, "UPDATE password_links SET expires_at = now() WHERE user_id = $1", id)
		},
		"more rights than who made it holds": func(t *testing.T, _ uuid.UUID, path string) {
			t.Helper()
			a.do(t, "PATCH", path, map[string]any{"roleIds": []uuid.UUID{editors.ID}}, first)
		},
	} {
		user := a.user(t, uuid.NewString()+"@example.org")
		token, _ := a.linkFor(t, user.ID, asClerk)
		require.Equal(t, http.StatusOK, a.lookAt(t, token).status, name)
		end(t, user.ID, "/api/users/"+user.ID.String())
		require.Equal(t, http.StatusNotFound, a.lookAt(t, token).status, name)
		require.Equal(t, http.StatusNotFound, a.useLink(t, token, ownPassword).status, name)
		require.Equal(t, http.StatusUnauthorized, a.login(t, user.Email, ownPassword).status, name)
		a.pass(t, 4000)
	}
	// What somebody has made ends with their rights, and with their account.
	user := a.user(t, "ada@example.org")
	token, _ := a.linkFor(t, user.ID, asClerk)
	a.do(t, "PATCH", "/api/users/"+clerk.ID.String(), map[string]any{"roleIds": []uuid.UUID{}}, first)
	require.Equal(t, http.StatusNotFound, a.useLink(t, token, ownPassword).status)
	a.do(t, "PATCH", "/api/users/"+clerk.ID.String(), map[string]any{"roleIds": []uuid.UUID{managers.ID}}, first)
	token, _ = a.linkFor(t, user.ID, a.signIn(t, "clerk@example.org"))
	a.do(t, "PATCH", "/api/users/"+clerk.ID.String(), map[string]any{"disabled": true}, first)
	require.Equal(t, http.StatusNotFound, a.useLink(t, token, ownPassword).status)
	require.Zero(t, a.count(t, "SELECT count(*) FROM password_links WHERE issuer_id = $1", clerk.ID))
}

func TestWhoMayNotSetAPasswordMakesNoLink(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	admin := a.user(t, "admin@example.org", auth.AdminRole)
	asAdmin := a.signIn(t, "admin@example.org")
	clerks := a.role(t, "Clerks", auth.RuleUsersManage)
	editors := a.role(t, "Editors", "catalog.system.manage")
	clerk := a.user(t, "clerk@example.org", clerks.ID)
	editor := a.user(t, "editor@example.org", editors.ID)
	member := a.user(t, "member@example.org")
	plain := a.user(t, "plain@example.org")
	gone := a.user(t, "gone@example.org")
	a.do(t, "PATCH", "/api/users/"+gone.ID.String(), map[string]any{"disabled": true}, asAdmin)
	team := a.team(t, "Payments")
	_, err := a.Directory.AddMember(t.Context(), team.ID, member.ID, nil)
	require.NoError(t, err)
	asClerk := a.signIn(t, "clerk@example.org")
	_, token := a.application(t, "Robot", clerks.ID)
	credential := a.Delegator.Mint(must(a.principalOf(t, asAdmin)), uuid.New(), time.Minute)
	for name, call := range map[string]struct {
		id     uuid.UUID
		as     with
		status int
	}{
		"an administrator's":             {admin.ID, asClerk, http.StatusForbidden},
		"a mightier person's":            {editor.ID, asClerk, http.StatusForbidden},
		"somebody's in another team":     {member.ID, asClerk, http.StatusForbidden},
		"one's own":                      {clerk.ID, asClerk, http.StatusForbidden},
		"by a program":                   {plain.ID, bearer(token), http.StatusForbidden},
		"by somebody without the rule":   {clerk.ID, a.signIn(t, "plain@example.org"), http.StatusForbidden},
		"of somebody who cannot sign in": {gone.ID, asAdmin, http.StatusConflict},
		"of nobody":                      {uuid.New(), asAdmin, http.StatusNotFound},
	} {
		got := a.do(t, "POST", "/api/users/"+call.id.String()+"/password-link", nil, call.as)
		require.Equal(t, call.status, got.status, "%s: %s", name, got.body)
	}
	_, err = a.inProcess(credential).Do(t.Context(), "POST", "/api/users/"+plain.ID.String()+"/password-link", nil, nil)
	require.True(t, problem.Is(err, problem.Forbidden), "the model gets none: %v", err)
	require.Zero(t, a.count(t, "SELECT count(*) FROM password_links"))
	require.Equal(
		t,
		http.StatusPreconditionFailed,
		a.do(t, "POST", "/api/users/"+plain.ID.String()+"/password-link", nil, asAdmin, header("If-Match", `"7"`)).status,
	)
}

func must(p principal.Principal, err error) principal.Principal {
	if err != nil {
		panic(err)
	}
	return p
}

func TestALinkIsNotGuessed(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.user(t, "admin@example.org", auth.AdminRole)
	ada := a.user(t, "ada@example.org")
	token, _ := a.linkFor(t, ada.ID, a.signIn(t, "admin@example.org"))
	thief, bystander := from("192.0.2.66:1"), from("192.0.2.7:1")
	prefix, rest := token[:len(auth.LinkPrefix)+32], token[len(auth.LinkPrefix)+32:]
	other := strings.Repeat("A", len(rest))
	for _, bad := range []string{"", "csl_", rest, prefix, prefix + other, strings.ToUpper(prefix) + rest, auth.LinkPrefix + strings.Repeat("0", 32) + rest, token + "A", " " + token, "\x00"} {
		require.Equal(t, http.StatusNotFound, a.useLink(t, bad, ownPassword, thief).status, "%q", bad)
	}
	throttled := a.useLink(t, token, ownPassword, thief)
	require.Equal(t, http.StatusTooManyRequests, throttled.status, "who has tried so many waits, whatever comes next")
	require.Equal(t, http.StatusTooManyRequests, a.lookAt(t, prefix+other, thief).status)
	require.Positive(t, a.count(t, "SELECT count(*) FROM ai_audit_entries WHERE action = 'sign-in-failed'"))
	for range 30 {
		require.Equal(t, http.StatusOK, a.lookAt(t, token, bystander).status, "who has a good one does not wait")
	}
	require.Equal(t, http.StatusNoContent, a.useLink(t, token, ownPassword, bystander).status)
}

func TestOfTwoWhoUseALinkAtOnceOneComesFirst(t *testing.T) {
	t.Parallel()
	a := newApp(t, func(o *auth.Options) { o.Throttle.PerPair = 100 })
	a.user(t, "admin@example.org", auth.AdminRole)
	ada := a.user(t, "ada@example.org")
	token, _ := a.linkFor(t, ada.ID, a.signIn(t, "admin@example.org"))
	statuses := make([]int, 8)
	var wg sync.WaitGroup
	for i := range statuses {
		wg.Go(func() { statuses[i] = a.useLink(t, token, ownPassword+strings.Repeat("!", i)).status })
	}
	wg.Wait()
	won := 0
	for _, status := range statuses {
		if status == http.StatusNoContent {
			won++
			continue
		}
		require.Equal(t, http.StatusNotFound, status)
	}
	require.Equal(t, 1, won)
}

// Somebody who has been invited and has not come cannot be the one who is left.
func TestTheLastAdministratorCanSignIn(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	last := a.user(t, "admin@example.org", auth.AdminRole)
	admin := a.signIn(t, "admin@example.org")
	decode[auth.User](
		t,
		a.do(
			t,
			http.MethodPost,
			"/api/users",
			map[string]any{"email": "ada@example.org", "name": "Ada", "roleIds": []uuid.UUID{auth.AdminRole}},
			admin,
		),
	)
	got := a.do(t, http.MethodPatch, "/api/users/"+last.ID.String(), map[string]any{"roleIds": []uuid.UUID{}}, admin)
	require.Equal(t, http.StatusConflict, got.status, string(got.body))
}
