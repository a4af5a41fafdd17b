package catalog_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/auth"
	"countersign/internal/problem"
	"countersign/modules/catalog"
	"countersign/tool"
)

func TestASystemIsCreatedThroughAProposal(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	platform := a.team(t, "Platform")
	p := a.proposed(t, "createSystem", object{"name": " Payments API ", "tags": []string{"Core"}, "ownerTeamId": platform})
	require.Equal(t, "Create the system Payments API, owned by Platform", p.Summary)
	require.Empty(t, p.Diff)
	require.Empty(t, p.Revision)
	require.JSONEq(t, `{"name":"Payments API","tags":["core"],"ownerTeamId":"`+platform.String()+`"}`, string(p.Payload))
	require.Empty(t, a.list(t, "root", ""), "a proposal changes nothing")

	result := a.applied(t, "createSystem", p)
	require.Contains(t, result, `"owners":["Platform"]`)
	require.Equal(t, []string{"Payments API"}, a.list(t, "root", ""))

	_, err := a.propose(t, "root", "createSystem", object{"name": "payments api", "ownerTeamId": uuid.New()})
	require.Equal(t, []string{"name", "ownerTeamId"}, issuePaths(t, err), "everything that is wrong is said at once")
	_, err = a.apply(t, "createSystem", p)
	require.True(t, problem.Is(err, problem.Conflict), "another proposal of the same name finds it taken")
}

func TestASystemIsChangedThroughAProposalWithItsDiff(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := apitest.Decode[catalog.System](
		t,
		a.Do(t, "root", http.MethodPost, systems, object{"name": "Payments", "description": "Old.", "tags": []string{"core"}}),
	)
	p := a.proposed(t, "updateSystem", object{"id": s.ID, "description": " New. ", "metadata": object{"n": 12345678901234567}})
	require.Equal(t, "Change the description and the metadata of the system Payments", p.Summary)
	require.JSONEq(
		t,
		`[{"path":"description","before":"Old.","after":"New."},{"path":"metadata.n","before":null,"after":12345678901234567}]`,
		diffOf(t, p),
	)
	require.Equal(t, `"1"`, p.Revision)
	require.JSONEq(t, `{"id":"`+s.ID.String()+`","description":"New.","metadata":{"n":12345678901234567}}`, string(p.Payload))
	a.applied(t, "updateSystem", p)
	after := a.readSystem(t, s.ID)
	require.Equal(t, []any{"New.", "Payments", []string{"core"}}, []any{after.Description, after.Name, after.Tags})

	require.Equal(t, "Rename the system Payments to Payments API",
		a.proposed(t, "updateSystem", object{"id": s.ID, "name": "Payments API"}).Summary)
	require.Equal(t, "Rename the system Payments to Pay and change the tags",
		a.proposed(t, "updateSystem", object{"id": s.ID, "name": "Pay", "tags": []string{}}).Summary)

	a.system(t, "Taken")
	for _, c := range []struct {
		input object
		paths []string
	}{
		{object{"id": s.ID}, []string{""}},
		{object{"id": s.ID, "description": "New."}, []string{""}},
		{object{"id": s.ID, "name": "TAKEN"}, []string{"name"}},
		{object{"id": s.ID, "name": "a\nb", "tags": []string{""}}, []string{"name", "tags[0]"}},
		{object{"id": uuid.New(), "name": "X"}, []string{"id"}},
	} {
		_, err := a.propose(t, "root", "updateSystem", c.input)
		require.Equal(t, c.paths, issuePaths(t, err), c.input)
	}
}

func TestAProposalIsRefusedWhenItsTargetHasChangedSince(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := a.system(t, "Payments")
	g := a.group(t, "Checkout")
	update := a.proposed(t, "updateSystem", object{"id": s.ID, "description": "Mine."})
	remove := a.proposed(t, "deleteSystem", object{"id": s.ID})
	member := a.proposed(t, "addSystemToGroup", object{"groupId": g.ID, "systemId": s.ID})
	a.Do(t, "root", http.MethodPatch, at(systems, s.ID), object{"description": "Theirs."})
	a.Do(t, "root", http.MethodPatch, at(groups, g.ID), object{"description": "Theirs."})
	for name, p := range map[string]tool.Proposed{"updateSystem": update, "deleteSystem": remove, "addSystemToGroup": member} {
		_, err := a.apply(t, name, p)
		require.True(t, problem.Is(err, problem.Precondition), "%s: %v", name, err)
	}
	require.Equal(t, "Theirs.", a.readSystem(t, s.ID).Description)
}

