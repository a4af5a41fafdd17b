package audit_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/audit"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// record adds an entry as somebody.
func record(ctx context.Context, t *testing.T, db *store.DB, e audit.Event) {
	t.Helper()
	require.NoError(t, db.InTx(ctx, func(ctx context.Context) error { return audit.Record(ctx, db, e) }))
}

// Types of the catalog, which this package does not know.
var (
	auditedSystem = audit.Declare(audit.Type{ID: "catalog.system", Label: "System", Kept: []string{"name", "tags"}, Restricted: true})
	auditedGroup  = audit.Declare(audit.Type{ID: "catalog.group", Label: "Group", Plural: "Groups", Page: "/groups/{id}", Restricted: true})
)

func TestTypesAreDeclaredOnceWithALabel(t *testing.T) {
	t.Parallel()
	require.Contains(t, audit.Restricted(), "catalog.system")
	require.NotContains(t, audit.Restricted(), audit.LogType)
	require.Panics(t, func() { audit.Declare(audit.Type{ID: "catalog.system", Label: "System"}) })
	require.Panics(t, func() { audit.Declare(audit.Type{ID: "catalog.thing"}) })
	log := audit.NewLog(nil, nil, "")
	see := func(context.Context, string) error { return nil }
	all := append(log.Audited(), audit.Kind{Type: auditedSystem, See: see}, audit.Kind{Type: auditedGroup, See: see})
	// Packages that this test imports declare types too, and their modules are not in its list.
	require.NotContains(t, log.Bind(all...).Error(), "catalog.")
	require.NotContains(t, log.Bind(all...).Error(), "audit.log")
	require.ErrorContains(t, log.Bind(all[1:]...), `"audit.log" is declared, but no module offers it`)
	require.ErrorContains(t, log.Bind(append(all, audit.Kind{Type: auditedGroup})...), `"catalog.group" is offered twice`)
	require.ErrorContains(t, log.Bind(append(all, audit.Kind{})...), "not what audit.Declare returned")
	require.ErrorContains(t, log.Bind(append(all[:len(all)-1:len(all)-1], audit.Kind{Type: auditedGroup})...), "who may see an object")
	made := audit.Kind{Type: &audit.Type{ID: "catalog.system", Label: "System"}}
	require.ErrorContains(t, log.Bind(append(all, made)...), "not what audit.Declare returned")
}

func TestTypesAreListedByLabel(t *testing.T) {
	t.Parallel()
	see := func(context.Context, string) error { return nil }
	log := audit.NewLog(nil, nil, "")
	kinds := append(log.Audited(), audit.Kind{Type: auditedSystem, See: see}, audit.Kind{Type: auditedGroup, See: see})
	require.ErrorContains(t, log.Bind(kinds...), "auth.user", "its module is not in the list")
	require.Equal(t, []audit.ObjectType{
		{Type: "audit.log", Label: "Audit log", Plural: "Audit log"},
		{Type: "catalog.group", Label: "Group", Plural: "Groups", Page: "/groups/{id}"},
		{Type: "catalog.system", Label: "System", Plural: "System"},
		{Type: "ai.toolCall", Label: "Tool calls", Plural: "Tool calls"},
	}, log.Types())
}

func systemNamed(name string) audit.Ref { return audit.Object("catalog.system", uuid.New(), name) }

func TestAnEntryNeedsTheTransactionOfItsEffect(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	e := audit.Event{Action: audit.Created, Object: systemNamed("Orders"), Summary: "System created"}
	require.ErrorContains(t, audit.Record(t.Context(), w.app, e), "needs the transaction")
	undone := errors.New("undone")
	require.ErrorIs(t, w.app.InTx(t.Context(), func(ctx context.Context) error {
		require.NoError(t, audit.Record(ctx, w.app, e))
		return undone
	}), undone)
	require.Zero(t, count(t, w.owner, `SELECT count(*) FROM ai_audit_entries`), "an effect that is taken back leaves none")
	record(t.Context(), t, w.app, e)
	w.call(t, "a.read")
	w.extend(t)
	require.Equal(t, int64(3), w.sound(t).Seq)
}

