package strategy_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/check/strategy"
)

// TestEachFieldIsDocumented looks for the kinds of a page, and for their fields, in its text.
func TestEachFieldIsDocumented(t *testing.T) {
	t.Parallel()
	for page, kinds := range map[string][]string{
		"reference/checks-of-services.md":       {"grpc", "smtp", "postgres", "mysql", "redis", "ssh", "mongodb"},
		"reference/checks-of-infrastructure.md": {"mqtt", "prometheus", "docker", "snmp", "domain"},
		"how-to/check-with-a-script.md":         {"script"},
	} {
		text, err := os.ReadFile("../../docs/" + page)
		require.NoError(t, err)
		seen := 0
		for _, s := range strategy.All() {
			for _, kind := range kinds {
				if !strings.HasPrefix(s.ID, "healthcheck-"+kind+".") {
					continue
				}
				seen++
				require.Contains(t, string(text), s.ID)
				schemas := []*check.Schema{s.Config}
				for _, c := range s.Collectors {
					require.Contains(t, string(text), c.ID)
					schemas = append(schemas, c.Config, c.Result)
				}
				for _, schema := range schemas {
					var shape struct{ Properties map[string]any }
					require.NoError(t, json.Unmarshal(schema.JSON(), &shape))
					for name := range shape.Properties {
						require.True(t, strings.Contains(string(text), "`"+name+"`") || strings.Contains(string(text), "*"+name+"*"), "%s of %s", name, s.ID)
					}
				}
			}
		}
		require.Equal(t, len(kinds), seen)
	}
}
