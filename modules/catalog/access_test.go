package catalog_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/access"
	"countersign/internal/problem"
	"countersign/modules/catalog"
)

// attempt is one thing to do with a record, and the access that it needs.
type attempt struct {
	name   string
	needs  access.Level
	method string
	path   func(id uuid.UUID) string
	body   any
}

func onSystem(suffix string) func(uuid.UUID) string {
	return func(id uuid.UUID) string { return at(systems, id) + suffix }
}

func TestWhoMayDoWhatWithASystem(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	team := a.team(t, "Team")
	production := a.environment(t, "Production")
	attempts := []attempt{
		{"read", access.View, http.MethodGet, onSystem(""), nil},
		{"change", access.Edit, http.MethodPatch, onSystem(""), object{"description": "x"}},
		{"add contact", access.Edit, http.MethodPost, onSystem("/contacts"), object{"type": "mailbox", "email": "a@example.org"}},
		{"add link", access.Edit, http.MethodPost, onSystem("/links"), object{"url": "https://example.org"}},
		{"set environments", access.Edit, http.MethodPut, onSystem("/environments"), object{"environmentIds": []uuid.UUID{production.ID}}},
		{"set owner", access.Own, http.MethodPut, onSystem("/owner"), object{"teamId": team}},
		{"delete", access.Own, http.MethodDelete, onSystem(""), nil},
	}
	order := map[access.Level]int{"": 0, access.View: 1, access.Edit: 2, access.Own: 3}
	environmentRead := catalog.EnvironmentRead
	for _, c := range []struct {
		name    string
		rules   []string
		grant   string
		private bool
		want    access.Level
	}{
		{"nothing", nil, "", false, ""},
		{"the rule to read", []string{catalog.SystemRead}, "", false, access.View},
		{"the rule to manage", []string{catalog.SystemManage}, "", false, access.Own},
		{"a viewer grant", nil, "viewer", false, access.View},
		{"an editor grant", nil, "editor", false, access.Edit},
		{"an owner grant", nil, "owner", false, access.Own},
		{"the rule to read and an editor grant", []string{catalog.SystemRead}, "editor", false, access.Edit},
		{"the rule to manage and a viewer grant", []string{catalog.SystemManage}, "viewer", false, access.Own},
		{"the rule to read, private", []string{catalog.SystemRead}, "", true, ""},
		{"the rule to manage, private", []string{catalog.SystemManage}, "", true, ""},
		{"every rule, private", []string{"*"}, "", true, ""},
		{"the rule to manage and a viewer grant, private", []string{catalog.SystemManage}, "viewer", true, access.View},
		{"an editor grant, private", nil, "editor", true, access.Edit},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			who := "somebody with " + c.name
			a.member(who, []uuid.UUID{team}, append(c.rules, environmentRead)...)
			for _, try := range attempts {
				s := a.system(t, c.name+" "+try.name)
				relations := map[uuid.UUID]string{}
				if c.grant != "" {
					relations[team] = c.grant
				}
				a.grant(t, "catalog.system", s.ID, c.private, relations)
				r := a.Do(t, who, try.method, try.path(s.ID), try.body)
				switch {
				case order[c.want] >= order[try.needs]:
					require.Less(t, r.Status, 300, "%s: %s", try.name, r.Body)
				case c.want == "":
					hidden := r.Refused(t, problem.NotFound)
					missing := uuid.New()
					none := a.Do(t, who, try.method, try.path(missing), try.body).Refused(t, problem.NotFound)
					require.Equal(
						t,
						none.Detail[len("No system has the id "+missing.String()):],
						hidden.Detail[len("No system has the id "+s.ID.String()):],
						"%s: a hidden system answers as one that does not exist",
						try.name,
					)
				default:
					e := r.Refused(t, problem.Forbidden)
					require.Equal(t, []string{catalog.SystemManage}, e.MissingRules, try.name)
				}
				require.Equal(
					t,
					c.want != "" && order[c.want] >= order[access.View] && r.Status != http.StatusNoContent,
					listed(t, a, who, s.Name),
					try.name,
				)
			}
		})
	}
}

// listed reports whether the list shows somebody a system.
func listed(t *testing.T, a *app, who, name string) bool {
	t.Helper()
	r := a.Do(t, who, http.MethodGet, systems+"?limit=500", nil)
	if r.Status == http.StatusForbidden {
		return false
	}
	for _, s := range apitest.Decode[struct{ Systems []catalog.System }](t, r).Systems {
		if s.Name == name {
			return true
		}
	}
	return false
}

func TestNobodySeesAnythingWithoutSigningIn(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := a.system(t, "A")
	for _, path := range []string{systems, at(systems, s.ID), groups, environments} {
		a.Do(t, "nobody", http.MethodGet, path, nil).Refused(t, problem.Unauthorized)
	}
}

