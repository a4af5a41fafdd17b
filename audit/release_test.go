package audit_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/audit"
	"countersign/internal/principal"
)

// late links everything but one entry, which is so many days old, and then that one, as when its transaction was long.
func (w *world) late(t *testing.T, id, days int) {
	t.Helper()
	exec(t, w.owner, `CREATE TABLE late AS TABLE ai_audit_entries`)
	exec(t, w.owner, `DELETE FROM late WHERE id <> $1`, id)
	exec(t, w.owner, `UPDATE late SET at = now() - make_interval(days => $1)`, days)
	exec(t, w.owner, `DELETE FROM ai_audit_entries WHERE id = $1`, id)
	w.aged(t, days)
	exec(t, w.owner, `INSERT INTO ai_audit_entries OVERRIDING SYSTEM VALUE TABLE late`)
	exec(t, w.owner, `DROP TABLE late`)
	w.extend(t)
}

// removed removes what lies before a checkpoint, a few places at a time, and sees after each batch that the log is sound, as it
// is when the removal ends there.
func (w *world) removed(t *testing.T, a audit.Checkpoint, batch int) (last audit.Progress, steps []audit.Progress) {
	t.Helper()
	done, err := w.keeper().Remove(t.Context(), audit.Removal{To: a, Batch: batch, Progress: func(p audit.Progress) {
		steps = append(steps, p)
		w.sound(t)
	}})
	require.NoError(t, err)
	w.extend(t)
	w.sound(t)
	return done, steps
}

// What has its place behind what came after it, on the other side of a batch: the call would be what its first entry
// says, and the log broken.
func TestAnEntryThatWasLinkedLateGoesWithItsCall(t *testing.T) {
	t.Parallel()
	for _, batch := range []int{1, 3, 9, 100} {
		w := newWorld(t)
		for range 5 {
			w.call(t, "a.read")
		}
		w.late(t, 1, 40)
		require.Equal(t, 10, count(t, w.owner, `SELECT seq FROM ai_audit_links WHERE entry_id = 1`))
		w.call(t, "a.later")
		w.aged(t, 0)
		require.Empty(t, w.background(t))
		a := w.removable(t, 31)
		require.Equal(t, int64(10), a.Seq)
		done, _ := w.removed(t, a, batch)
		require.Equal(t, audit.Progress{Begin: a.Head, Entries: 10, Calls: 5}, done)
		require.Empty(t, w.background(t))
	}
}

// One that was linked behind the checkpoint stays in the log, and what was known of the call before it with it.
func TestAnEntryThatWasLinkedBehindTheCheckpointKeepsItsCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 3 {
		w.call(t, "a.read")
	}
	exec(t, w.owner, `CREATE TABLE late AS TABLE ai_audit_entries`)
	exec(t, w.owner, `DELETE FROM late WHERE id <> 3`)
	exec(t, w.owner, `DELETE FROM ai_audit_entries WHERE id = 3`)
	w.aged(t, 40)
	w.call(t, "a.later")
	w.aged(t, 0)
	exec(t, w.owner, `INSERT INTO ai_audit_entries OVERRIDING SYSTEM VALUE TABLE late`)
	w.extend(t)
	require.Empty(t, w.background(t))
	a := w.removable(t, 31)
	require.Equal(t, int64(5), a.Seq)
	done, _ := w.removed(t, a, 2)
	require.Equal(t, int64(1), done.Kept)
	require.Equal(t, int64(2), done.Calls)
}

// The program by which a change was made stays with the entry of the change, also where that has its place behind it.
func TestAProgramThatWasLinkedBeforeItsEntryStaysWithIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	system := uuid.New()
	w.person.Client = &principal.Client{ID: "editor", Name: "An editor"}
	w.record(t, audit.Event{Action: audit.Created, Object: audit.Object("catalog.system", system, "Payments")}) // 1 stays, 2 is its program
	w.record(t, audit.Event{Action: audit.Changed, Object: audit.Object("catalog.system", system, "Payments")}) // 3 and its program 4 go
	require.Equal(t, 2, count(t, w.owner, `SELECT count(*) FROM ai_audit_entries WHERE object_type = 'audit.entry' AND id IN (2, 4)`))
	w.late(t, 1, 40)
	w.person.Client = nil
	w.call(t, "a.later")
	w.aged(t, 0)
	require.Empty(t, w.background(t))
	a := w.removable(t, 31)
	done, _ := w.removed(t, a, 1)
	require.Equal(t, int64(2), done.Entries)
	require.Equal(t, 2, count(t, w.owner, `SELECT count(*) FROM ai_audit_entries WHERE id <= 4`))
	require.Equal(t, 2, count(t, w.owner, `SELECT count(*) FROM ai_audit_entries WHERE id IN (1, 2)`))
}

