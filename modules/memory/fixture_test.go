package memory_test

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/modules/memory"
	"countersign/principal"
	"countersign/problem"
	"countersign/rest"
)

// app is the API with the memories, beside a catalog and turns of the test.
type app struct {
	*apitest.Server
	module  *memory.Module
	mu      sync.Mutex
	systems map[uuid.UUID]*system
	turns   map[uuid.UUID]uuid.UUID
}

// system is one that the readers may see and the managers may change.
type system struct {
	name              string
	readers, managers []string
}

func (s *system) manages(p principal.Principal) bool { return slices.Contains(s.managers, p.Name) }

func (s *system) reads(p principal.Principal) bool {
	return s.manages(p) || slices.Contains(s.readers, p.Name)
}

func (a *app) Sight(ctx context.Context) (memory.Sight, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	p := principal.FromContext(ctx)
	// Whoever is called root sees by rule, others by grants.
	sight := memory.Sight{Every: p.Name == "root"}
	for id, s := range a.systems {
		if s.reads(p) {
			sight.Granted = append(sight.Granted, id)
		} else {
			sight.Hidden = append(sight.Hidden, id)
		}
	}
	return sight, nil
}

func (a *app) Lookup(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]memory.SystemAccess, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	p := principal.FromContext(ctx)
	found := map[uuid.UUID]memory.SystemAccess{}
	for _, id := range ids {
		if s, ok := a.systems[id]; ok && s.reads(p) {
			found[id] = memory.SystemAccess{Name: s.name, Managed: s.manages(p)}
		}
	}
	return found, nil
}

func (a *app) Conversation(_ context.Context, turn uuid.UUID) (uuid.UUID, bool, error) {
	id, ok := a.turns[turn]
	return id, ok, nil
}

// catalogRoute answers a tool that reads a system.
type catalogRoute struct{ *app }

func (c catalogRoute) Routes(routes huma.API) {
	type body struct {
		Name   string `json:"name"`
		Access string `json:"access"`
	}
	huma.Register(routes, rest.Op("get-system", http.MethodGet, "/api/catalog/systems/{id}", "Read"), func(ctx context.Context, in *struct {
		ID uuid.UUID `path:"id" format:"uuid"`
	}) (*struct{ Body body }, error) {
		found, err := c.Lookup(ctx, []uuid.UUID{in.ID})
		s, ok := found[in.ID]
		if err != nil || !ok {
			return nil, problem.Errorf(problem.NotFound, "No system has the id %s.", in.ID)
		}
		access := "viewer"
		if s.Managed {
			access = "editor"
		}
		return &struct{ Body body }{body{s.Name, access}}, nil
	})
}

func newApp(t testing.TB) *app {
	t.Helper()
	a := &app{Server: apitest.New(t), systems: map[uuid.UUID]*system{}, turns: map[uuid.UUID]uuid.UUID{}}
	a.module = memory.New(a.DB, a, a)
	a.Mount(t, a.module, catalogRoute{a})
	a.Person("ada", memory.Read, memory.Manage)
	a.Person("bob", memory.Read, memory.Manage)
	a.Person("root", principal.Admin)
	return a
}

// system makes a system that people manage or, with a question mark before the name, only see.
func (a *app) system(name string, people ...string) uuid.UUID {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := &system{name: name}
	for _, p := range people {
		if reader, ok := strings.CutPrefix(p, "?"); ok {
			s.readers = append(s.readers, reader)
		} else {
			s.managers = append(s.managers, p)
		}
	}
	id := uuid.New()
	a.systems[id] = s
	return id
}

type object = map[string]any

const memories = "/api/ai/memories"

func at(id uuid.UUID) string { return memories + "/" + id.String() }

// save saves a memory and merges more members into the request.
func (a *app) save(t testing.TB, as, hint, content string, more ...object) memory.Saved {
	t.Helper()
	return apitest.Decode[memory.Saved](t, a.Do(t, as, http.MethodPost, memories, input(hint, content, more...)))
}

func input(hint, content string, more ...object) object {
	body := object{"scope": "user", "recallHint": hint, "content": content}
	for _, m := range more {
		maps.Copy(body, m)
	}
	return body
}

func on(system uuid.UUID) object { return object{"scope": "system", "systemId": system} }

func (a *app) get(t testing.TB, as string, id uuid.UUID) memory.Memory {
	t.Helper()
	return apitest.Decode[memory.Memory](t, a.Do(t, as, http.MethodGet, at(id), nil))
}

// list are the recall hints that somebody finds, in order.
func (a *app) list(t testing.TB, as, query string) []string {
	t.Helper()
	page := apitest.Decode[struct{ Memories []memory.Memory }](t, a.Do(t, as, http.MethodGet, memories+query, nil))
	hints := []string{}
	for _, m := range page.Memories {
		hints = append(hints, m.RecallHint)
	}
	return hints
}

func (a *app) injected(t testing.TB, as string) []string {
	t.Helper()
	a.mu.Lock()
	p := a.Who(as)
	a.mu.Unlock()
	lines, err := a.module.Injected(t.Context(), p)
	require.NoError(t, err)
	return lines
}

func marshal(t testing.TB, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return string(data)
}
