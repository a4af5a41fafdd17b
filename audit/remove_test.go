package audit_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/audit"
	"countersign/internal/store"
)

// aged makes what is not linked yet so many days old, and links it.
func (w *world) aged(t *testing.T, days int) {
	t.Helper()
	exec(t, w.owner, `UPDATE ai_audit_entries SET at = now() - make_interval(days => $1)
		WHERE id > (SELECT coalesce(max(entry_id), 0) FROM ai_audit_links)`, days)
	w.extend(t)
}

// background verifies once, as a worker does every minute, and reports what it has found wrong.
func (w *world) background(t *testing.T) string {
	t.Helper()
	r := &audit.Runner{Chain: w.chain, Log: slog.New(slog.DiscardHandler)}
	for _, c := range r.Chores() {
		if c.Name == "verify audit chain" {
			require.NoError(t, c.Do(t.Context()))
		}
	}
	status, err := audit.NewLog(w.app, sight{}, "").Status(t.Context())
	require.NoError(t, err)
	return status.Problem
}

// recent verifies what came after the newest checkpoint.
func (w *world) recent(t *testing.T) audit.Report {
	t.Helper()
	report, err := w.chain.VerifyRecent(t.Context())
	require.NoError(t, err)
	return report
}

// record adds an entry about a change.
func (w *world) record(t *testing.T, e audit.Event) {
	t.Helper()
	e.Actor = w.person
	require.NoError(t, w.app.InTx(t.Context(), func(ctx context.Context) error { return audit.Record(ctx, w.app, e) }))
}

// old is a log with a checkpoint at 6, of 40 days ago, one at 10, of 35 days ago, and two entries of today.
func old(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	for range 3 {
		w.call(t, "a.first")
	}
	w.aged(t, 40)
	w.call(t, "a.second")
	w.call(t, "a.second")
	w.aged(t, 35)
	w.call(t, "a.third")
	w.aged(t, 0)
	require.Empty(t, w.background(t))
	return w
}

// keeper is the chain for somebody with a shell, who logs in as the owner of the tables.
func (w *world) keeper() *audit.Chain { return audit.NewChain(w.owner, key) }

// removable is the checkpoint up to which what is older than so many days is removed.
func (w *world) removable(t *testing.T, days int) audit.Checkpoint {
	t.Helper()
	to, err := w.keeper().RemovableBefore(t.Context(), time.Now().AddDate(0, 0, -days))
	require.NoError(t, err)
	return to
}

func (w *world) remove(t *testing.T, a audit.Checkpoint) audit.Progress {
	t.Helper()
	done, err := w.keeper().Remove(t.Context(), audit.Removal{To: a, Batch: 3})
	require.NoError(t, err)
	return done
}

func TestAVerificationReliesOnTheNewestCheckpoint(t *testing.T) {
	t.Parallel()
	w := old(t)
	report := w.recent(t)
	require.Nil(t, report.Break, "%v", report.Break)
	require.Equal(t, int64(10), report.Relied.Seq)
	require.Equal(t, int64(2), report.Relied.Number)
	require.Equal(t, int64(12), report.Head.Seq)
	require.Equal(t, report.Head, w.sound(t))
	require.Empty(t, w.background(t))
	require.Equal(t, 2, count(t, w.owner, `SELECT count(*) FROM ai_audit_checkpoints`), "none is added twice")
	status, err := audit.NewLog(w.app, sight{}, "").Status(t.Context())
	require.NoError(t, err)
	require.Equal(t, int64(10), status.Checkpoint.Seq)
	require.NotNil(t, status.RecentAt)
	for _, sql := range []string{
		`UPDATE ai_audit_checkpoints SET seq = 7 WHERE number = 1`, `DELETE FROM ai_audit_checkpoints`,
		`INSERT INTO ai_audit_begin SELECT true, seq, hash, seq, hash, number, '', 0, '', at, key_id, seal FROM ai_audit_checkpoints WHERE number = 1`,
		`INSERT INTO ai_audit_kept VALUES (1, 1, '')`,
	} {
		require.Equal(t, "42501", refused(t.Context(), w.app, sql), sql)
	}
}

