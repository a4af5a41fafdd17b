package attack_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/app/apptest/declaredtest"
)

const (
	systems      = "catalog.system.manage"
	groups       = "catalog.group.manage"
	environments = "catalog.environment.manage"
)

// operations are the methods of all operations that change something, by their ids.
func operations(t *testing.T, f *fort) map[string]string {
	t.Helper()
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string `json:"operationId"`
		} `json:"paths"`
	}
	f.people["anonymous"].Get(t, "/api/openapi.json", &document)
	methods := map[string]string{}
	for _, operations := range document.Paths {
		for method, o := range operations {
			if method != "get" && method != "head" {
				methods[o.OperationID] = strings.ToUpper(method)
			}
		}
	}
	return methods
}

func (f *fort) attempt(operation, method, by string) attempt {
	l := f.declared.Operations[operation].Lock
	body := l.Body
	if text, isMap := body.(map[string]any); isMap {
		body = f.fill(encode(text))
	}
	return attempt{name: operation, by: by, method: method, path: l.Path, body: body}
}

// may reports whether somebody may make the request of a lock.
func may(l declaredtest.Lock, who string) bool {
	holds := map[string][]string{
		"operator": {
			systems,
			groups,
			environments,
		},
		"countersigner": {systems, groups, "ai.proposal.manage"},
		"application":   {systems, groups, environments},
	}
	switch {
	case who == "anonymous" || who == "gone":
		return false
	case l.Owner == declaredtest.Everybody:
		return true
	case l.Owner != "":
		return who == l.Owner || slices.Contains(l.Also, who)
	default:
		return who == "admin" || who == "second" || slices.Contains(l.Opens, who) ||
			slices.ContainsFunc(holds[who], func(rule string) bool { return slices.Contains(l.Opens, rule) }) || slices.Contains(l.Also, who)
	}
}

// Every operation that changes something, by everybody who may not.
func nobodyDoesWhatTheyMayNot(t *testing.T, f *fort) {
	methods := operations(t, f)
	for _, operation := range f.declared.Locked() {
		l, before := *f.declared.Operations[operation].Lock, f.World(t)
		for who := range f.people {
			if !may(l, who) {
				f.try(t, f.attempt(operation, methods[operation], who))
			}
		}
		f.unchanged(t, before, operation)
	}
}

// The requests of the test above are right: whoever may makes each of them. So it is who asks that is refused, not what.
func TestTheKeysFitTheLocks(t *testing.T) {
	t.Parallel()
	f := build(t, nil)
	methods := operations(t, f)
	locked := f.declared.Locked()
	require.Greater(t, len(locked), 125)
	for _, operation := range locked {
		l := *f.declared.Operations[operation].Lock
		method, known := methods[operation]
		require.True(t, known, "%s is no operation any more", operation)
		delete(methods, operation)
		by := "admin"
		if l.Owner != "" && l.Owner != declaredtest.Everybody {
			by = l.Owner
		}
		a := f.attempt(operation, method, by)
		if operation == "confirm-connection" {
			a.headers = append(
				a.headers,
				apptest.Header{Name: "If-Match", Value: f.Admin.Get(t, f.fill("/api/ai/connections/{connection}"), nil).Header.Get("ETag")},
			)
		}
		if operation == "probe-url" || strings.HasSuffix(operation, "-http-request") {
			a.status = []int{http.StatusOK, http.StatusBadRequest, http.StatusUnprocessableEntity}
		} else {
			a.status = []int{http.StatusOK, http.StatusCreated, http.StatusAccepted, http.StatusNoContent}
		}
		a.sees = []string{"title", "hint", "memory", "answer", "proposed hint", "proposed memory"}
		f.try(t, a)
	}
	for operation, is := range f.declared.Operations {
		if is.Lock == nil {
			require.Contains(t, methods, operation, "a declaration of what is no operation")
			delete(methods, operation)
		}
	}
	require.Empty(t, methods, "operations that nobody attacks: give them a lock in "+declaredtest.File)
}

// Whoever holds a grant on one thing does with that thing what the grant allows, and nothing else.
func aGrantOpensOneThing(t *testing.T, f *fort) {
	f.people["editor"].Patch(t, f.fill("/api/catalog/systems/{other system}"), map[string]any{"description": "Edited"}, nil)
	for _, a := range []attempt{
		{method: http.MethodDelete, path: "/api/catalog/systems/{other system}"},
		{method: http.MethodPut, path: "/api/catalog/systems/{other system}/owner", body: map[string]any{"teamId": nil}},
		{method: http.MethodPut, path: "/api/catalog/systems/{other system}/owner", body: map[string]any{"teamId": f.ids["team"]}},
		{method: http.MethodPatch, path: "/api/catalog/systems/{system}", body: map[string]any{"description": "Not mine"}},
		{method: http.MethodPut, path: "/api/catalog/groups/{group}/systems/{other system}"},
		{method: http.MethodPut, path: "/api/grants/catalog.system/{other system}", body: map[string]any{"private": false, "grants": []any{
			map[string]any{"subjectType": "user", "subjectId": f.ids["editor"], "relation": "owner"},
		}}},
		{method: http.MethodPatch, path: "/api/catalog/systems/{hidden system}", body: map[string]any{"description": "Not there"}},
		{method: http.MethodDelete, path: "/api/catalog/systems/{hidden system}/links/{hidden link}"},
		{method: http.MethodDelete, path: "/api/catalog/systems/{other system}/links/{hidden link}"},
		{method: http.MethodDelete, path: "/api/catalog/systems/{other system}/contacts/{contact}"},
	} {
		a.name, a.by = "grant on one system", "editor"
		f.refuses(t, a)
	}
}
