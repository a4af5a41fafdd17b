package auth_test

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/auth"
	"countersign/internal/problem"
)

func TestAnAdministratorManagesUsers(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.user(t, "admin@example.org", auth.AdminRole)
	admin := a.signIn(t, "admin@example.org")
	editors := a.role(t, "Editors", "catalog.system.manage")

	created := a.do(
		t,
		http.MethodPost,
		"/api/users",
		auth.NewUser{
			Email:    "ada@example.org",
			Name:     " Ada ",
			Password: goodPassword,
			RoleIDs:  []uuid.UUID{editors.ID, auth.UsersRole, editors.ID},
		},
		admin,
	)
	require.Equal(t, http.StatusCreated, created.status, string(created.body))
	require.Equal(t, `"1"`, created.header.Get("ETag"))
	user := decode[auth.User](t, created)
	require.Equal(t, "Ada", user.Name)
	require.Equal(t, []auth.Named{{ID: editors.ID, Name: "Editors"}, {ID: auth.UsersRole, Name: "users"}}, user.Roles)
	path := "/api/users/" + user.ID.String()
	ada := a.signIn(t, "ada@example.org")

	renamed := a.do(t, http.MethodPatch, path, map[string]any{"name": "Ada Lovelace"}, admin, header("If-Match", `"1"`))
	require.Equal(t, `"2"`, renamed.header.Get("ETag"), string(renamed.body))
	late := a.do(t, http.MethodPatch, path, map[string]any{"name": "A"}, admin, header("If-Match", `"1"`))
	require.Equal(t, http.StatusPreconditionFailed, late.status)
	require.Equal(t, http.StatusPreconditionFailed, a.do(t, http.MethodDelete, path, nil, admin, header("If-Match", `"1"`)).status)

	list := decode[struct {
		Users []auth.User
		Total int
	}](t, a.do(t, http.MethodGet, "/api/users?search=LOVE&limit=5", nil, admin))
	require.Equal(t, 1, list.Total)
	require.Equal(t, "Ada Lovelace", list.Users[0].Name)

	require.Equal(t, http.StatusOK, a.do(t, http.MethodGet, "/api/me", nil, ada).status, "a new name ends no session")
	disabled := decode[auth.User](t, a.do(t, http.MethodPatch, path, map[string]any{"disabled": true}, admin))
	require.True(t, disabled.Disabled)
	require.Zero(t, a.count(t, "SELECT count(*) FROM sessions WHERE user_id = $1", user.ID))
	refused := a.login(t, "ada@example.org", goodPassword)
	require.Equal(t, http.StatusForbidden, refused.status)
	require.Equal(
		t,
		http.StatusUnauthorized,
		a.login(t, "ada@example.org", "wrong horse").status,
		"only who knows the password learns that it is disabled",
	)
	a.do(t, http.MethodPatch, path, map[string]any{"disabled": false}, admin)
	require.Equal(t, http.StatusUnauthorized, a.do(t, http.MethodGet, "/api/me", nil, ada).status, "the old session does not come back")

	require.Equal(t, http.StatusNoContent, a.do(t, http.MethodDelete, path, nil, admin).status)
	require.Equal(t, http.StatusNotFound, a.do(t, http.MethodGet, path, nil, admin).status)
	require.Equal(t, http.StatusNotFound, a.do(t, http.MethodDelete, path, nil, admin).status)
	require.Equal(t, http.StatusUnauthorized, a.login(t, "ada@example.org", goodPassword).status)
}