func TestDeletingASystemSaysWhatGoesWithIt(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := a.system(t, "Payments API")
	require.Equal(t, "Delete the system Payments API", a.proposed(t, "deleteSystem", object{"id": s.ID}).Summary)
	a.group(t, "One", s.ID)
	a.group(t, "Two", s.ID)
	require.Equal(t, "Delete the system Payments API", a.proposed(t, "deleteSystem", object{"id": s.ID}).Summary)
	a.Do(
		t,
		"root",
		http.MethodPut,
		at(systems, s.ID)+"/environments",
		object{"environmentIds": []uuid.UUID{a.environment(t, "Production").ID}},
	)
	a.Do(t, "root", http.MethodPost, at(systems, s.ID)+"/links", object{"url": "https://example.org"})
	a.Do(t, "root", http.MethodPost, at(systems, s.ID)+"/contacts", object{"type": "user", "userId": ada})
	p := a.proposed(t, "deleteSystem", object{"id": s.ID})
	require.Equal(t, "Delete the system Payments API", p.Summary, "what is counted depends on who counts")
	require.Subset(
		t,
		p.Effects,
		[]string{"Its contact goes with it.", "Its link goes with it.", "It is taken out of 2 groups.", "It is taken out of an environment."},
	)
	require.JSONEq(t, `{"deleted":true}`, a.applied(t, "deleteSystem", p))
	_, err := a.propose(t, "root", "deleteSystem", object{"id": s.ID})
	require.Equal(t, []string{"id"}, issuePaths(t, err))
}

func TestTheOwnerIsSetThroughAProposal(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := a.system(t, "Payments")
	platform := a.team(t, "Platform")
	p := a.proposed(t, "setSystemOwner", object{"id": s.ID, "teamId": platform})
	require.Equal(t, "Make Platform the owner of the system Payments", p.Summary)
	require.JSONEq(t, `[{"path":"owners.Platform","before":null,"after":true}]`, diffOf(t, p))
	require.Contains(t, a.applied(t, "setSystemOwner", p), `"owners":["Platform"]`)

	_, err := a.propose(t, "root", "setSystemOwner", object{"id": s.ID, "teamId": platform})
	require.Contains(t, problem.As(err).Detail, "belongs to Platform already")
	_, err = a.propose(t, "root", "setSystemOwner", object{"id": s.ID})
	require.Equal(t, []string{"teamId"}, issuePaths(t, err), "forgetting the team does not take the owner away")
	_, err = a.propose(t, "root", "setSystemOwner", object{"id": s.ID, "teamId": uuid.New()})
	require.Equal(t, []string{"teamId"}, issuePaths(t, err))

	none := a.proposed(t, "setSystemOwner", object{"id": s.ID, "teamId": nil})
	require.Equal(t, "Remove the owner of the system Payments", none.Summary)
	a.applied(t, "setSystemOwner", none)
	require.Empty(t, a.readSystem(t, s.ID).Owners)
	_, err = a.propose(t, "root", "setSystemOwner", object{"id": s.ID, "teamId": nil})
	require.Equal(t, []string{""}, issuePaths(t, err))
}

func TestEnvironmentsAreSetThroughAProposal(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := a.system(t, "Payments")
	production, staging := a.environment(t, "Production"), a.environment(t, "EU West")
	p := a.proposed(t, "setSystemEnvironments", object{"systemId": s.ID, "environmentIds": []uuid.UUID{production.ID, staging.ID}})
	require.Equal(t, "Set the environments of the system Payments to Production, EU West", p.Summary)
	require.JSONEq(
		t,
		`[{"path":"environments[\"EU West\"]","before":null,"after":true},{"path":"environments.Production","before":null,"after":true}]`,
		diffOf(t, p),
	)
	a.applied(t, "setSystemEnvironments", p)
	_, err := a.propose(t, "root", "setSystemEnvironments", object{"systemId": s.ID, "environmentIds": []uuid.UUID{staging.ID, production.ID}})
	require.Equal(t, []string{""}, issuePaths(t, err), "the order says nothing")
	_, err = a.propose(t, "root", "setSystemEnvironments", object{"systemId": s.ID, "environmentIds": []uuid.UUID{production.ID, uuid.New()}})
	require.Equal(t, []string{"environmentIds[1]"}, issuePaths(t, err))
	out := a.proposed(t, "setSystemEnvironments", object{"systemId": s.ID, "environmentIds": []uuid.UUID{}})
	require.Equal(t, "Take the system Payments out of all environments", out.Summary)
	a.applied(t, "setSystemEnvironments", out)
	require.Empty(t, a.readSystem(t, s.ID).Environments)
}

