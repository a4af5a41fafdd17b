package temporal

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLogKeepsWarningsUntilItIsQuiet(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	file, err := os.Create(path)
	require.NoError(t, err)
	defer file.Close()
	log := newLog(file)

	log.Info("routine")
	log.Warn("suspicious")
	log.quiet()
	log.Error("context canceled")

	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NotContains(t, string(text), "routine")
	require.Contains(t, string(text), "suspicious")
	require.NotContains(t, string(text), "canceled")
}
