package catalog_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/modules/catalog"
)

// tuple is a grant or, with the relation private, the marker that rules do not open an object.
type tuple struct {
	objectType  string
	object      uuid.UUID
	relation    string
	subjectType string
	subject     uuid.UUID
}

// world is a catalog, what is granted in it, and who is in which group and environment, as plain data.
type world struct {
	*app
	random       *rand.Rand
	tuples       []tuple
	systems      map[uuid.UUID]string
	groups       map[uuid.UUID]string
	environments map[uuid.UUID]string
	inGroup      map[uuid.UUID][]uuid.UUID
	inPlace      map[uuid.UUID][]uuid.UUID
}

// level is the rule of access in words of a program: grants count in any case, roles where nothing is private, and what is private and
// granted to nobody is for administrators.
func (w *world) level(p principal.Principal, objectType string, id uuid.UUID, read, manage string) access.Level {
	best, closed, granted := access.None, false, false
	for _, g := range w.tuples {
		if g.objectType != objectType || g.object != id {
			continue
		}
		if g.relation == "private" {
			closed = true
			continue
		}
		granted = true
		own := g.subjectType == string(p.Kind) && g.subject == p.ID
		if team := g.subjectType == "team" && slices.Contains(p.TeamIDs, g.subject); (own || team) && access.Level(g.relation).Includes(best) {
			best = access.Level(g.relation)
		}
	}
	switch {
	case closed && (granted || !p.Has(principal.Admin)):
	case p.Has(manage):
		best = access.Own
	case p.Has(read) && best == access.None:
		best = access.View
	}
	return best
}

func (w *world) systemLevel(p principal.Principal, id uuid.UUID) access.Level {
	return w.level(p, "catalog.system", id, catalog.SystemRead, catalog.SystemManage)
}

func (w *world) groupLevel(p principal.Principal, id uuid.UUID) access.Level {
	return w.level(p, "catalog.group", id, catalog.GroupRead, catalog.GroupManage)
}

func (w *world) environmentLevel(p principal.Principal, id uuid.UUID) access.Level {
	return w.level(p, "", id, catalog.EnvironmentRead, catalog.EnvironmentManage)
}

// Every way to a record agrees with the rule, for people and applications with any rules, teams and grants: lists of any
// page size, with and without filters, single records, the records that others name, changes and deletions, names that
// are taken, tools, and what other modules are told.
func TestEveryWayToARecordAgreesWithTheRule(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, seed)
			for i := range 8 {
				w.agrees(t, w.somebody(fmt.Sprint("caller ", i), i == 0))
			}
		})
	}
}

func newWorld(t *testing.T, seed uint64) *world {
	w := &world{
		app: newApp(t), random: rand.New(rand.NewPCG(seed, 9)),
		systems: map[uuid.UUID]string{}, groups: map[uuid.UUID]string{}, environments: map[uuid.UUID]string{},
		inGroup: map[uuid.UUID][]uuid.UUID{}, inPlace: map[uuid.UUID][]uuid.UUID{},
	}
	for i := range 9 {
		name := fmt.Sprint("System ", i)
		w.systems[w.system(t, name).ID] = name
	}
	for i := range 5 {
		name := fmt.Sprint("Group ", i)
		members := w.some(w.ids(w.systems))
		id := w.group(t, name, members...).ID
		w.groups[id], w.inGroup[id] = name, members
	}
	for i := range 3 {
		name := fmt.Sprint("Environment ", i)
		w.environments[w.app.environment(t, name).ID] = name
	}
	for _, id := range w.ids(w.systems) {
		places := w.some(w.ids(w.environments))
		apitest.Decode[catalog.System](t, w.Do(t, "root", http.MethodPut, at(systems, id)+"/environments", object{"environmentIds": places}))
		for _, place := range places {
			w.inPlace[place] = append(w.inPlace[place], id)
		}
	}
	return w
}

