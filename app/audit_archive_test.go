package app_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/app"
	"countersign/audit"
	"countersign/internal/secret"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// Nothing but a shell, the keyset and the database is needed, and no process has to run.
func TestOldEntriesAreArchivedByACommand(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	db, err := store.Open(t.Context(), url, store.Options{MaxConns: 4})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	keys, err := secret.New()
	require.NoError(t, err)
	keyset, err := keys.Marshal()
	require.NoError(t, err)
	var compact bytes.Buffer
	require.NoError(t, json.Compact(&compact, keyset))
	command := func(environ []string, args ...string) (int, string) {
		var out bytes.Buffer
		status := app.Main(t.Context(), app.Process{Args: append([]string{"audit"}, args...), Environ: environ, Stdout: &out, Stderr: &out})
		return status, out.String()
	}
	alone := []string{"COUNTERSIGN_KEYSET=" + compact.String()}
	environ := append([]string{"DATABASE_URL=" + url}, alone...)

	link := func(sql string) {
		_, err := db.Conn(t.Context()).Exec(t.Context(), sql)
		require.NoError(t, err)
		chain := audit.NewChain(db, keys.Derive("audit chain"))
		_, err = chain.NewExtender().Extend(t.Context())
		require.NoError(t, err)
		for _, c := range (&audit.Runner{Chain: chain, Log: slog.New(slog.DiscardHandler)}).Chores() {
			if c.Name == "verify audit chain" {
				require.NoError(t, c.Do(t.Context()))
			}
		}
	}
	const call = `INSERT INTO ai_tool_calls (id, principal_kind, principal_id, transport, tool_name, effect, args_hash, status)
		SELECT gen_random_uuid(), 'user', gen_random_uuid(), 'chat', 'a.read', 'read', repeat('ab', 32), 'executed' FROM generate_series(1, 5);`
	link(call + `UPDATE ai_audit_entries SET at = now() - interval '40 days'`)
	link(call)

	file := filepath.Join(t.TempDir(), "audit.jsonl.gz")
	before := time.Now().AddDate(0, 0, -31).Format(time.DateOnly)
	status, printed := command(environ, "archive", "--before", before, "--out", file)
	require.Zero(t, status, printed)
	require.Regexp(t, `(?m)^entries: 5\nafter: the beginning\nhead: 5:[0-9a-f]{64}$`, printed)
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	status, printed = command(environ, "archive", "--before", before, "--out", file)
	require.Equal(t, 1, status, printed)
	require.Contains(t, printed, "is there already")

	status, printed = command(environ, "archive", "--before", before, "--out", file, "--remove", "--people")
	require.Equal(t, 1, status, printed)
	require.Contains(t, printed, "without what entries say about people")

	status, printed = command(environ, "archive", "--before", before, "--out", file, "--remove")
	require.Zero(t, status, printed)
	require.Contains(t, printed, "removed: 5 entries, 5 calls, 0 names and addresses\nstayed: 0 entries")
	link(`SELECT 1`)
	status, printed = command(environ, "verify")
	require.Zero(t, status, printed)
	require.Contains(t, printed, "archived and removed: those up to 5\nrelied on: checkpoint 1 at 5")
	require.Contains(t, printed, "read: 6, those after 5\nentries: 11\n")
	status, printed = command(environ, "verify", "--whole")
	require.Zero(t, status, printed)
	require.NotContains(t, printed, "relied on")
	status, printed = command(environ, "verify", "--file", file, "--join")
	require.Zero(t, status, printed)
	require.Contains(t, printed, "joins the log: yes")
	status, printed = command(alone, "verify", "--file", file)
	require.Zero(t, status, printed)
	require.Contains(t, printed, "entries: 5\n")

	require.NoError(t, os.WriteFile(file, []byte("something else"), 0o600))
	for _, args := range [][]string{
		{"verify", "--file", file},
		{"archive", "--before", before, "--out", file, "--remove"},
		{"archive", "--before", "then", "--out", file},
		{"archive", "--out", file},
		{"verify", "--whole", "--file", file},
		{"verify", "--join"},
		{},
	} {
		status, printed = command(environ, args...)
		require.Equal(t, 1, status, "%v: %s", args, printed)
	}
}
