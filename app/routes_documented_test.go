package app_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app"
)

// undescribed are the routes beside the API, which its own description does not hold.
var undescribed = map[string]bool{"GET /healthz": true, "GET /readyz": true, "GET /metrics": true, "GET /api/openapi.json": true}

var (
	// writtenRoute is how the pages name routes: `GET, POST /api/things`, also with a query.
	writtenRoute = regexp.MustCompile("`([A-Z]+(?:, [A-Z]+)*) (/[^`? ]+)[^`]*`")
	parameter    = regexp.MustCompile(`\{[^}]*\}`)
)

// routesOf are the routes that a page names, with "{}" for each parameter.
func routesOf(t *testing.T, page string) map[string]bool {
	t.Helper()
	written := map[string]bool{}
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "|") {
			line = strings.SplitN(line, "|", 3)[1] // the other columns speak of routes as well
			require.NotRegexp(t, "`(\\.\\.\\.)?/", line, "a route is written in full, with its method")
		}
		for _, found := range writtenRoute.FindAllStringSubmatch(line, -1) {
			for method := range strings.SplitSeq(found[1], ", ") {
				written[method+" "+parameter.ReplaceAllString(found[2], "{}")] = true
			}
		}
	}
	return written
}

// The pages of the HTTP API name every route that there is, in full, once, and none that there is not.
func TestThePagesOfTheAPINameEveryRoute(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../docs/reference/http-api*.md")
	require.NoError(t, err)
	require.Len(t, pages, 5)
	written := map[string]bool{}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for route := range routesOf(t, string(text)) {
			require.False(t, written[route], "%s is on two pages", route)
			written[route] = true
		}
	}
	raw, err := app.Document()
	require.NoError(t, err)
	var document struct {
		Paths map[string]map[string]json.RawMessage
	}
	require.NoError(t, json.Unmarshal(raw, &document))
	described := map[string]bool{}
	for path, operations := range document.Paths {
		for method := range operations {
			route := strings.ToUpper(method) + " " + parameter.ReplaceAllString(path, "{}")
			described[route] = true
			require.True(t, written[route], "%s is on no page", route)
		}
	}
	require.Greater(t, len(described), 100)
	for route := range written {
		require.True(t, described[route] || undescribed[route], "%s is on a page and does not exist", route)
	}
}