func TestAListWithoutRuleOrGrantIsRefusedRatherThanEmpty(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.system(t, "A")
	a.Person("stranger")
	for path, rule := range map[string]string{systems: catalog.SystemRead, groups: catalog.GroupRead, environments: catalog.EnvironmentRead} {
		require.Equal(t, []string{rule}, a.Do(t, "stranger", http.MethodGet, path, nil).Refused(t, problem.Forbidden).MissingRules)
	}
	a.Person("reader", catalog.SystemRead)
	require.Equal(t, []string{"A"}, a.list(t, "reader", ""))
}

func TestCreatingNeedsTheRule(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.Person("reader", catalog.SystemRead, catalog.GroupRead, catalog.EnvironmentRead)
	for path, rule := range map[string]string{
		systems: catalog.SystemManage, groups: catalog.GroupManage,
		environments: catalog.EnvironmentManage,
	} {
		require.Equal(t, []string{rule}, a.Do(t, "reader", http.MethodPost, path, object{"name": "A"}).Refused(t, problem.Forbidden).MissingRules)
	}
}

func TestWhoMayDoWhatWithAGroup(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	team := a.team(t, "Team")
	s := a.system(t, "System")
	a.member("viewer", []uuid.UUID{team}, catalog.GroupRead, catalog.SystemRead)

	g := a.group(t, "Group")
	e := a.Do(t, "viewer", http.MethodPatch, at(groups, g.ID), object{"name": "B"}).Refused(t, problem.Forbidden)
	require.Equal(t, []string{catalog.GroupManage}, e.MissingRules)
	a.Do(t, "viewer", http.MethodPut, at(groups, g.ID)+"/systems/"+s.ID.String(), nil).Refused(t, problem.Forbidden)

	a.grant(t, "catalog.group", g.ID, false, map[uuid.UUID]string{team: "editor"})
	require.True(t, a.setMember(t, "viewer", http.MethodPut, g.ID, s.ID), "an editor of the group needs only to see the system")
	a.Do(t, "viewer", http.MethodDelete, at(groups, g.ID), nil).Refused(t, problem.Forbidden)
	a.grant(t, "catalog.group", g.ID, false, map[uuid.UUID]string{team: "owner"})
	require.Equal(t, http.StatusNoContent, a.Do(t, "viewer", http.MethodDelete, at(groups, g.ID), nil).Status)

	hidden := a.group(t, "Hidden", s.ID)
	a.grant(t, "catalog.group", hidden.ID, true, nil)
	a.Do(t, "viewer", http.MethodGet, at(groups, hidden.ID), nil).Refused(t, problem.NotFound)
	a.Do(t, "viewer", http.MethodPut, at(groups, hidden.ID)+"/systems/"+s.ID.String(), nil).Refused(t, problem.NotFound)
	a.Do(t, "viewer", http.MethodGet, systems+"?groupId="+hidden.ID.String(), nil).Refused(t, problem.NotFound)
	require.Empty(
		t,
		apitest.Decode[catalog.System](t, a.Do(t, "viewer", http.MethodGet, at(systems, s.ID), nil)).Groups,
		"a hidden group does not show on its systems",
	)
}

func TestAHiddenSystemShowsNowhere(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := a.system(t, "Secret Project")
	g := a.group(t, "Group", s.ID)
	e := a.environment(t, "Production")
	a.Do(t, "root", http.MethodPut, at(systems, s.ID)+"/environments", object{"environmentIds": []uuid.UUID{e.ID}})
	a.grant(t, "catalog.system", s.ID, true, nil)
	a.Person("manager", catalog.SystemManage, catalog.GroupManage, catalog.EnvironmentManage)

	require.Empty(t, a.list(t, "manager", ""))
	require.Empty(t, a.list(t, "manager", "?query=secret"))
	require.Empty(t, a.list(t, "manager", "?groupId="+g.ID.String()))
	require.Empty(t, apitest.Decode[catalog.Group](t, a.Do(t, "manager", http.MethodGet, at(groups, g.ID), nil)).SystemIDs)
	require.Empty(t, apitest.Decode[catalog.Environment](t, a.Do(t, "manager", http.MethodGet, at(environments, e.ID), nil)).SystemIDs)
	a.Do(t, "manager", http.MethodDelete, at(groups, g.ID)+"/systems/"+s.ID.String(), nil).Refused(t, problem.NotFound)

	taken := a.Do(t, "manager", http.MethodPost, systems, object{"name": "secret project"}).Refused(t, problem.Conflict)
	require.NotContains(t, taken.Detail, s.ID.String())
	require.NotContains(t, taken.Detail, "Secret Project", "nothing but that the name cannot be had")
}

