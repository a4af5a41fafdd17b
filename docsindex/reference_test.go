package docsindex_test

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/api"
	"countersign/app/config"
	"countersign/audit"
	"countersign/auth"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/modules/catalog"
	"countersign/modules/connection"
	"countersign/modules/memory"
	"countersign/modules/policy"
	"countersign/modules/scriptpolicy"
	"countersign/modules/skill"
	"countersign/modules/vault"
)

// What the reference pages list must be what the code knows, all of it.

func TestTheReferenceListsEveryErrorCode(t *testing.T) {
	t.Parallel()
	page := pageSource(t, "reference/errors.md")
	for _, code := range problem.Codes() {
		require.Contains(t, page, fmt.Sprintf("| `%s` | %d |", code, code.Status()))
	}
	require.Equal(t, len(problem.Codes()), strings.Count(page, " | 4")+strings.Count(page, " | 5"), "and no other")
}

func TestTheReferenceListsEveryVariableWithItsDefault(t *testing.T) {
	t.Parallel()
	rows := tableRows(pageSource(t, "operations/configuration.md") + pageSource(t, "operations/configuration-limits.md"))
	for field := range reflect.TypeFor[config.Config]().Fields() {
		name := field.Tag.Get("env")
		if name == "" {
			continue // derived from others
		}
		at := slices.IndexFunc(rows, func(row string) bool { return strings.Contains(row, "`"+name+"`") })
		require.GreaterOrEqual(t, at, 0, "%s is not documented", name)
		if value := field.Tag.Get("envDefault"); value != "" {
			require.Contains(t, rows[at], "`"+value+"`", name)
		}
	}
}

func TestTheReferenceListsEveryAccessRule(t *testing.T) {
	t.Parallel()
	declared := map[string]bool{}
	for _, declares := range []interface{ Rules() []principal.Rule }{
		new(auth.Auth), new(audit.Log), new(catalog.Module), new(connection.Module), new(memory.Module), new(policy.Module),
		new(skill.Module), new(vault.Module), new(scriptpolicy.Module), new(api.Codec),
	} {
		for _, rule := range declares.Rules() {
			declared[rule.ID] = rule.Default
		}
	}
	rows := tableRows(pageSource(t, "reference/access-rules.md"))
	for id, byDefault := range declared {
		at := slices.IndexFunc(rows, func(row string) bool { return strings.HasPrefix(row, "| `"+id+"`") })
		require.GreaterOrEqual(t, at, 0, "%s is not documented", id)
		require.Equal(t, byDefault, strings.Contains(rows[at], "(default)"), id)
	}
}

func pageSource(t *testing.T, name string) string {
	t.Helper()
	source, err := os.ReadFile("../docs/" + name)
	require.NoError(t, err)
	return string(source)
}

func tableRows(page string) []string {
	return slices.DeleteFunc(strings.Split(page, "\n"), func(line string) bool { return !strings.HasPrefix(line, "| `") })
}
