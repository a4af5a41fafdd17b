package catalog_test

import (
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/auth"
	"countersign/modules/catalog"
	"countersign/problem"
	"countersign/tool"
)

// caller acts through the live API as somebody of the test.
func (a *app) caller(as string) tool.Caller {
	a.signers.mu.Lock()
	defer a.signers.mu.Unlock()
	return tool.Caller{Principal: a.signers.byName[as], Client: &tool.Client{Router: a.router, Credential: as}}
}

func (a *app) tool(t testing.TB, name string) tool.Tool {
	t.Helper()
	tools := a.module.Tools()
	i := slices.IndexFunc(tools, func(t tool.Tool) bool { return t.Name == "catalog."+name })
	require.GreaterOrEqual(t, i, 0, name)
	return tools[i]
}

// call runs a read tool and returns its result as JSON.
func (a *app) call(t testing.TB, name string, input any) string {
	t.Helper()
	result, err := a.tool(t, name).Run(t.Context(), a.caller("root"), json.RawMessage(marshal(t, input)))
	require.NoError(t, err)
	return marshal(t, result)
}

func (a *app) propose(t testing.TB, as, name string, input any) (tool.Proposed, error) {
	t.Helper()
	return a.tool(t, name).DryRun(t.Context(), a.caller(as), json.RawMessage(marshal(t, input)))
}

func (a *app) proposed(t testing.TB, name string, input any) tool.Proposed {
	t.Helper()
	p, err := a.propose(t, "root", name, input)
	require.NoError(t, err)
	return p
}

// apply does what applying a proposal does: it runs the stored payload with its key and revision.
func (a *app) apply(t testing.TB, name string, p tool.Proposed) (string, error) {
	t.Helper()
	c := a.caller("root")
	c.Client.IdempotencyKey, c.Client.IfMatch = "proposal-"+uuid.NewString(), p.Revision
	result, err := a.tool(t, name).Run(t.Context(), c, p.Payload)
	if err != nil {
		return "", err
	}
	again, err := a.tool(t, name).Run(t.Context(), c, p.Payload)
	require.NoError(t, err, "a repeat with the same key is the same call")
	require.Equal(t, marshal(t, result), marshal(t, again))
	return marshal(t, result), nil
}

func (a *app) applied(t testing.TB, name string, p tool.Proposed) string {
	t.Helper()
	result, err := a.apply(t, name, p)
	require.NoError(t, err)
	return result
}

func diffOf(t testing.TB, p tool.Proposed) string {
	t.Helper()
	return marshal(t, p.Diff)
}

func TestEveryToolIsComplete(t *testing.T) {
	t.Parallel()
	module := catalog.New(nil, nil, nil)
	tools := module.Tools()
	_, err := tool.NewRegistry(tools...)
	require.NoError(t, err)
	require.Len(t, tools, 22)

	known := map[string]bool{auth.RuleTeamsRead: true}
	for _, rule := range catalog.Rules() {
		known[rule.ID] = true
	}
	texts := map[string]bool{}
	for _, x := range tools {
		name := strings.TrimPrefix(x.Name, "catalog.")
		text, err := os.ReadFile("tool_" + snake(name) + ".md")
		require.NoError(t, err)
		require.Equal(t, string(text), x.Description, name)
		require.Greater(t, len(strings.Fields(x.Description)), 30, "%s tells when to use it and what it returns", name)
		require.Contains(t, x.Description, "Returns ", name)
		require.False(t, texts[x.Description], "%s has a text of its own", name)
		texts[x.Description] = true
		requireClosed(t, name+" input", x.Input.JSON())
		requireClosed(t, name+" output", x.Output.JSON())
		for _, rule := range x.Rules {
			require.True(t, known[rule], "%s needs the rule %s, which nobody declares", name, rule)
		}
		verb, _, _ := strings.Cut(snake(name), "_")
		want := tool.Mutate
		switch verb {
		case "list", "get":
			want = tool.Read
		case "delete", "remove":
			want = tool.Destructive
		}
		require.Equal(t, want, x.Effect, name)
		if want == tool.Destructive {
			require.Contains(t, x.Description, " person always decides", name)
		}
		for word := range strings.FieldsSeq(x.Description) {
			if other := strings.Trim(word, ".,:;()`"); strings.HasPrefix(other, "catalog_") {
				require.True(t, slices.ContainsFunc(tools, func(t tool.Tool) bool { return t.WireName() == other }), "%s names %s, which does not exist", name, other)
			}
		}
	}
}

// requireClosed checks every object that has named members; a free record has none.
func requireClosed(t *testing.T, where string, raw json.RawMessage) {
	t.Helper()
	var node map[string]json.RawMessage
	if json.Unmarshal(raw, &node) != nil {
		return
	}
	if properties, ok := node["properties"]; ok {
		require.Equal(t, "false", string(node["additionalProperties"]), where)
		var members map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(properties, &members))
		for name, member := range members {
			requireClosed(t, where+"."+name, member)
		}
	}
	if items, ok := node["items"]; ok {
		requireClosed(t, where+"[]", items)
	}
}

