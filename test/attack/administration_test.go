package attack_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app"
	"countersign/app/apptest"
	"countersign/app/apptest/declaredtest"
	"countersign/tool"
)

// An operation that no policy can name is about what is the caller's own: nobody else makes it, not an administrator either.
func TestWhatNoPolicyNamesIsTheCallersOwn(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	registry, err := app.Registry()
	require.NoError(t, err)
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string `json:"operationId"`
		} `json:"paths"`
	}
	p.Admin.Get(t, "/api/openapi.json", &document)
	owned := map[string]bool{}
	for operation, is := range declaredtest.Load(t).Operations {
		owned[operation] = is.Own || is.Lock != nil && is.Lock.Owner != ""
	}
	var open []string
	for path, operations := range document.Paths {
		for method, o := range operations {
			method = strings.ToUpper(method)
			if method == http.MethodGet || owned[o.OperationID] {
				continue
			}
			if _, _, _, governed := registry.Governed(tool.Operation{Method: method, Path: path}); !governed {
				open = append(open, o.OperationID)
			}
		}
	}
	slices.Sort(open)
	// These store nothing.
	require.Equal(t, []string{
		"decode-payloads", "dry-run-agent-tool", "encode-payloads", "try-alert-source", "validate-automation", "validate-check",
	}, open)
}
