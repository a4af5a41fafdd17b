package search_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/text/search"
)

func TestTheNameThatWasMeant(t *testing.T) {
	t.Parallel()
	known := []string{"healthcheck-http.http", "healthcheck-tcp.tcp", "statusCode", "responseTimeMs", "url", "equals"}
	for name, want := range map[string]string{
		"healthcheck-htpp.http": "healthcheck-http.http",
		"healthcheck_http.http": "healthcheck-http.http",
		"status_code":           "statusCode",
		"StatusCode":            "statusCode",
		"sttausCode":            "statusCode",
		"status":                "statusCode",
		"responseTime":          "responseTimeMs",
		"uri":                   "url",
		"equal":                 "equals",
		"body":                  "",
		"":                      "",
		"xyz":                   "",
	} {
		require.Equal(t, want, search.Nearest(name, known), name)
	}
	require.Empty(t, search.Nearest(strings.Repeat("a", 1_000), []string{strings.Repeat("a", 999)}))
	require.Equal(t, " Did you mean url?", search.Hint("urll", known))
	require.Empty(t, search.Hint("body", known))
}

func FuzzNearest(f *testing.F) {
	f.Add("statuscode", "statusCode")
	f.Fuzz(func(t *testing.T, name, known string) {
		if got := search.Nearest(name, []string{known}); got != "" {
			require.Equal(t, known, got)
		}
		if name != "" && len(name) < 50 {
			require.Equal(t, name, search.Nearest(name, []string{name}))
		}
	})
}
