package agent_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/auth"
	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/modules/agent"
)

// grant replaces what is granted on an agent: relation by team.
func (a *app) grant(t testing.TB, id uuid.UUID, private bool, relations map[uuid.UUID]access.Level) {
	t.Helper()
	wanted := auth.Access{Private: private, Grants: []auth.Grant{}}
	for team, relation := range relations {
		wanted.Grants = append(wanted.Grants, auth.Grant{SubjectType: "team", SubjectID: team, Relation: relation})
	}
	_, err := a.auth.Grants.SetAccess(principal.NewContext(t.Context(), a.Principal("root")), agent.ObjectType, id, wanted)
	require.NoError(t, err)
}

func (a *app) team(t testing.TB, name string) uuid.UUID {
	t.Helper()
	team, err := a.auth.Directory.CreateTeam(principal.NewContext(t.Context(), a.Principal("root")), auth.NewTeam{Name: name})
	require.NoError(t, err)
	return team.ID
}

// member signs somebody in who is in this team.
func (a *app) member(name string, team uuid.UUID, rules ...string) {
	a.SignIn(name, principal.Principal{Kind: principal.User, ID: uuid.New(), Name: name, Rules: rules, TeamIDs: []uuid.UUID{team}})
}

// route is an operation, with who gets through on an open agent and on a private one, and what others are told who see it.
type route struct {
	method, path string
	body         any
	// open and private are who may; the rest is refused.
	open, private string
	// collection says that the route is about no single agent, so that who may see none is refused and not told of a missing one.
	collection bool
}

// Every operation, by everybody whose rights differ, on an agent that is open and on one that is private: who gets through, and
// what the others are told.
func TestWhoMayDoWhat(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	viewers, editors, owners := a.team(t, "Viewers"), a.team(t, "Editors"), a.team(t, "Owners")
	a.Person("admin", principal.Admin)
	a.Person("manager", agent.Manage)
	a.Person("reader", agent.Read)
	a.member("viewer", viewers)
	a.member("editor", editors)
	a.member("owner", owners)
	a.Person("nobody")
	const everybody = "admin manager reader viewer editor owner nobody"
	const (
		see, edit, own                      = "admin manager reader viewer editor owner", "admin manager editor owner", "admin manager owner"
		seePrivate, editPrivate, ownPrivate = "viewer editor owner", "editor owner", "owner"
	)
	id := uuid.NewString()
	for _, r := range []route{
		{"GET", "/api/agents", nil, see, see, true},
		{"POST", "/api/agents", "new", "admin manager", "admin manager", true},
		{"GET", "AGENT", nil, see, seePrivate, false},
		{"PATCH", "AGENT", compactObject{"name": "Other"}, edit, editPrivate, false},
		{"GET", "AGENT/revisions", nil, see, seePrivate, false},
		{"POST", "AGENT/revisions", compactObject{}, edit, editPrivate, false},
		{"GET", "DRAFT", nil, see, seePrivate, false},
		{"DELETE", "DRAFT", nil, edit, editPrivate, false},
		{"GET", "DRAFT/bundle", nil, see, seePrivate, false},
		{"GET", "DRAFT/manifest", nil, see, seePrivate, false},
		{"GET", "DRAFT/diff", nil, see, seePrivate, false},
		{"POST", "DRAFT/validate", nil, see, seePrivate, false},
		{"PUT", "DRAFT/bundle", compactObject{"agent_md": "x", "tools": []any{}, "spec": compactObject{}}, edit, editPrivate, false},
		{"PUT", "DRAFT/agent_md", compactObject{"content": "x"}, edit, editPrivate, false},
		{"PUT", "DRAFT/spec", spec(compactObject{"limits": compactObject{"timeout_ms": 500}}), edit, editPrivate, false},
		{"PUT", "DRAFT/skills/new", compactObject{"description": "x", "content": "x"}, edit, editPrivate, false},
		{"DELETE", "DRAFT/skills/there", nil, edit, editPrivate, false},
		{"PUT", "DRAFT/tools/new", tool("one"), edit, editPrivate, false},
		{"DELETE", "DRAFT/tools/there", nil, edit, editPrivate, false},
		{"POST", "DRAFT/tools/new/check", tool("one"), edit, editPrivate, false},
		{"POST", "DRAFT/clone_from", compactObject{"source_revision_id": "SOURCE"}, edit, editPrivate, false},
		{"POST", "DRAFT/freeze", nil, own, ownPrivate, false},
		{"POST", "READY/promote", nil, own, ownPrivate, false},
		{"POST", "READY/archive", nil, own, ownPrivate, false},
		{"DELETE", "AGENT", nil, own, ownPrivate, false},
	} {
		for _, private := range []bool{false, true} {
			may := r.open
			if private {
				may = r.private
			}
			for who := range strings.FieldsSeq(everybody) {
				// Each gets an agent of its own, as some requests change it.
				slug := "a" + strings.ReplaceAll(uuid.NewString(), "-", "")[:20]
				made := a.agent(t, slug, compactObject{"name": "Canary " + slug})
				draft := a.draft(t, slug)
				a.ok(t, http.MethodPut, draft+"/tools/there", tool("there"))
				a.ok(t, http.MethodPut, draft+"/skills/there", compactObject{"description": "d", "content": "c"})
				ready := a.frozen(t, slug, "one")
				source := a.revision(t, ready).ID.String()
				a.grant(t, made.ID, private, map[uuid.UUID]access.Level{viewers: access.View, editors: access.Edit, owners: access.Own})

				path := strings.NewReplacer("AGENT", agents+"/"+slug, "DRAFT", draft, "READY", ready).Replace(r.path)
				body := r.body
				if body == "new" {
					body = compactObject{"slug": "n" + slug, "name": "New"}
				}
				if o, isObject := body.(compactObject); isObject && o["source_revision_id"] != nil {
					body = compactObject{"source_revision_id": source}
				}
				answer := a.Do(t, who, r.method, path, body)
				what := r.method + " " + r.path + " as " + who
				switch sees := slices.Contains(strings.Fields(map[bool]string{false: see, true: seePrivate}[private]), who); {
				case slices.Contains(strings.Fields(may), who):
					require.Less(t, answer.Status, 300, "%s (private %t): %s", what, private, answer.Body)
				case r.collection || sees:
					answer.Refused(t, problem.Forbidden)
				default:
					answer.Refused(t, problem.NotFound)
					require.NotContains(t, answer.Body, "Canary", what)
					nothing := a.Do(t, who, r.method, strings.Replace(path, slug, "a"+id[:20], 1), body)
					require.Equal(t, strings.ReplaceAll(nothing.Body, "a"+id[:20], slug), answer.Body, "%s: what is hidden is what is not there", what)
				}
			}
		}
	}
}

