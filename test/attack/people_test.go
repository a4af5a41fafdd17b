package attack_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
)

const (
	manageUsers        = "auth.users.manage"
	manageRoles        = "auth.roles.manage"
	manageTeams        = "auth.teams.manage"
	manageApplications = "auth.applications.manage"
)

// Nobody gives, to themselves or to others, what they do not hold.
func nobodyGivesWhatTheyDoNotHold(t *testing.T, f *fort) {
	for _, rule := range []string{manageUsers, manageRoles, manageTeams, manageApplications} {
		if f.people[rule] == nil {
			f.people[rule] = f.Person(t, f.Role(t, rule))
		}
		f.ids[rule] = f.people[rule].ID.String()
	}
	f.ids["admin"], f.ids["administrators"] = f.Admin.ID.String(), f.Column(t, `SELECT id::text FROM roles WHERE '*' = ANY (rules)`)[0]
	f.ids["robot"] = f.people["application"].ID.String()
	f.ids["own role"] = f.Column(t, `SELECT role_id::text FROM user_roles JOIN roles r ON r.id = role_id WHERE user_id = $1 AND $2 = ANY (r.rules)`, f.people[manageRoles].ID, manageRoles)[0]
	f.ids["operators"] = f.Column(t, `SELECT role_id::text FROM user_roles JOIN roles r ON r.id = role_id WHERE user_id = $1 AND $2 = ANY (r.rules)`, f.people["operator"].ID, systems)[0]
	f.ids["private team"] = f.ids["other team"]
	f.grant(t, "catalog.system", f.ids["other system"], true, "team", f.ids["other team"], "owner")

	password := map[string]any{"password": "a password of mine"}
	for _, a := range []attempt{
		{name: "the role of administrators for oneself", by: manageUsers, method: http.MethodPatch, path: "/api/users/{" + manageUsers + "}", body: `{"roleIds":["{administrators}"]}`},
		{name: "the role of administrators for another", by: manageUsers, method: http.MethodPatch, path: "/api/users/{user}", body: `{"roleIds":["{administrators}"]}`},
		{name: "the role of operators for oneself", by: manageUsers, method: http.MethodPatch, path: "/api/users/{" + manageUsers + "}", body: `{"roleIds":["{operators}"]}`},
		{name: "a new administrator", by: manageUsers, method: http.MethodPost, path: "/api/users", body: `{"email":"puppet@example.com","name":"Puppet","password":"correct horse battery","roleIds":["{administrators}"]}`},
		{name: "an administrator's password", by: manageUsers, method: http.MethodPatch, path: "/api/users/{admin}", body: password},
		{name: "an operator's password", by: manageUsers, method: http.MethodPatch, path: "/api/users/{operators person}", body: password},
		{name: "the password of somebody with grants", by: manageUsers, method: http.MethodPatch, path: "/api/users/{victim}", body: password},
		{name: "an administrator's address", by: manageUsers, method: http.MethodPatch, path: "/api/users/{admin}", body: `{"email":"mine@example.com"}`},
		{name: "to disable an administrator", by: manageUsers, method: http.MethodPatch, path: "/api/users/{admin}", body: `{"disabled":true}`},
		{name: "to delete an administrator", by: manageUsers, method: http.MethodDelete, path: "/api/users/{admin}"},
		{name: "a role with everything", by: manageRoles, method: http.MethodPost, path: "/api/roles", body: `{"name":"Everything","rules":["*"]}`},
		{name: "a role with more than one has", by: manageRoles, method: http.MethodPost, path: "/api/roles", body: `{"name":"More","rules":["catalog.system.manage"]}`},
		{name: "more for one's own role", by: manageRoles, method: http.MethodPatch, path: "/api/roles/{own role}", body: `{"rules":["auth.roles.manage","auth.users.manage"]}`},
		{name: "the role of administrators renamed", by: manageRoles, method: http.MethodPatch, path: "/api/roles/{administrators}", body: `{"name":"Nobody"}`},
		{name: "the role of administrators emptied", by: manageRoles, method: http.MethodPatch, path: "/api/roles/{administrators}", body: `{"rules":[]}`},
		{name: "the role of administrators deleted", by: manageRoles, method: http.MethodDelete, path: "/api/roles/{administrators}"},
		{name: "an application of administrators", by: manageApplications, method: http.MethodPost, path: "/api/applications", body: `{"name":"Puppet","roleIds":["{administrators}"]}`},
		{name: "an application of operators", by: manageApplications, method: http.MethodPost, path: "/api/applications", body: `{"name":"Puppet","roleIds":["{operators}"]}`},
		{name: "an application that becomes an operator", by: manageApplications, method: http.MethodPatch, path: "/api/applications/{application}", body: `{"roleIds":["{operators}"]}`},
		{name: "the token of an application that may more", by: manageApplications, method: http.MethodPost, path: "/api/applications/{robot}/token", body: `{}`},
		{name: "to read a team's secrets by joining", by: manageTeams, method: http.MethodPut, path: "/api/teams/{private team}/members/{" + manageTeams + "}"},
		{name: "a grant on a hidden system for oneself", by: manageTeams, method: http.MethodPut, path: "/api/grants/catalog.system/{hidden system}", body: `{"private":true,"grants":[{"subjectType":"user","subjectId":"{` + manageTeams + `}","relation":"owner"}]}`},
		{name: "one's own grants by a person", by: "editor", method: http.MethodPut, path: "/api/grants/catalog.system/{other system}", body: `{"private":false,"grants":[]}`},
		{name: "an application as a manager of people", by: "application", method: http.MethodPost, path: "/api/users", body: `{"email":"puppet@example.com","name":"Puppet","password":"correct horse battery"}`},
	} {
		f.ids["operators person"] = f.people["operator"].ID.String()
		if text, isText := a.body.(string); isText {
			a.body = f.fill(text)
		}
		f.refuses(t, a)
	}
	require.Equal(t, 2, f.Count(t, `SELECT count(*) FROM user_roles WHERE role_id = $1::uuid`, f.ids["administrators"]))
}