func TestUserInputIsChecked(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.user(t, "admin@example.org", auth.AdminRole)
	admin := a.signIn(t, "admin@example.org")
	good := auth.NewUser{Email: "ada@example.org", Name: "Ada", Password: goodPassword}
	for name, change := range map[string]func(u *auth.NewUser){
		"no address":       func(u *auth.NewUser) { u.Email = "ada" },
		"address and name": func(u *auth.NewUser) { u.Email = "Ada <ada@example.org>" },
		"null byte":        func(u *auth.NewUser) { u.Name = "A\x00da" },
		"blank name":       func(u *auth.NewUser) { u.Name = "  " },
		"long name":        func(u *auth.NewUser) { u.Name = strings.Repeat("a", 201) },
		"short password":   func(u *auth.NewUser) { u.Password = "1234567" },
		"unknown role":     func(u *auth.NewUser) { u.RoleIDs = []uuid.UUID{uuid.New()} },
	} {
		u := good
		change(&u)
		got := a.do(t, http.MethodPost, "/api/users", u, admin)
		require.Equal(t, http.StatusUnprocessableEntity, got.status, name)
		require.NotEmpty(t, got.problem(t).Issues, name)
	}
	require.Equal(t, http.StatusUnprocessableEntity, a.do(t, http.MethodPost, "/api/users", map[string]any{
		"email": good.Email, "name": good.Name, "password": good.Password, "isAdmin": true,
	}, admin).status, "a closed schema")
	require.Equal(t, http.StatusCreated, a.do(t, http.MethodPost, "/api/users", good, admin).status)
	good.Email = "ADA@example.org"
	require.Equal(t, http.StatusConflict, a.do(t, http.MethodPost, "/api/users", good, admin).status, "an address has no case")
}

func TestEveryOperationNeedsItsRule(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.user(t, "ada@example.org")
	ada := a.signIn(t, "ada@example.org")
	id := "/" + uuid.NewString()
	for path, methods := range map[string][]string{
		"/api/users": {"GET", "POST"}, "/api/users" + id: {"GET", "PATCH", "DELETE"},
		"/api/roles": {"GET", "POST"}, "/api/roles" + id: {"GET", "PATCH", "DELETE"}, "/api/access-rules": {"GET"},
		"/api/applications": {"GET", "POST"}, "/api/applications" + id: {"GET", "PATCH", "DELETE"}, "/api/applications" + id + "/token": {"POST"},
		"/api/teams": {"POST"}, "/api/teams" + id: {"PATCH", "DELETE"}, "/api/teams" + id + "/members" + id: {"PUT", "DELETE"},
		"/api/grants/catalog.system" + id: {"PUT", "DELETE"},
	} {
		for _, method := range methods {
			var body any
			if method != "GET" && method != "DELETE" {
				body = map[string]any{}
			}
			if method == "PUT" && strings.HasPrefix(path, "/api/grants") {
				body = auth.Access{Grants: []auth.Grant{}} // who may change them is known once they are read
			}
			got := a.do(t, method, path, body, ada)
			require.Equal(t, http.StatusForbidden, got.status, "%s %s: %s", method, path, got.body)
			require.NotEmpty(t, got.problem(t).MissingRules)
			require.Equal(t, http.StatusUnauthorized, a.do(t, method, path, body).status, "%s %s", method, path)
		}
	}
	require.Equal(t, http.StatusOK, a.do(t, http.MethodGet, "/api/teams", nil, ada).status, "everybody may see teams")
}

