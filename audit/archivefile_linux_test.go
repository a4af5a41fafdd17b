package audit_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What is being written has no name, so that a process that is killed leaves nothing behind, and it appears whole.
func TestAnArchiveHasNoNameUntilItIsWhole(t *testing.T) {
	t.Parallel()
	w := old(t)
	a, err := w.keeper().ArchivableBefore(t.Context(), time.Now().AddDate(0, 0, -31))
	require.NoError(t, err)
	folder := t.TempDir()
	path := filepath.Join(folder, "audit.jsonl.gz")
	files := func() (names []string) {
		t.Helper()
		list, err := os.ReadDir(folder)
		require.NoError(t, err)
		for _, f := range list {
			names = append(names, f.Name())
		}
		return names
	}
	saved := make(chan error, 1)
	require.NoError(t, w.owner.InTx(t.Context(), func(ctx context.Context) error {
		// It waits here for the entries, with its file open.
		_, err := w.owner.Conn(ctx).Exec(ctx, "LOCK TABLE ai_audit_entries IN ACCESS EXCLUSIVE MODE")
		require.NoError(t, err)
		go func() {
			_, err := w.keeper().SaveArchive(t.Context(), a, path)
			saved <- err
		}()
		require.Eventually(t, func() bool {
			return count(t, w.owner, "SELECT count(*) FROM pg_locks WHERE relation = 'ai_audit_entries'::regclass AND NOT granted") > 0
		}, patience, tick)
		require.Empty(t, files())
		// Somebody else's file, of a name such as a draft could have, is nobody's business.
		require.NoError(t, os.WriteFile(filepath.Join(folder, ".audit.jsonl.gz-1"), []byte("mine"), 0o600))
		return nil
	}))
	require.NoError(t, <-saved)
	require.Equal(t, []string{".audit.jsonl.gz-1", "audit.jsonl.gz"}, files())
	about, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), about.Mode().Perm(), "its owner reads it, and nobody else")
	_, err = w.keeper().LoadArchive(path)
	require.NoError(t, err)
}
