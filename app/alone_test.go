package app_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
	"countersign/tool"
	"countersign/tool/proposal"
)

// Who could not make a change themselves does not decide about it: an apply of theirs would fail, and a decline would use
// somebody else's proposal up.
func TestWhoCouldNotMakeAChangeDoesNotDecideAboutIt(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	lesser, somebody := p.Person(t, p.Role(t, "auth.users.manage")), p.Person(t)
	setPolicy(t, p, "catalog.deleteSystem", map[string]any{"twoPerson": true})
	for _, c := range []struct {
		method, path string
		body         map[string]any
	}{
		{http.MethodPatch, "/api/users/" + somebody.ID.String(), map[string]any{"roleIds": []uuid.UUID{administrators}}},
		{http.MethodPost, "/api/users", map[string]any{"email": "boss@example.com", "name": "Boss", "password": "correct horse battery", "roleIds": []uuid.UUID{administrators}}},
	} {
		w := waits(t, p.Admin, c.method, c.path, c.body)
		lesser.Refused(t, problem.Forbidden, c.method, c.path, c.body)
		card := lesser.Proposal(t, w.ProposalID)
		require.Empty(t, card.Token)
		require.NotEmpty(t, card.Blocked)
		token := p.Second(t).Proposal(t, w.ProposalID).Token
		require.NotEmpty(t, token)
		lesser.Refused(t, problem.Forbidden, http.MethodPost, "/api/ai/proposals/apply", map[string]any{"token": token})
		lesser.Refused(t, problem.Forbidden, http.MethodPost, "/api/ai/proposals/"+w.ProposalID.String()+"/decline", nil)
		require.Equal(t, proposal.Proposed, p.Admin.Proposal(t, w.ProposalID).Status)
		require.Equal(t, proposal.Applied, p.Second(t).Apply(t, w.ProposalID).Status)
	}
	// What they could do, they decide about.
	w := waits(t, p.Admin, http.MethodPatch, "/api/users/"+p.Person(t).ID.String(), map[string]any{"password": "another one of mine"})
	require.Equal(t, proposal.Applied, lesser.Apply(t, w.ProposalID).Status)
}

// A program does not take away what an administrator wants a person for, and makes itself no person either.
func TestAProgramLoosensNoPolicyAlone(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	robot := p.Application(t, p.Role(t, "ai.policy.manage", "auth.users.manage", "catalog.system.manage", "ai.chat.read"))
	somebody := p.Person(t)
	newUser := func(name string) map[string]any {
		return map[string]any{"email": name + "@example.com", "name": name, "password": "correct horse battery"}
	}
	require.Equal(t, http.StatusCreated, robot.Call(t, http.MethodPost, "/api/users", newUser("before")).Status)
	p.Admin.Patch(t, "/api/users/"+somebody.ID.String(), map[string]any{"mustChangePassword": true}, nil)
	policies := "/api/ai/policies/"
	setPolicy(t, p, "catalog.createSystem", map[string]any{"alwaysConfirm": true})
	setPolicy(t, p, "catalog.createGroup", map[string]any{"enabled": false})
	at := "/api/users/" + somebody.ID.String()
	for _, c := range []struct {
		method, path string
		body         map[string]any
	}{
		{http.MethodPost, "/api/catalog/systems", map[string]any{"name": "Alone"}},
		{http.MethodPatch, policies + "catalog.createSystem", map[string]any{"alwaysConfirm": false}},
		{http.MethodPatch, policies + "catalog_createSystem", map[string]any{"alwaysConfirm": false}},
		{http.MethodPatch, policies + "catalog.createGroup", map[string]any{"enabled": true}},
		{http.MethodPost, "/api/users", newUser("sock")},
		{http.MethodPatch, at, map[string]any{"password": "correct horse battery 2"}},
		{http.MethodPatch, at, map[string]any{"email": "robot@example.com"}},
		{http.MethodPatch, at, map[string]any{"mustChangePassword": false}},
	} {
		w := waits(t, robot, c.method, c.path, c.body)
		require.False(t, w.TwoPerson)
		require.Contains(t, robot.Proposal(t, w.ProposalID).Blocked, "an application is not a person", c.path)
		require.NotEmpty(t, p.Second(t).Proposal(t, w.ProposalID).Token)
	}
	require.Equal(t, 2, p.Count(t, `SELECT count(*) FROM ai_tool_policies WHERE always_confirm OR NOT enabled`))
	// To tighten, and to change what is kept from nobody, is anybody's.
	for name, change := range map[string]map[string]any{"catalog.createSystem": {"enabled": false}, "catalog.updateGroup": {"alwaysConfirm": false}} {
		require.Equal(t, http.StatusOK, robot.Call(t, http.MethodPatch, policies+name, change).Status, name)
	}
	require.Equal(t, http.StatusOK, robot.Call(t, http.MethodPatch, at, map[string]any{"name": "Somebody"}).Status)
}