// The last administrator does not lock everybody out, and people do not act for each other.
func peopleKeepTheirOwn(t *testing.T, f *fort) {
	for _, a := range []attempt{
		{name: "another's session", by: "user", method: http.MethodDelete, path: "/api/auth/sessions/{session}"},
		{name: "another's session as administrator", by: "admin", method: http.MethodDelete, path: "/api/auth/sessions/{session}"},
		{name: "one's own password without the old one", by: "user", method: http.MethodPost, path: "/api/auth/password", body: `{"currentPassword":"wrong","newPassword":"correct horse battery 2"}`},
		{name: "an application's password", by: "application", method: http.MethodPost, path: "/api/auth/password", body: `{"currentPassword":"correct horse battery","newPassword":"correct horse battery 2"}`},
		{name: "an application's sessions", by: "application", method: http.MethodDelete, path: "/api/auth/sessions/{session}"},
		{name: "a memory for another", by: "user", method: http.MethodPost, path: "/api/ai/memories", body: `{"scope":"user","recallHint":"x","content":"x","ownerId":"{victim}"}`},
		{name: "a conversation for another", by: "user", method: http.MethodPost, path: "/api/ai/conversations", body: `{"title":"x","ownerId":"{victim}"}`},
		{name: "a memory of a hidden system", by: "user", method: http.MethodPost, path: "/api/ai/memories", body: `{"scope":"system","systemId":"{hidden system}","recallHint":"x","content":"x"}`},
		{name: "a hidden system in one's group", by: "operator", method: http.MethodPut, path: "/api/catalog/groups/{group}/systems/{hidden system}"},
		{name: "a hidden system out of one's group", by: "operator", method: http.MethodDelete, path: "/api/catalog/groups/{group}/systems/{hidden system}"},
		{name: "erasing somebody", by: "countersigner", method: http.MethodPost, path: "/api/ai/privacy/erasures", body: `{"personId":"{victim}"}`},
		{name: "another's chat in one's own", by: "user", method: http.MethodPost, path: "/api/ai/chat", body: `{"conversationId":"{conversation}","messageId":"m1","message":"Hello"}`},
	} {
		if text, isText := a.body.(string); isText {
			a.body = f.fill(text)
		}
		f.refuses(t, a)
	}
}

