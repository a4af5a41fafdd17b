package audit_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/audit"
	"countersign/internal/store"
)

func TestEachChangeOfACallGetsOnePlace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.call(t, "a.read")
	require.NoError(t, w.budget.Refuse(t.Context(), newCall(w.person, "a.secret"), refusal()))
	again := newCall(w.person, "a.fails")
	id, err := w.budget.Reserve(t.Context(), again)
	require.NoError(t, err)
	require.NoError(t, w.budget.Release(t.Context(), id, refusal()))
	_, err = w.budget.Reserve(t.Context(), again)
	require.NoError(t, err)
	require.NoError(t, w.budget.Finish(t.Context(), id, nil))

	w.extend(t)
	head := w.sound(t)
	require.Equal(t, int64(8), head.Seq)
	require.Equal(t, 8, count(t, w.owner, `SELECT count(*) FROM ai_audit_entries`))
	w.extend(t)
	require.Equal(t, head, w.sound(t), "nothing is linked twice")

	parsed, err := audit.ParseHead(head.String())
	require.NoError(t, err)
	require.Equal(t, head, parsed)
	require.Equal(
		t,
		2,
		count(t, w.owner, `SELECT count(DISTINCT record) FROM ai_audit_entries WHERE call_id = $1`, id),
		"both attempts had the id",
	)
	require.Equal(t, 1, count(t, w.owner, `SELECT count(DISTINCT record) FROM ai_audit_entries e WHERE call_id = $1
		AND EXISTS (SELECT FROM ai_audit_entries f WHERE f.record = e.record AND f.call_id <> $1 AND f.status = 'failed')`, id),
		"the released one is traced to its new id")
}

func TestEveryKindOfTamperingIsFound(t *testing.T) {
	t.Parallel()
	const forged = `INSERT INTO ai_audit_entries (record, call_id, status, principal_kind, principal_id, transport, tool_name, effect, args_hash) `
	for name, c := range map[string]struct {
		sql, what string
		seq       int64
	}{
		"an entry is changed":           {`UPDATE ai_audit_entries SET tool_name = 'harmless' WHERE id = 3`, "does not fit entry 3", 3},
		"its time is changed":           {`UPDATE ai_audit_entries SET at = at - interval '1 microsecond' WHERE id = 4`, "does not fit entry 4", 4},
		"a null becomes empty":          {`UPDATE ai_audit_entries SET error_code = '' WHERE id = 4`, "does not fit entry 4", 4},
		"an entry is deleted":           {`DELETE FROM ai_audit_entries WHERE id = 5`, "entry 5 is missing", 5},
		"with its link":                 {`DELETE FROM ai_audit_entries WHERE id = 5; DELETE FROM ai_audit_links WHERE entry_id = 5`, "the link is missing; the next one is 6", 5},
		"and the rest moves up":         {`DELETE FROM ai_audit_entries WHERE id = 5; DELETE FROM ai_audit_links WHERE entry_id = 5; UPDATE ai_audit_links SET seq = seq + 1000 WHERE seq > 5; UPDATE ai_audit_links SET seq = seq - 1001 WHERE seq > 1000`, "does not fit entry 6", 5},
		"two links change places":       {`UPDATE ai_audit_links SET seq = seq + 100 WHERE seq IN (3, 4); UPDATE ai_audit_links SET seq = 4 WHERE seq = 103; UPDATE ai_audit_links SET seq = 3 WHERE seq = 104`, "does not fit entry 4", 3},
		"links change their entries":    {`UPDATE ai_audit_links SET entry_id = entry_id + 100 WHERE seq IN (3, 4); UPDATE ai_audit_links SET entry_id = 4 WHERE entry_id = 103; UPDATE ai_audit_links SET entry_id = 3 WHERE entry_id = 104`, "does not fit entry 4", 3},
		"a hash is changed":             {`UPDATE ai_audit_links SET hash = decode(repeat('ab', 32), 'hex') WHERE seq = 8`, "does not fit entry 8", 8},
		"a link is added":               {forged + `SELECT record, call_id, status, principal_kind, principal_id, transport, tool_name, effect, args_hash FROM ai_audit_entries WHERE id = 8; INSERT INTO ai_audit_links SELECT 9, max(id), (SELECT key_id FROM ai_audit_links LIMIT 1), decode(repeat('ab', 32), 'hex') FROM ai_audit_entries`, "does not fit entry", 9},
		"another key made it":           {`UPDATE ai_audit_links SET key_id = key_id + 1 WHERE seq >= 2`, "another keyset", 2},
		"an entry is forged":            {forged + `SELECT record, call_id, status, principal_kind, principal_id, transport, tool_name, effect, args_hash FROM ai_audit_entries WHERE id = 8`, "cannot follow executed", 0},
		"one for no call":               {forged + `VALUES (4711, gen_random_uuid(), 'executed', 'user', gen_random_uuid(), 'api', 'x', 'read', '')`, "is missing; its last entry", 0},
		"a call is changed":             {`SET session_replication_role = replica; UPDATE ai_tool_calls SET principal_id = gen_random_uuid() WHERE record = 2`, "differs from its last entry 4", 0},
		"a call is changed in the open": {`UPDATE ai_tool_calls SET tool_name = 'harmless' WHERE record = 2`, "cannot follow executed", 0},
		"a call is deleted":             {`DELETE FROM ai_tool_calls WHERE record = 3`, "is missing; its last entry is 6", 0},
		"a call is slipped in":          {`SET session_replication_role = replica; INSERT INTO ai_tool_calls (id, principal_kind, principal_id, transport, tool_name, effect, args_hash, status) VALUES (gen_random_uuid(), 'user', gen_random_uuid(), 'api', 'x', 'read', '', 'executed')`, "has no entry", 0},
		"the end is cut off":            {`DELETE FROM ai_audit_entries WHERE id >= 7; DELETE FROM ai_audit_links WHERE seq >= 7`, "has no entry", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			for range 4 {
				w.call(t, "a.read")
			}
			w.extend(t)
			w.sound(t)
			edit(t, w.owner, c.sql)
			report := w.verify(t, audit.Head{})
			require.NotNil(t, report.Break)
			require.Contains(t, report.Break.What, c.what)
			require.Equal(t, c.seq, report.Break.Seq)
			w.extend(t)
			require.NotNil(t, w.verify(t, audit.Head{}).Break, "linking what is new covers nothing up")
		})
	}
}