func snake(name string) string {
	var b strings.Builder
	for _, r := range name {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

func TestTheRulesFitTheRegistryOfThePeopleModule(t *testing.T) {
	t.Parallel()
	registry, err := auth.NewRegistry(auth.Rules(), accessRules())
	require.NoError(t, err)
	defaults := []string{}
	for _, rule := range registry.All() {
		if rule.Default && strings.HasPrefix(rule.ID, "catalog.") {
			defaults = append(defaults, rule.ID)
		}
	}
	require.Equal(t, []string{catalog.EnvironmentRead, catalog.GroupRead, catalog.SystemRead}, defaults)
}

func TestReadToolsAnswerLeanly(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	platform := a.team(t, "Platform")
	s := decoded[catalog.System](t, a.do(t, "root", http.MethodPost, systems, object{"name": "Payments API", "tags": []string{"core"}, "metadata": object{"tier": 1}, "ownerTeamId": platform}))
	g := a.group(t, "Checkout", s.ID)
	e := a.environment(t, "Production")
	a.do(t, "root", http.MethodPut, at(systems, s.ID)+"/environments", object{"environmentIds": []uuid.UUID{e.ID}})
	a.do(t, "root", http.MethodPost, at(systems, s.ID)+"/links", object{"url": "https://example.org", "label": "Runbook"})
	a.system(t, "Search")

	id := s.ID.String()
	require.JSONEq(t, `{"systems":[{"id":"`+id+`","name":"Payments API","tags":["core"],"owners":["Platform"],"groups":["Checkout"],"environments":["Production"]}]}`,
		a.call(t, "listSystems", object{"query": "payments"}))
	require.JSONEq(t, a.call(t, "listSystems", object{"tag": "core"}), a.call(t, "listSystems", object{"groupId": g.ID}))
	require.Contains(t, a.call(t, "listSystems", object{"limit": 1}), `"more":true`)
	require.JSONEq(t, `{"systems":[]}`, a.call(t, "listSystems", object{"query": "a&limit=9"}), "a query is text, not more of the address")

	full := a.call(t, "getSystem", object{"id": id})
	for _, part := range []string{`"metadata":{"tier":1}`, `"teamName":"Platform"`, `"label":"Runbook"`, `"access":"owner"`} {
		require.Contains(t, full, part)
	}
	require.NotContains(t, full, "revision")
	require.JSONEq(t, `{"groups":[{"id":"`+g.ID.String()+`","name":"Checkout","systemIds":["`+id+`"]}]}`, a.call(t, "listGroups", object{}))
	require.JSONEq(t, `{"environments":[{"id":"`+e.ID.String()+`","name":"Production","systemIds":["`+id+`"]}]}`, a.call(t, "listEnvironments", object{}))
	require.JSONEq(t, `{"teams":[{"id":"`+platform.String()+`","name":"Platform"}]}`, a.call(t, "listTeams", object{}))

	_, err := a.tool(t, "getSystem").Run(t.Context(), a.caller("root"), json.RawMessage(`{"id":"`+uuid.NewString()+`"}`))
	require.Equal(t, "id", problem.As(err).Issues[0].Path)
}

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
	s := decoded[catalog.System](t, a.do(t, "root", http.MethodPost, systems, object{"name": "Payments", "description": "Old.", "tags": []string{"core"}}))
	p := a.proposed(t, "updateSystem", object{"id": s.ID, "description": " New. ", "metadata": object{"n": 12345678901234567}})
	require.Equal(t, "Change the description and the metadata of the system Payments", p.Summary)
	require.JSONEq(t, `[{"path":"description","before":"Old.","after":"New."},{"path":"metadata.n","before":null,"after":12345678901234567}]`, diffOf(t, p))
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
	a.do(t, "root", http.MethodPatch, at(systems, s.ID), object{"description": "Theirs."})
	a.do(t, "root", http.MethodPatch, at(groups, g.ID), object{"description": "Theirs."})
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
	require.Equal(t, "Delete the system Payments API, which is in 2 groups", a.proposed(t, "deleteSystem", object{"id": s.ID}).Summary)
	a.do(t, "root", http.MethodPut, at(systems, s.ID)+"/environments", object{"environmentIds": []uuid.UUID{a.environment(t, "Production").ID}})
	a.do(t, "root", http.MethodPost, at(systems, s.ID)+"/links", object{"url": "https://example.org"})
	a.do(t, "root", http.MethodPost, at(systems, s.ID)+"/contacts", object{"type": "user", "userId": ada})
	p := a.proposed(t, "deleteSystem", object{"id": s.ID})
	require.Equal(t, "Delete the system Payments API, which is in 2 groups and 1 environment, with its 1 contact and 1 link", p.Summary)
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
	require.Equal(t, "Take the owner away from the system Payments", none.Summary)
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
	require.JSONEq(t, `[{"path":"environments[\"EU West\"]","before":null,"after":true},{"path":"environments.Production","before":null,"after":true}]`, diffOf(t, p))
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
	require.JSONEq(t, `[{"path":"contact","before":null,"after":{"label":"On-call","type":"mailbox","who":"team@example.org"}}]`, diffOf(t, mailbox))
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
	a.person("manager", catalog.SystemManage)
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
	require.Equal(t, "Delete the group Buying, which holds 1 system (the systems stay)", remove.Summary)
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
		_, err = a.tool(t, name).Run(t.Context(), a.caller("manager"), payload)
		require.True(t, problem.Is(err, problem.Forbidden), "and again when it is applied")
	}
	_, err := a.tool(t, "listTeams").Run(t.Context(), a.caller("manager"), json.RawMessage(`{}`))
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

func issuePaths(t testing.TB, err error) []string {
	t.Helper()
	require.True(t, problem.Is(err, problem.Invalid), "%v", err)
	var paths []string
	for _, issue := range problem.As(err).Issues {
		require.NotEmpty(t, issue.Message)
		paths = append(paths, issue.Path)
	}
	return paths
}
