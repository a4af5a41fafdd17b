package auth_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/auth"
	"countersign/auth/password"
	"countersign/internal/access"
	"countersign/internal/secret"
)

func TestPeopleAndTheirRightsConform(t *testing.T) {
	t.Parallel()
	server := apitest.New(t)
	keys, err := secret.New()
	require.NoError(t, err)
	a, err := auth.New(auth.Options{
		DB: server.DB, Log: slog.New(slog.DiscardHandler), Rules: registry(t), DelegationKey: keys.Derive("delegation"), Sealer: keys,
		Password: password.Params{MemoryKiB: 64, Time: 1, Threads: 1},
	})
	require.NoError(t, err)
	require.NoError(t, a.Directory.SyncRules(t.Context()))
	// The people of the test are none of the database, which keeps an administrator of its own.
	_, err = a.Directory.CreateUser(
		t.Context(),
		root,
		auth.NewUser{Email: "last@example.org", Name: "Last", Password: goodPassword, RoleIDs: []uuid.UUID{auth.AdminRole}},
	)
	require.NoError(t, err)
	a.Grants.Bind(&shelf{hidden: map[uuid.UUID]bool{}, gone: map[uuid.UUID]bool{}, touched: map[uuid.UUID]int{}})
	server.Mount(t, a)
	object := uuid.NewString()
	made := 0
	member := func(t testing.TB) string {
		made++
		answer := server.Do(t, "root", http.MethodPost, "/api/users", map[string]any{
			"email": fmt.Sprintf("member%d@example.org", made), "name": "Member", "password": goodPassword,
		})
		return apitest.Decode[auth.User](t, answer).ID.String()
	}
	shared := func(t testing.TB) {
		_, err := a.Grants.SetAccess(
			t.Context(),
			system,
			uuid.MustParse(object),
			auth.Access{Grants: []auth.Grant{{SubjectType: "user", SubjectID: uuid.MustParse(member(t)), Relation: access.Own}}},
		)
		require.NoError(t, err)
	}
	apitest.Conform(t, apitest.Subject{
		Server: server,
		Module: a,
		Public: []string{
			"login",
			"logout",
			"get-sign-in-ways",
			"begin-oidc-sign-in",
			"finish-oidc-sign-in",
			"look-at-password-link",
			"use-password-link",
		},
		Unpaged: map[string]string{
			"/api/roles":            "an administrator makes a handful",
			"/api/teams":            "not in pages so far: every form that chooses a team shows all names",
			"/api/applications":     "an administrator makes a handful",
			"/api/access-rules":     "those that the modules declare",
			"/api/auth/sessions":    "one's own",
			"/api/auth/chat-tokens": "one's own, 20 at most",
			"/api/me":               "the teams of one person",
		},
		Unrevised: map[string]string{
			"revoke-session":        "a session never changes",
			"revoke-chat-token":     "a token never changes",
			"revoke-other-sessions": "whichever there are",
			"revoke-password-link":  "whichever there is",
		},
		Records: []apitest.Record{
			{Path: "/api/users", Change: map[string]any{"name": "Changed"}, Opaque: []string{"password"}, New: func(n int) map[string]any {
				return map[string]any{"email": fmt.Sprintf("person%d@example.org", n), "name": "Person", "password": goodPassword}
			}},
			{Path: "/api/roles", Change: map[string]any{"rules": []string{"catalog.system.read"}}, New: func(n int) map[string]any {
				return map[string]any{"name": fmt.Sprint("Role ", n), "rules": []string{"ai.chat.read"}}
			}},
			{Path: "/api/teams", Change: map[string]any{"description": "Changed"}, New: func(n int) map[string]any {
				return map[string]any{"name": fmt.Sprint("Team ", n), "description": "A team"}
			}},
			{Path: "/api/applications", Within: "application", Change: map[string]any{"disabled": true}, New: func(n int) map[string]any {
				return map[string]any{"name": fmt.Sprint("Application ", n)}
			}},
		},
		Calls: map[string]apitest.Call{
			"auth.createUser": apitest.Input(map[string]any{"email": "new@example.org", "name": "New", "password": goodPassword}),
			"auth.updateUser": apitest.About("/api/users", "id", map[string]any{"name": "Updated", "disabled": true}),
			"auth.updateRole": apitest.About("/api/roles", "id", map[string]any{"name": "Updated"}),
			"auth.deleteUser": apitest.About("/api/users", "id", nil),
			"auth.deleteRole": apitest.About("/api/roles", "id", nil),
			"auth.addTeamMember": {Record: "/api/teams", Input: func(t testing.TB, id string) map[string]any {
				return map[string]any{"id": id, "userId": member(t)}
			}},
			"auth.setGrants": {Elsewhere: true, Input: func(t testing.TB, _ string) map[string]any {
				shared(t)
				return map[string]any{"objectType": "catalog.system", "objectId": object, "private": false, "grants": []any{}}
			}},
			"auth.deleteGrants": {Elsewhere: true, Input: func(t testing.TB, _ string) map[string]any {
				shared(t)
				return map[string]any{"objectType": "catalog.system", "objectId": object}
			}},
		},
	})
}
