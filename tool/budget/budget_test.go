package budget_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
	"countersign/tool"
	"countersign/tool/budget"
)

func someone() principal.Principal {
	return principal.Principal{Kind: principal.User, ID: uuid.New(), SessionID: uuid.New()}
}

func newCall(p principal.Principal) budget.Call {
	return budget.Call{
		ID: store.NewID(), Principal: p, Transport: budget.API, Tool: "ai.getDoc", Effect: tool.Read,
		Arguments: json.RawMessage(`{"password":"hunter2"}`),
	}
}

// at is where in a turn a call stands.
func at(turn uuid.UUID, step, call int) *budget.Position {
	return &budget.Position{Turn: turn, Step: step, Call: call}
}

func newBudget(t *testing.T, calls int) (*budget.Budget, *store.DB) {
	t.Helper()
	db := storetest.New(t)
	return budget.New(db, budget.Limits{Calls: calls, Window: time.Minute}), db
}

func reserve(t *testing.T, b *budget.Budget, c budget.Call) uuid.UUID {
	t.Helper()
	id, err := b.Reserve(t.Context(), c)
	require.NoError(t, err)
	return id
}

func exceeds(t *testing.T, b *budget.Budget, c budget.Call) *problem.Error {
	t.Helper()
	_, err := b.Reserve(t.Context(), c)
	require.Equal(t, problem.Budget, problem.CodeOf(err), "%v", err)
	return problem.As(err)
}

// row is an audit row in a few words.
func row(t *testing.T, db *store.DB, id uuid.UUID) (status, code string, finished bool) {
	t.Helper()
	require.NoError(t, db.Conn(t.Context()).QueryRow(t.Context(),
		`SELECT status, coalesce(error_code, ''), finished_at IS NOT NULL FROM ai_tool_calls WHERE id = $1`, id).Scan(&status, &code, &finished))
	return status, code, finished
}

func count(t *testing.T, db *store.DB, where string, args ...any) int {
	t.Helper()
	var n int
	require.NoError(t, db.Conn(t.Context()).QueryRow(t.Context(), `SELECT count(*) FROM ai_tool_calls WHERE `+where, args...).Scan(&n))
	return n
}

func TestACallIsAuditedBeforeItRuns(t *testing.T) {
	t.Parallel()
	b, db := newBudget(t, 10)
	c := newCall(someone())
	id := reserve(t, b, c)
	require.Equal(t, c.ID, id)
	status, _, finished := row(t, db, id)
	require.Equal(t, "running", status)
	require.False(t, finished)

	require.NoError(t, b.Finish(t.Context(), id, nil))
	status, code, finished := row(t, db, id)
	require.Equal(t, "executed", status)
	require.Empty(t, code)
	require.True(t, finished)

	// What is settled stays so.
	require.NoError(t, b.Finish(t.Context(), id, problem.Errorf(problem.NotFound, "No.")))
	status, _, _ = row(t, db, id)
	require.Equal(t, "executed", status)
}

func TestAFailedCallKeepsItsCode(t *testing.T) {
	t.Parallel()
	b, db := newBudget(t, 10)
	id := reserve(t, b, newCall(someone()))
	require.NoError(t, b.Finish(t.Context(), id, problem.Errorf(problem.NotFound, "No.")))
	status, code, _ := row(t, db, id)
	require.Equal(t, "failed", status)
	require.Equal(t, "not_found", code)
}

func TestTheAuditRowHasTheHashOfTheArgumentsOnly(t *testing.T) {
	t.Parallel()
	b, db := newBudget(t, 10)
	c := newCall(someone())
	reserve(t, b, c)
	require.Equal(t, 1, count(t, db, `args_hash = $1`, tool.Hash(json.RawMessage(`{ "password" : "hunter2" }`))))
	require.Zero(t, count(t, db, `ai_tool_calls::text LIKE '%hunter2%'`))
}

func TestTheBudgetSaysWhenACallIsPossibleAgain(t *testing.T) {
	t.Parallel()
	b, db := newBudget(t, 3)
	p := someone()
	first := reserve(t, b, newCall(p))
	reserve(t, b, newCall(p))
	reserve(t, b, newCall(p))
	for range 2 {
		e := exceeds(t, b, newCall(p))
		require.Greater(t, e.RetryAfter, 30*time.Second)
		require.LessOrEqual(t, e.RetryAfter, time.Minute)
		require.Contains(t, e.Detail, "at most 3 tool calls in 1m0s")
	}
	rows, counted, _ := beyond(t, db)
	require.Equal(t, []int{1, 1}, []int{rows, counted}, "refused calls are on record")
	reserve(t, b, newCall(someone()))

	// The window rolls: the refused calls have not used up anything.
	_, err := db.Conn(
		t.Context(),
	).Exec(
		t.Context(),
		`UPDATE ai_tool_calls SET created_at = created_at - interval '61 seconds' WHERE id = $1`,
		first,
	)
	require.NoError(t, err)
	reserve(t, b, newCall(p))
	exceeds(t, b, newCall(p))
}

func TestACallThatIsNotAllowedUsesUpBudget(t *testing.T) {
	t.Parallel()
	b, db := newBudget(t, 2)
	p := someone()
	for range 2 {
		c := newCall(p)
		require.NoError(t, b.Refuse(t.Context(), c, problem.MissingRule("Delete", "catalog.system.manage")))
		status, code, finished := row(t, db, c.ID)
		require.Equal(t, "refused", status)
		require.Equal(t, "forbidden", code)
		require.True(t, finished)
	}
	exceeds(t, b, newCall(p))
	require.NoError(
		t,
		b.Refuse(t.Context(), newCall(p), problem.MissingRule("Delete", "catalog.system.manage")),
		"beyond the budget the first refusal stands",
	)
}

// A step that is repeated after a crash is still the same call.
func TestARepeatedStepIsNotCountedAgain(t *testing.T) {
	t.Parallel()
	b, db := newBudget(t, 1)
	turn := uuid.New()
	c := newCall(someone())
	c.Turn = at(turn, 1, 1)
	id := reserve(t, b, c)
	for range 3 {
		c.ID = store.NewID()
		require.Equal(t, id, reserve(t, b, c))
	}
	require.Equal(t, 1, count(t, db, `turn_id = $1`, turn))
	c.Turn = at(turn, 1, 2)
	exceeds(t, b, c)
}

// A call that was refused for the budget must not run when its step is repeated.
func TestARepeatedStepStaysRefused(t *testing.T) {
	t.Parallel()
	b, db := newBudget(t, 1)
	p := someone()
	reserve(t, b, newCall(p))
	c := newCall(p)
	c.Turn = at(uuid.New(), 1, 1)
	for range 2 {
		exceeds(t, b, c)
		c.ID = store.NewID()
	}
	require.Equal(t, 1, count(t, db, `status = 'refused'`), "one row for one call")
}

// A model makes names up. Whatever it writes, the refusal is on record.
func TestANameThatNoToolHasIsRecorded(t *testing.T) {
	t.Parallel()
	b, db := newBudget(t, 10)
	names := []string{"", strings.Repeat("€", 60), strings.Repeat("x", 5_000), "broken \xff", "NUL \x00", "drop table; --"}
	for _, name := range names {
		c := newCall(someone())
		c.Tool = name
		require.NoError(t, b.Refuse(t.Context(), c, problem.Errorf(problem.NotFound, "There is no such tool.")), "%q", name)
	}
	require.Equal(t, len(names), count(t, db, `status = 'refused' AND length(tool_name) <= 160`))
}
