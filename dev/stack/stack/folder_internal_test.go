package stack

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWhatKilledProcessesLeftIsSweptAndNothingElse(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	add := func(name string) string {
		path := filepath.Join(parent, name)
		require.NoError(t, os.MkdirAll(filepath.Join(path, "postgres"), 0o700))
		return path
	}
	old := time.Now().Add(-time.Hour)
	lock := func(folder string, at time.Time) {
		path := filepath.Join(folder, lockFile)
		require.NoError(t, os.WriteFile(path, nil, 0o600))
		require.NoError(t, os.Chtimes(path, at, at))
	}
	left, other := add(temporaryPrefix+"left"), add("of-somebody-else")
	made, begun := add(temporaryPrefix+"being-made"), add(temporaryPrefix+"begun")
	lock(left, old)
	lock(other, old)
	lock(begun, time.Now())
	held, err := openFolder(add(temporaryPrefix + "held"))
	require.NoError(t, err)
	defer held.close()
	require.NoError(t, os.Chtimes(filepath.Join(held.path, lockFile), old, old))

	sweep(parent)
	require.NoDirExists(t, left)
	for _, path := range []string{other, made, begun, held.path} {
		require.DirExists(t, path)
	}
}

func TestAFileSystemThatIsNotThereHasNothingFree(t *testing.T) {
	t.Parallel()
	require.Zero(t, free(filepath.Join(t.TempDir(), "nothing")))
	require.Positive(t, free(t.TempDir()))
}