// edit runs statements in one session of the owner, as somebody with a database shell does.
func edit(t *testing.T, owner *store.DB, sql string) {
	t.Helper()
	require.NoError(t, owner.InTx(t.Context(), func(ctx context.Context) error {
		for _, statement := range statements(sql) {
			if statement == "SET session_replication_role = replica" {
				statement = "SET LOCAL session_replication_role = replica"
			}
			if _, err := owner.Conn(ctx).Exec(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	}))
}

// Whoever cuts off the end of the chain together with the calls leaves a sound chain, unless its head is known.
func TestACutOffEndIsFoundByAKnownHead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 4 {
		w.call(t, "a.read")
	}
	w.extend(t)
	head := w.sound(t)
	require.Nil(t, w.verify(t, head).Break)
	exec(t, w.owner, `DELETE FROM ai_tool_calls WHERE record = 4`)
	exec(t, w.owner, `DELETE FROM ai_audit_entries WHERE id >= 7`)
	exec(t, w.owner, `DELETE FROM ai_audit_links WHERE seq >= 7`)
	w.sound(t)
	require.Contains(t, w.verify(t, head).Break.What, "its end was cut off")
	w.call(t, "a.other")
	w.extend(t)
	w.sound(t)
	require.Contains(t, w.verify(t, head).Break.What, "rewritten")
}

// From a head that was kept, only what came after it is read, and all of that is.
func TestAVerificationGoesOnWhereOneHasEnded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ sql, since, whole string }{
		"nothing":                      {`SELECT 1`, "", ""},
		"an entry after it is changed": {`UPDATE ai_audit_entries SET tool_name = 'harmless' WHERE id = 9`, "does not fit entry 9", "does not fit entry 9"},
		"a link after it is missing":   {`DELETE FROM ai_audit_links WHERE seq = 10`, "the link is missing; the next one is 11", "the next one is 11"},
		"the end is cut off":           {`DELETE FROM ai_audit_entries WHERE id >= 11; DELETE FROM ai_audit_links WHERE seq >= 11`, "differs from its last entry 10", "differs from its last entry 10"},
		"more is cut off":              {`DELETE FROM ai_tool_calls WHERE record >= 4; DELETE FROM ai_audit_entries WHERE id >= 7; DELETE FROM ai_audit_links WHERE seq >= 7`, "the end of the chain was cut off", "differs from its last entry 1"},
		"a call after it is changed":   {`SET session_replication_role = replica; UPDATE ai_tool_calls SET principal_id = gen_random_uuid() WHERE record = 5`, "differs from its last entry", "differs from its last entry"},
		"a call is slipped in":         {`SET session_replication_role = replica; INSERT INTO ai_tool_calls (id, principal_kind, principal_id, transport, tool_name, effect, args_hash, status) VALUES (gen_random_uuid(), 'user', gen_random_uuid(), 'api', 'x', 'read', '', 'executed')`, "has no entry", "has no entry"},
		"an earlier one goes on":       {`SET session_replication_role = replica; UPDATE ai_tool_calls SET status = 'failed' WHERE record = 1`, "differs from its last entry", "differs from its last entry"},
		"the chain is written anew": {
			`UPDATE ai_audit_links SET hash = decode(repeat('ab', 32), 'hex') WHERE seq = 8`,
			"the chain was rewritten", "does not fit entry 8",
		},
		"what lies before is changed": {`UPDATE ai_audit_entries SET tool_name = 'harmless' WHERE id = 2`, "", "does not fit entry 2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			proposed, err := w.budget.Reserve(t.Context(), newCall(w.person, "a.write"))
			require.NoError(t, err)
			for range 3 {
				w.call(t, "a.read")
			}
			exec(t, w.owner, `UPDATE ai_tool_calls SET status = 'proposed' WHERE id = $1`, proposed)
			w.extend(t)
			head := w.sound(t)
			require.Equal(t, int64(8), head.Seq)
			exec(t, w.owner, `UPDATE ai_tool_calls SET status = 'declined' WHERE id = $1`, proposed)
			w.call(t, "a.read")
			w.call(t, "a.read")
			w.extend(t)
			edit(t, w.owner, c.sql)
			report, err := w.chain.VerifySince(t.Context(), head)
			require.NoError(t, err)
			if c.since == "" {
				require.Nil(t, report.Break, "%v", report.Break)
				require.Equal(t, int64(13), report.Head.Seq)
			} else {
				require.NotNil(t, report.Break)
				require.Contains(t, report.Break.What, c.since)
			}
			if c.whole == "" {
				require.Nil(t, w.verify(t, audit.Head{}).Break)
			} else {
				require.Contains(t, w.verify(t, audit.Head{}).Break.What, c.whole)
			}
		})
	}
}

