package memory_test

import (
	"context"
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
	"countersign/modules/memory"
)

// shelf is memories on systems that are open, closed, granted and gone, as plain data.
type shelf struct {
	*app
	random  *rand.Rand
	systems []uuid.UUID
	private map[uuid.UUID]bool
	grants  map[uuid.UUID]map[string]access.Level
	// granted are the systems that somebody holds a grant on.
	granted  map[uuid.UUID]bool
	memories []memory.Memory
}

// level is the rule in words of a program.
func (s *shelf) level(p principal.Principal, id uuid.UUID) access.Level {
	best := access.None
	for _, subject := range append(slices.Clone(p.TeamIDs), p.ID) {
		kind := "team"
		if subject == p.ID {
			kind = string(p.Kind)
		}
		if l := s.grants[id][kind+subject.String()]; l.Includes(best) {
			best = l
		}
	}
	switch {
	case s.names[id] == "":
		return access.None
	case s.private[id] && (s.granted[id] || !p.Has(systemKind.Manage)):
	case p.Has(systemKind.Manage):
		best = access.Own
	case p.Has(systemKind.Read) && best == access.None:
		best = access.View
	}
	return best
}

func (s *shelf) sees(p principal.Principal, m memory.Memory) bool {
	if m.SystemID == nil {
		return m.OwnerID == p.ID
	}
	return s.level(p, *m.SystemID) != access.None
}

// Lists of any page size, searches, single memories, changes, deletions and prompts agree with the rule, whatever is
// granted on the systems, private, or gone.
func TestEveryWayToAMemoryAgreesWithTheRule(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			s := &shelf{
				app:     newApp(t),
				random:  rand.New(rand.NewPCG(seed, 9)),
				private: map[uuid.UUID]bool{},
				grants:  map[uuid.UUID]map[string]access.Level{},
				granted: map[uuid.UUID]bool{},
			}
			s.fill(t)
			for i := range 8 {
				s.agrees(t, s.caller(fmt.Sprint("caller ", i)))
			}
		})
	}
}

func (s *shelf) exec(sql string, args ...any) {
	if _, err := s.DB.Conn(context.Background()).Exec(context.Background(), sql, args...); err != nil {
		panic(err)
	}
}

func (s *shelf) fill(t *testing.T) {
	t.Helper()
	for i := range 6 {
		s.systems = append(s.systems, s.system(t, fmt.Sprint("System ", i), "ada", "bob"))
	}
	for i := range 24 {
		as, hint, system := []string{"ada", "bob"}[i%2], strings.Repeat(string(rune('a'+i)), 4), s.random.IntN(8)
		where := object{"alwaysInject": system > 0 && s.random.IntN(2) == 0}
		if system < len(s.systems) {
			maps.Copy(where, on(s.systems[system]))
		}
		s.memories = append(s.memories, s.save(t, as, hint, "Words about "+hint, where).Memory)
	}
	// One system is gone, and what was kept about it has been left behind.
	delete(s.names, s.systems[0])
}

// caller signs ada, bob or a stranger in with rules, teams and grants by chance, under another name.
func (s *shelf) caller(name string) principal.Principal {
	p := principal.Principal{
		Kind:    principal.User,
		ID:      uuid.New(),
		Name:    name,
		TeamIDs: []uuid.UUID{uuid.New(), uuid.New()},
		Rules:   []string{memory.Read, memory.Manage},
	}
	switch s.random.IntN(4) {
	case 0:
		p.ID = s.Principal("ada").ID
	case 1:
		p.ID = s.Principal("bob").ID
	case 2:
		p.Kind, p.TeamIDs = principal.Application, nil
	}
	switch s.random.IntN(6) {
	case 0:
		p.Rules = append(p.Rules, systemKind.Read)
	case 1:
		p.Rules = append(p.Rules, systemKind.Manage)
	case 2:
		p.Rules = []string{principal.Admin}
	case 3:
		s.exec(`INSERT INTO relation_tuples (object_type, object_id, relation, subject_type, subject_id)
			SELECT 'catalog.system', gen_random_uuid(), 'viewer', $1, $2 FROM generate_series(1, $3)`, string(p.Kind), p.ID, []int{1100, 20_100}[s.random.IntN(2)])
	}
	s.SignIn(name, p)
	other := map[principal.Kind]string{principal.User: "application", principal.Application: "user"}[p.Kind]
	for _, id := range s.systems {
		s.exec("DELETE FROM relation_tuples WHERE object_id = $1", id)
		add := func(relation, kind string, subject uuid.UUID) {
			s.exec(
				"INSERT INTO relation_tuples (object_type, object_id, relation, subject_type, subject_id) VALUES ('catalog.system', $1, $2, $3, $4)",
				id,
				relation,
				kind,
				subject,
			)
			s.granted[id] = s.granted[id] || relation != "private"
		}
		s.granted[id] = false
		s.grants[id], s.private[id] = map[string]access.Level{}, s.random.IntN(2) == 0
		if s.private[id] {
			add("private", "public", uuid.Nil)
		}
		for _, subject := range append(slices.Clone(p.TeamIDs), p.ID, uuid.New()) {
			kind := "team"
			if subject == p.ID {
				kind = string(p.Kind)
			}
			if s.random.IntN(4) == 0 {
				level := []access.Level{access.View, access.Edit, access.Own}[s.random.IntN(3)]
				s.grants[id][kind+subject.String()] = level
				add(string(level), kind, subject)
			} else if s.random.IntN(3) == 0 {
				add("owner", other, subject)
			}
		}
	}
	return p
}