// An agent is private from its creation, for everybody but who made it, and by its slug as by its id.
func TestAnAgentIsPrivateUntilItIsShared(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.Person("maker", agent.Manage)
	a.Person("other", agent.Manage, agent.Read)
	made := apitest.Decode[agent.Agent](t, a.Do(t, "maker", http.MethodPost, agents, compactObject{"slug": "mine", "name": "Mine"}))
	require.True(t, made.Private)
	require.Equal(t, access.Own, made.Access)
	for _, ref := range []string{"mine", made.ID.String()} {
		a.Do(t, "other", http.MethodGet, agents+"/"+ref, nil).Refused(t, problem.NotFound)
		a.Do(t, "root", http.MethodGet, agents+"/"+ref, nil).Refused(t, problem.NotFound)
		require.Equal(t, http.StatusOK, a.Do(t, "maker", http.MethodGet, agents+"/"+ref, nil).Status)
	}
	require.NotContains(t, a.Do(t, "other", http.MethodGet, agents+"?query=mine", nil).Body, "mine\"")
	require.NotContains(t, a.Do(t, "other", http.MethodGet, agents+"?slug=mine", nil).Body, "Mine")
	// A private agent cannot be copied from, and a taken slug says no more than that.
	revision := apitest.Decode[agent.Revision](t, a.Do(t, "maker", http.MethodPost, agents+"/mine/revisions", compactObject{}))
	a.agent(t, "theirs")
	hidden := a.Do(t, "other", http.MethodPost, agents+"/theirs/revisions", compactObject{"cloneFrom": revision.ID})
	nothing := a.Do(t, "other", http.MethodPost, agents+"/theirs/revisions", compactObject{"cloneFrom": uuid.Nil})
	require.Equal(t, strings.ReplaceAll(nothing.Body, uuid.Nil.String(), revision.ID.String()), hidden.Body)
	taken := a.Do(t, "other", http.MethodPost, agents, compactObject{"slug": "mine", "name": "Mine"}).Refused(t, problem.Conflict)
	require.NotContains(t, taken.Detail, made.ID.String())

	wanted := compactObject{"private": false, "grants": []any{}}
	require.Equal(t, http.StatusOK, a.Do(t, "root", http.MethodPut, "/api/grants/agent.agent/"+made.ID.String(), wanted).Status)
	shared := apitest.Decode[agent.Agent](t, a.Do(t, "other", http.MethodGet, agents+"/mine", nil))
	require.False(t, shared.Private)
}

// Who tries slugs of agents that are hidden waits after a few.
func TestGuessesOfSlugsAreThrottled(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.Person("maker", agent.Manage)
	a.Person("guesser", agent.Manage)
	for n := range 12 {
		a.Do(t, "maker", http.MethodPost, agents, compactObject{"slug": "hidden-" + string(rune('a'+n)), "name": "Hidden"})
	}
	throttled := false
	for n := range 12 {
		answer := a.Do(t, "guesser", http.MethodPost, agents, compactObject{"slug": "hidden-" + string(rune('a'+n)), "name": "Guess"})
		throttled = throttled || answer.Status == http.StatusTooManyRequests
	}
	require.True(t, throttled)
}

// A slug is a name in paths and names of tools, so nothing else can be one.
func TestSlugs(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	for _, slug := range []string{"", "A", "a b", "-a", "a-", "a.b", "ä", "a/b", strings.Repeat("a", 65), uuid.NewString()} {
		a.Do(t, "root", http.MethodPost, agents, compactObject{"slug": slug, "name": "Name"}).Refused(t, problem.Invalid)
	}
	for _, slug := range []string{"a", "7", "a-b_c", strings.Repeat("a", 64)} {
		a.agent(t, slug)
	}
	a.Do(t, "root", http.MethodPost, agents, compactObject{"slug": "a", "name": "Name"}).Refused(t, problem.Conflict)
	for _, ref := range []string{"%00", "A", "a%2Fb", "a%20", "..%2Fa"} {
		answer := a.Do(t, "root", http.MethodGet, agents+"/"+ref, nil)
		require.Equal(t, http.StatusNotFound, answer.Status, "%s: %s", ref, answer.Body)
	}
	for _, rev := range []string{"0", "-1", "01", "99999999999", "x", "%00", uuid.NewString()} {
		a.Do(t, "root", http.MethodGet, agents+"/a/revisions/"+rev, nil).Refused(t, problem.NotFound)
	}
}