func TestTamperingWithCheckpointsAndWhatTheyCoverIsFound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ sql, recent, whole string }{
		"a checkpoint is changed":              {`UPDATE ai_audit_checkpoints SET newest_at = now() WHERE number = 1`, "seal does not fit checkpoint 1", "seal does not fit checkpoint 1"},
		"one is forged":                        {`INSERT INTO ai_audit_checkpoints SELECT 3, l.seq, l.hash, now(), now(), l.key_id, l.hash FROM ai_audit_links l WHERE l.seq = 12`, "seal does not fit checkpoint 3", "seal does not fit checkpoint 3"},
		"one is missing":                       {`DELETE FROM ai_audit_checkpoints WHERE number = 1`, "checkpoint 1 is missing", "checkpoint 1 is missing"},
		"the newest is missing":                {`DELETE FROM ai_audit_checkpoints WHERE number = 2`, "checkpoint 2 is missing; there were 2", "checkpoint 2 is missing"},
		"a row is removed before it":           {`DELETE FROM ai_audit_entries WHERE id = 3`, "", "entry 3 is missing"},
		"a row is removed after it":            {`DELETE FROM ai_audit_entries WHERE id = 11`, "entry 11 is missing", "entry 11 is missing"},
		"the link of it is removed":            {`DELETE FROM ai_audit_links WHERE seq = 10`, "checkpoint 2 was made of", "checkpoint 2 was made of"},
		"the beginning is removed":             {`DELETE FROM ai_tool_calls WHERE record <= 3; DELETE FROM ai_audit_entries WHERE id <= 6; DELETE FROM ai_audit_links WHERE seq < 6`, "", "the link is missing; the next one is 6"},
		"with a record of it that is forged":   {`DELETE FROM ai_tool_calls WHERE record <= 3; DELETE FROM ai_audit_entries WHERE id <= 6; DELETE FROM ai_audit_links WHERE seq < 6; INSERT INTO ai_audit_begin SELECT true, seq, hash, seq, hash, number, '', 0, '', at, key_id, seal FROM ai_audit_checkpoints WHERE number = 1`, "was changed, or forged", "was changed, or forged"},
		"the calls of what lies behind differ": {`SET session_replication_role = replica; UPDATE ai_tool_calls SET principal_id = gen_random_uuid() WHERE record = 6`, "differs from its last entry", "differs from its last entry"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := old(t)
			edit(t, w.owner, c.sql)
			whole, recent := w.verify(t, audit.Head{}), w.recent(t)
			require.NotNil(t, whole.Break)
			require.Contains(t, whole.Break.What, c.whole)
			if c.recent == "" {
				require.Nil(t, recent.Break, "%v", recent.Break)
				require.Equal(t, int64(10), recent.Relied.Seq, "it says what it has relied on")
				return
			}
			require.NotNil(t, recent.Break)
			require.Contains(t, recent.Break.What, c.recent)
			exec(t, w.owner, `UPDATE ai_audit_state SET recent_at = NULL`)
			require.Contains(t, w.background(t), c.recent)
		})
	}
}

// What was verified up to where is written where nothing protects it: no checkpoint relies on that.
func TestNoCheckpointIsMadeOfWhatWasNotRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.call(t, "a.first")
	w.aged(t, 40)
	w.call(t, "a.second")
	w.aged(t, 0)
	exec(t, w.owner, `UPDATE ai_audit_entries SET tool_name = 'harmless' WHERE id = 2`)
	exec(
		t,
		w.owner,
		`UPDATE ai_audit_state SET whole_at = now(), (verified_seq, verified_hash) = (SELECT seq, hash FROM ai_audit_links ORDER BY seq DESC LIMIT 1)`,
	)
	require.Contains(t, w.background(t), "does not fit entry 2")
	require.Zero(t, count(t, w.owner, `SELECT count(*) FROM ai_audit_checkpoints`))
}

