package memory_test

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/modules/memory"
)

// app is the API with the memories, beside a catalog and turns of the test.
type app struct {
	*apitest.Server
	module *memory.Module
	mu     sync.Mutex
	names  map[uuid.UUID]string
	turns  map[uuid.UUID]uuid.UUID
	// tainted are conversations that hold content from outside.
	tainted map[uuid.UUID]bool
}

// systemKind is how the catalog of the test calls its systems and who may see them.
var systemKind = access.Kind{
	Noun:       "system",
	Plural:     "systems",
	ObjectType: "catalog.system",
	Read:       "catalog.system.read",
	Manage:     "catalog.system.manage",
}

func (a *app) Sight(ctx context.Context) access.Sight { return systemKind.Sight(ctx) }

func (a *app) Lookup(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]access.Record, error) {
	levels, err := systemKind.Sight(ctx).Levels(ctx, a.DB, ids...)
	a.mu.Lock()
	defer a.mu.Unlock()
	found := map[uuid.UUID]access.Record{}
	for id, level := range levels {
		if name, ok := a.names[id]; ok {
			found[id] = access.Record{Name: name, Level: level}
		}
	}
	return found, err
}

// Tainted implements memory.Turns.
func (a *app) Tainted(_ context.Context, conversation uuid.UUID) (bool, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.tainted[conversation], nil
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
	},
	) (*struct{ Body body }, error) {
		found, err := c.Lookup(ctx, []uuid.UUID{in.ID})
		s, ok := found[in.ID]
		if err != nil || !ok {
			return nil, problem.Errorf(problem.NotFound, "No system has the id %s.", in.ID)
		}
		return &struct{ Body body }{body{s.Name, string(s.Level)}}, nil
	})
}

func newApp(t testing.TB) *app {
	t.Helper()
	a := &app{Server: apitest.New(t), names: map[uuid.UUID]string{}, turns: map[uuid.UUID]uuid.UUID{}, tainted: map[uuid.UUID]bool{}}
	a.module = memory.New(memory.Options{DB: a.DB, Systems: a, Turns: a})
	a.Mount(t, a.module, catalogRoute{a})
	a.Person("ada", memory.Read, memory.Manage)
	a.Person("bob", memory.Read, memory.Manage)
	a.Person("root", principal.Admin)
	return a
}

// system makes a private system of a stranger that people may change or, with a question mark before the name, only see.
func (a *app) system(t testing.TB, name string, people ...string) uuid.UUID {
	t.Helper()
	id := uuid.New()
	a.mu.Lock()
	a.names[id] = name
	a.mu.Unlock()
	a.share(t, id, people...)
	return id
}

// share replaces who may change and see a system.
func (a *app) share(t testing.TB, id uuid.UUID, people ...string) {
	t.Helper()
	exec := func(sql string, args ...any) {
		_, err := a.DB.Conn(t.Context()).Exec(t.Context(), sql, args...)
		require.NoError(t, err)
	}
	const insert = "INSERT INTO relation_tuples (object_type, object_id, relation, subject_type, subject_id) VALUES ('catalog.system', $1, $2, $3, $4)"
	exec("DELETE FROM relation_tuples WHERE object_id = $1", id)
	exec(insert, id, "private", "public", uuid.Nil)
	exec(insert, id, "owner", "user", uuid.New())
	for _, name := range people {
		name, reads := strings.CutPrefix(name, "?")
		level := access.Edit
		if reads {
			level = access.View
		}
		exec(insert, id, string(level), "user", a.Principal(name).ID)
	}
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
	p := a.Principal(as)
	a.mu.Unlock()
	lines, _, err := a.module.Injected(t.Context(), p)
	require.NoError(t, err)
	return lines
}

func marshal(t testing.TB, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return string(data)
}

// within lets somebody act through a turn.
func (a *app) within(turn uuid.UUID, as string, act func()) {
	p := a.Principal(as)
	through := p
	through.TurnID = turn
	a.SignIn(as, through)
	act()
	a.SignIn(as, p)
}
