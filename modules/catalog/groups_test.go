package catalog_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/problem"
	"countersign/modules/catalog"
)

func TestAGroupIsCreatedReadChangedAndDeleted(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	made := a.Do(t, "root", http.MethodPost, groups, object{"name": "Checkout", "description": "Buying.", "metadata": object{"k": 1}})
	require.Equal(t, http.StatusCreated, made.Status)
	g := apitest.Decode[catalog.Group](t, made)
	require.Equal(t, made.Body, a.Do(t, "root", http.MethodGet, at(groups, g.ID), nil).Body)

	e := a.Do(t, "root", http.MethodPost, groups, object{"name": "CHECKOUT"}).Refused(t, problem.Conflict)
	require.Contains(t, e.Detail, "A group named Checkout exists already")
	changed := apitest.Decode[catalog.Group](t, a.Do(t, "root", http.MethodPatch, at(groups, g.ID), `{"name":"Buying","metadata":null}`))
	require.Equal(t, "Buying", changed.Name)
	require.Equal(t, "Buying.", changed.Description)
	require.Empty(t, changed.Metadata)
	require.Equal(t, int64(2), changed.Revision)
	require.Equal(t, int64(2), apitest.Decode[catalog.Group](t, a.Do(t, "root", http.MethodPatch, at(groups, g.ID), `{}`)).Revision)
	other := a.group(t, "Other")
	a.Do(t, "root", http.MethodPatch, at(groups, other.ID), object{"name": "buying"}).Refused(t, problem.Conflict)
	require.Equal(
		t,
		"name",
		a.Do(t, "root", http.MethodPatch, at(groups, g.ID), object{"name": "\n"}).Refused(t, problem.Invalid).Issues[0].Path,
	)

	require.Equal(t, http.StatusNoContent, a.Do(t, "root", http.MethodDelete, at(groups, g.ID), nil, "If-Match", `"2"`).Status)
	a.Do(t, "root", http.MethodDelete, at(groups, g.ID), nil).Refused(t, problem.NotFound)
}

func TestMembershipIsSetOnceAndToldHonestly(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s, g := a.system(t, "Payments"), a.group(t, "Checkout")
	require.True(t, a.setMember(t, "root", http.MethodPut, g.ID, s.ID))
	require.False(t, a.setMember(t, "root", http.MethodPut, g.ID, s.ID))
	read := apitest.Decode[catalog.Group](t, a.Do(t, "root", http.MethodGet, at(groups, g.ID), nil))
	require.Equal(t, []uuid.UUID{s.ID}, read.SystemIDs)
	require.Equal(t, int64(2), read.Revision)
	member := a.readSystem(t, s.ID)
	require.Equal(t, []catalog.Reference{{ID: g.ID, Name: "Checkout"}}, member.Groups)
	require.Equal(t, int64(1), member.Revision, "a membership is the group's: who only sees a system does not change it")

	require.True(t, a.setMember(t, "root", http.MethodDelete, g.ID, s.ID, "If-Match", `"2"`))
	require.False(t, a.setMember(t, "root", http.MethodDelete, g.ID, s.ID))
	require.Equal(t, int64(1), a.readSystem(t, s.ID).Revision)

	a.Do(t, "root", http.MethodPut, at(groups, uuid.New())+"/systems/"+s.ID.String(), nil).Refused(t, problem.NotFound)
	a.Do(t, "root", http.MethodPut, at(groups, g.ID)+"/systems/"+uuid.NewString(), nil).Refused(t, problem.NotFound)
}

func TestDeletingOneSideOfAMembershipRaisesTheRevisionThatItBelongsTo(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s, kept := a.system(t, "Payments"), a.system(t, "Kept")
	g := a.group(t, "Checkout", s.ID, kept.ID)
	e := a.environment(t, "Production")
	a.Do(t, "root", http.MethodPut, at(systems, s.ID)+"/environments", object{"environmentIds": []uuid.UUID{e.ID}})

	require.Equal(t, http.StatusNoContent, a.Do(t, "root", http.MethodDelete, at(systems, s.ID), nil).Status)
	group := apitest.Decode[catalog.Group](t, a.Do(t, "root", http.MethodGet, at(groups, g.ID), nil))
	require.Equal(t, []uuid.UUID{kept.ID}, group.SystemIDs)
	require.Equal(t, g.Revision+1, group.Revision)
	environment := apitest.Decode[catalog.Environment](t, a.Do(t, "root", http.MethodGet, at(environments, e.ID), nil))
	require.Empty(t, environment.SystemIDs)
	require.Equal(t, int64(1), environment.Revision)

	before := a.readSystem(t, kept.ID).Revision
	require.Equal(t, http.StatusNoContent, a.Do(t, "root", http.MethodDelete, at(groups, g.ID), nil).Status)
	after := a.readSystem(t, kept.ID)
	require.Empty(t, after.Groups)
	require.Equal(t, before, after.Revision)
}