func TestTheDatabaseRoleAddsChangesAndNothingElse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	record(
		t.Context(),
		t,
		w.app,
		audit.Event{Action: audit.SignedIn, Object: audit.Object(audit.PersonType, uuid.New(), "Ada"), Address: "192.0.2.1"},
	)
	for _, sql := range []string{
		`INSERT INTO ai_audit_entries (version, action) VALUES (2, 'created')`, `UPDATE ai_audit_entries SET summary = ''`, `DELETE FROM ai_audit_entries`,
		`INSERT INTO ai_audit_personal VALUES (1, NULL, '', '')`, `UPDATE ai_audit_personal SET data = ''`,
	} {
		_, err := w.app.Conn(t.Context()).Exec(t.Context(), sql)
		require.ErrorContains(t, err, "permission denied", sql)
	}
}

func TestWhoAskedAndWhoAppliedAreBothOnRecord(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	proposer, decider := newPerson(), newPerson()
	decider.SessionID = uuid.New()
	log := audit.NewLog(w.app, nil, "c")
	ctx := audit.Applying(
		t.Context(),
		audit.Proposal{ID: uuid.New(), AskedByKind: principal.User, AskedBy: proposer.ID, Transport: audit.ByChat},
	)
	ctx = audit.Arriving(principal.NewContext(ctx, decider), "delete-system", audit.ByAPI)
	record(ctx, t, w.app, audit.Event{Action: audit.Deleted, Object: systemNamed("Orders"), Summary: "System deleted"})
	record(audit.Arriving(principal.NewContext(t.Context(), decider), "create-system", audit.ByPage), t, w.app,
		audit.Event{Action: audit.Created, Object: systemNamed("Payments"), Summary: "System created"})

	list, next, err := log.Changes(t.Context(), newPerson(), audit.ChangeFilter{}, "", 10)
	require.NoError(t, err)
	require.Empty(t, next)
	require.Len(t, list, 2)
	direct, proposed := list[0], list[1]
	require.Equal(t, proposer.ID, proposed.Actor.ID)
	require.Equal(t, decider.ID, proposed.AppliedBy.ID)
	require.NotNil(t, proposed.ProposalID)
	require.Equal(t, audit.ByChat, proposed.Transport)
	require.Equal(t, decider.ID, direct.Actor.ID)
	require.Nil(t, direct.AppliedBy)
	require.Equal(t, audit.ByPage, direct.Transport)
	require.Equal(t, decider.SessionID, *direct.SessionID)

	for name, c := range map[string]struct {
		filter audit.ChangeFilter
		found  int
	}{
		"who asked":    {audit.ChangeFilter{PrincipalID: proposer.ID}, 1},
		"who decided":  {audit.ChangeFilter{PrincipalID: decider.ID}, 2},
		"object":       {audit.ChangeFilter{ObjectType: "catalog.system", ObjectID: direct.Object.ID}, 1},
		"type":         {audit.ChangeFilter{ObjectType: "catalog.system"}, 2},
		"another type": {audit.ChangeFilter{ObjectType: "catalog.group"}, 0},
		"action":       {audit.ChangeFilter{Action: audit.Deleted}, 1},
		"proposal":     {audit.ChangeFilter{ProposalID: *proposed.ProposalID}, 1},
		"way":          {audit.ChangeFilter{Transport: audit.ByPage}, 1},
		"name":         {audit.ChangeFilter{Text: "payMENTS"}, 1},
		"time":         {audit.ChangeFilter{To: direct.At}, 1},
	} {
		found, _, err := log.Changes(t.Context(), newPerson(), c.filter, "", 10)
		require.NoError(t, err)
		require.Len(t, found, c.found, name)
	}
	first, cursor, err := log.Changes(t.Context(), newPerson(), audit.ChangeFilter{}, "", 1)
	require.NoError(t, err)
	second, _, err := log.Changes(t.Context(), newPerson(), audit.ChangeFilter{}, cursor, 1)
	require.NoError(t, err)
	require.Equal(t, list, append(first, second...))

	stranger := principal.Principal{Kind: principal.User, ID: decider.ID}
	_, _, err = log.Changes(t.Context(), stranger, audit.ChangeFilter{}, "", 10)
	require.True(t, problem.Is(err, problem.Forbidden))
	own, _, err := log.Changes(t.Context(), stranger, audit.ChangeFilter{Mine: true}, "", 10)
	require.NoError(t, err)
	require.Len(t, own, 2)
}