func TestEntriesAreRemovedAndTheRestIsVerified(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	system, person := uuid.New(), uuid.New()
	w.record(
		t,
		audit.Event{Action: audit.Created, Object: audit.Object("catalog.system", system, "Payments")},
	) // 1 stays: the first of its record
	w.record(t, audit.Event{Action: audit.Changed, Object: audit.Object("catalog.system", system, "Payments")})                  // 2
	w.record(t, audit.Event{Action: audit.SignedIn, Object: audit.Object(audit.PersonType, person, "Ada"), Address: "10.1.2.3"}) // 3
	w.record(
		t,
		audit.Event{Action: audit.Erased, Object: audit.Object(audit.PersonType, person, "")},
	) // 4 stays: it explains what is missing
	_, err := w.budget.Reserve(
		t.Context(),
		newCall(w.person, "a.waits"),
	) // 5 stays: it has not ended
	require.NoError(t, err)
	w.call(t, "a.read") // 6, 7
	w.record(
		t,
		audit.Event{Action: audit.Deleted, Object: audit.Object("catalog.system", system, "Payments")},
	) // 8 stays: ids of records are known by it
	w.aged(t, 40)
	w.call(t, "a.later") // 9, 10
	w.aged(t, 0)
	require.Empty(t, w.background(t))

	a := w.removable(t, 31)
	require.Equal(t, int64(8), a.Seq)
	done := w.remove(t, a)
	require.Equal(t, int64(8), done.Begin.Seq)
	require.Equal(t, int64(4), done.Entries)
	require.Equal(t, int64(1), done.Calls)
	require.Equal(t, int64(4), done.Kept)
	require.Equal(t, 4, count(t, w.owner, `SELECT count(*) FROM ai_audit_entries WHERE id IN (1, 4, 5, 8)`))
	require.Zero(t, count(t, w.owner, `SELECT count(*) FROM ai_audit_entries WHERE id IN (2, 3, 6, 7)`))
	require.Equal(t, 1, count(t, w.owner, `SELECT count(*) FROM ai_audit_entries WHERE object_type = 'audit.log' AND action = 'removed'`))
	w.extend(t)
	head := w.sound(t)
	require.Equal(t, int64(11), head.Seq)
	require.Nil(t, w.verify(t, audit.Head{Seq: 8, Hash: a.Hash}).Break, "the head of what was removed is one of the log")
	exec(t, w.owner, `UPDATE ai_audit_state SET whole_at = NULL, recent_at = NULL`)
	require.Empty(t, w.background(t))
	status, err := audit.NewLog(w.app, sight{}, "").Status(t.Context())
	require.NoError(t, err)
	require.Equal(t, int64(8), status.Archived)

	// A process of the version before begins a verification of the whole at 0, and stores that it has come no further.
	exec(t, w.owner, `UPDATE ai_audit_state SET pass_seq = 0, pass_hash = '', pass_linked = false, verified_seq = 2, verified_hash = 'x'`)
	require.Equal(
		t,
		1,
		count(t, w.owner, `SELECT count(*) FROM ai_audit_state s JOIN ai_audit_links l ON l.seq = s.pass_seq AND l.hash = s.pass_hash
		WHERE s.pass_seq = 8 AND s.verified_seq = 8 AND s.verified_hash = s.pass_hash`),
	)

	// Lists and histories show what is left, and calls are counted as before.
	log := audit.NewLog(w.app, sight{}, "")
	calls, _, err := log.Calls(t.Context(), w.person, audit.Filter{}, "", 10)
	require.NoError(t, err)
	require.Equal(t, []string{"a.later", "a.waits"}, names(calls))
	changes, _, err := log.Changes(t.Context(), w.person, audit.ChangeFilter{ObjectType: "catalog.system", ObjectID: system.String()}, "", 10)
	require.NoError(t, err)
	require.Len(t, changes, 2)
	require.Equal(t, audit.Created, changes[1].Action)
	w.call(t, "a.last")
	w.extend(t)
	w.sound(t)
	_, err = w.chain.VerifySince(t.Context(), audit.Head{Seq: 2, Hash: a.Hash})
	require.ErrorContains(t, err, "Give a later one")
}

func TestWhatHadToStayGoesLater(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id, err := w.budget.Reserve(t.Context(), newCall(w.person, "a.waits"))
	require.NoError(t, err)
	w.call(t, "a.read")
	w.aged(t, 50)
	require.NoError(t, w.budget.Finish(t.Context(), id, nil))
	w.aged(t, 40)
	w.call(t, "a.read")
	w.aged(t, 35)
	w.call(t, "a.read")
	w.aged(t, 0)
	require.Empty(t, w.background(t))
	first := w.removable(t, 45)
	require.Equal(t, int64(1), w.remove(t, first).Kept)
	w.extend(t)
	w.sound(t)
	second := w.removable(t, 31)
	third := w.remove(t, second)
	require.Zero(t, third.Kept, "the call has ended, with its last entry before this checkpoint")
	require.Zero(t, count(t, w.owner, `SELECT count(*) FROM ai_tool_calls WHERE id = $1`, id))
	w.extend(t)
	w.sound(t)
}