func TestNobodyGivesAwayMoreThanTheyHold(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	admin := a.user(t, "admin@example.org", auth.AdminRole)
	clerks := a.role(t, "Clerks", auth.RuleUsersManage, auth.RuleRolesManage, auth.RuleApplicationsManage)
	editors := a.role(t, "Editors", "catalog.system.manage")
	clerk := a.user(t, "clerk@example.org", clerks.ID)
	editor := a.user(t, "editor@example.org", editors.ID)
	plain := a.user(t, "plain@example.org")
	powerful, _ := a.application(t, "Powerful", editors.ID)
	session := a.signIn(t, "clerk@example.org")

	users, roles, applications := "/api/users/", "/api/roles/", "/api/applications/"
	for name, call := range map[string]struct {
		method, path string
		body         any
	}{
		"make themselves administrator":       {"PATCH", users + clerk.ID.String(), map[string]any{"roleIds": []uuid.UUID{auth.AdminRole}}},
		"make somebody administrator":         {"PATCH", users + plain.ID.String(), map[string]any{"roleIds": []uuid.UUID{auth.AdminRole}}},
		"create an administrator":             {"POST", "/api/users", auth.NewUser{Email: "x@example.org", Name: "X", Password: goodPassword, RoleIDs: []uuid.UUID{auth.AdminRole}}},
		"give a role beyond their own":        {"PATCH", users + plain.ID.String(), map[string]any{"roleIds": []uuid.UUID{editors.ID}}},
		"set an administrator's password":     {"PATCH", users + admin.ID.String(), map[string]any{"password": "taken over"}},
		"set an administrator's address":      {"PATCH", users + admin.ID.String(), map[string]any{"email": "clerk2@example.org"}},
		"delete an administrator":             {"DELETE", users + admin.ID.String(), nil},
		"set a mightier person's password":    {"PATCH", users + editor.ID.String(), map[string]any{"password": "taken over"}},
		"create a role beyond their own":      {"POST", "/api/roles", auth.NewRole{Name: "X", Rules: []string{"catalog.system.manage"}}},
		"widen their own role":                {"PATCH", roles + clerks.ID.String(), map[string]any{"rules": append(clerks.Rules, "catalog.system.manage")}},
		"widen everybody's role":              {"PATCH", roles + auth.UsersRole.String(), map[string]any{"rules": []string{"catalog.system.manage"}}},
		"strip everybody's role":              {"PATCH", roles + auth.UsersRole.String(), map[string]any{"rules": []string{}}},
		"change a mightier role":              {"PATCH", roles + editors.ID.String(), map[string]any{"name": "Mine"}},
		"delete a mightier role":              {"DELETE", roles + editors.ID.String(), nil},
		"create an application with it":       {"POST", "/api/applications", auth.NewApplication{Name: "X", RoleIDs: []uuid.UUID{auth.AdminRole}}},
		"take a mightier application's token": {"POST", applications + powerful.ID.String() + "/token", auth.TokenReplacement{}},
		"delete a mightier application":       {"DELETE", applications + powerful.ID.String(), nil},
	} {
		got := a.do(t, call.method, call.path, call.body, session)
		require.Equal(t, http.StatusForbidden, got.status, "%s: %s", name, got.body)
		require.NotEmpty(t, got.problem(t).MissingRules, name)
	}
	require.Equal(
		t,
		http.StatusOK,
		a.do(t, "PATCH", users+plain.ID.String(), map[string]any{"roleIds": []uuid.UUID{clerks.ID}}, session).status,
		"their own role they may give",
	)
	require.Equal(t, http.StatusOK, a.login(t, "admin@example.org", goodPassword).status)
}

func TestRolesHoldKnownRulesOnly(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.user(t, "admin@example.org", auth.AdminRole)
	admin := a.signIn(t, "admin@example.org")

	rules := decode[struct{ Rules []auth.Rule }](t, a.do(t, http.MethodGet, "/api/access-rules", nil, admin)).Rules
	require.Contains(t, rules, auth.Rule{ID: "catalog.system.read", Description: "See systems", Default: true})
	require.Len(t, rules, len(new(auth.Auth).Rules())+3)

	for _, bad := range []string{"*", "catalog.system.destroy", "", "\x00"} {
		require.Equal(
			t,
			http.StatusUnprocessableEntity,
			a.do(t, http.MethodPost, "/api/roles", auth.NewRole{Name: "X", Rules: []string{bad}}, admin).status,
			bad,
		)
	}
	role := decode[auth.Role](
		t,
		a.do(
			t,
			http.MethodPost,
			"/api/roles",
			auth.NewRole{Name: "Editors", Rules: []string{"catalog.system.manage", "ai.chat.read", "ai.chat.read"}},
			admin,
		),
	)
	require.Equal(t, []string{"ai.chat.read", "catalog.system.manage"}, role.Rules)
	require.Equal(
		t,
		http.StatusConflict,
		a.do(t, http.MethodPost, "/api/roles", auth.NewRole{Name: "EDITORS", Rules: []string{}}, admin).status,
	)
	require.Equal(t, http.StatusNoContent, a.do(t, http.MethodDelete, "/api/roles/"+role.ID.String(), nil, admin).status)
	require.Equal(t, http.StatusNotFound, a.do(t, http.MethodDelete, "/api/roles/"+role.ID.String(), nil, admin).status)
}

