package audit_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/audit"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/tool/budget"
)

// through is p as a program of theirs acts for them.
func through(p principal.Principal, id, name string) principal.Principal {
	p.SessionID = uuid.New()
	p.Client = &principal.Client{ID: id, Name: name, Scopes: []string{principal.ScopeRead}}
	return p
}

const editor = "https://editor.example/client.json"

func TestACallSaysWhichProgramMadeItAndWhichAppliedIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	log := audit.NewLog(w.app, sight{}, "chat")
	made := newCall(through(w.person, editor, "Edi\u202etor\n  AKIA"+"IOSFODNN7EXAMPLE "+strings.Repeat("x", 300)), "a.write")
	id, err := w.budget.Reserve(t.Context(), made)
	require.NoError(t, err)
	again, err := w.budget.Reserve(t.Context(), made)
	require.NoError(t, err)
	require.Equal(t, id, again)
	decider := through(newPerson(), "desk", "Desk")
	require.Error(t, audit.NoteDecision(t.Context(), w.app, decider, []uuid.UUID{id}), "it needs the transaction of the decision")
	require.NoError(t, w.app.InTx(t.Context(), func(ctx context.Context) error {
		return audit.NoteDecision(ctx, w.app, decider, []uuid.UUID{id})
	}))
	exec(t, w.owner, `UPDATE ai_tool_calls SET status = 'applied', applied_by_kind = 'user', applied_by_id = $2 WHERE id = $1`, id, decider.ID)
	w.call(t, "a.byhand")
	require.Equal(t, 2, count(t, w.owner, `SELECT count(*) FROM ai_audit_entries WHERE object_type = 'audit.call'`), "a repeat adds none")

	calls, _, err := log.Calls(t.Context(), w.person, audit.Filter{}, "", 10)
	require.NoError(t, err)
	require.Equal(t, []string{"a.byhand", "a.write"}, names(calls))
	require.Nil(t, calls[0].Principal.Program)
	asked := calls[1].Principal.Program
	require.Equal(t, editor, asked.ID)
	require.Len(t, []rune(asked.Name), 100)
	require.NotContains(t, asked.Name, "IOSFODNN7")
	require.NotContains(t, asked.Name, "\u202e")
	require.NotContains(t, asked.Name, "\n")
	require.Equal(t, &audit.Program{ID: "desk", Name: "Desk"}, calls[1].AppliedBy.Program)
	detail, err := log.Call(t.Context(), w.person, id)
	require.NoError(t, err)
	require.Equal(t, calls[1], detail.Call)

	for program, found := range map[string][]string{editor: {"a.write"}, "desk": {"a.write"}, "Desk": nil, "edit": nil} {
		calls, _, err := log.Calls(t.Context(), w.person, audit.Filter{Program: program}, "", 10)
		require.NoError(t, err)
		require.Equal(t, found, names(calls), program)
	}
	own := principal.Principal{Kind: principal.User, ID: w.person.ID, Rules: []string{"chat"}}
	calls, _, err = log.Calls(t.Context(), own, audit.Filter{Mine: true, Program: editor}, "", 10)
	require.NoError(t, err)
	require.Equal(t, editor, calls[0].Principal.Program.ID)
	require.Nil(t, calls[0].AppliedBy.Program, "what somebody else acts through is theirs")

	var file bytes.Buffer
	require.NoError(t, log.Export(t.Context(), w.person, audit.Filter{Program: editor}, audit.CSV, &file))
	rows, err := csv.NewReader(&file).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 2)
	require.Equal(t, []string{"program_id", "program_name", "applied_by_program_id", "applied_by_program_name"}, rows[0][19:])
	require.Equal(t, []string{editor, asked.Name, "desk", "Desk"}, rows[1][19:])

	changes, _, err := log.Changes(t.Context(), w.person, audit.ChangeFilter{}, "", 10)
	require.NoError(t, err)
	require.Empty(t, changes, "they are no changes")
	w.extend(t)
	w.sound(t)
	// Each of these would be found.
	for _, sql := range []string{
		`UPDATE ai_audit_entries SET subject_id = 'another' WHERE object_type = 'audit.call' AND action = 'asked'`,
		`UPDATE ai_audit_personal SET data = '{"subject":"Another"}' WHERE data LIKE '%Desk%'`,
		`DELETE FROM ai_audit_entries WHERE object_type = 'audit.call'`,
	} {
		undone := problem.Errorf(problem.Conflict, "undone")
		require.ErrorIs(t, w.owner.InTx(t.Context(), func(ctx context.Context) error {
			_, err := w.owner.Conn(ctx).Exec(ctx, sql)
			require.NoError(t, err)
			report, err := audit.NewChain(w.owner, key).Verify(ctx, audit.Head{})
			require.NoError(t, err)
			require.NotNil(t, report.Break, sql)
			return undone
		}), undone)
	}
}

// A program whose calls the budget refuses is named too, and one that cannot reserve one leaves no word about it.
func TestARefusedCallSaysWhichProgramMadeIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	narrow := budget.New(w.app, budget.Limits{Calls: 1, Window: time.Hour})
	p := through(w.person, "desk", "Desk")
	_, err := narrow.Reserve(t.Context(), newCall(p, "a.one"))
	require.NoError(t, err)
	_, err = narrow.Reserve(t.Context(), newCall(p, "a.two"))
	require.True(t, problem.Is(err, problem.Budget))
	calls, _, err := audit.NewLog(w.app, sight{}, "chat").Calls(t.Context(), w.person, audit.Filter{Program: "desk"}, "", 10)
	require.NoError(t, err)
	require.Equal(t, []string{"a.two", "a.one"}, names(calls))
	require.Equal(t, 2, count(t, w.owner, `SELECT count(*) FROM ai_audit_entries WHERE object_type = 'audit.call'`))
}