func TestARemovalThatIsInterruptedGoesOn(t *testing.T) {
	t.Parallel()
	w := old(t)
	a := w.removable(t, 31)
	for begin := int64(4); begin < 10; begin += 4 {
		ctx, kill := context.WithCancel(t.Context())
		_, err := w.keeper().Remove(ctx, audit.Removal{To: a, Batch: 4, Progress: func(audit.Progress) { kill() }})
		require.ErrorIs(t, err, context.Canceled)
		report := w.verify(t, audit.Head{})
		require.Nil(t, report.Break, "%v", report.Break)
		require.Equal(t, begin, report.Begin)
		require.Empty(t, w.background(t))
	}
	a = w.removable(t, 31)
	require.Equal(t, int64(10), w.remove(t, a).Begin.Seq)
	require.Zero(t, w.remove(t, a).Entries, "a repeat removes nothing")
	require.Equal(t, 1, count(t, w.owner, `SELECT count(*) FROM ai_audit_entries WHERE object_type = 'audit.log'`), "it is one removal")
	w.extend(t)
	w.sound(t)
	require.Empty(t, w.background(t))
}

// A process of the version before may be reading the entries at that moment, and would miss them.
func TestARemovalWaitsForAVerificationInTheBackground(t *testing.T) {
	t.Parallel()
	w := old(t)
	a := w.removable(t, 31)
	exec(t, w.owner, `UPDATE ai_audit_state SET whole_at = now() - interval '2 hours'`)
	exec(t, w.owner, `INSERT INTO leases (name, holder, leased_until) VALUES ('chores', 'another', now() + interval '1 hour')`)
	waits, done := make(chan struct{}), make(chan error, 1)
	go func() {
		_, err := w.keeper().Remove(t.Context(), audit.Removal{To: a, Waits: func() { close(waits) }})
		done <- err
	}()
	<-waits
	require.Equal(t, 12, count(t, w.owner, `SELECT count(*) FROM ai_audit_entries WHERE id <= 12`), "nothing is gone yet")
	require.Equal(t, 10, count(t, w.owner, `SELECT pass_seq FROM ai_audit_state`), "the next one begins behind it")
	require.Empty(t, w.background(t))
	require.NoError(t, <-done)
	w.extend(t)
	w.sound(t)
}

func TestTamperingAfterARemovalIsFound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ sql, what string }{
		"the record of it is gone":    {`DELETE FROM ai_audit_begin`, "is missing"},
		"it is moved":                 {`UPDATE ai_audit_begin SET seq = 10`, "was changed, or forged"},
		"more is removed":             {`DELETE FROM ai_audit_entries WHERE id = 12; DELETE FROM ai_audit_links WHERE seq = 12`, "the link is missing; the next one is 13"},
		"what stayed is changed":      {`UPDATE ai_audit_entries SET object_name = 'another' WHERE id = 1`, "does not fit entry 1"},
		"what stayed is removed":      {`DELETE FROM ai_audit_entries WHERE id = 1`, "entry 1 is missing"},
		"without a trace":             {`DELETE FROM ai_audit_entries WHERE id = 1; DELETE FROM ai_audit_links WHERE seq = 1; DELETE FROM ai_audit_kept`, "are not the same"},
		"something is put back":       {`INSERT INTO ai_audit_links SELECT 5, 5, key_id, hash FROM ai_audit_links WHERE seq = 1`, "before the begin of the chain"},
		"the begin has another entry": {`UPDATE ai_audit_links SET hash = (SELECT hash FROM ai_audit_links WHERE seq = 1) WHERE seq = 11`, "with which the chain begins"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.record(t, audit.Event{Action: audit.Created, Object: audit.Object("catalog.system", uuid.New(), "Payments")})
			for range 5 {
				w.call(t, "a.read")
			}
			w.aged(t, 40)
			w.call(t, "a.later")
			w.aged(t, 0)
			require.Empty(t, w.background(t))
			a := w.removable(t, 31)
			require.Equal(t, int64(1), w.remove(t, a).Kept)
			w.extend(t)
			w.sound(t)
			edit(t, w.owner, c.sql)
			report := w.verify(t, audit.Head{})
			require.NotNil(t, report.Break)
			require.Contains(t, report.Break.What, c.what)
		})
	}
}