func TestBuiltInRolesStay(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.user(t, "admin@example.org", auth.AdminRole)
	admin := a.signIn(t, "admin@example.org")
	for _, id := range []uuid.UUID{auth.AdminRole, auth.UsersRole} {
		path := "/api/roles/" + id.String()
		require.Equal(t, http.StatusConflict, a.do(t, http.MethodDelete, path, nil, admin).status)
		require.Equal(t, http.StatusConflict, a.do(t, http.MethodPatch, path, map[string]any{"name": "other"}, admin).status)
	}
	require.Equal(
		t,
		http.StatusConflict,
		a.do(t, http.MethodPatch, "/api/roles/"+auth.AdminRole.String(), map[string]any{"rules": []string{}}, admin).status,
	)
	require.Equal(
		t,
		http.StatusOK,
		a.do(t, http.MethodPatch, "/api/roles/"+auth.UsersRole.String(), map[string]any{"rules": []string{"ai.chat.read"}}, admin).status,
	)
}

func TestADefaultRuleComesOnce(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	only := []string{"ai.chat.read"}
	_, err := a.Directory.UpdateRole(t.Context(), root, auth.UsersRole, auth.RoleChange{Rules: &only}, nil)
	require.NoError(t, err)

	newer := newProcess(t, a.db, a.key, func(o *auth.Options) {
		o.Rules = registry(
			t,
			auth.Rule{ID: "slo.slo.read", Description: "See SLOs", Default: true},
			auth.Rule{ID: "slo.slo.manage", Description: "Change SLOs"},
		)
	})
	require.NoError(t, newer.Directory.SyncRules(t.Context()))
	role, err := newer.Directory.Role(t.Context(), auth.UsersRole)
	require.NoError(t, err)
	require.Equal(t, []string{"ai.chat.read", "slo.slo.read"}, role.Rules, "what was taken away does not come back")
}

func TestAccessRulesMustBeWellFormedAndDeclaredOnce(t *testing.T) {
	t.Parallel()
	for name, rules := range map[string][]auth.Rule{
		"admin":    {{ID: "*", Description: "x"}},
		"one word": {{ID: "catalog", Description: "x"}},
		"capital":  {{ID: "catalog.System.read", Description: "x"}},
		"dash":     {{ID: "ai.skill-.read", Description: "x"}},
		"silent":   {{ID: "catalog.system.read"}},
		"twice":    {{ID: "catalog.system.read", Description: "x"}, {ID: "catalog.system.read", Description: "x"}},
	} {
		_, err := auth.NewRegistry(rules)
		require.Error(t, err, name)
	}
	_, err := auth.NewRegistry([]auth.Rule{{ID: "ai.skill-create.manage", Description: "x"}})
	require.NoError(t, err)
}