// somebody signs in with rules, teams and grants by chance; busy holds more grants than are looked up first.
func (w *world) somebody(name string, busy bool) principal.Principal {
	p := principal.Principal{Kind: principal.User, ID: uuid.New(), Name: name, TeamIDs: []uuid.UUID{uuid.New(), uuid.New()}}
	if w.random.IntN(4) == 0 {
		p.Kind, p.TeamIDs = principal.Application, nil
	}
	rules := []string{
		catalog.SystemRead,
		catalog.SystemManage,
		catalog.GroupRead,
		catalog.GroupManage,
		catalog.EnvironmentRead,
		catalog.EnvironmentManage,
	}
	switch w.random.IntN(8) {
	case 0:
		p.Rules = []string{principal.Admin}
	case 1, 2, 3:
	default:
		p.Rules = somewhat(w.random, rules, 3)
	}
	if busy {
		p.Kind, p.Rules = principal.User, nil
		w.busy(p)
	}
	w.SignIn(name, p)
	return p
}

// busy gives somebody grants on thousands of records that are not there.
func (w *world) busy(p principal.Principal) {
	for _, objectType := range []string{"catalog.system", "catalog.group"} {
		w.exec(`INSERT INTO relation_tuples (object_type, object_id, relation, subject_type, subject_id)
			SELECT $1, gen_random_uuid(), 'viewer', 'user', $2 FROM generate_series(1, 5100)`, objectType, p.ID)
	}
}

func (w *world) exec(sql string, args ...any) {
	if _, err := w.DB.Conn(context.Background()).Exec(context.Background(), sql, args...); err != nil {
		panic(err)
	}
}

// share replaces what is granted: to the caller, to the caller's teams, and to subjects that only look like them.
func (w *world) share(p principal.Principal) {
	w.tuples = nil
	w.exec("DELETE FROM relation_tuples WHERE object_id = ANY ($1)", slices.Concat(w.ids(w.systems), w.ids(w.groups)))
	add := func(objectType string, object uuid.UUID, relation, subjectType string, subject uuid.UUID) {
		w.tuples = append(w.tuples, tuple{objectType, object, relation, subjectType, subject})
		w.exec(
			"INSERT INTO relation_tuples (object_type, object_id, relation, subject_type, subject_id) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
			objectType,
			object,
			relation,
			subjectType,
			subject,
		)
	}
	type subject struct {
		kind string
		id   uuid.UUID
	}
	other := "application"
	if p.Kind == principal.Application {
		other = "user"
	}
	subjects := []subject{
		{string(p.Kind), p.ID},
		// Nobody of whom the caller is: another kind with the same id, a team called like the caller, a stranger, a team of others.
		{other, p.ID},
		{"team", p.ID},
		{"user", uuid.New()},
		{"team", uuid.New()},
	}
	for _, team := range p.TeamIDs {
		subjects = append(subjects, subject{"team", team}, subject{"user", team})
	}
	for objectType, objects := range map[string][]uuid.UUID{"catalog.system": w.ids(w.systems), "catalog.group": w.ids(w.groups)} {
		// A grant on something else with the id of this record opens nothing.
		unlike := map[string]string{"catalog.system": "catalog.group", "catalog.group": "catalog.system"}[objectType]
		for _, object := range objects {
			if w.random.IntN(3) == 0 {
				add(objectType, object, "private", "public", uuid.Nil)
			}
			for range w.random.IntN(3) {
				s := subjects[w.random.IntN(len(subjects))]
				add(objectType, object, []string{"viewer", "editor", "owner"}[w.random.IntN(3)], s.kind, s.id)
			}
			if w.random.IntN(4) == 0 {
				add(unlike, object, "owner", string(p.Kind), p.ID)
			}
		}
	}
}

