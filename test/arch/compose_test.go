package arch_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// A password that stands in the repository protects nothing, so the containers do not start without one.
func TestComposeHasNoDefaultPassword(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "docker-compose.yml"))
	require.NoError(t, err)
	secret := regexp.MustCompile(`(?m)^\s+\w*(PASSWORD|PWD)\w*:\s*(.*)$`)
	required := regexp.MustCompile(`^\$\{[A-Z_]+:\?[^}]+\}$`)
	found := secret.FindAllStringSubmatch(string(text), -1)
	require.GreaterOrEqual(t, len(found), 3)
	for _, f := range found {
		require.Regexp(t, required, f[2])
	}
	require.Regexp(t, `postgres://countersign:\$\{POSTGRES_PASSWORD:\?[^}]+\}@`, string(text))
	require.NotRegexp(t, `\$\{\w*(PASSWORD|KEY|SECRET|TOKEN)\w*:-[^}]`, string(text))
}