// A password that its holder need not change any more is that of whoever gave it.
func TestAFirstPasswordIsKeptByTwo(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	const secret = "correct horse battery"
	setPolicy(t, p, "catalog.deleteSystem", map[string]any{"twoPerson": true})
	w := waits(
		t,
		p.Admin,
		http.MethodPost,
		"/api/users",
		map[string]any{"email": "new@example.com", "name": "New", "password": secret, "mustChangePassword": true},
	)
	require.Equal(t, true, changedTo(t, p.Second(t).Proposal(t, w.ProposalID), "mustChangePassword"))
	require.Equal(t, proposal.Applied, p.Second(t).Apply(t, w.ProposalID).Status)
	id := p.Column(t, `SELECT id::text FROM users WHERE email = 'new@example.com'`)[0]
	w = waits(t, p.Admin, http.MethodPatch, "/api/users/"+id, map[string]any{"mustChangePassword": false})
	require.True(t, w.TwoPerson)
	require.Equal(t, false, changedTo(t, p.Second(t).Proposal(t, w.ProposalID), "mustChangePassword"))
	require.Equal(
		t,
		http.StatusOK,
		p.Admin.Call(t, http.MethodPatch, "/api/users/"+id, map[string]any{"mustChangePassword": true, "name": "Newer"}).Status,
	)
}

// What changes of accounts and roles is said as it is of everything else.
func TestCardsOfPeopleAndRolesSayWhatChanges(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	person := p.Person(t)
	setPolicy(t, p, "catalog.deleteSystem", map[string]any{"twoPerson": true})
	role := p.Role(t, "catalog.system.read")
	called := p.Column(t, `SELECT name FROM roles WHERE id = $1`, role)[0]
	w := waits(
		t,
		p.Admin,
		http.MethodPatch,
		"/api/roles/"+role.String(),
		map[string]any{"name": "Readers ", "rules": []string{"catalog.system.read", "catalog.group.read"}},
	)
	card := p.Second(t).Proposal(t, w.ProposalID)
	require.Equal(t, "Rename the role "+called+" to Readers and change the rules", card.Summary)
	require.Equal(
		t,
		[]tool.Change{{Path: "name", Before: called, After: "Readers"}, {Path: `rules["catalog.group.read"]`, After: true}},
		card.Diff,
	)
	require.Equal(t, proposal.Applied, p.Second(t).Apply(t, w.ProposalID).Status)
	require.Equal(t, []string{"Readers"}, p.Column(t, `SELECT name FROM roles WHERE id = $1`, role))

	w = waits(
		t,
		p.Admin,
		http.MethodPatch,
		"/api/users/"+person.ID.String(),
		map[string]any{"email": " Else@Example.com", "roleIds": []uuid.UUID{role}},
	)
	card = p.Second(t).Proposal(t, w.ProposalID)
	require.Equal(
		t,
		"Change the email and the roles of the user "+p.Column(t, `SELECT name FROM users WHERE id = $1`, person.ID)[0],
		card.Summary,
	)
	require.Equal(t, true, changedTo(t, card, "roles.Readers"))
	require.Equal(t, proposal.Applied, p.Second(t).Apply(t, w.ProposalID).Status)
	require.Equal(t, []string{"Else@Example.com"}, p.Column(t, `SELECT email FROM users WHERE id = $1`, person.ID))
}