// Values are kept of fields that are known to be harmless, and names have an end.
func TestOnlyHarmlessValuesAreKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var fields audit.Fields
	fields.Compare("name", "Orders", "Payments")
	fields.Compare("tags", []string{"a", "b"}, []string{"b", "c"})
	fields.Compare("description", "the password is hunter2", "another text")
	fields.Compare("same", 1, 1)
	fields.Mention("token", true)
	record(t.Context(), t, w.app, audit.Event{Action: audit.Changed, Object: systemNamed(strings.Repeat("é", 400) + "\x00"), Fields: fields})
	list, _, err := audit.NewLog(w.app, nil, "c").Changes(t.Context(), newPerson(), audit.ChangeFilter{}, "", 10)
	require.NoError(t, err)
	require.Equal(t, []audit.Field{
		{
			Name: "name",
			From: new("Orders"),
			To:   new("Payments"),
		},
		{Name: "tags", From: new("a"), To: new("c")},
		{Name: "description"},
		{Name: "token"},
	}, list[0].Fields)
	require.LessOrEqual(t, len(list[0].Object.Name), 300)
}

func TestTamperingWithChangesIsFound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ sql, what string }{
		"a summary is changed":      {`UPDATE ai_audit_entries SET summary = 'harmless' WHERE id = 2`, "does not fit entry 2"},
		"another object":            {`UPDATE ai_audit_entries SET object_id = 'x' WHERE id = 2`, "does not fit entry 2"},
		"another person":            {`UPDATE ai_audit_entries SET principal_id = gen_random_uuid() WHERE id = 2`, "does not fit entry 2"},
		"who applied is added":      {`UPDATE ai_audit_entries SET applied_by_kind = 'user', applied_by_id = gen_random_uuid() WHERE id = 2`, "does not fit entry 2"},
		"a change is deleted":       {`DELETE FROM ai_audit_entries WHERE id = 2`, "entry 2 is missing"},
		"a change becomes a call":   {`ALTER TABLE ai_audit_entries DROP CONSTRAINT ai_audit_entries_form; UPDATE ai_audit_entries SET version = 1 WHERE id = 2`, "does not fit entry 2"},
		"a call gets an object":     {`ALTER TABLE ai_audit_entries DROP CONSTRAINT ai_audit_entries_form; UPDATE ai_audit_entries SET object_id = 'x' WHERE id = 4`, "does not have"},
		"an address is changed":     {`UPDATE ai_audit_personal SET data = replace(data, '192.0.2.1', '192.0.2.2')`, "was changed"},
		"an address is made away":   {`DELETE FROM ai_audit_personal`, "no erasure is on record"},
		"a person's entry is moved": {`UPDATE ai_audit_entries SET person_id = gen_random_uuid() WHERE id = 3`, "does not fit entry 3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			for range 2 {
				record(t.Context(), t, w.app, audit.Event{Action: audit.Created, Object: systemNamed("Orders"), Summary: "System created"})
			}
			record(
				t.Context(),
				t,
				w.app,
				audit.Event{Action: audit.SignedIn, Object: audit.Object(audit.PersonType, uuid.New(), "Ada"), Address: "192.0.2.1"},
			)
			w.call(t, "a.read")
			w.extend(t)
			w.sound(t)
			edit(t, w.owner, c.sql)
			report := w.verify(t, audit.Head{})
			require.NotNil(t, report.Break)
			require.Contains(t, report.Break.What, c.what)
		})
	}
}

// What is said about a person goes with an erasure, and the chain stays sound.
func TestNamesOfErasedPeopleGo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	log := audit.NewLog(w.app, nil, "c")
	ada, bob := uuid.New(), uuid.New()
	record(
		t.Context(),
		t,
		w.app,
		audit.Event{Action: audit.SignedIn, Object: audit.Object(audit.PersonType, ada, "Ada Lovelace"), Address: "192.0.2.1"},
	)
	record(t.Context(), t, w.app, audit.Event{
		Action:  audit.Added,
		Object:  audit.Object("auth.team", uuid.New(), "Platform"),
		Subject: audit.Object(audit.PersonType, ada, "Ada Lovelace"),
	})
	record(
		t.Context(),
		t,
		w.app,
		audit.Event{Action: audit.SignedIn, Object: audit.Object(audit.PersonType, bob, "Bob"), Address: "192.0.2.9"},
	)
	w.extend(t)
	list, _, err := log.Changes(t.Context(), newPerson(), audit.ChangeFilter{Text: "lovelace"}, "", 10)
	require.NoError(t, err)
	require.Len(t, list, 2)
	require.Equal(t, "Ada Lovelace", list[0].Subject.Name)
	require.Equal(t, "192.0.2.1", list[1].Address)

	n, err := log.Count(t.Context(), ada)
	require.NoError(t, err)
	require.Equal(t, int64(2), n)
	record(t.Context(), t, w.app, audit.Event{Action: audit.Erased, Object: audit.Object(audit.PersonType, ada, "")})
	n, err = log.Erase(t.Context(), ada)
	require.NoError(t, err)
	require.Equal(t, int64(2), n)
	w.extend(t)
	w.sound(t)
	for _, table := range []string{"ai_audit_entries", "ai_audit_personal"} {
		require.Zero(t, count(t, w.owner, `SELECT count(*) FROM `+table+` t WHERE t::text ~ 'Lovelace|192.0.2.1'`), table)
	}
	list, _, err = log.Changes(t.Context(), newPerson(), audit.ChangeFilter{ObjectType: audit.PersonType, ObjectID: ada.String()}, "", 10)
	require.NoError(t, err)
	require.Len(t, list, 3, "that something was done stays")
	require.Empty(t, list[2].Object.Name)
}

