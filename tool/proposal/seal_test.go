package proposal_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
	"countersign/tool/proposal"
)

// alterations are what somebody who can write to the database may do to a proposal. Each leaves a row that the database takes.
var alterations = map[string]string{
	"payload":     `payload = '{"name":"Evil"}'`,
	"tool":        `tool_name = 'shelf.dropBox'`,
	"effect":      `effect = 'destructive'`,
	"summary":     `summary = 'Harmless'`,
	"diff":        `diff = '[{"path":"name","after":"Harmless"}]'`,
	"no diff":     `diff = NULL`,
	"odd diff":    `diff = '{"a":1}'`,
	"labels":      `labels = '{"a":"b"}'`,
	"revision":    `revision = '"8"'`,
	"proposer":    `principal_id = gen_random_uuid()`,
	"name":        `principal_name = 'Somebody'`,
	"two persons": `two_person = NOT two_person`,
	"automatic":   `automatic = NOT automatic`,
	"turn":        `turn_id = gen_random_uuid()`,
	"effects":     `effects = '{"Nothing else"}'`,
	"reason":      `reason = 'Because'`,
	"outside":     `outside = '[]'`,
	"why effect":  `why_effect = 'Nothing'`,
	"issuer":      `issuer_id = gen_random_uuid()`,
	"no seal":     `seal = NULL`,
	"other seal":  `seal = sha256('x')`,
}

func (w *world) alter(t *testing.T, id uuid.UUID, set string) {
	t.Helper()
	tag, err := w.db.Conn(t.Context()).Exec(t.Context(), `UPDATE ai_proposals SET `+set+` WHERE id = $1`, id)
	require.NoError(t, err)
	require.Equal(t, int64(1), tag.RowsAffected())
}

func TestAProposalThatWasAlteredInTheDatabaseIsNotApplied(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.people.add("Ada", rule, proposal.ManageRule)
	for name, set := range alterations {
		card := w.propose(t, p, "A")
		token := w.token(t, p, card.ProposalID)
		w.alter(t, card.ProposalID, set)
		_, err := w.Begin(t.Context(), p, token, "", "")
		require.Error(t, err, name)
		require.Contains(t, []problem.Code{problem.Conflict, problem.Forbidden}, problem.CodeOf(err), name)
		if shown, err := w.Get(t.Context(), p, card.ProposalID); err == nil {
			require.Empty(t, shown.Token, name)
			require.NotEmpty(t, shown.Blocked, name)
		}
		_, _, err = w.List(t.Context(), p, "", "", 100)
		require.NoError(t, err, "others are listed all the same")
	}
	require.Zero(t, w.applied.Load())
}

// After the decision the row is checked once more, with who has decided.
func TestADecisionThatWasAlteredInTheDatabaseIsNotCarriedOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.people.add("Ada", rule)
	more := map[string]string{
		"decider": `decided_by_id = gen_random_uuid()`,
		"session": `decided_session_id = gen_random_uuid()`,
		"nobody":  `decided_by_id = NULL, decided_by_kind = NULL`,
		"planned": `planned = true`,
	}
	for name, set := range alterations {
		if name != "two persons" { // the database itself refuses that
			more[name] = set
		}
	}
	for name, set := range more {
		card := w.propose(t, p, "A")
		_, err := w.Begin(t.Context(), p, w.token(t, p, card.ProposalID), "", "")
		require.NoError(t, err)
		w.alter(t, card.ProposalID, set)
		if name == "planned" {
			continue // its own workflow leaves it to that of its plan, which there is none of
		}
		ended, err := w.Run(t.Context(), card.ProposalID)
		require.NoError(t, err, name)
		require.Equal(t, proposal.Failed, ended.Status, name)
		require.Contains(t, ended.Error.Message, "the database may have been altered", name)
	}
	require.Zero(t, w.applied.Load())
	forged := w.propose(t, p, "A")
	w.alter(
		t,
		forged.ProposalID,
		`status = 'applying', decided_by_kind = 'user', decided_by_id = principal_id, decided_by_name = 'Ada', decided_session_id = gen_random_uuid(), decided_at = now()`,
	)
	ended, err := w.Run(t.Context(), forged.ProposalID)
	require.NoError(t, err)
	require.Equal(t, proposal.Failed, ended.Status)
	require.Zero(t, w.applied.Load())
}

// An installation is upgraded process by process. Those of the version before read everything of a proposal but what it
// keeps, check its seal, and seal it anew when somebody decides there.
func TestADeletionIsDecidedByTheVersionBeforeAndTakenBackByThisOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.people.add("Ada", rule)
	cleared := func(name string) uuid.UUID {
		found, ok := w.Registry.Fixed("shelf.clearBox")
		require.True(t, ok)
		return w.propose(t, p, name, func(n *proposal.New) { n.Tool = found }).ProposalID
	}
	kept := func(id uuid.UUID) (text string) {
		require.NoError(t, w.db.Conn(t.Context()).QueryRow(t.Context(), `SELECT before::text FROM ai_proposals WHERE id = $1`, id).Scan(&text))
		return text
	}
	id := cleared("A")
	stored := kept(id)
	w.alter(t, id, `before = NULL`)
	require.Equal(t, proposal.Applied, w.begin(t, p, id).Status)
	w.alter(t, id, `before = '`+stored+`'`)
	next, err := w.Step(t.Context(), p, id, proposal.Undo)
	require.NoError(t, err)
	require.Equal(t, "shelf.putBox", next.Tool.Name)
	require.JSONEq(t, `{"name":"A"}`, string(next.Input))

	for name, set := range map[string]string{
		"text": `before = jsonb_set(before, '{before,name}', '"Evil"')`, "plain": `before = '{"name":"Evil"}'`, "more": `before = before || '{"name":"Evil"}'`,
		"no seal": `before = before - 'seal'`, "another's": `before = '` + kept(cleared("B")) + `'`,
	} {
		w.alter(t, id, set)
		_, err := w.Step(t.Context(), p, id, proposal.Undo)
		require.Equal(t, problem.Conflict, problem.CodeOf(err), name)
		w.alter(t, id, `before = '`+stored+`'`)
	}
}

// Another process has the same key; what was sealed with another one fits nothing.
func TestASealNeedsTheServersKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.people.add("Ada", rule)
	card := w.propose(t, p, "A")
	other := newProcess(t, w.db, w.people, []byte("another key"))
	shown, err := other.Get(t.Context(), p, card.ProposalID)
	require.NoError(t, err)
	require.Empty(t, shown.Token)
}