// agrees compares every way to the records with the rule.
func (w *world) agrees(t *testing.T, p principal.Principal) {
	t.Helper()
	w.share(p)
	systemLevel := func(id uuid.UUID) access.Level { return w.systemLevel(p, id) }
	groupLevel := func(id uuid.UUID) access.Level { return w.groupLevel(p, id) }
	environmentLevel := func(id uuid.UUID) access.Level { return w.environmentLevel(p, id) }

	everySystem := seen(w.ids(w.systems), systemLevel)
	w.lists(t, p, systems, "systems", everySystem, catalog.SystemRead, p.Has(catalog.SystemRead) || p.Has(catalog.SystemManage))
	w.lists(
		t,
		p,
		groups,
		"groups",
		seen(w.ids(w.groups), groupLevel),
		catalog.GroupRead,
		p.Has(catalog.GroupRead) || p.Has(catalog.GroupManage),
	)
	w.lists(t, p, environments, "environments", seen(w.ids(w.environments), environmentLevel),
		catalog.EnvironmentRead, p.Has(catalog.EnvironmentRead) || p.Has(catalog.EnvironmentManage))

	for group, members := range w.inGroup {
		w.filters(t, p, "groupId", group, members, groupLevel(group), problem.NotFound)
	}
	for environment, members := range w.inPlace {
		w.filters(t, p, "environmentId", environment, members, environmentLevel(environment), problem.Forbidden)
	}
	for id, name := range w.systems {
		w.single(t, p, systems, id, name, systemLevel(id))
		w.name(t, p, systems, id, name, systemLevel(id), p.Has(catalog.SystemManage))
	}
	for id, name := range w.groups {
		w.single(t, p, groups, id, name, groupLevel(id))
		w.name(t, p, groups, id, name, groupLevel(id), p.Has(catalog.GroupManage))
	}
	for id, name := range w.environments {
		w.single(t, p, environments, id, name, environmentLevel(id))
	}
	w.named(t, p)
	w.told(t, p)
}

type record struct {
	ID     uuid.UUID
	Name   string
	Access access.Level
	// Of a system.
	Groups, Environments []catalog.Reference
	// Of a group and of an environment.
	SystemIDs []uuid.UUID
}

// pages reads a whole list by pages of a size, as JSON of what a list may show.
func (w *world) pages(
	t *testing.T,
	p principal.Principal,
	path, member string,
	size int,
	filter url.Values,
) (records []record, refusal *apitest.Answer) {
	t.Helper()
	query := url.Values{"limit": {fmt.Sprint(size)}}
	maps.Copy(query, filter)
	for {
		r := w.Do(t, p.Name, http.MethodGet, path+"?"+query.Encode(), nil)
		if r.Status != http.StatusOK {
			return nil, &r
		}
		body := apitest.Decode[map[string]json.RawMessage](t, r)
		var page []record
		require.NoError(t, json.Unmarshal(body[member], &page))
		require.LessOrEqual(t, len(page), size)
		records = append(records, page...)
		var next string
		if raw, ok := body["nextCursor"]; ok {
			require.NoError(t, json.Unmarshal(raw, &next))
		}
		if next == "" {
			return records, nil
		}
		query.Set("cursor", next)
	}
}

func (w *world) lists(t *testing.T, p principal.Principal, path, member string, want map[uuid.UUID]access.Level, rule string, byRule bool) {
	t.Helper()
	for _, size := range []int{1 + w.random.IntN(4), 500} {
		records, refusal := w.pages(t, p, path, member, size, nil)
		if refusal != nil {
			require.Equal(t, []string{rule}, refusal.Refused(t, problem.Forbidden).MissingRules)
			require.False(t, byRule)
			require.Empty(t, want, "%s %s: refused, and sees %v", w.who(p), path, want)
			continue
		}
		w.same(t, p, path, records, want)
	}
}

func (w *world) same(t *testing.T, p principal.Principal, what string, records []record, want map[uuid.UUID]access.Level) {
	t.Helper()
	got, order := map[uuid.UUID]access.Level{}, []string{}
	for _, r := range records {
		got[r.ID], order = r.Access, append(order, r.Name)
	}
	require.Len(t, got, len(records), "%s: %s: none comes twice", w.who(p), what)
	require.Equal(t, want, got, "%s: %s", w.who(p), what)
	require.True(t, slices.IsSorted(order), what)
}