func TestContactsAndLinksChangeThroughProposals(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := a.system(t, "Payments")

	mailbox := a.proposed(t, "addSystemContact", object{"systemId": s.ID, "type": "mailbox", "email": "team@example.org", "label": "On-call"})
	require.Equal(t, "Add team@example.org as a contact of the system Payments (On-call)", mailbox.Summary)
	require.JSONEq(
		t,
		`[{"path":"contact","before":null,"after":{"label":"On-call","type":"mailbox","who":"team@example.org"}}]`,
		diffOf(t, mailbox),
	)
	a.applied(t, "addSystemContact", mailbox)
	_, err := a.propose(t, "root", "addSystemContact", object{"systemId": s.ID, "type": "mailbox", "email": "team@example.org"})
	require.Equal(t, []string{""}, issuePaths(t, err))
	_, err = a.propose(t, "root", "addSystemContact", object{"systemId": s.ID, "type": "mailbox", "email": "nobody"})
	require.Equal(t, []string{"email"}, issuePaths(t, err))

	link := a.proposed(t, "addSystemLink", object{"systemId": s.ID, "url": "https://example.org/run", "label": "Runbook"})
	require.Equal(t, "Add a link to https://example.org/run to the system Payments (Runbook)", link.Summary)
	a.applied(t, "addSystemLink", link)
	_, err = a.propose(t, "root", "addSystemLink", object{"systemId": s.ID, "url": "javascript:alert(1)"})
	require.Equal(t, []string{"url"}, issuePaths(t, err))

	now := a.readSystem(t, s.ID)
	removeContact := a.proposed(t, "removeSystemContact", object{"systemId": s.ID, "contactId": now.Contacts[0].ID})
	require.Equal(t, "Remove team@example.org from the contacts of the system Payments", removeContact.Summary)
	a.applied(t, "removeSystemContact", removeContact)
	removeLink := a.proposed(t, "removeSystemLink", object{"systemId": s.ID, "linkId": now.Links[0].ID})
	require.Equal(t, "Remove the link to https://example.org/run from the system Payments", removeLink.Summary)
	a.applied(t, "removeSystemLink", removeLink)
	after := a.readSystem(t, s.ID)
	require.Empty(t, after.Contacts)
	require.Empty(t, after.Links)

	_, err = a.propose(t, "root", "removeSystemContact", object{"systemId": s.ID, "contactId": now.Contacts[0].ID})
	require.Equal(t, []string{"contactId"}, issuePaths(t, err))
	_, err = a.propose(t, "root", "removeSystemLink", object{"systemId": s.ID, "linkId": now.Links[0].ID})
	require.Equal(t, []string{"linkId"}, issuePaths(t, err))
}

func TestAUserIsAContactEvenForThoseWhoMayNotLookUsersUp(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := a.system(t, "Payments")
	a.Person("manager", catalog.SystemManage)
	p, err := a.propose(t, "manager", "addSystemContact", object{"systemId": s.ID, "type": "user", "userId": ada})
	require.NoError(t, err)
	require.Contains(t, a.applied(t, "addSystemContact", p), "Ada Lovelace")
}

func TestGroupsChangeThroughProposals(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := a.system(t, "Payments")
	made := a.proposed(t, "createGroup", object{"name": "Checkout"})
	require.Equal(t, "Create the group Checkout", made.Summary)
	var out struct{ Group struct{ ID uuid.UUID } }
	require.NoError(t, json.Unmarshal([]byte(a.applied(t, "createGroup", made)), &out))
	_, err := a.propose(t, "root", "createGroup", object{"name": "checkout"})
	require.Equal(t, []string{"name"}, issuePaths(t, err))

	member := object{"groupId": out.Group.ID, "systemId": s.ID}
	_, err = a.propose(t, "root", "removeSystemFromGroup", member)
	require.Equal(t, []string{""}, issuePaths(t, err))
	add := a.proposed(t, "addSystemToGroup", member)
	require.Equal(t, "Put the system Payments into the group Checkout", add.Summary)
	require.JSONEq(t, `{"changed":true}`, a.applied(t, "addSystemToGroup", add))
	_, err = a.propose(t, "root", "addSystemToGroup", member)
	require.Equal(t, []string{""}, issuePaths(t, err))
	_, err = a.propose(t, "root", "addSystemToGroup", object{"groupId": uuid.New(), "systemId": uuid.New()})
	require.Equal(t, []string{"groupId", "systemId"}, issuePaths(t, err))

	change := a.proposed(t, "updateGroup", object{"id": out.Group.ID, "name": "Buying"})
	require.Equal(t, "Rename the group Checkout to Buying", change.Summary)
	a.applied(t, "updateGroup", change)
	_, err = a.propose(t, "root", "updateGroup", object{"id": out.Group.ID, "name": "Buying"})
	require.Equal(t, []string{""}, issuePaths(t, err))

	take := a.proposed(t, "removeSystemFromGroup", member)
	require.Equal(t, "Take the system Payments out of the group Buying", take.Summary)
	remove := a.proposed(t, "deleteGroup", object{"id": out.Group.ID})
	require.Equal(t, "Delete the group Buying", remove.Summary)
	require.JSONEq(t, `{"changed":true}`, a.applied(t, "removeSystemFromGroup", take))
	empty := a.proposed(t, "deleteGroup", object{"id": out.Group.ID})
	require.Equal(t, "Delete the group Buying", empty.Summary)
	a.applied(t, "deleteGroup", empty)
}