// A change says through which program it was made; of one that was proposed, its call does.
func TestAChangeSaysWhichProgramMadeIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	log := audit.NewLog(w.app, nil, "c")
	p := through(w.person, "desk", "Desk")
	record(
		principal.NewContext(t.Context(), p),
		t,
		w.app,
		audit.Event{Action: audit.Created, Object: systemNamed("Orders"), Summary: "System created"},
	)
	call := newCall(through(newPerson(), editor, "Editor"), "a.write")
	_, err := w.budget.Reserve(t.Context(), call)
	require.NoError(t, err)
	require.NoError(
		t,
		w.app.InTx(t.Context(), func(ctx context.Context) error { return audit.NoteDecision(ctx, w.app, p, []uuid.UUID{call.ID}) }),
	)
	applying := audit.Applying(
		t.Context(),
		audit.Proposal{ID: call.ID, AskedByKind: principal.User, AskedBy: call.Principal.ID, Transport: audit.ByMCP},
	)
	record(
		principal.NewContext(applying, p),
		t,
		w.app,
		audit.Event{Action: audit.Deleted, Object: systemNamed("Payments"), Summary: "System deleted"},
	)
	record(
		principal.NewContext(t.Context(), w.person),
		t,
		w.app,
		audit.Event{Action: audit.Created, Object: systemNamed("By hand"), Summary: "System created"},
	)

	list, _, err := log.Changes(t.Context(), newPerson(), audit.ChangeFilter{}, "", 10)
	require.NoError(t, err)
	require.Len(t, list, 3)
	desk := &audit.Program{ID: "desk", Name: "Desk"}
	require.Nil(t, list[0].Actor.Program)
	require.Equal(t, &audit.Program{ID: editor, Name: "Editor"}, list[1].Actor.Program)
	require.Equal(t, desk, list[1].AppliedBy.Program)
	require.Equal(t, desk, list[2].Actor.Program)
	for program, want := range map[string]int{"desk": 2, editor: 1, "nobody": 0} {
		found, _, err := log.Changes(t.Context(), newPerson(), audit.ChangeFilter{Program: program}, "", 10)
		require.NoError(t, err)
		require.Len(t, found, want, program)
	}
	stranger := principal.Principal{Kind: principal.User, ID: call.Principal.ID}
	own, _, err := log.Changes(t.Context(), stranger, audit.ChangeFilter{Mine: true}, "", 10)
	require.NoError(t, err)
	require.Len(t, own, 1)
	require.Equal(t, editor, own[0].Actor.Program.ID)
	require.Nil(t, own[0].AppliedBy.Program)
	w.extend(t)
	w.sound(t)
}

// A token is named by whoever made it, so an erasure takes the name along. The id stays, and the chain is sound.
func TestWhatAProgramCalledItselfIsErasedWithItsPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	log := audit.NewLog(w.app, sight{}, "chat")
	_, err := w.budget.Reserve(t.Context(), newCall(through(w.person, "token", "Laptop of Ada Lovelace"), "a.read"))
	require.NoError(t, err)
	w.extend(t)
	w.sound(t)
	record(t.Context(), t, w.app, audit.Event{Action: audit.Erased, Object: audit.Object(audit.PersonType, w.person.ID, "")})
	n, err := log.Erase(t.Context(), w.person.ID)
	require.NoError(t, err)
	require.Equal(t, int64(1), n)
	w.extend(t)
	w.sound(t)
	calls, _, err := log.Calls(t.Context(), newPerson(), audit.Filter{Program: "token"}, "", 10)
	require.NoError(t, err)
	require.Equal(t, &audit.Program{ID: "token"}, calls[0].Principal.Program)
	for _, table := range []string{"ai_audit_entries", "ai_audit_personal", "ai_tool_calls"} {
		require.Zero(t, count(t, w.owner, `SELECT count(*) FROM `+table+` t WHERE t::text LIKE '%Lovelace%'`), table)
	}
}

// An application acts by itself. The log says what it was called then, also when it was renamed or deleted since.
func TestAnApplicationHasTheNameThatItHad(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	log := audit.NewLog(w.app, sight{}, "chat")
	app := principal.Principal{Kind: principal.Application, ID: uuid.New()}
	call := func(name string) {
		_, err := w.budget.Reserve(t.Context(), newCall(app, name))
		require.NoError(t, err)
	}
	named := func(action audit.Action, name string) {
		record(t.Context(), t, w.app, audit.Event{Action: action, Object: audit.Object("auth.application", app.ID, name), Summary: "s"})
	}
	named(audit.Created, "Deploys")
	call("a.one")
	named(audit.Changed, "Releases")
	call("a.two")
	named(audit.Deleted, "Releases")
	calls, _, err := log.Calls(t.Context(), w.person, audit.Filter{Program: app.ID.String()}, "", 10)
	require.NoError(t, err)
	require.Equal(t, []string{"a.two", "a.one"}, names(calls))
	require.Equal(t, []string{"Releases", "Deploys"}, []string{calls[0].Principal.Program.Name, calls[1].Principal.Program.Name})
	require.Zero(
		t,
		count(t, w.owner, `SELECT count(*) FROM ai_audit_entries WHERE object_type = 'audit.call'`),
		"its calls need no further entry",
	)
}