func TestAnEntryThatIsNeverLinkedIsFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.call(t, "a.read")
	w.sound(t)
	exec(t, w.owner, `UPDATE ai_audit_entries SET at = at - interval '2 minutes'`)
	require.Contains(t, w.verify(t, audit.Head{}).Break.What, "has no link since")
	w.extend(t)
	w.sound(t)
}

func TestAnotherKeyFindsEverythingBroken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.call(t, "a.read")
	w.extend(t)
	report, err := audit.NewChain(w.app, []byte("another")).Verify(t.Context(), audit.Head{})
	require.NoError(t, err)
	require.Contains(t, report.Break.What, "another keyset")
}

// An entry gets its number before its transaction commits, so a later number can be linked first.
func TestAnEntryThatIsCommittedLateIsLinked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x := w.chain.NewExtender()
	_, err := x.Extend(t.Context())
	require.NoError(t, err)
	require.NoError(t, w.app.InTx(t.Context(), func(ctx context.Context) error {
		other := w.person
		other.ID = uuid.New()
		if _, err := w.budget.Reserve(ctx, newCall(other, "a.slow")); err != nil {
			return err
		}
		w.call(t, "a.quick")
		n, err := x.Extend(t.Context())
		require.Equal(t, 2, n)
		return err
	}))
	n, err := x.Extend(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.Equal(t, int64(3), w.sound(t).Seq)
	n, err = x.Extend(t.Context())
	require.NoError(t, err)
	require.Zero(t, n)
}