func TestEnvironmentsChangeThroughProposals(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	made := a.proposed(t, "createEnvironment", object{"name": "Production", "fields": object{"region": "eu"}})
	require.Equal(t, "Create the environment Production", made.Summary)
	var out struct{ Environment struct{ ID uuid.UUID } }
	require.NoError(t, json.Unmarshal([]byte(a.applied(t, "createEnvironment", made)), &out))
	_, err := a.propose(t, "root", "createEnvironment", object{"name": "PRODUCTION"})
	require.Equal(t, []string{"name"}, issuePaths(t, err))
	_, err = a.propose(t, "root", "createEnvironment", object{"name": "Other", "fields": object{"id": 1}})
	require.Equal(t, []string{"fields"}, issuePaths(t, err))

	change := a.proposed(t, "updateEnvironment", object{"id": out.Environment.ID, "fields": object{"region": "us"}})
	require.Equal(t, "Change the fields of the environment Production", change.Summary)
	require.JSONEq(t, `[{"path":"fields.region","before":"eu","after":"us"}]`, diffOf(t, change))
	a.applied(t, "updateEnvironment", change)
	_, err = a.propose(t, "root", "updateEnvironment", object{"id": out.Environment.ID, "fields": object{"region": "us"}})
	require.Equal(t, []string{""}, issuePaths(t, err))

	remove := a.proposed(t, "deleteEnvironment", object{"id": out.Environment.ID})
	require.Equal(t, "Delete the environment Production", remove.Summary)
	a.applied(t, "deleteEnvironment", remove)
}

func TestAToolReachesNoFurtherThanItsCaller(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	team := a.team(t, "Team")
	hidden, readable := a.system(t, "Hidden"), a.system(t, "Readable")
	a.grant(t, "catalog.system", hidden.ID, true, nil)
	a.grant(t, "catalog.system", readable.ID, true, map[uuid.UUID]string{team: "viewer"})
	a.member("manager", []uuid.UUID{team}, catalog.SystemManage, catalog.SystemRead)

	for _, name := range []string{"updateSystem", "deleteSystem"} {
		input := object{"id": hidden.ID}
		if name == "updateSystem" {
			input["name"] = "Mine"
		}
		_, err := a.propose(t, "manager", name, input)
		require.Equal(t, []string{"id"}, issuePaths(t, err), "what is hidden does not exist")
		input["id"] = readable.ID
		_, err = a.propose(t, "manager", name, input)
		require.Equal(t, []string{catalog.SystemManage}, problem.As(err).MissingRules, "what may only be read is refused before anybody decides")
		payload := json.RawMessage(marshal(t, input))
		_, err = a.Tool(t, "catalog."+name).Run(t.Context(), a.Caller("manager"), payload)
		require.True(t, problem.Is(err, problem.Forbidden), "and again when it is applied")
	}
	_, err := a.Tool(t, "catalog.listTeams").Run(t.Context(), a.Caller("manager"), json.RawMessage(`{}`))
	require.Equal(t, []string{auth.RuleTeamsRead}, problem.As(err).MissingRules)
}

func TestAnIDIsNeverPartOfAnAddress(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	for _, id := range []string{"../users", "a?b", uuid.NewString() + "/owner", "{" + uuid.NewString() + "}"} {
		_, err := a.propose(t, "root", "deleteSystem", object{"id": id})
		require.Equal(t, []string{"id"}, issuePaths(t, err), id)
	}
}