func (w *world) filters(
	t *testing.T,
	p principal.Principal,
	filter string,
	id uuid.UUID,
	members []uuid.UUID,
	level access.Level,
	hidden problem.Code,
) {
	t.Helper()
	want := seen(members, func(id uuid.UUID) access.Level { return w.systemLevel(p, id) })
	records, refusal := w.pages(t, p, systems, "systems", 1+w.random.IntN(3), url.Values{filter: {id.String()}})
	switch {
	case refusal == nil:
		require.NotEqual(t, access.None, level, "%s: a hidden %s filters", w.who(p), filter)
		w.same(t, p, filter, records, want)
	case level == access.None && !strings.Contains(refusal.Body, catalog.SystemRead):
		refusal.Refused(t, hidden)
	default:
		require.Equal(t, []string{catalog.SystemRead}, refusal.Refused(t, problem.Forbidden).MissingRules)
		require.Empty(t, seen(w.ids(w.systems), func(id uuid.UUID) access.Level { return w.systemLevel(p, id) }))
	}
}

// single reads, changes and deletes a record, with a revision that it does not have: whoever may gets as far as that.
func (w *world) single(t *testing.T, p principal.Principal, path string, id uuid.UUID, name string, level access.Level) {
	t.Helper()
	expect := func(what string, needs access.Level, r apitest.Answer) {
		t.Helper()
		switch {
		case level == access.None:
			e := r.Refused(t, problem.NotFound)
			none := w.Do(t, p.Name, http.MethodGet, at(path, uuid.Nil), nil).Refused(t, problem.NotFound)
			require.Equal(t, none.Detail, strings.ReplaceAll(e.Detail, id.String(), uuid.Nil.String()), "%s: %s of %s", w.who(p), what, name)
		case !level.Includes(needs):
			require.Equal(t, http.StatusForbidden, r.Status, "%s: %s of %s: %s", w.who(p), what, name, r.Body)
		case needs != access.View:
			require.Equal(t, http.StatusPreconditionFailed, r.Status, "%s: %s of %s: %s", w.who(p), what, name, r.Body)
		default:
			require.Equal(t, level, apitest.Decode[record](t, r).Access, "%s: %s of %s", w.who(p), what, name)
		}
	}
	expect("read", access.View, w.Do(t, p.Name, http.MethodGet, at(path, id), nil))
	expect("change", access.Edit, w.Do(t, p.Name, http.MethodPatch, at(path, id), object{"description": "x"}, "If-Match", `"99999"`))
	expect("deletion", access.Own, w.Do(t, p.Name, http.MethodDelete, at(path, id), nil, "If-Match", `"99999"`))
	if path != systems {
		return
	}
	expect("new owner", access.Own, w.Do(t, p.Name, http.MethodPut, at(path, id)+"/owner", object{"teamId": nil}, "If-Match", `"99999"`))
	expect(
		"new link",
		access.Edit,
		w.Do(t, p.Name, http.MethodPost, at(path, id)+"/links", object{"url": "https://example.org"}, "If-Match", `"99999"`),
	)
	expect(
		"new environments",
		access.Edit,
		w.Do(t, p.Name, http.MethodPut, at(path, id)+"/environments", object{"environmentIds": []string{}}, "If-Match", `"99999"`),
	)
}

// name takes the name of a record: the conflict tells more to those who see the record.
func (w *world) name(t *testing.T, p principal.Principal, path string, id uuid.UUID, name string, level access.Level, creates bool) {
	t.Helper()
	r := w.Do(t, p.Name, http.MethodPost, path, object{"name": strings.ToUpper(name)})
	if !creates {
		require.Equal(t, http.StatusForbidden, r.Status)
		return
	}
	detail := r.Refused(t, problem.Conflict).Detail
	require.Equal(t, level != access.None, strings.Contains(detail, id.String()), "%s: %s", w.who(p), detail)
	require.Equal(t, level != access.None, strings.Contains(detail, name), "%s: %s", w.who(p), detail)
}

