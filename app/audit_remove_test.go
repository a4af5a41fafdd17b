package app_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
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
func TestOldEntriesAreRemovedByACommand(t *testing.T) {
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
	environ := []string{"DATABASE_URL=" + url, "COUNTERSIGN_KEYSET=" + compact.String()}

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

	before := time.Now().AddDate(0, 0, -31).Format(time.DateOnly)
	status, printed := command(environ, "remove", "--before", before)
	require.Zero(t, status, printed)
	require.Regexp(t, `(?m)^removed: 5 entries, 5 calls, 0 names and addresses\nstayed: 0 entries.*\nbegin: 5:[0-9a-f]{64}$`, printed)
	link(`SELECT 1`)
	status, printed = command(environ, "verify")
	require.Zero(t, status, printed)
	require.Contains(t, printed, "removed: those up to 5\nrelied on: checkpoint 1 at 5")
	require.Contains(t, printed, "read: 6, those after 5\nentries: 11\n")
	status, printed = command(environ, "verify", "--whole")
	require.Zero(t, status, printed)
	require.NotContains(t, printed, "relied on")
	status, printed = command(environ, "remove", "--before", before)
	require.Equal(t, 1, status, printed)
	require.Contains(t, printed, "No checkpoint of the audit log lies before")
	for _, args := range [][]string{
		{"remove", "--before", "then"},
		{"remove"},
		{"archive", "--before", before, "--out", "file"},
		{"verify", "--whole", "--since", "5:00"},
		{},
	} {
		status, printed = command(environ, args...)
		require.Equal(t, 1, status, "%v: %s", args, printed)
	}
}
