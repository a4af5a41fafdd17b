package audit_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// A call that has waited for long and ends now is compared by itself: that it is old says nothing of all calls that were made since.
func TestAnOldCallThatEndsIsNoReasonToCompareAllSince(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	waits, err := w.budget.Reserve(t.Context(), newCall(w.person, "a.write"))
	require.NoError(t, err)
	exec(t, w.owner, `INSERT INTO ai_tool_calls (id, principal_kind, principal_id, transport, tool_name, effect, args_hash, status)
		SELECT gen_random_uuid(), 'user', gen_random_uuid(), 'chat', 'catalog.listSystems', 'read', repeat('ab', 32), 'executed' FROM generate_series(1, 1000)`)
	w.extend(t)
	head := w.sound(t)
	require.NoError(t, w.budget.Finish(t.Context(), waits, nil))
	w.call(t, "a.read")
	w.extend(t)
	exec(t, w.owner, `ANALYZE ai_tool_calls, ai_audit_entries, ai_audit_links`)
	require.NoError(t, w.app.InTx(t.Context(), func(ctx context.Context) error {
		_, err := w.app.Conn(ctx).Exec(ctx, "SET LOCAL enable_seqscan = off")
		require.NoError(t, err)
		read := func() (n int) {
			t.Helper()
			require.NoError(
				t,
				w.app.Conn(
					ctx,
				).QueryRow(
					ctx,
					`SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_xact_user_tables WHERE relname = 'ai_tool_calls'`,
				).Scan(
					&n,
				),
			)
			return n
		}
		before := read()
		report, err := w.chain.VerifySince(ctx, head)
		require.NoError(t, err)
		require.Nil(t, report.Break, "%v", report.Break)
		require.Equal(t, head.Seq+3, report.Head.Seq)
		require.Less(t, read()-before, 50, "two calls are compared, of a thousand")
		return nil
	}))
	for what, sql := range map[string]string{
		"the old one": `SET session_replication_role = replica; UPDATE ai_tool_calls SET status = 'failed' WHERE record = 1`,
		"the new one": `SET session_replication_role = replica; UPDATE ai_tool_calls SET status = 'failed' WHERE record = 1002`,
	} {
		edit(t, w.owner, sql)
		report, err := w.chain.VerifySince(t.Context(), head)
		require.NoError(t, err)
		require.NotNil(t, report.Break, what)
		require.Contains(t, report.Break.What, "differs from its last entry", what)
		edit(t, w.owner, `SET session_replication_role = replica; UPDATE ai_tool_calls SET status = 'executed'`)
		w.sound(t)
	}
}
