package nearest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/text/nearest"
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
		require.Equal(t, want, nearest.Name(name, known), name)
	}
	require.Empty(t, nearest.Name(strings.Repeat("a", 1_000), []string{strings.Repeat("a", 999)}))
	require.Equal(t, " Did you mean url?", nearest.Hint("urll", known))
	require.Empty(t, nearest.Hint("body", known))
}

func FuzzName(f *testing.F) {
	f.Add("statuscode", "statusCode")
	f.Fuzz(func(t *testing.T, name, known string) {
		if got := nearest.Name(name, []string{known}); got != "" {
			require.Equal(t, known, got)
		}
		if name != "" && len(name) < 50 {
			require.Equal(t, name, nearest.Name(name, []string{name}))
		}
	})
}