func TestExtendersOfManyProcessesMakeOneChain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const callers, each, extenders = 6, 60, 3
	ctx, stop := context.WithCancel(t.Context())
	var extending, calling sync.WaitGroup
	for range extenders {
		x := w.chain.NewExtender()
		extending.Go(func() {
			for ctx.Err() == nil {
				_, err := x.Extend(t.Context())
				require.NoError(t, err)
			}
		})
	}
	for range callers {
		person := w.person
		person.ID = uuid.New()
		calling.Go(func() {
			for range each {
				id, err := w.budget.Reserve(t.Context(), newCall(person, "a.read"))
				require.NoError(t, err)
				require.NoError(t, w.budget.Finish(t.Context(), id, nil))
			}
		})
	}
	calling.Wait()
	stop()
	extending.Wait()
	w.extend(t)
	require.Equal(t, int64(2*callers*each), w.sound(t).Seq)
	require.Equal(
		t,
		2*callers*each,
		count(t, w.owner, `SELECT count(DISTINCT (record, status)) FROM ai_audit_entries`),
		"one entry for each change",
	)
	require.Equal(t, 2*callers*each, count(t, w.owner, `SELECT count(DISTINCT entry_id) FROM ai_audit_links`))
}

func TestAProcessCannotChangeTheLog(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.call(t, "a.read")
	w.extend(t)
	for _, sql := range []string{
		`UPDATE ai_audit_entries SET status = 'executed'`,
		`DELETE FROM ai_audit_entries`,
		`TRUNCATE ai_audit_entries`,
		`INSERT INTO ai_audit_entries (record, call_id, status, principal_kind, principal_id, transport, tool_name, effect, args_hash) VALUES (1, gen_random_uuid(), 'executed', 'user', gen_random_uuid(), 'api', 'x', 'read', '')`,
		`UPDATE ai_audit_links SET hash = hash`,
		`DELETE FROM ai_audit_links`,
		`TRUNCATE ai_audit_links`,
		`DELETE FROM ai_tool_calls`,
		`TRUNCATE ai_tool_calls CASCADE`,
		`UPDATE ai_tool_calls SET principal_id = gen_random_uuid()`,
		`UPDATE ai_tool_calls SET args_hash = ''`,
		`UPDATE ai_tool_calls SET created_at = now()`,
		`ALTER TABLE ai_tool_calls DISABLE TRIGGER ai_audit_updated`,
		`DROP TRIGGER ai_audit_updated ON ai_tool_calls`,
		`CREATE TABLE mine (id int)`,
		`SET session_replication_role = replica`,
		`DELETE FROM goose_db_version`,
		`SELECT countersign_grant('countersign_app')`,
	} {
		require.Equal(t, "42501", refused(t.Context(), w.app, sql), sql)
	}
	w.sound(t)
}

func TestTablesOfLaterMigrationsAreOpenToProcesses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	exec(t, w.owner, `CREATE TABLE later (id bigserial PRIMARY KEY, n int)`)
	exec(t, w.app, `INSERT INTO later (n) VALUES (1)`)
	exec(t, w.app, `UPDATE later SET n = 2`)
	exec(t, w.app, `DELETE FROM later`)
}

func TestTheVerificationInTheBackgroundTellsWhatItFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.call(t, "a.read")
	w.call(t, "a.read")
	w.run(t)
	log := audit.NewLog(w.app, sight{}, "")
	status := func(enough func(audit.Status) bool) audit.Status {
		var s audit.Status
		require.Eventually(t, func() bool {
			var err error
			s, err = log.Status(t.Context())
			require.NoError(t, err)
			return enough(s)
		}, patience, tick)
		return s
	}
	good := status(func(s audit.Status) bool { return s.Verified == 4 })
	require.Equal(t, int64(4), good.Entries)
	require.Empty(t, good.Problem)
	require.NotNil(t, good.WholeAt)
	exec(t, w.owner, `UPDATE ai_audit_entries SET tool_name = 'harmless' WHERE id = 1`)
	exec(t, w.owner, `UPDATE ai_audit_state SET whole_at = now() - interval '2 days'`)
	broken := status(func(s audit.Status) bool { return s.Problem != "" })
	require.Equal(t, int64(1), *broken.BrokenAt)
	exec(t, w.owner, `UPDATE ai_audit_entries SET tool_name = 'a.read' WHERE id = 1`)
	status(func(s audit.Status) bool { return s.Problem == "" })
}