func TestTheLastAdministratorStays(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	admin := a.user(t, "admin@example.org", auth.AdminRole)
	session := a.signIn(t, "admin@example.org")
	path := "/api/users/" + admin.ID.String()
	for name, call := range map[string]answer{
		"disabled": a.do(t, http.MethodPatch, path, map[string]any{"disabled": true}, session),
		"stripped": a.do(t, http.MethodPatch, path, map[string]any{"roleIds": []uuid.UUID{}}, session),
		"deleted":  a.do(t, http.MethodDelete, path, nil, session),
	} {
		require.Equal(t, http.StatusConflict, call.status, name)
	}
	require.Equal(t, http.StatusOK, a.do(t, http.MethodGet, "/api/users", nil, session).status, "nothing of it happened")
	require.Equal(t, 1, a.count(t, "SELECT count(*) FROM users WHERE revision = 1 AND NOT disabled"))

	asleep := a.user(t, "asleep@example.org", auth.AdminRole)
	require.NoError(t, disable(t, a, asleep.ID))
	require.Equal(t, http.StatusConflict, a.do(t, http.MethodDelete, path, nil, session).status, "a disabled one does not count")
	a.user(t, "second@example.org", auth.AdminRole)
	require.Equal(t, http.StatusNoContent, a.do(t, http.MethodDelete, path, nil, session).status)
}

// Eight administrators are all taken away at the same moment, each in another way. One is left.
func TestAdministratorsTakenAwayTogetherLeaveOne(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	const n = 8
	ids := make([]uuid.UUID, n)
	for i := range ids {
		ids[i] = a.user(t, strconv.Itoa(i)+"@example.org", auth.AdminRole).ID
	}
	yes, none := true, []uuid.UUID{}
	errs := make([]error, n)
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i, id := range ids {
		wg.Go(func() {
			<-start
			switch i % 3 {
			case 0:
				_, errs[i] = a.Directory.UpdateUser(t.Context(), root, id, auth.UserChange{Disabled: &yes}, nil)
			case 1:
				_, errs[i] = a.Directory.UpdateUser(t.Context(), root, id, auth.UserChange{RoleIDs: &none}, nil)
			default:
				errs[i] = a.Directory.DeleteUser(t.Context(), root, id, nil)
			}
		})
	}
	close(start)
	wg.Wait()
	refused := 0
	for _, err := range errs {
		if err != nil {
			require.True(t, problem.Is(err, problem.Conflict), err)
			refused++
		}
	}
	require.Equal(t, 1, refused)
	require.Equal(
		t,
		1,
		a.count(t, "SELECT count(*) FROM user_roles JOIN users ON id = user_id WHERE role_id = $1 AND NOT disabled", auth.AdminRole),
	)
}

func TestAnApplicationsTokenIsShownOnceAndStoredHashed(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.user(t, "admin@example.org", auth.AdminRole)
	admin := a.signIn(t, "admin@example.org")
	got := a.do(t, http.MethodPost, "/api/applications", auth.NewApplication{Name: "CI"}, admin, header("Idempotency-Key", "once"))
	require.Equal(t, http.StatusCreated, got.status, string(got.body))
	made := decode[struct {
		Application auth.Application
		Token       string
	}](t, got)
	path := "/api/applications/" + made.Application.ID.String()
	for _, later := range []answer{a.do(t, "GET", path, nil, admin), a.do(t, "GET", "/api/applications", nil, admin), a.do(t, "PATCH", path, map[string]any{"name": "CI 2"}, admin)} {
		require.Less(t, later.status, 300)
		require.NotContains(t, string(later.body), made.Token)
		require.NotContains(t, strings.ToLower(string(later.body)), "hash")
	}
	secretPart := strings.TrimPrefix(made.Token, auth.TokenPrefix)
	require.Zero(t, a.count(t, "SELECT count(*) FROM applications a WHERE a::text LIKE '%' || $1 || '%'", secretPart))
	require.Zero(t, a.count(t, "SELECT count(*) FROM idempotency_keys k WHERE convert_from(k.body, 'UTF8') LIKE '%' || $1 || '%'", secretPart))
	require.Equal(
		t,
		http.StatusConflict,
		a.do(t, http.MethodPost, "/api/applications", auth.NewApplication{Name: "ci 2"}, admin, header("Idempotency-Key", "another")).status,
	)
	require.Equal(
		t,
		http.StatusUnprocessableEntity,
		a.do(t, http.MethodPost, "/api/applications", auth.NewApplication{Name: "ci 3"}, admin, header("Idempotency-Key", "once")).status,
	)
}