// What was sent by a person's browser because another site told it to is not that person's wish.
func otherSitesDoNotAct(t *testing.T, f *fort) {
	for _, headers := range [][]apptest.Header{
		{{Name: "Origin", Value: "https://evil.example"}},
		{{Name: "Origin", Value: "null"}},
		{{Name: "Origin", Value: "http://127.0.0.1:1"}},
		{{Name: "Sec-Fetch-Site", Value: "cross-site"}},
		{{Name: "Sec-Fetch-Site", Value: "same-site"}},
		{{Name: "Origin", Value: "https://evil.example"}, {Name: "Sec-Fetch-Site", Value: "cross-site"}},
	} {
		for _, a := range []attempt{
			{method: http.MethodPost, path: "/api/catalog/systems", body: map[string]any{"name": "Forged"}},
			{method: http.MethodDelete, path: "/api/catalog/systems/{system}"},
			{method: http.MethodPost, path: apply, body: token(f.tokens["proposal"])},
			{method: http.MethodPost, path: "/api/ai/chat", body: f.fill(`{"conversationId":"{conversation}","messageId":"forged","message":"Hello"}`)},
			{method: http.MethodPost, path: "/api/auth/logout"},
			{method: http.MethodPost, path: "/api/auth/password", body: map[string]any{"currentPassword": "correct horse battery", "newPassword": "a password of mine"}},
		} {
			a.name, a.by, a.headers, a.status = "another site", "victim", headers, []int{http.StatusForbidden}
			f.refuses(t, a)
		}
	}
	for _, contentType := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""} {
		f.refuses(t, attempt{
			name: "a form of another site", by: "victim", method: http.MethodPost, path: "/api/catalog/systems", body: `{"name":"Forged"}`,
			headers: []apptest.Header{{Name: "Content-Type", Value: contentType}, {Name: "Origin", Value: "https://evil.example"}},
		})
	}
	answer := f.people["victim"].Call(
		t,
		http.MethodOptions,
		"/api/catalog/systems",
		nil,
		apptest.Header{Name: "Origin", Value: "https://evil.example"},
		apptest.Header{Name: "Access-Control-Request-Method", Value: "POST"},
	)
	require.Empty(t, answer.Header.Get("Access-Control-Allow-Origin"))
}

// Sessions and tokens stand for one person at one time, in one place of the request.
func sessionsAreNotBorrowed(t *testing.T, f *fort) {
	victim := f.people["victim"]
	cookie := victim.Cookie(t)
	for _, a := range []attempt{
		{name: "a session in the address", path: "/api/me?session=" + cookie},
		{name: "a session as a token", path: "/api/me", headers: []apptest.Header{{Name: "Authorization", Value: "Bearer " + cookie}}},
		{name: "a session as basic", path: "/api/me", headers: []apptest.Header{{Name: "Authorization", Value: "Basic dmljdGltOnZpY3RpbQ=="}}},
		{name: "a cookie with another name", path: "/api/me", headers: []apptest.Header{{Name: "Cookie", Value: "session=" + cookie}}},
		{name: "a cookie cut short", path: "/api/me", headers: []apptest.Header{{Name: "Cookie", Value: "countersign_session=" + cookie[:len(cookie)-1]}}},
		{name: "a cookie in the other case", path: "/api/me", headers: []apptest.Header{{Name: "Cookie", Value: "COUNTERSIGN_SESSION=" + cookie}}},
		{name: "a token of nobody", path: "/api/me", headers: []apptest.Header{{Name: "Authorization", Value: "Bearer csa_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}}},
		{name: "an unsigned token", path: "/api/me", headers: []apptest.Header{{Name: "Authorization", Value: "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiJ9."}}},
		{name: "an empty token", path: "/api/me", headers: []apptest.Header{{Name: "Authorization", Value: "Bearer "}}},
		{name: "a delegated credential that was made up", path: "/api/me", headers: []apptest.Header{{Name: "Authorization", Value: "Bearer csd_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}}},
	} {
		a.by, a.method, a.status = "anonymous", http.MethodGet, []int{http.StatusUnauthorized}
		f.refuses(t, a)
	}

	leaver := f.Person(t)
	f.people["leaver"] = leaver
	leaver.Post(t, "/api/auth/logout", nil, nil)
	f.refuses(
		t,
		attempt{name: "a session that was ended", by: "leaver", method: http.MethodGet, path: "/api/me", status: []int{http.StatusUnauthorized}},
	)
	f.refuses(
		t,
		attempt{
			name:   "to sign in with the wrong password",
			by:     "anonymous",
			method: http.MethodPost,
			path:   "/api/auth/login",
			body:   map[string]any{"email": victim.Email, "password": "wrong"},
			status: []int{http.StatusUnauthorized},
		},
	)
	known := f.people["anonymous"].Call(t, http.MethodPost, "/api/auth/login", map[string]any{"email": victim.Email, "password": "wrong"})
	unknown := f.people["anonymous"].Call(
		t,
		http.MethodPost,
		"/api/auth/login",
		map[string]any{"email": "nobody@example.com", "password": "wrong"},
	)
	require.Equal(t, words(unknown, ""), words(known, ""), "who has an account is not told")
	require.Equal(t, unknown.Status, known.Status)
}
