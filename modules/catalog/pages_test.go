package catalog_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/principal"
	"countersign/modules/catalog"
)

// all reads a whole list of systems by pages, as names.
func (a *app) all(t testing.TB, as string, filter url.Values, size int) (names []string) {
	t.Helper()
	query := url.Values{"limit": {fmt.Sprint(size)}}
	maps.Copy(query, filter)
	for {
		page := apitest.Decode[struct {
			Systems    []catalog.System
			NextCursor string
		}](t, a.Do(t, as, http.MethodGet, systems+"?"+query.Encode(), nil))
		for _, s := range page.Systems {
			names = append(names, s.Name)
		}
		if page.NextCursor == "" {
			return names
		}
		query.Set("cursor", page.NextCursor)
	}
}

// A page is read from names, grants, tags, members or what a search finds, whichever takes the least. More systems than
// any of these looks through at first are found all the same, by whoever sees them and in their order.
func TestAPageIsTheSameWhereverItIsTakenFrom(t *testing.T) {
	t.Parallel()
	const many = 3200
	a := newApp(t)
	a.Exec(t, `INSERT INTO catalog_systems (id, name, name_key, description, metadata, tags)
		SELECT gen_random_uuid(), 'Node ' || lpad(i::text, 5, '0'), 'node ' || lpad(i::text, 5, '0'),
		       CASE WHEN i > 2900 THEN 'Late 100%_sure' WHEN i % 40 = 0 THEN 'Seldom' ELSE 'Early' END, '{}',
		       CASE WHEN i % 500 = 0 THEN ARRAY['all', 'rare'] ELSE ARRAY['all'] END
		FROM generate_series(1, $1) i`, many)
	description := func(i int) string {
		switch {
		case i > 2900:
			return "late 100%_sure"
		case i%40 == 0:
			return "seldom"
		}
		return "early"
	}
	whole, some := a.group(t, "Whole").ID, a.group(t, "Some").ID
	a.Exec(t, `INSERT INTO catalog_group_systems (group_id, system_id) SELECT $1, id FROM catalog_systems`, whole)
	a.Exec(t, `INSERT INTO catalog_group_systems (group_id, system_id) SELECT $1, id FROM catalog_systems WHERE right(name, 1) = '7'`, some)

	owners := uuid.New()
	a.Exec(t, `INSERT INTO relation_tuples (object_type, object_id, relation, subject_type, subject_id)
		SELECT 'catalog.system', id, CASE WHEN right(name, 1) = '3' THEN 'editor' ELSE 'owner' END, 'team', $1 FROM catalog_systems
		WHERE right(name, 1) IN ('0', '3') OR name_key > 'node 03100'`, owners)

	sees := map[string]func(i int) bool{
		"few":   func(i int) bool { return i%100 == 0 },
		"last":  func(i int) bool { return i > 1700 },
		"heap":  func(i int) bool { return i%2 == 0 },
		"roles": func(int) bool { return true },
	}
	own, shared := uuid.New(), uuid.New()
	a.member("last", []uuid.UUID{own, shared}, catalog.GroupRead)
	heap := principal.Principal{Kind: principal.User, ID: uuid.New(), Name: "heap", Rules: []string{catalog.GroupRead}}
	a.SignIn("heap", heap)
	a.member("roles", nil, catalog.SystemRead, catalog.GroupRead)
	grant := func(kind string, subject uuid.UUID, relation, where string) {
		a.Exec(t, `INSERT INTO relation_tuples (object_type, object_id, relation, subject_type, subject_id)
			SELECT 'catalog.system', id, $1, $2, $3 FROM catalog_systems WHERE `+where, relation, kind, subject)
	}
	// Who is in both teams, and holds more than one relation, sees each system once.
	few := uuid.New()
	a.member("few", []uuid.UUID{few}, catalog.GroupRead)
	grant("team", few, "viewer", "right(name, 2) = '00'")
	grant("team", own, "viewer", "name_key > 'node 01700'")
	grant("team", own, "owner", "name_key > 'node 02500'")
	grant("team", shared, "editor", "name_key > 'node 03000'")
	grant("user", heap.ID, "viewer", "right(name, 1) IN ('0', '2', '4', '6', '8')")
	// Grants on what is not there are counted and open nothing.
	a.Exec(t, `INSERT INTO relation_tuples (object_type, object_id, relation, subject_type, subject_id)
		SELECT 'catalog.system', gen_random_uuid(), 'viewer', 'user', $1 FROM generate_series(1, 30000)`, heap.ID)

	for _, filter := range []struct {
		query url.Values
		keeps func(i int) bool
	}{
		{url.Values{}, func(int) bool { return true }},
		{url.Values{"query": {"node"}}, func(int) bool { return true }},
		{url.Values{"query": {"EARLY"}}, func(i int) bool { return description(i) == "early" }},
		{url.Values{"query": {"seldom"}}, func(i int) bool { return description(i) == "seldom" }},
		{url.Values{"query": {"late"}}, func(i int) bool { return strings.Contains(description(i), "late") }},
		{url.Values{"query": {"0%_s"}}, func(i int) bool { return strings.Contains(description(i), "late") }},
		{url.Values{"query": {"0%s"}}, func(int) bool { return false }},
		{url.Values{"query": {`\`}}, func(int) bool { return false }},
		{url.Values{"query": {"03"}}, func(i int) bool { return strings.Contains(fmt.Sprintf("%05d", i), "03") }},
		{url.Values{"query": {"rare"}}, func(i int) bool { return i%500 == 0 }},
		{url.Values{"query": {"rar"}}, func(int) bool { return false }},
		{url.Values{"name": {"node 03000"}}, func(i int) bool { return i == 3000 }},
		{url.Values{"tag": {"all"}}, func(int) bool { return true }},
		{url.Values{"tag": {"rare"}}, func(i int) bool { return i%500 == 0 }},
		{url.Values{"tag": {"none"}}, func(int) bool { return false }},
		{url.Values{"tag": {"all"}, "query": {"late"}}, func(i int) bool { return i > 2900 }},
		{url.Values{"groupId": {whole.String()}}, func(int) bool { return true }},
		{url.Values{"groupId": {whole.String()}, "tag": {"rare"}}, func(i int) bool { return i%500 == 0 }},
		{url.Values{"groupId": {some.String()}}, func(i int) bool { return i%10 == 7 }},
		{url.Values{"groupId": {some.String()}, "query": {"late"}}, func(i int) bool { return i%10 == 7 && i > 2900 }},
		{url.Values{"teamId": {owners.String()}}, func(i int) bool { return i%10 == 0 || i > 3100 && i%10 != 3 }},
		{url.Values{"teamId": {owners.String()}, "tag": {"rare"}}, func(i int) bool { return i%500 == 0 }},
		{url.Values{"teamId": {owners.String()}, "query": {"late"}}, func(i int) bool { return i%10 == 0 && i > 2900 || i > 3100 && i%10 != 3 }},
		{url.Values{"teamId": {owners.String()}, "groupId": {some.String()}}, func(i int) bool { return i > 3100 && i%10 == 7 }},
		{url.Values{"teamId": {uuid.NewString()}}, func(int) bool { return false }},
	} {
		for who, visible := range sees {
			want := []string{}
			for i := 1; i <= many; i++ {
				if visible(i) && filter.keeps(i) {
					want = append(want, fmt.Sprintf("Node %05d", i))
				}
			}
			for _, size := range []int{200, 500} {
				got := a.all(t, who, filter.query, size)
				require.True(t, slices.Equal(want, got), "%s, %v: %d found, %d expected", who, filter.query, len(got), len(want))
			}
			count := catalog.Count{Systems: min(len(want), catalog.MaxCount), More: len(want) > catalog.MaxCount}
			require.Equal(t, count, a.count(t, who, filter.query), "%s, %v", who, filter.query)
		}
	}
	// All names have the word that is meant, so those of the first look are others.
	for who, visible := range sees {
		for _, i := range []int{3000, 3121} {
			page := apitest.Decode[struct{ Similar []catalog.System }](
				t,
				a.Do(t, who, http.MethodGet, fmt.Sprintf("%s?query=nodde+%05d", systems, i), nil),
			)
			require.Equal(t, visible(i), len(page.Similar) == 1 && page.Similar[0].Name == fmt.Sprintf("Node %05d", i), "%s, %d", who, i)
			require.LessOrEqual(t, len(page.Similar), 1)
		}
	}
}

// count asks how many systems all pages have together.
func (a *app) count(t testing.TB, as string, filter url.Values) catalog.Count {
	t.Helper()
	query := url.Values{"limit": {"1"}, "count": {"true"}}
	maps.Copy(query, filter)
	return *apitest.Decode[struct{ Count *catalog.Count }](t, a.Do(t, as, http.MethodGet, systems+"?"+query.Encode(), nil)).Count
}

// What is counted ends somewhere, so that a count costs the same in a catalog of any size. What is private is not counted.
func TestACountEnds(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.Exec(t, `INSERT INTO catalog_systems (id, name, name_key, description, metadata, tags)
		SELECT gen_random_uuid(), 'Node ' || i, 'node ' || i, '', '{}', CASE WHEN i <= $1 THEN ARRAY['all'] ELSE '{}' END FROM generate_series(1, $1 + 1) i`, catalog.MaxCount)
	a.member("reader", nil, catalog.SystemRead)
	require.Equal(t, catalog.Count{Systems: catalog.MaxCount, More: true}, a.count(t, "reader", url.Values{}))
	require.Equal(t, catalog.Count{Systems: catalog.MaxCount, More: true}, a.count(t, "reader", url.Values{"query": {"node"}}))
	require.Equal(t, catalog.Count{Systems: catalog.MaxCount}, a.count(t, "reader", url.Values{"tag": {"all"}}))
	hidden := apitest.Decode[struct{ Systems []catalog.System }](t, a.Do(t, "root", http.MethodGet, systems+"?limit=2&tag=all", nil)).Systems
	for _, s := range hidden {
		a.grant(t, "catalog.system", s.ID, true, nil)
	}
	require.Equal(t, catalog.Count{Systems: catalog.MaxCount - 1}, a.count(t, "reader", url.Values{}))
	require.Equal(t, catalog.Count{Systems: catalog.MaxCount - 2}, a.count(t, "reader", url.Values{"tag": {"all"}}))
	team := a.team(t, "Ours")
	a.member("member", []uuid.UUID{team}, catalog.SystemRead)
	a.grant(t, "catalog.system", hidden[0].ID, true, map[uuid.UUID]string{team: "viewer"})
	require.Equal(t, catalog.Count{Systems: catalog.MaxCount}, a.count(t, "member", url.Values{}))
}

// A search with a slip finds what was meant, and shows nobody more than they see otherwise.
func TestASearchWithASlip(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	team := a.team(t, "Ours")
	a.member("ada", []uuid.UUID{team})
	a.member("reader", nil, catalog.SystemRead)
	ids := map[string]uuid.UUID{}
	for _, name := range []string{"Payments API", "Payments Gateway 2", "Search (EU)", "Größenverwaltung", "Mail-Relay", "Ab", "Secret Vault"} {
		ids[name] = a.system(t, name).ID
	}
	a.grant(t, "catalog.system", ids["Secret Vault"], true, nil)
	a.grant(t, "catalog.system", ids["Payments API"], false, map[uuid.UUID]string{team: "viewer"})
	g := a.group(t, "Money", ids["Payments API"])
	similar := func(as string, query url.Values) []string {
		t.Helper()
		page := apitest.Decode[struct{ Systems, Similar []catalog.System }](t, a.Do(t, as, http.MethodGet, systems+"?"+query.Encode(), nil))
		require.Empty(t, page.Systems)
		names := []string{}
		for _, s := range page.Similar {
			names = append(names, s.Name)
		}
		return names
	}
	for query, want := range map[string][]string{
		"paymets":                {"Payments API", "Payments Gateway 2"},
		"PAYMETNS":               {"Payments API", "Payments Gateway 2"},
		"paymentss":              {"Payments API", "Payments Gateway 2"},
		"paymants":               {"Payments API", "Payments Gateway 2"},
		"paymets gatewy":         {"Payments Gateway 2"},
		"paymets-gateway 2":      {"Payments Gateway 2"},
		"paymets gateway 3":      {},
		"paymets api":            {"Payments API"},
		"serach":                 {"Search (EU)"},
		"serach eu":              {"Search (EU)"},
		"grösenverwaltung":       {"Größenverwaltung"},
		"mial":                   {"Mail-Relay"},
		"ba":                     {},
		"secert":                 {},
		"xyzzy":                  {},
		"paymets one two threee": {},
		"%'\\":                   {},
	} {
		require.Equal(t, want, similar("reader", url.Values{"query": {query}}), query)
	}
	require.Equal(t, []string{"Payments API"}, similar("ada", url.Values{"query": {"paymets"}}))
	require.Equal(t, []string{"Payments API"}, similar("root", url.Values{"query": {"paymets"}, "groupId": {g.ID.String()}}))
	require.Equal(t, []string{}, similar("root", url.Values{"query": {"paymets"}, "tag": {"none"}}))
	require.Equal(t, []string{}, similar("root", url.Values{"name": {"paymets api"}}))
	// What is there is found by its letters, and nothing beside it.
	page := apitest.Decode[struct{ Systems, Similar []catalog.System }](t, a.Do(t, "reader", http.MethodGet, systems+"?query=gateway", nil))
	require.Len(t, page.Systems, 1)
	require.Empty(t, page.Similar)
}

// What pages are read from follows each change, by whoever sees the record by a grant alone.
func TestPagesFollowNamesTagsAndMembers(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	team := a.team(t, "Ours")
	a.member("ada", []uuid.UUID{team}, catalog.EnvironmentRead)
	b, c := a.system(t, "B"), a.system(t, "C")
	g := a.group(t, "Middle", b.ID, c.ID)
	place := a.environment(t, "Place")
	for _, id := range []uuid.UUID{b.ID, c.ID} {
		a.grant(t, "catalog.system", id, false, map[uuid.UUID]string{team: "viewer"})
		apitest.Decode[catalog.System](
			t,
			a.Do(t, "root", http.MethodPut, at(systems, id)+"/environments", object{"environmentIds": []uuid.UUID{place.ID}}),
		)
	}
	a.grant(t, "catalog.group", g.ID, false, map[uuid.UUID]string{team: "viewer"})
	patch := func(path string, id uuid.UUID, change object) {
		t.Helper()
		require.Equal(t, http.StatusOK, a.Do(t, "root", http.MethodPatch, at(path, id), change).Status)
	}
	shown := func(want ...string) {
		t.Helper()
		ids := map[string]uuid.UUID{}
		for _, s := range []uuid.UUID{b.ID, c.ID} {
			if r := a.Do(t, "root", http.MethodGet, at(systems, s), nil); r.Status == http.StatusOK {
				ids[apitest.Decode[catalog.System](t, r).Name] = s
			}
		}
		members := []uuid.UUID{}
		for _, name := range want {
			members = append(members, ids[name])
		}
		for _, query := range []string{"?", "?limit=1", "?groupId=" + g.ID.String(), "?environmentId=" + place.ID.String()} {
			for _, who := range []string{"ada", "root"} {
				require.Equal(
					t,
					want[:min(len(want), map[bool]int{true: 1, false: 9}[query == "?limit=1"])],
					a.list(t, who, query),
					"%s as %s",
					query,
					who,
				)
			}
		}
		for _, who := range []string{"ada", "root"} {
			require.Equal(t, members, apitest.Decode[catalog.Group](t, a.Do(t, who, http.MethodGet, at(groups, g.ID), nil)).SystemIDs)
			require.Equal(
				t,
				members,
				apitest.Decode[catalog.Environment](t, a.Do(t, who, http.MethodGet, at(environments, place.ID), nil)).SystemIDs,
			)
		}
	}
	shown("B", "C")
	patch(systems, c.ID, object{"name": "A", "tags": []string{"x", "y"}})
	shown("A", "B")
	patch(systems, b.ID, object{"tags": []string{"y"}})
	require.Equal(t, []string{"A", "B"}, a.list(t, "ada", "?tag=y"))
	require.Equal(t, []string{"A"}, a.list(t, "root", "?tag=x"))
	patch(systems, b.ID, object{"name": "0", "tags": []string{"x"}})
	require.Equal(t, []string{"0", "A"}, a.list(t, "root", "?tag=x"))
	require.Equal(t, []string{"A"}, a.list(t, "root", "?tag=y"))
	shown("0", "A")

	last := a.group(t, "Last")
	a.grant(t, "catalog.group", last.ID, false, map[uuid.UUID]string{team: "viewer"})
	patch(groups, g.ID, object{"name": "Very last"})
	list := apitest.Decode[struct{ Groups []catalog.Group }](t, a.Do(t, "ada", http.MethodGet, groups, nil)).Groups
	require.Equal(t, []uuid.UUID{last.ID, g.ID}, []uuid.UUID{list[0].ID, list[1].ID})

	require.Equal(t, http.StatusNoContent, a.Do(t, "root", http.MethodDelete, at(systems, b.ID), nil).Status)
	shown("A")
	require.Equal(t, []string{"A"}, a.list(t, "root", "?tag=x"))
	// What a deletion in the database leaves behind takes no place on a page.
	a.Exec(t, "DELETE FROM catalog_systems WHERE id = $1", c.ID)
	d := a.system(t, "D")
	a.grant(t, "catalog.system", d.ID, false, map[uuid.UUID]string{team: "viewer"})
	require.Equal(t, []string{"D"}, a.list(t, "ada", "?limit=1"))
}

// A slip in a word of very many names finds those that a narrow filter lets through, by whichever filter, and for
// nobody one that they do not see.
func TestASlipInAWordOfManyNamesWithANarrowFilter(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	owners := a.team(t, "Owners")
	a.member("reader", nil, catalog.SystemRead, catalog.GroupRead, catalog.EnvironmentRead)
	a.Exec(t, `INSERT INTO catalog_systems (id, name, name_key, description, metadata, tags)
		SELECT gen_random_uuid(), 'Widget ' || i, 'widget ' || i, '', '{}', '{}' FROM generate_series(1, 1000) i`)
	shown, private, other := a.system(t, "Widget of ours").ID, a.system(t, "Widget of nobody").ID, a.system(t, "Gadget of ours").ID
	g := a.group(t, "Ours", shown, private, other)
	a.grant(t, "catalog.system", private, true, nil)
	place := uuid.New()
	a.Exec(t, `INSERT INTO catalog_environments (id, name, name_key, description, fields) VALUES ($1, 'Place', 'place', '', '{}')`, place)
	for _, id := range []uuid.UUID{shown, private, other} {
		a.Exec(t, `UPDATE catalog_systems SET tags = ARRAY['ours'] WHERE id = $1`, id)
		a.Exec(t, `INSERT INTO catalog_environment_systems (environment_id, system_id) VALUES ($1, $2)`, place, id)
		a.Exec(
			t,
			`INSERT INTO relation_tuples (object_type, object_id, relation, subject_type, subject_id) VALUES ('catalog.system', $1, 'owner', 'team', $2)`,
			id,
			owners,
		)
	}
	for _, filter := range []url.Values{
		{"groupId": {g.ID.String()}},
		{"environmentId": {place.String()}},
		{"tag": {"ours"}},
		{"teamId": {owners.String()}},
		{"groupId": {g.ID.String()}, "environmentId": {place.String()}, "tag": {"ours"}, "teamId": {owners.String()}},
	} {
		for query, want := range map[string][]string{"wigdet": {"Widget of ours"}, "wigdet nobdoy": {}, "wigdet 7": {}} {
			filter.Set("query", query)
			page := apitest.Decode[struct{ Systems, Similar []catalog.System }](
				t,
				a.Do(t, "reader", http.MethodGet, systems+"?"+filter.Encode(), nil),
			)
			require.Empty(t, page.Systems)
			names := []string{}
			for _, s := range page.Similar {
				names = append(names, s.Name)
			}
			require.Equal(t, want, names, filter.Encode())
		}
	}
}