func (s *shelf) agrees(t *testing.T, p principal.Principal) {
	t.Helper()
	who := fmt.Sprintf("%s with %v", p.Kind, p.Rules)
	want, words, injected := []uuid.UUID{}, []uuid.UUID{}, 0
	on := map[uuid.UUID][]uuid.UUID{}
	for _, m := range s.memories {
		if !s.sees(p, m) {
			continue
		}
		want = append(want, m.ID)
		if strings.HasPrefix(m.RecallHint, "a") || strings.HasPrefix(m.RecallHint, "k") {
			words = append(words, m.ID)
		}
		if m.SystemID != nil {
			on[*m.SystemID] = append(on[*m.SystemID], m.ID)
		}
		if m.OwnerID == p.ID && m.AlwaysInject {
			injected++
		}
	}
	require.ElementsMatch(t, want, s.pages(t, p, url.Values{"limit": {fmt.Sprint(1 + s.random.IntN(4))}}), who)
	require.ElementsMatch(t, want, s.pages(t, p, url.Values{"limit": {"3"}, "query": {"words"}}), who)
	require.ElementsMatch(t, words, s.pages(t, p, url.Values{"limit": {"1"}, "query": {"aaaa kkkk"}}), who)
	for _, id := range s.systems {
		filter := url.Values{"systemId": {id.String()}, "limit": {"2"}}
		if s.level(p, id) == access.None {
			s.Do(t, p.Name, http.MethodGet, memories+"?"+filter.Encode(), nil).Refused(t, problem.NotFound)
		} else {
			require.ElementsMatch(t, on[id], s.pages(t, p, filter), who)
		}
	}
	for _, m := range s.memories {
		s.single(t, p, m)
	}
	lines, _, err := s.module.Injected(t.Context(), p)
	require.NoError(t, err)
	require.Len(t, lines, injected, who)
}

// single reads, changes and deletes, with a revision that the memory does not have.
func (s *shelf) single(t *testing.T, p principal.Principal, m memory.Memory) {
	t.Helper()
	read := s.Do(t, p.Name, http.MethodGet, at(m.ID), nil)
	stale := []apitest.Answer{
		s.Do(t, p.Name, http.MethodPatch, at(m.ID), object{"content": "x"}, "If-Match", `"99"`),
		s.Do(t, p.Name, http.MethodDelete, at(m.ID), nil, "If-Match", `"99"`),
	}
	if !s.sees(p, m) {
		for _, r := range append(stale, read) {
			r.Refused(t, problem.NotFound)
		}
		return
	}
	seen := apitest.Decode[memory.Memory](t, read)
	mayChange := m.SystemID == nil || s.level(p, *m.SystemID).Includes(access.Edit)
	require.Equal(
		t,
		[]bool{m.OwnerID == p.ID, mayChange, m.OwnerID == p.ID && m.AlwaysInject},
		[]bool{seen.Own, seen.MayChange, seen.AlwaysInject},
	)
	for _, r := range stale {
		require.Contains(t, []int{http.StatusForbidden, http.StatusPreconditionFailed}, r.Status, r.Body)
	}
	if mayChange {
		return
	}
	for _, r := range []apitest.Answer{
		s.Do(t, p.Name, http.MethodPatch, at(m.ID), object{"content": "x"}),
		s.Do(t, p.Name, http.MethodDelete, at(m.ID), nil),
	} {
		r.Refused(t, problem.Forbidden)
	}
}

func (s *shelf) pages(t *testing.T, p principal.Principal, query url.Values) (found []uuid.UUID) {
	t.Helper()
	for {
		page := apitest.Decode[struct {
			Memories   []struct{ ID uuid.UUID }
			NextCursor string
		}](t, s.Do(t, p.Name, http.MethodGet, memories+"?"+query.Encode(), nil))
		for _, m := range page.Memories {
			found = append(found, m.ID)
		}
		if page.NextCursor == "" {
			return found
		}
		query.Set("cursor", page.NextCursor)
	}
}