func TestWhatMustNotBeRemovedIsRefused(t *testing.T) {
	t.Parallel()
	w := old(t)
	_, err := w.keeper().RemovableBefore(t.Context(), time.Now().AddDate(0, 0, -60))
	require.ErrorContains(t, err, "No checkpoint")
	a := w.removable(t, 31)
	_, err = w.keeper().Remove(t.Context(), audit.Removal{To: a, MinAge: 36 * 24 * time.Hour})
	require.ErrorContains(t, err, "36 days old")
	exec(t, w.owner, `INSERT INTO event_cursors (subscriber, seq) VALUES ('late', 9)`)
	_, err = w.keeper().Remove(t.Context(), audit.Removal{To: a})
	require.ErrorContains(t, err, "late has been told of the calls up to 9")
	exec(t, w.owner, `UPDATE event_cursors SET seq = 12`)
	_, err = w.chain.Remove(t.Context(), audit.Removal{To: a})
	require.True(t, store.PermissionDenied(err), "the processes themselves may not: %v", err)
	exec(t, w.owner, `UPDATE ai_audit_entries SET tool_name = 'harmless' WHERE id = 3`)
	_, err = w.keeper().Remove(t.Context(), audit.Removal{To: a})
	require.ErrorContains(t, err, "does not fit entry 3")
	require.Equal(t, 12, count(t, w.owner, `SELECT count(*) FROM ai_audit_entries WHERE id <= 12`), "nothing is gone")
}

// An installation whose version before has written entries to a file and was interrupted while it removed them goes on, and
// further ones go after that.
func TestARemovalOfAVersionWithArchivesGoesOn(t *testing.T) {
	t.Parallel()
	w := old(t)
	first := w.removable(t, 38)
	ctx, kill := context.WithCancel(t.Context())
	_, err := w.keeper().Remove(ctx, audit.Removal{To: first, Batch: 2, Progress: func(audit.Progress) { kill() }})
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, w.keeper().NoteArchive(t.Context(), []byte("the SHA-256 of a file")))
	w.extend(t)
	w.sound(t)
	require.Equal(t, first.Seq, w.remove(t, first).Begin.Seq)
	const archived = `SELECT count(*) FROM ai_audit_begin WHERE archive <> ''`
	require.Equal(t, 1, count(t, w.owner, archived))
	w.extend(t)
	w.sound(t)
	second := w.removable(t, 31)
	require.Equal(t, second.Seq, w.remove(t, second).Begin.Seq)
	require.Zero(t, count(t, w.owner, archived))
	w.extend(t)
	w.sound(t)
	require.Empty(t, w.background(t))
}

func TestTenThousandEntriesAreRemoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	exec(t, w.owner, `INSERT INTO ai_tool_calls (id, principal_kind, principal_id, transport, tool_name, effect, args_hash, status)
		SELECT gen_random_uuid(), 'user', gen_random_uuid(), 'chat', 'catalog.listSystems', 'read', repeat('ab', 32), 'executed' FROM generate_series(1, 10000)`)
	w.aged(t, 40)
	w.call(t, "a.later")
	w.aged(t, 0)
	start := time.Now()
	require.Empty(t, w.background(t))
	a := w.removable(t, 31)
	batches := 0
	done, err := w.keeper().Remove(t.Context(), audit.Removal{To: a, Progress: func(audit.Progress) { batches++ }})
	require.NoError(t, err)
	require.Equal(t, audit.Progress{Begin: a.Head, Entries: 10_000, Calls: 10_000}, done)
	require.Equal(t, 5, batches, "two thousand at a time")
	w.extend(t)
	w.sound(t)
	require.Less(t, time.Since(start), patience)
	require.Equal(t, 3, count(t, w.owner, `SELECT count(*) FROM ai_audit_entries`))
}
