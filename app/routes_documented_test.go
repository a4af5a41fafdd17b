package app_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app"
)

// undescribed are the routes beside the API, which its own description does not hold.
var undescribed = map[string]bool{"GET /healthz": true, "GET /readyz": true, "GET /metrics": true, "GET /api/openapi.json": true}

var (
	// writtenRoute is how the page names routes: `GET, POST /api/things`, also with a query.
	writtenRoute = regexp.MustCompile("`([A-Z]+(?:, [A-Z]+)*) (/[^`? ]+)[^`]*`")
	parameter    = regexp.MustCompile(`\{[^}]*\}`)
)

// The page of the HTTP API names every route that there is, in full, and none that there is not.
func TestThePageOfTheAPINamesEveryRoute(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/reference/http-api.md")
	require.NoError(t, err)
	written := map[string]bool{}
	for line := range strings.Lines(string(page)) {
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
			require.True(t, written[route], "%s is not on the page", route)
		}
	}
	require.Greater(t, len(described), 100)
	for route := range written {
		require.True(t, described[route] || undescribed[route], "%s is on the page and does not exist", route)
	}
}