// named are the records that others name.
func (w *world) named(t *testing.T, p principal.Principal) {
	t.Helper()
	all, _ := w.pages(t, p, systems, "systems", 500, nil)
	for _, s := range all {
		w.names(t, p, s.Groups, s.ID, w.inGroup, func(id uuid.UUID) access.Level { return w.groupLevel(p, id) })
		w.names(t, p, s.Environments, s.ID, w.inPlace, func(id uuid.UUID) access.Level { return w.environmentLevel(p, id) })
	}
	for path, holds := range map[string]map[uuid.UUID][]uuid.UUID{groups: w.inGroup, environments: w.inPlace} {
		holders, _ := w.pages(t, p, path, strings.TrimPrefix(path, "/api/catalog/"), 500, nil)
		for _, h := range holders {
			want := []uuid.UUID{}
			for _, id := range holds[h.ID] {
				if w.systemLevel(p, id) != access.None {
					want = append(want, id)
				}
			}
			require.ElementsMatch(t, want, h.SystemIDs, "%s: members of %s", w.who(p), h.Name)
		}
	}
}

func (w *world) names(
	t *testing.T,
	p principal.Principal,
	got []catalog.Reference,
	system uuid.UUID,
	holds map[uuid.UUID][]uuid.UUID,
	level func(uuid.UUID) access.Level,
) {
	t.Helper()
	want, have := []uuid.UUID{}, []uuid.UUID{}
	for id, members := range holds {
		if slices.Contains(members, system) && level(id) != access.None {
			want = append(want, id)
		}
	}
	for _, r := range got {
		have = append(have, r.ID)
	}
	require.ElementsMatch(t, want, have, w.who(p))
}

// told is what other modules and tools learn.
func (w *world) told(t *testing.T, p principal.Principal) {
	t.Helper()
	ctx := principal.NewContext(t.Context(), p)
	found, err := w.module.Lookup(ctx, append(w.ids(w.systems), uuid.New()))
	require.NoError(t, err)
	levels := map[uuid.UUID]access.Level{}
	for id, r := range found {
		levels[id] = r.Level
	}
	want := seen(w.ids(w.systems), func(id uuid.UUID) access.Level { return w.systemLevel(p, id) })
	require.Equal(t, want, levels, w.who(p))
	for id := range w.systems {
		require.Equal(t, w.systemLevel(p, id) == access.None, w.module.See(ctx, "catalog.system", id) != nil, w.who(p))
		_, err := w.propose(t, p.Name, "deleteSystem", object{"id": id})
		require.Equal(t, w.systemLevel(p, id) == access.Own, err == nil, "%s: %v", w.who(p), err)
	}
	for id := range w.groups {
		require.Equal(t, w.groupLevel(p, id) == access.None, w.module.See(ctx, "catalog.group", id) != nil, w.who(p))
	}
	if len(want) > 0 || p.Has(catalog.SystemRead) || p.Has(catalog.SystemManage) {
		var list struct {
			Systems []struct{ ID uuid.UUID }
		}
		require.NoError(t, json.Unmarshal([]byte(w.Call(t, p.Name, "catalog.listSystems", object{})), &list))
		require.Len(t, list.Systems, len(want), w.who(p))
		for _, s := range list.Systems {
			require.Contains(t, want, s.ID, w.who(p))
		}
	}
}

func (w *world) who(p principal.Principal) string {
	return fmt.Sprintf("%s %s with the rules %v in the teams %v, grants %v", p.Kind, p.ID, p.Rules, p.TeamIDs, w.tuples)
}

// ids are the keys in an order that does not change from run to run.
func (w *world) ids(records map[uuid.UUID]string) []uuid.UUID {
	return slices.SortedFunc(maps.Keys(records), func(a, b uuid.UUID) int { return strings.Compare(records[a], records[b]) })
}

func (w *world) some(ids []uuid.UUID) []uuid.UUID { return somewhat(w.random, ids, 2) }

// somewhat takes one of n elements, on average.
func somewhat[T any](random *rand.Rand, from []T, n int) []T {
	taken := []T{}
	for _, element := range from {
		if random.IntN(n) == 0 {
			taken = append(taken, element)
		}
	}
	return taken
}

// seen are the records among ids that a caller sees, with what the caller may do.
func seen(ids []uuid.UUID, level func(uuid.UUID) access.Level) map[uuid.UUID]access.Level {
	visible := map[uuid.UUID]access.Level{}
	for _, id := range ids {
		if l := level(id); l != access.None {
			visible[id] = l
		}
	}
	return visible
}
