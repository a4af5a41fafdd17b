package agent_test

import (
	"net/http"
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

// Who owns an agent shares it without managing teams: by a grant, or by the rule to manage agents while it is not private.
func TestWhoOwnsAnAgentSharesIt(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	viewers, editors, owners, others := a.team(t, "Viewers"), a.team(t, "Editors"), a.team(t, "Owners"), a.team(t, "Others")
	a.Person("admin", principal.Admin)
	a.Person("teams", auth.RuleTeamsManage)
	a.Person("manager", agent.Manage)
	a.Person("reader", agent.Read)
	a.member("viewer", viewers)
	a.member("editor", editors, agent.Read)
	a.member("owner", owners)
	a.Person("nobody")
	const everybody = "admin teams manager reader viewer editor owner nobody"
	for _, private := range []bool{false, true} {
		// Who manages teams gives what they hold themselves, and so nothing of what they do not see.
		may, hidden := "admin manager owner", "nobody"
		if private {
			may, hidden = "admin owner", "manager reader nobody"
		}
		for who := range strings.FieldsSeq(everybody) {
			slug := "a" + strings.ReplaceAll(uuid.NewString(), "-", "")[:20]
			made := a.agent(t, slug)
			before := map[uuid.UUID]access.Level{viewers: access.View, editors: access.Edit, owners: access.Own}
			a.grant(t, made.ID, private, before)
			path := "/api/grants/agent.agent/" + made.ID.String()
			wanted := auth.Access{Private: private, Grants: []auth.Grant{
				{SubjectType: "team", SubjectID: viewers, Relation: access.View},
				{SubjectType: "team", SubjectID: editors, Relation: access.Edit},
				{SubjectType: "team", SubjectID: owners, Relation: access.Own},
				{SubjectType: "team", SubjectID: others, Relation: access.Edit},
			}}
			stored := a.rows(t)
			answer := a.Do(t, who, http.MethodPut, path, wanted)
			switch {
			case strings.Contains(may, who):
				require.Equal(t, http.StatusOK, answer.Status, "%s private %t: %s", who, private, answer.Body)
				require.Equal(t, 4, a.Count(t, `SELECT count(*) FROM relation_tuples WHERE object_id = $1 AND relation <> 'private'`, made.ID))
				require.Equal(t, http.StatusNoContent, a.Do(t, who, http.MethodDelete, path, nil).Status)
				continue
			case strings.Contains(hidden, who):
				answer.Refused(t, problem.NotFound)
				a.Do(t, who, http.MethodDelete, path, nil).Refused(t, problem.NotFound)
			default:
				answer.Refused(t, problem.Forbidden)
			}
			if who != "teams" {
				// Who manages teams may take access away, as of every other object.
				refused := a.Do(t, who, http.MethodDelete, path, nil)
				require.Contains(t, []int{http.StatusForbidden, http.StatusNotFound}, refused.Status, who)
			}
			require.Equal(t, stored, a.rows(t), who)
			require.Equal(t, 3, a.Count(t, `SELECT count(*) FROM relation_tuples WHERE object_id = $1 AND relation <> 'private'`, made.ID))
		}
	}
}

// A private agent keeps an owner. One that is granted to nobody is there for administrators, who take it over.
func TestAPrivateAgentIsNeverOutOfReach(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	viewers, owners := a.team(t, "Viewers"), a.team(t, "Owners")
	a.Person("manager", agent.Manage)
	a.Person("admin", principal.Admin)
	a.Person("reader", agent.Read)
	a.member("owner", owners)
	made := a.agent(t, "mine")
	path, grants := agents+"/mine", "/api/grants/agent.agent/"+made.ID.String()
	with := func(relations map[uuid.UUID]access.Level) auth.Access {
		wanted := auth.Access{Private: true, Grants: []auth.Grant{}}
		for team, relation := range relations {
			wanted.Grants = append(wanted.Grants, auth.Grant{SubjectType: "team", SubjectID: team, Relation: relation})
		}
		return wanted
	}
	a.grant(t, made.ID, true, map[uuid.UUID]access.Level{owners: access.Own})
	stored := a.rows(t)
	for _, who := range []string{"owner", "admin"} {
		for _, left := range []map[uuid.UUID]access.Level{nil, {viewers: access.View}, {owners: access.Edit}} {
			a.Do(t, who, http.MethodPut, grants, with(left)).Refused(t, problem.Conflict)
		}
	}
	require.Equal(t, stored, a.rows(t))

	a.Exec(t, `DELETE FROM relation_tuples WHERE relation <> 'private'`)
	for _, who := range []string{"manager", "reader"} {
		a.Do(t, who, http.MethodGet, path, nil).Refused(t, problem.NotFound)
	}
	require.Equal(t, access.Own, apitest.Decode[agent.Agent](t, a.Do(t, "admin", http.MethodGet, path, nil)).Access)
	require.Contains(t, a.Do(t, "admin", http.MethodGet, agents, nil).Body, `"mine"`)
	require.Equal(t, http.StatusOK, a.Do(t, "admin", http.MethodPut, grants, with(map[uuid.UUID]access.Level{owners: access.Own})).Status)
	for _, who := range []string{"manager", "admin", "reader"} {
		a.Do(t, who, http.MethodGet, path, nil).Refused(t, problem.NotFound)
	}
	require.Equal(t, http.StatusOK, a.Do(t, "owner", http.MethodGet, path, nil).Status)
}