func TestGroupsAreListedByPageAndByName(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	for i := range 5 {
		a.group(t, fmt.Sprintf("Group %d", i))
	}
	type page struct {
		Groups     []catalog.Group
		NextCursor string
	}
	first := apitest.Decode[page](t, a.Do(t, "root", http.MethodGet, groups+"?limit=3", nil))
	require.Len(t, first.Groups, 3)
	second := apitest.Decode[page](t, a.Do(t, "root", http.MethodGet, groups+"?limit=3&cursor="+first.NextCursor, nil))
	require.Len(t, second.Groups, 2)
	require.Empty(t, second.NextCursor)
	require.Equal(t, "Group 3", second.Groups[0].Name)
	require.Len(t, apitest.Decode[page](t, a.Do(t, "root", http.MethodGet, groups+"?name=GROUP+4", nil)).Groups, 1)
}

func TestAnEnvironmentIsCreatedReadChangedAndDeleted(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	made := a.Do(
		t,
		"root",
		http.MethodPost,
		environments,
		object{"name": "Production", "fields": object{"baseUrl": "https://example.org", "replicas": 3}},
	)
	require.Equal(t, http.StatusCreated, made.Status)
	e := apitest.Decode[catalog.Environment](t, made)
	s := a.system(t, "Payments")
	a.Do(t, "root", http.MethodPut, at(systems, s.ID)+"/environments", object{"environmentIds": []uuid.UUID{e.ID}})

	read := a.Do(t, "root", http.MethodGet, at(environments, e.ID), nil)
	require.Equal(t, []uuid.UUID{s.ID}, apitest.Decode[catalog.Environment](t, read).SystemIDs)
	require.Equal(t, `"1"`, read.Header.Get("ETag"))
	a.Do(t, "root", http.MethodPost, environments, object{"name": "production"}).Refused(t, problem.Conflict)
	for _, reserved := range []string{"id", "name", "Name"} {
		require.Equal(
			t,
			"fields",
			a.Do(t, "root", http.MethodPatch, at(environments, e.ID), object{"fields": object{reserved: 1}}).Refused(t, problem.Invalid).Issues[0].Path,
		)
	}
	changed := apitest.Decode[catalog.Environment](
		t,
		a.Do(t, "root", http.MethodPatch, at(environments, e.ID), object{"fields": object{"region": "eu"}}, "If-Match", `"1"`),
	)
	require.JSONEq(t, `{"region":"eu"}`, marshal(t, changed.Fields))
	a.Do(t, "root", http.MethodPatch, at(environments, e.ID), object{"description": "x"}, "If-Match", `"1"`).Refused(t, problem.Precondition)
	a.environment(t, "Staging")
	a.Do(t, "root", http.MethodPatch, at(environments, e.ID), object{"name": "STAGING"}).Refused(t, problem.Conflict)
	type page struct{ Environments []catalog.Environment }
	require.Len(t, apitest.Decode[page](t, a.Do(t, "root", http.MethodGet, environments+"?name=staging", nil)).Environments, 1)
	require.Len(t, apitest.Decode[page](t, a.Do(t, "root", http.MethodGet, environments, nil)).Environments, 2)

	before := a.readSystem(t, s.ID).Revision
	require.Equal(t, http.StatusNoContent, a.Do(t, "root", http.MethodDelete, at(environments, e.ID), nil).Status)
	a.Do(t, "root", http.MethodDelete, at(environments, e.ID), nil).Refused(t, problem.NotFound)
	require.Empty(t, a.readSystem(t, s.ID).Environments)
	require.Equal(t, before+1, a.readSystem(t, s.ID).Revision)
}

func TestMembershipsAndDeletionsAtOnceNeitherHangNorFail(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	const n = 6
	var s, g, e [n]uuid.UUID
	for i := range n {
		s[i], e[i] = a.system(t, fmt.Sprintf("System %d", i)).ID, a.environment(t, fmt.Sprintf("Environment %d", i)).ID
	}
	for i := range n {
		g[i] = a.group(t, fmt.Sprintf("Group %d", i), s[:]...).ID
	}
	answers := parallel(6*n, func(i int) apitest.Answer {
		k, next := i/6, (i/6+1)%n
		switch i % 6 {
		case 0:
			return a.Do(t, "root", http.MethodDelete, at(systems, s[k]), nil)
		case 1:
			return a.Do(t, "root", http.MethodDelete, at(groups, g[k]), nil)
		case 2:
			return a.Do(t, "root", http.MethodPut, at(groups, g[next])+"/systems/"+s[k].String(), nil)
		case 3:
			return a.Do(t, "root", http.MethodPut, at(systems, s[next])+"/environments", object{"environmentIds": e[:]})
		case 4:
			return a.Do(t, "root", http.MethodPatch, at(systems, s[next]), object{"description": fmt.Sprint(i)})
		default:
			return a.Do(t, "root", http.MethodDelete, at(environments, e[k]), nil)
		}
	})
	for _, r := range answers {
		require.Less(t, r.Status, 500, r.Body)
	}
	require.Empty(t, a.list(t, "root", ""))
}
