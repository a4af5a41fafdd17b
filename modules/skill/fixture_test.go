package skill_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api"
	"countersign/modules/skill"
	"countersign/principal"
	"countersign/problem"
	"countersign/store"
	"countersign/store/storetest"
)

const path = "/api/ai/skills"

// all are the rules that everybody holds by default.
var all = []string{skill.Read, skill.Create, skill.Manage}

type object = map[string]any

// app is the API with the skills over a database of its own. People sign in with their name as the bearer token.
type app struct {
	*skill.Module
	db     *store.DB
	server *api.Server
	people map[string]principal.Principal
	gone   map[uuid.UUID]bool
}

func newApp(t testing.TB) *app {
	t.Helper()
	a := &app{db: storetest.New(t), people: map[string]principal.Principal{}, gone: map[uuid.UUID]bool{}}
	a.Module = skill.New(a.db, a)
	var err error
	a.server, err = api.New(api.Options{DB: a.db, Log: slog.New(slog.DiscardHandler), Authenticator: a, Modules: []api.Routes{a.Module}})
	require.NoError(t, err)
	a.person("root", principal.Admin)
	a.person("ada", all...)
	a.person("bob", all...)
	return a
}

func (a *app) person(name string, rules ...string) principal.Principal {
	p := principal.Principal{Kind: principal.User, ID: uuid.New(), Name: name, Rules: rules}
	a.people[name] = p
	return p
}

// Authenticate implements api.Authenticator.
func (a *app) Authenticate(_ context.Context, r *http.Request) (principal.Principal, error) {
	return a.people[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")], nil
}

// Names implements skill.Directory.
func (a *app) Names(_ context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	names := map[uuid.UUID]string{}
	for name, p := range a.people {
		for _, id := range ids {
			if p.ID == id && p.Kind == principal.User && !a.gone[id] {
				names[id] = name
			}
		}
	}
	return names, nil
}

type answer struct {
	status int
	header http.Header
	body   []byte
}

func (a *app) do(t testing.TB, as, method, path string, body any, headers ...string) answer {
	t.Helper()
	var payload io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		payload = strings.NewReader(b)
	default:
		data, err := json.Marshal(b)
		require.NoError(t, err)
		payload = bytes.NewReader(data)
	}
	r := httptest.NewRequestWithContext(t.Context(), method, path, payload)
	if payload != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	r.Header.Set("Authorization", "Bearer "+as)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	a.server.ServeHTTP(w, r)
	return answer{w.Code, w.Result().Header, w.Body.Bytes()}
}

// refused requires a problem of this code and returns it.
func (r answer) refused(t testing.TB, code problem.Code) *problem.Error {
	t.Helper()
	e := &problem.Error{}
	require.NoError(t, json.Unmarshal(r.body, e), string(r.body))
	require.Equal(t, code, e.Code, e.Detail)
	require.Equal(t, code.Status(), r.status)
	return e
}

func decode[T any](t testing.TB, r answer) T {
	t.Helper()
	require.Less(t, r.status, 300, string(r.body))
	var v T
	require.NoError(t, json.Unmarshal(r.body, &v), string(r.body))
	return v
}

func (a *app) publish(t testing.TB, as string, fields object) skill.Skill {
	t.Helper()
	return decode[skill.Skill](t, a.do(t, as, http.MethodPost, path, fields))
}

func (a *app) list(t testing.TB, as, query string) []string {
	t.Helper()
	page := decode[struct{ Skills []skill.ListedSkill }](t, a.do(t, as, http.MethodGet, path+query, nil))
	ids := []string{}
	for _, s := range page.Skills {
		if s.Source == skill.Builtin {
			ids = append(ids, s.ID)
		} else {
			ids = append(ids, s.Name)
		}
	}
	return ids
}

func at(id string) string { return path + "/" + id }

func forChat(name string) object {
	return object{"name": name, "description": "Helps.", "targets": []string{"chat"}, "systemPrompt": "Be brief."}
}

// as is a context in which somebody has signed in.
func as(t testing.TB, a *app, name string) context.Context {
	t.Helper()
	return principal.NewContext(t.Context(), a.people[name])
}