// changedTo is what a card says that a field becomes.
func changedTo(t *testing.T, card proposal.Card, path string) any {
	t.Helper()
	for _, change := range card.Diff {
		if change.Path == path {
			return change.After
		}
	}
	require.Fail(t, "not on the card", "%s: %+v", path, card.Diff)
	return nil
}

// One's own password takes the one before, also for who may set everybody's.
func TestOnesOwnPasswordTakesTheOneBefore(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	for _, who := range []*apptest.Client{p.Admin, p.Person(t, p.Role(t, "auth.users.manage"))} {
		e := who.Refused(t, problem.Forbidden, http.MethodPatch, "/api/users/"+who.ID.String(), map[string]any{"password": "a password of mine"})
		require.Contains(t, e.Detail, "with the one that you have")
		p.SignIn(t, apptest.Credentials{Email: who.Email, Password: who.Password})
	}
}

// What a tool that reads does through an operation is off with the tool.
func TestWhatAReadDoesIsOffWithIt(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	for name, c := range map[string]struct {
		path string
		body map[string]any
	}{
		"ai.probeUrl":            {"/api/probe", map[string]any{"url": "http://127.0.0.1:1/"}},
		"healthcheck.testScript": {"/api/healthcheck/script-tests", map[string]any{"context": "healthcheck.script", "source": "1"}},
		"automation.testScript":  {"/api/automation/script-tests", map[string]any{"context": "automation.script", "source": "1"}},
	} {
		open := p.Admin.Call(t, http.MethodPost, c.path, c.body)
		require.NotContains(t, string(open.Body), "switched this off", name)
		setPolicy(t, p, name, map[string]any{"enabled": false})
		e := p.Admin.Refused(t, problem.Forbidden, http.MethodPost, c.path, c.body)
		require.Contains(t, e.Detail, "switched this off", name)
	}
}

// A sealed password opens for the account and the proposal that it was given for: what is read on a card is a text.
func TestASealedPasswordIsOfNoUseElsewhere(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	victim, other := p.Person(t), p.Person(t)
	const secret = "a password of my own"
	setPolicy(t, p, "catalog.deleteSystem", map[string]any{"twoPerson": true})
	w := waits(t, p.Admin, http.MethodPatch, "/api/users/"+victim.ID.String(), map[string]any{"password": secret})
	sealed := p.Column(t, `SELECT payload->>'password' FROM ai_proposals WHERE id = $1`, w.ProposalID)[0]
	require.True(t, strings.HasPrefix(sealed, "sealed:"))
	card := p.Second(t).Proposal(t, w.ProposalID)
	require.True(t, strings.HasPrefix(card.Summary, "Change the password of the user "), card.Summary)
	require.Equal(t, []tool.Change{{Path: "password", Before: "as it is", After: "a new one"}}, card.Diff)
	for _, who := range []*apptest.Client{other, victim} {
		again := waits(t, p.Admin, http.MethodPatch, "/api/users/"+who.ID.String(), map[string]any{"password": sealed})
		require.Equal(t, proposal.Applied, p.Second(t).Apply(t, again.ProposalID).Status)
		p.SignIn(t, apptest.Credentials{Email: who.Email, Password: sealed})
		answer := p.Anonymous().Call(t, http.MethodPost, "/api/auth/login", map[string]any{"email": who.Email, "password": secret})
		require.Equal(t, http.StatusUnauthorized, answer.Status)
	}
}