// Links that were made before changes were on record fit the same encoding for ever.
func TestTheFormOfCallsStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.call(t, "a.read")
	w.extend(t)
	var (
		record                                      int64
		at                                          time.Time
		kind, transport, tool, effect, args, status string
		who                                         uuid.UUID
		link                                        []byte
	)
	require.NoError(
		t,
		w.owner.Conn(
			t.Context(),
		).QueryRow(
			t.Context(),
			`SELECT record, at, principal_kind, principal_id, transport, tool_name, effect, args_hash, status, hash
		FROM ai_audit_entries JOIN ai_audit_links ON entry_id = id WHERE id = 1`,
		).Scan(
			&record,
			&at,
			&kind,
			&who,
			&transport,
			&tool,
			&effect,
			&args,
			&status,
			&link,
		),
	)
	var b bytes.Buffer
	for _, field := range []string{
		"countersign audit entry 1", "1", strconv.FormatInt(record, 10), id.String(), strconv.FormatInt(at.UnixMicro(), 10), status, kind, who.String(),
		transport, tool, effect, args,
	} {
		_ = binary.Write(&b, binary.BigEndian, uint32(len(field)))
		b.WriteString(field)
	}
	for range 6 {
		_ = binary.Write(&b, binary.BigEndian, uint32(1<<32-1))
	}
	mac := hmac.New(sha256.New, key)
	_, _ = mac.Write(b.Bytes())
	require.Equal(t, mac.Sum(nil), link)
}

// The search by object, person, action and time reads an index, whatever else is in the log.
func TestTheListOfChangesReadsAnIndex(t *testing.T) {
	t.Parallel()
	app, owner := storetest.Restricted(t)
	exec(
		t,
		owner,
		`INSERT INTO ai_audit_entries (version, at, action, object_type, object_id, object_name, summary, fields, operation, principal_kind, principal_id, transport)
		SELECT 2, now() - n * interval '1 second', (ARRAY['created','changed','deleted'])[n % 3 + 1], 'catalog.system',
			'system ' || n % 2000, 'name', 'summary', '[]', '',
		       'user', ('00000000-0000-4000-8000-' || lpad((n % 500)::text, 12, '0'))::uuid, 'page' FROM generate_series(1, 60000) n`,
	)
	exec(t, owner, `ANALYZE ai_audit_entries`)
	log := audit.NewLog(app, nil, "c")
	for _, f := range []audit.ChangeFilter{
		{},
		{ObjectType: "catalog.system", ObjectID: "system 7"},
		{PrincipalID: uuid.MustParse("00000000-0000-4000-8000-000000000007")},
		{Action: audit.Deleted},
		{From: time.Now().Add(-20 * time.Hour), To: time.Now().Add(-10 * time.Hour)},
	} {
		require.NoError(t, app.InTx(t.Context(), func(ctx context.Context) error {
			list, _, err := log.Changes(ctx, newPerson(), f, "", 20)
			require.NoError(t, err)
			require.Len(t, list, 20)
			var whole int
			require.NoError(t, app.Conn(ctx).QueryRow(ctx, `SELECT pg_stat_get_xact_numscans('ai_audit_entries'::regclass)`).Scan(&whole))
			require.Zero(t, whole, "%+v reads the whole table", f)
			return nil
		}))
	}
}
