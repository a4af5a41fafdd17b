package audit_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/audit"
	"countersign/internal/problem"
	"countersign/tool/budget"
)

// stuck makes calls that the budget refuses, in a world where it has room for one.
func (w *world) stuck(t *testing.T, calls int) {
	t.Helper()
	for range calls {
		_, err := w.budget.Reserve(t.Context(), newCall(w.person, "a.loop"))
		require.True(t, problem.Is(err, problem.Budget), "%v", err)
	}
}

func (w *world) fold(t *testing.T) {
	t.Helper()
	exec(t, w.owner, `UPDATE ai_audit_refusals SET since = since - interval '61 seconds'`)
	require.NoError(t, w.budget.FoldRefusals(t.Context()))
}

func newFullWorld(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.budget = budget.New(w.app, budget.Limits{Calls: 1, Window: time.Hour})
	w.call(t, "a.one")
	return w
}

// The list, a call, and the exports say how many refused calls a row stands for: while they are counted, and once they are an entry.
func TestWhatWasRefusedAgainIsShownWithTheFirst(t *testing.T) {
	t.Parallel()
	w := newFullWorld(t)
	w.stuck(t, 1)
	log := audit.NewLog(w.app, sight{}, "chat")
	refused := func() audit.Call {
		calls, _, err := log.Calls(t.Context(), w.person, audit.Filter{Status: "refused"}, "", 10)
		require.NoError(t, err)
		require.Len(t, calls, 1)
		detail, err := log.Call(t.Context(), w.person, calls[0].ID)
		require.NoError(t, err)
		require.Equal(t, calls[0].More, detail.More)
		return calls[0]
	}
	require.Nil(t, refused().More)
	w.stuck(t, 41)
	counted := refused().More
	require.NotNil(t, counted)
	require.Equal(t, int64(41), counted.Count)
	require.False(t, counted.SeveralTools)
	require.True(t, counted.First.Before(counted.Last))

	entries := count(t, w.owner, `SELECT count(*) FROM ai_audit_entries`)
	w.fold(t)
	require.Equal(t, entries+1, count(t, w.owner, `SELECT count(*) FROM ai_audit_entries`))
	folded := refused().More
	require.Equal(t, counted.Count, folded.Count)
	require.True(t, counted.First.Equal(folded.First) && counted.Last.Equal(folded.Last), "%v is %v", counted, folded)

	var file bytes.Buffer
	require.NoError(t, log.Export(t.Context(), w.person, audit.Filter{Status: "refused"}, audit.CSV, &file))
	rows, err := csv.NewReader(&file).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"more", "more_first", "more_last"}, rows[0][16:19])
	require.Equal(t, []string{"41", folded.First.UTC().Format(time.RFC3339Nano), folded.Last.UTC().Format(time.RFC3339Nano)}, rows[1][16:19])
	file.Reset()
	require.NoError(t, log.Export(t.Context(), w.person, audit.Filter{Status: "refused"}, audit.NDJSON, &file))
	var line audit.Call
	require.NoError(t, json.Unmarshal(file.Bytes(), &line))
	require.Equal(t, int64(41), line.More.Count)

	changes, _, err := log.Changes(t.Context(), w.person, audit.ChangeFilter{Action: audit.Refused}, "", 10)
	require.NoError(t, err)
	require.Len(t, changes, 1)
	require.Equal(t, audit.Item{Type: audit.CallType, ID: line.ID.String(), Name: "a.loop"}, changes[0].Object)
	require.Equal(t, w.person.ID, changes[0].Actor.ID)
	w.extend(t)
	w.sound(t)
}

// What was counted is an entry like all others: whoever changes it breaks the chain.
func TestFoldedRefusalsAreProtected(t *testing.T) {
	t.Parallel()
	w := newFullWorld(t)
	w.stuck(t, 10)
	w.fold(t)
	w.extend(t)
	w.sound(t)
	require.Equal(
		t,
		"42501",
		refused(t.Context(), w.app, `UPDATE ai_audit_entries SET fields = replace(fields, '9', '1') WHERE action = 'refused'`),
	)
	exec(t, w.owner, `UPDATE ai_audit_entries SET fields = replace(fields, '"9"', '"1"') WHERE action = 'refused'`)
	require.Contains(t, w.verify(t, audit.Head{}).Break.What, "does not fit")
}

// Nothing else is folded: what was done, and what was refused for another reason.
func TestOnlyRefusalsOfTheBudgetAreFolded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 5 {
		w.call(t, "a.same")
		require.NoError(t, w.budget.Refuse(t.Context(), newCall(w.person, "a.same"), refusal()))
		id, err := w.budget.Reserve(t.Context(), newCall(w.person, "a.same"))
		require.NoError(t, err)
		require.NoError(t, w.budget.Finish(t.Context(), id, refusal()))
	}
	require.Equal(t, 15, count(t, w.owner, `SELECT count(*) FROM ai_tool_calls WHERE tool_name = 'a.same' AND finished_at IS NOT NULL`))
	require.Zero(t, count(t, w.owner, `SELECT count(*) FROM ai_audit_refusals`))
}

// Metrics and others hear of each refused call, of folded ones together.
func TestSubscribersHearOfFoldedRefusals(t *testing.T) {
	t.Parallel()
	w := newFullWorld(t)
	w.extend(t)
	e := newEar("ear")
	w.run(t, e)
	w.ready(t, e)
	w.stuck(t, 8)
	w.fold(t)
	events := e.wait(t, heard(2))
	require.Len(t, events, 2)
	require.Equal(t, []int64{1, 7}, []int64{events[0].Count, events[1].Count})
	for _, event := range events {
		require.Equal(t, events[0].ID, event.ID)
		require.Equal(
			t,
			[]string{"a.loop", "read", "refused", "api", "user"},
			[]string{event.ToolName, event.Effect, event.Status, event.Transport, event.PrincipalKind},
		)
		require.Equal(t, w.person.ID, event.PrincipalID)
	}
	require.NotEqual(t, uuid.Nil, events[0].ID)
}
