package api_test

import (
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/require"

	"countersign/api"
	"countersign/api/chat"
	"countersign/internal/rest"
)

// document is the part of an OpenAPI document that is checked.
type document struct {
	OpenAPI    string                               `json:"openapi"`
	Paths      map[string]map[string]map[string]any `json:"paths"`
	Components map[string]map[string]any            `json:"components"`
}

var parameter = regexp.MustCompile(`:(\w+)`)

// Every route under /api is in the document, the ones that stream included, and the document holds together.
func TestTheOpenAPIDocumentListsEveryRoute(t *testing.T) {
	t.Parallel()
	s := newServer(t, with(&chat.Conversations{}, &api.Proposals{}, &api.Tools{}, &api.Settings{}), func(o *api.Options) {
		o.Streams = append(o.Streams, &chat.Chat{})
	})
	w := s.do(t, http.MethodGet, "/api/openapi.json", "", "X-User", "")
	require.Equal(t, http.StatusOK, w.Code, "whoever writes a client can read it")
	var d document
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &d))
	require.True(t, strings.HasPrefix(d.OpenAPI, "3."))

	served := 0
	for _, r := range s.echo.Routes() {
		if !strings.HasPrefix(r.Path, "/api/") || strings.HasPrefix(r.Path, "/api/openapi") {
			continue
		}
		served++
		path := parameter.ReplaceAllString(r.Path, "{$1}")
		require.Contains(t, d.Paths[path], strings.ToLower(r.Method), "%s %s is not documented", r.Method, path)
	}
	documented, ids := 0, map[any]bool{}
	for path, operations := range d.Paths {
		for method, op := range operations {
			documented++
			require.NotEmpty(t, op["summary"], "%s %s", method, path)
			require.NotEmpty(t, op["responses"], "%s %s", method, path)
			require.NotEmpty(t, op["operationId"], "%s %s", method, path)
			require.False(t, ids[op["operationId"]], op["operationId"])
			ids[op["operationId"]] = true
			for _, name := range regexp.MustCompile(`\{(\w+)\}`).FindAllStringSubmatch(path, -1) {
				require.Contains(t, mustJSON(t, op["parameters"]), `"name":"`+name[1]+`"`, "%s %s", method, path)
			}
		}
	}
	require.Equal(t, served, documented)

	for _, ref := range regexp.MustCompile(`"\$ref":"#/components/(\w+)/([^"]+)"`).FindAllStringSubmatch(w.Body.String(), -1) {
		require.Contains(t, d.Components[ref[1]], ref[2], "a reference to nothing")
	}
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	require.NoError(t, err)
	return string(raw)
}

// Two modules and two operations of one module whose types have one name, named and unnamed, and of other members.
func TestTypesOfOneNameAreToldApart(t *testing.T) {
	t.Parallel()
	s := newServer(t, with(firstNamesake{}, secondNamesake{}))
	w := s.do(t, http.MethodGet, "/api/openapi.json", "")
	var d document
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &d))
	members := map[string]string{}
	for name, component := range d.Components["schemas"] {
		for member := range component.(map[string]any)["properties"].(map[string]any) {
			members[member] = name
		}
	}
	for member, name := range map[string]string{
		"first": "Api_testRecord", "second": "Api_testApi_testRecord", "third": "NoteListBody", "fourth": "Api_testNoteListBody", "fifth": "Api_testNoteListBody2",
	} {
		require.Equal(t, name, members[member])
	}
	for path, member := range map[string]string{"/api/first": "first", "/api/second": "second", "/api/third": "third", "/api/fourth": "fourth", "/api/fifth": "fifth"} {
		require.Contains(t, mustJSON(t, d.Paths[path]), `"$ref":"#/components/schemas/`+members[member]+`"`)
	}
}

type firstNamesake struct{}

func (firstNamesake) Routes(a huma.API) {
	type record struct {
		First string `json:"first"`
	}
	type noteList struct {
		Body struct {
			Third string `json:"third"`
		}
	}
	huma.Register(a, rest.Op("first", http.MethodGet, "/api/first", "First"), nothing[struct{ Body record }])
	huma.Register(a, rest.Op("third", http.MethodGet, "/api/third", "Third"), nothing[noteList])
}

type secondNamesake struct{}

func (secondNamesake) Routes(a huma.API) {
	type record struct {
		Second string `json:"second"`
	}
	huma.Register(a, rest.Op("second", http.MethodGet, "/api/second", "Second"), nothing[struct{ Body record }])
	{
		type noteList struct {
			Body struct {
				Fourth string `json:"fourth"`
			}
		}
		huma.Register(a, rest.Op("fourth", http.MethodGet, "/api/fourth", "Fourth"), nothing[noteList])
	}
	type noteList struct {
		Body struct {
			Fifth string `json:"fifth"`
		}
	}
	huma.Register(a, rest.Op("fifth", http.MethodGet, "/api/fifth", "Fifth"), nothing[noteList])
}

func nothing[T any](context.Context, *struct{}) (*T, error) { return nil, nil }