// A long chain is verified from its beginning in slices, each of which goes on where the last one has stopped, in whichever process.
func TestTheWholeIsVerifiedInSlices(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 10 {
		w.call(t, "a.read")
	}
	w.extend(t)
	type state struct {
		pass, verified int
		whole, broken  bool
	}
	verify := func() (s state) {
		t.Helper()
		r := &audit.Runner{Chain: w.chain, Log: slog.New(slog.DiscardHandler), Slice: 6}
		for _, c := range r.Chores() {
			if c.Name == "verify audit chain" {
				require.NoError(t, c.Do(t.Context()))
			}
		}
		require.NoError(
			t,
			w.owner.Conn(
				t.Context(),
			).QueryRow(
				t.Context(),
				`SELECT pass_seq, verified_seq, coalesce(whole_at > now() - interval '1 hour', false), problem IS NOT NULL
			FROM ai_audit_state`,
			).Scan(
				&s.pass,
				&s.verified,
				&s.whole,
				&s.broken,
			),
		)
		return s
	}
	require.Equal(t, state{pass: 6, verified: 20}, verify())
	require.Equal(t, state{pass: 12, verified: 20}, verify())
	require.Equal(t, state{pass: 18, verified: 20}, verify())
	require.Equal(t, state{verified: 20, whole: true}, verify())
	require.Equal(t, state{verified: 20, whole: true}, verify(), "it is not time for another one")

	exec(t, w.owner, `UPDATE ai_audit_state SET whole_at = now() - interval '2 days'`)
	require.Equal(t, 6, verify().pass)
	exec(t, w.owner, `UPDATE ai_audit_entries SET tool_name = 'harmless' WHERE id IN (2, 15)`)
	require.False(t, verify().broken, "it has not come so far yet")
	require.True(t, verify().broken)
	exec(t, w.owner, `UPDATE ai_audit_entries SET tool_name = 'a.read' WHERE id = 15`)
	require.True(t, verify().broken, "what was changed behind it is found from the beginning")
	exec(t, w.owner, `UPDATE ai_audit_entries SET tool_name = 'a.read' WHERE id = 2`)
	require.Equal(t, state{pass: 6, verified: 20, broken: true}, verify(), "it is broken until all of it was looked at")
	for range 2 {
		require.True(t, verify().broken)
	}
	require.Equal(t, state{verified: 20, whole: true}, verify())
}

func FuzzParseHead(f *testing.F) {
	f.Add("1:" + string(make([]byte, 64)))
	f.Add("42:abababababababababababababababababababababababababababababababab")
	f.Add(":")
	f.Fuzz(func(t *testing.T, text string) {
		head, err := audit.ParseHead(text)
		if err != nil {
			return
		}
		again, err := audit.ParseHead(head.String())
		require.NoError(t, err)
		require.Equal(t, head, again)
	})
}

// The background may link and verify entries while a verification by hand reads the chain.
func TestWhatIsVerifiedMeanwhileIsNoCutOffEnd(t *testing.T) { //nolint:tparallel // one after the other locks the table
	t.Parallel()
	w := newWorld(t)
	w.call(t, "first")
	w.extend(t)
	before := w.sound(t)

	for name, verify := range map[string]func(ctx context.Context) (audit.Report, error){
		"the whole": func(ctx context.Context) (audit.Report, error) { return w.chain.Verify(ctx, audit.Head{}) },
		"a part":    func(ctx context.Context) (audit.Report, error) { return w.chain.VerifySince(ctx, before) },
	} {
		t.Run(name, func(t *testing.T) {
			w.call(t, name)
			type outcome struct {
				report audit.Report
				err    error
			}
			done := make(chan outcome, 1)
			require.NoError(t, w.owner.InTx(t.Context(), func(ctx context.Context) error {
				// Whoever reads the state waits here, and is told what this transaction has made of it.
				_, err := w.owner.Conn(ctx).Exec(ctx, "LOCK TABLE ai_audit_state IN ACCESS EXCLUSIVE MODE")
				require.NoError(t, err)
				go func() {
					report, err := verify(t.Context())
					done <- outcome{report, err}
				}()
				require.Eventually(t, func() bool {
					return count(t, w.owner, "SELECT count(*) FROM pg_locks WHERE relation = 'ai_audit_state'::regclass AND NOT granted") > 0
				}, patience, tick)
				w.extend(t)
				_, err = w.owner.Conn(
					ctx,
				).Exec(
					ctx,
					"UPDATE ai_audit_state SET (verified_seq, verified_hash) = (SELECT seq, hash FROM ai_audit_links ORDER BY seq DESC LIMIT 1)",
				)
				return err
			}))
			found := <-done
			require.NoError(t, found.err)
			require.Nil(t, found.report.Break, "%v", found.report.Break)
		})
	}
}
