package app_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app"
)

// The page of actions has a row for each: its id, what it does, its rules, and what it produces.
func TestEveryActionIsDocumented(t *testing.T) {
	t.Parallel()
	actions, err := app.Actions()
	require.NoError(t, err)
	require.Greater(t, len(actions), 20)
	page, err := os.ReadFile("../docs/reference/automation-actions.md")
	require.NoError(t, err)
	rules, err := os.ReadFile("../docs/reference/access-rules.md")
	require.NoError(t, err)
	rows := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z.-]+[a-z_]+)` \\|.*$").FindAllStringSubmatch(string(page), -1) {
		rows[row[1]] = row[0]
	}
	for _, a := range actions {
		cells := strings.Split(rows[a.ID], "|")
		require.Len(t, cells, 6, "%s has no row with four cells", a.ID)
		for _, rule := range a.Rules {
			require.Contains(t, cells[3], "`"+rule+"`", a.ID)
			require.Contains(t, string(rules), "`"+rule+"`", "a rule that exists")
		}
		require.Equal(t, len(a.Rules), strings.Count(cells[3], "`")/2, a.ID)
		require.Equal(t, len(a.Produces), strings.Count(cells[4], "`")/2, a.ID)
		for _, produced := range a.Produces {
			require.Contains(t, cells[4], "`"+produced.ID+"`", a.ID)
			require.Contains(t, string(page), "\n| `"+produced.ID+"` | ", "the type of %s is described", a.ID)
		}
		delete(rows, a.ID)
	}
	for _, a := range actions {
		for _, produced := range a.Produces {
			delete(rows, produced.ID)
		}
	}
	require.Empty(t, rows, "rows of no action")
}