// What had to stay goes a few places at a time, each with a sound log behind it, and a removal that ends between goes on.
func TestWhatHadToStayGoesInBatches(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var ids []uuid.UUID
	for range 10 {
		id, err := w.budget.Reserve(t.Context(), newCall(w.person, "a.waits"))
		require.NoError(t, err)
		ids = append(ids, id)
	}
	system := uuid.New()
	w.record(t, audit.Event{Action: audit.Created, Object: audit.Object("catalog.system", system, "Payments")})
	w.aged(t, 50)
	for _, id := range ids {
		require.NoError(t, w.budget.Finish(t.Context(), id, nil))
	}
	w.aged(t, 40)
	w.call(t, "a.later")
	w.aged(t, 35)
	w.call(t, "a.later")
	w.aged(t, 0)
	require.Empty(t, w.background(t))
	first := w.removable(t, 45)
	done, _ := w.removed(t, first, 4)
	require.Equal(t, int64(11), done.Kept)
	second := w.removable(t, 38)

	// The first place that lets something go is the last one before it is interrupted.
	ctx, kill := context.WithCancel(t.Context())
	stayed := int64(0)
	_, err := w.keeper().Remove(ctx, audit.Removal{To: second, Batch: 4, Progress: func(p audit.Progress) {
		if p.Kept < stayed {
			kill()
		}
		stayed = p.Kept
	}})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, int64(13), stayed, "four calls with both of their entries are gone, and no more")
	w.sound(t)
	done, steps := w.removed(t, second, 4)
	require.Equal(t, int64(1), done.Kept, "the system")
	require.Len(t, steps, 2)
	require.Equal(t, int64(8), steps[0].Entries)
	require.Equal(t, int64(12), steps[1].Entries)
	require.Equal(t, int64(6), done.Calls)
	require.Equal(
		t,
		20,
		count(t, w.owner, `SELECT coalesce(sum(substring(summary FROM '(\d+) are not needed')::integer), 0) FROM ai_audit_entries`),
		"each transaction that lets something go is on record with how much",
	)
}

// What has stayed and was changed since is not let go.
func TestWhatStayedAndWasChangedIsNotLetGo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ sql, what string }{
		"an entry is changed":     {`UPDATE ai_audit_entries SET tool_name = 'harmless' WHERE id = 1`, "does not fit entry 1"},
		"one of another batch":    {`UPDATE ai_audit_links SET hash = sha256(hash) WHERE entry_id = 2`, "are not the same"},
		"one is gone":             {`DELETE FROM ai_audit_kept WHERE entry_id = 2`, "are not the same"},
		"the hash before it":      {`UPDATE ai_audit_kept SET before = sha256(before) WHERE entry_id = 1`, "does not fit entry 1"},
		"the link of it is":       {`DELETE FROM ai_audit_links WHERE entry_id = 1`, "the link is missing"},
		"the record of it is":     {`UPDATE ai_audit_begin SET kept = kept - 1`, "was changed, or forged"},
		"nothing is wrong at all": {`SELECT 1`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			for range 3 {
				_, err := w.budget.Reserve(t.Context(), newCall(w.person, "a.waits"))
				require.NoError(t, err)
			}
			w.aged(t, 50)
			w.call(t, "a.later")
			w.aged(t, 0)
			require.Empty(t, w.background(t))
			a := w.removable(t, 45)
			require.Equal(t, int64(3), w.remove(t, a).Kept)
			// The calls have gone in another way, so that nothing needs their entries.
			exec(t, w.owner, `DELETE FROM ai_tool_calls WHERE tool_name = 'a.waits'`)
			exec(t, w.owner, c.sql)
			_, err := w.keeper().Remove(t.Context(), audit.Removal{To: a, Batch: 1})
			if c.what == "" {
				require.NoError(t, err)
				require.Zero(t, count(t, w.owner, `SELECT count(*) FROM ai_audit_kept`))
				return
			}
			require.ErrorContains(t, err, c.what)
			require.Equal(t, 3, count(t, w.owner, `SELECT count(*) FROM ai_audit_entries WHERE id <= 3`))
		})
	}
}