func TestEnvironmentsNeedTheirRule(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := a.system(t, "System")
	e := a.environment(t, "Production")
	a.Do(t, "root", http.MethodPut, at(systems, s.ID)+"/environments", object{"environmentIds": []uuid.UUID{e.ID}})
	a.Person("manager", catalog.SystemManage)

	require.Empty(t, apitest.Decode[catalog.System](t, a.Do(t, "manager", http.MethodGet, at(systems, s.ID), nil)).Environments)
	a.Do(t, "manager", http.MethodGet, at(environments, e.ID), nil).Refused(t, problem.NotFound)
	refusal := a.Do(
		t,
		"manager",
		http.MethodPut,
		at(systems, s.ID)+"/environments",
		object{"environmentIds": []uuid.UUID{}},
	).Refused(
		t,
		problem.Forbidden,
	)
	require.Equal(t, []string{catalog.EnvironmentRead}, refusal.MissingRules, "who cannot see environments cannot take a system out of them")

	a.Person("reader", catalog.EnvironmentRead)
	for _, r := range []apitest.Answer{
		a.Do(t, "reader", http.MethodPatch, at(environments, e.ID), object{"name": "B"}),
		a.Do(t, "reader", http.MethodDelete, at(environments, e.ID), nil),
	} {
		require.Equal(t, []string{catalog.EnvironmentManage}, r.Refused(t, problem.Forbidden).MissingRules)
	}
}

func TestAnOwnerMayGiveASystemAwayAndStillGetsTheAnswer(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	mine, theirs := a.team(t, "Mine"), a.team(t, "Theirs")
	s := a.system(t, "System")
	a.grant(t, "catalog.system", s.ID, true, map[uuid.UUID]string{mine: "owner"})
	a.member("owner", []uuid.UUID{mine})

	given := apitest.Decode[catalog.System](t, a.Do(t, "owner", http.MethodPut, at(systems, s.ID)+"/owner", object{"teamId": theirs}))
	require.Equal(t, "Theirs", given.Owners[0].TeamName)
	require.Empty(t, given.Access)
	a.Do(t, "owner", http.MethodGet, at(systems, s.ID), nil).Refused(t, problem.NotFound)
}

func TestDeletingARecordForgetsItsGrants(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	team := a.team(t, "Team")
	s, g := a.system(t, "System"), a.group(t, "Group")
	a.grant(t, "catalog.system", s.ID, false, map[uuid.UUID]string{team: "owner"})
	a.grant(t, "catalog.group", g.ID, false, map[uuid.UUID]string{team: "owner"})
	require.Equal(t, http.StatusNoContent, a.Do(t, "root", http.MethodDelete, at(systems, s.ID), nil).Status)
	require.Equal(t, http.StatusNoContent, a.Do(t, "root", http.MethodDelete, at(groups, g.ID), nil).Status)
	require.NoError(t, a.auth.Directory.DeleteTeam(t.Context(), team, nil), "the team owns nothing any more")
}

// A write that has begun waits for a revocation that is under way, and what it then may do is what is left.
func TestAWriteThatWaitsForARevocationIsRefused(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	team := a.team(t, "Team")
	s, g := a.system(t, "System"), a.group(t, "Group")
	a.member("editor", []uuid.UUID{team}, catalog.SystemRead)
	for _, c := range []struct {
		objectType, method, path string
		id                       uuid.UUID
		body                     any
		code                     problem.Code
	}{
		{"catalog.system", http.MethodPatch, at(systems, s.ID), s.ID, object{"description": "x"}, problem.Forbidden},
		{"catalog.system", http.MethodDelete, at(systems, s.ID), s.ID, nil, problem.Forbidden},
		{"catalog.group", http.MethodPatch, at(groups, g.ID), g.ID, object{"description": "x"}, problem.NotFound},
		{"catalog.group", http.MethodDelete, at(groups, g.ID), g.ID, nil, problem.NotFound},
	} {
		a.grant(t, c.objectType, c.id, false, map[uuid.UUID]string{team: "owner"})
		answer := make(chan apitest.Answer, 1)
		require.NoError(t, a.DB.InTx(t.Context(), func(ctx context.Context) error {
			_, err := a.module.Touch(ctx, c.objectType, c.id)
			require.NoError(t, err)
			require.NoError(t, a.auth.Grants.Remove(ctx, c.objectType, c.id))
			go func() { answer <- a.Do(t, "editor", c.method, c.path, c.body) }()
			a.waitsForALock(t)
			return nil
		}))
		refused := <-answer
		refused.Refused(t, c.code)
	}
}

// waitsForALock returns once a session of the database waits for another one.
func (a *app) waitsForALock(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool {
		var waiting bool
		require.NoError(t, a.DB.Conn(t.Context()).QueryRow(t.Context(),
			"SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')").Scan(&waiting))
		return waiting
	}, time.Minute, 5*time.Millisecond)
}