func TestATokenEndsWhenItExpiresIsDisabledOrDeleted(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.user(t, "admin@example.org", auth.AdminRole)
	admin := a.signIn(t, "admin@example.org")
	made, token := a.application(t, "CI")
	path := "/api/applications/" + made.ID.String()
	me := func() int { return a.do(t, http.MethodGet, "/api/me", nil, bearer(token)).status }

	require.Equal(t, http.StatusOK, me())
	a.exec(t, "UPDATE applications SET expires_at = now()")
	require.Equal(t, http.StatusUnauthorized, me())
	a.exec(t, "UPDATE applications SET expires_at = now() + interval '1 hour'")
	require.Equal(t, http.StatusOK, me())
	require.Equal(t, http.StatusOK, a.do(t, http.MethodPatch, path, map[string]any{"disabled": true}, admin).status)
	require.Equal(t, http.StatusUnauthorized, me())
	require.Equal(t, http.StatusOK, a.do(t, http.MethodPatch, path, map[string]any{"disabled": false}, admin).status)
	require.Equal(t, http.StatusOK, me())
	require.Equal(t, http.StatusNoContent, a.do(t, http.MethodDelete, path, nil, admin).status)
	require.Equal(t, http.StatusUnauthorized, me())

	past := time.Now().Add(-time.Hour)
	require.Equal(
		t,
		http.StatusUnprocessableEntity,
		a.do(t, http.MethodPost, "/api/applications", auth.NewApplication{Name: "Late", ExpiresAt: &past}, admin).status,
	)
}

func TestARepeatedWriteWithAKeyHappensOnce(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.user(t, "admin@example.org", auth.AdminRole)
	admin := a.signIn(t, "admin@example.org")
	first := a.do(t, http.MethodPost, "/api/teams", auth.NewTeam{Name: "Payments"}, admin, header("Idempotency-Key", "k1"))
	again := a.do(t, http.MethodPost, "/api/teams", auth.NewTeam{Name: "Payments"}, admin, header("Idempotency-Key", "k1"))
	require.Equal(t, http.StatusCreated, first.status)
	require.Equal(t, string(first.body), string(again.body))
	require.Equal(t, 1, a.count(t, "SELECT count(*) FROM teams"))
}

// Common passwords, and those made of the account itself, are refused on each way on which one is set.
func TestAGuessablePasswordIsRefused(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.user(t, "admin@example.org", auth.AdminRole)
	admin := a.signIn(t, "admin@example.org")
	user := decode[auth.User](t, a.do(t, http.MethodPost, "/api/users",
		auth.NewUser{Email: "ada.lovelace@example.org", Name: "Ada Lovelace", Password: goodPassword}, admin))
	ada := a.signIn(t, "ada.lovelace@example.org")
	for _, plain := range []string{"password", "Password123!", "12345678", "ada.lovelace", "Lovelace1815", "countersign"} {
		for name, got := range map[string]answer{
			"a new account": a.do(t, http.MethodPost, "/api/users",
				auth.NewUser{Email: "ada.lovelace@example.com", Name: "Ada Lovelace", Password: plain}, admin),
			"a change": a.do(t, http.MethodPatch, "/api/users/"+user.ID.String(), map[string]any{"password": plain}, admin),
			"one's own": a.do(t, http.MethodPost, "/api/auth/password",
				map[string]any{"currentPassword": goodPassword, "newPassword": plain}, ada),
		} {
			require.Equal(t, http.StatusUnprocessableEntity, got.status, "%s: %s", name, plain)
			require.Contains(t, got.problem(t).Issues[0].Message, "easy to guess", "%s: %s", name, plain)
		}
	}
}
