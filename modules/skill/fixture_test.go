package skill_test

import (
	"context"
	"net/http"
	"testing"

	"countersign/api/apitest"
	"countersign/internal/principal"
	"countersign/modules/skill"
)

const path = "/api/ai/skills"

// all are the rules that everybody holds by default.
var all = []string{skill.Read, skill.Create, skill.Manage}

type object = map[string]any

// app is the API with the skills.
type app struct {
	*skill.Module
	*apitest.Server
}

func newApp(t testing.TB) *app {
	t.Helper()
	a := &app{Server: apitest.New(t)}
	a.Module = skill.New(a.DB, a, nil)
	a.Mount(t, a.Module)
	a.Person("root", principal.Admin)
	a.Person("ada", all...)
	a.Person("bob", all...)
	return a
}

func (a *app) publish(t testing.TB, as string, fields object) skill.Skill {
	t.Helper()
	return apitest.Decode[skill.Skill](t, a.Do(t, as, http.MethodPost, path, fields))
}

func (a *app) list(t testing.TB, as, query string) []string {
	t.Helper()
	page := apitest.Decode[struct{ Skills []skill.ListedSkill }](t, a.Do(t, as, http.MethodGet, path+query, nil))
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
	return principal.NewContext(t.Context(), a.Principal(name))
}
