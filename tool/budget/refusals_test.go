package budget_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
	"countersign/tool/budget"
)

// beyond are all refusals for the budget that are on record: those with a row, those that are counted, and those in entries.
func beyond(t *testing.T, db *store.DB) (rows, counted, folded int) {
	t.Helper()
	require.NoError(t, db.Conn(t.Context()).QueryRow(t.Context(), `SELECT (SELECT count(*) FROM ai_tool_calls WHERE error_code = 'budget'),
		(SELECT coalesce(sum(more), 0) FROM ai_audit_refusals),
		(SELECT coalesce(sum((fields::jsonb -> 0 ->> 'to')::int), 0) FROM ai_audit_entries WHERE action = 'refused')`).Scan(&rows, &counted, &folded))
	return rows, counted, folded
}

func exec(t *testing.T, db *store.DB, sql string, args ...any) {
	t.Helper()
	_, err := db.Conn(t.Context()).Exec(t.Context(), sql, args...)
	require.NoError(t, err, sql)
}

func windowEnds(t *testing.T, db *store.DB) {
	t.Helper()
	exec(t, db, `UPDATE ai_audit_refusals SET since = since - interval '61 seconds'`)
}

func TestCallsThatTheBudgetRefusesAreCounted(t *testing.T) {
	t.Parallel()
	b, db := newBudget(t, 1)
	p := someone()
	reserve(t, b, newCall(p))
	for range 50 {
		exceeds(t, b, newCall(p))
	}
	// What may not be done at all is refused by the budget as well where that is used up.
	require.NoError(t, b.Refuse(t.Context(), newCall(p), problem.MissingRule("read this", "some.rule.read")))
	rows, counted, _ := beyond(t, db)
	require.Equal(t, []int{1, 50}, []int{rows, counted}, "the first at once, the others counted")

	require.NoError(t, b.FoldRefusals(t.Context()))
	_, counted, folded := beyond(t, db)
	require.Equal(t, []int{50, 0}, []int{counted, folded}, "the window is not over")
	windowEnds(t, db)
	require.NoError(t, b.FoldRefusals(t.Context()))
	require.NoError(t, b.FoldRefusals(t.Context()))
	_, counted, folded = beyond(t, db)
	require.Equal(t, []int{0, 50}, []int{counted, folded}, "once")
	var entry string
	require.NoError(
		t,
		db.Conn(
			t.Context(),
		).QueryRow(
			t.Context(),
			`SELECT concat_ws(' ', e.version, e.object_type, e.object_name, e.principal_kind, e.transport, e.summary)
		FROM ai_audit_entries e JOIN ai_tool_calls c ON c.id::text = e.object_id AND c.error_code = 'budget'
		WHERE e.action = 'refused' AND e.principal_id = $1 AND e.session_id = $2`,
			p.ID,
			p.SessionID,
		).Scan(
			&entry,
		),
	)
	require.Regexp(t, `^2 ai\.toolCall ai\.getDoc user api 50 more calls were refused between \S+Z and \S+Z$`, entry)

	exceeds(t, b, newCall(p))
	rows, counted, _ = beyond(t, db)
	require.Equal(t, []int{2, 0}, []int{rows, counted}, "the next one begins a window")
	windowEnds(t, db)
	require.NoError(t, b.FoldRefusals(t.Context()))
	require.Zero(t, count(t, db, `EXISTS (SELECT FROM ai_audit_refusals)`))
	_, _, folded = beyond(t, db)
	require.Equal(t, 50, folded, "nothing followed it")
}

// Who and what are told apart.
func TestOneWhoIsRefusedHidesNobodyElse(t *testing.T) {
	t.Parallel()
	b, db := newBudget(t, 1)
	one, two := someone(), someone()
	again := one
	again.SessionID = uuid.New()
	reserve(t, b, newCall(one))
	reserve(t, b, newCall(two))
	other, byMCP := newCall(one), newCall(one)
	other.Tool, byMCP.Transport = "ai.listDocs", budget.MCP
	for _, c := range []budget.Call{newCall(one), newCall(two), newCall(again), other, byMCP} {
		for range 3 {
			exceeds(t, b, c)
		}
	}
	rows, counted, _ := beyond(t, db)
	require.Equal(t, []int{5, 10}, []int{rows, counted})
}

// Names of tools can be made up, so they must not make rows without end.
func TestNamesThatAreMadeUpMakeNoRowsWithoutEnd(t *testing.T) {
	t.Parallel()
	b, db := newBudget(t, 1)
	p := someone()
	reserve(t, b, newCall(p))
	const calls = 200
	for i := range calls {
		c := newCall(p)
		c.Tool = fmt.Sprintf("made.up%d", i)
		exceeds(t, b, c)
	}
	rows, counted, _ := beyond(t, db)
	require.Equal(t, calls, rows+counted, "each is on record")
	require.Equal(t, 21, rows, "twenty of their own, and the first of the rest")
	windowEnds(t, db)
	require.NoError(t, b.FoldRefusals(t.Context()))
	var entries int
	require.NoError(
		t,
		db.Conn(
			t.Context(),
		).QueryRow(
			t.Context(),
			`SELECT count(*) FROM ai_audit_entries WHERE action = 'refused' AND object_name = ''`,
		).Scan(
			&entries,
		),
	)
	require.Equal(t, 1, entries, "of several tools")
}

// Calls of a turn keep their rows: the row keeps a refused call from being made when its step is repeated.
func TestRefusedCallsOfATurnKeepTheirRows(t *testing.T) {
	t.Parallel()
	b, db := newBudget(t, 1)
	p := someone()
	reserve(t, b, newCall(p))
	turn := uuid.New()
	for i := range 10 {
		c := newCall(p)
		c.Turn = at(turn, 1, i+1)
		exceeds(t, b, c)
	}
	rows, counted, _ := beyond(t, db)
	require.Equal(t, []int{10, 0}, []int{rows, counted})
}

// An entry and its count are there one at a time, whatever fails in between.
func TestWhatCannotBeWrittenStaysCounted(t *testing.T) {
	t.Parallel()
	b, db := newBudget(t, 1)
	p := someone()
	reserve(t, b, newCall(p))
	for range 4 {
		exceeds(t, b, newCall(p))
	}
	windowEnds(t, db)
	exec(t, db, `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no entry today'; END $$`)
	exec(t, db, `CREATE TRIGGER refuse AFTER INSERT ON ai_audit_entries FOR EACH ROW WHEN (NEW.version = 2) EXECUTE FUNCTION refuse()`)
	require.ErrorContains(t, b.FoldRefusals(t.Context()), "no entry today")
	_, counted, folded := beyond(t, db)
	require.Equal(t, []int{3, 0}, []int{counted, folded})
	exec(t, db, `DROP TRIGGER refuse ON ai_audit_entries`)
	require.NoError(t, b.FoldRefusals(t.Context()))
	_, counted, folded = beyond(t, db)
	require.Equal(t, []int{0, 3}, []int{counted, folded})
}

// Two processes are refused while a third ends their windows all the time, and one of the two is killed: what was answered is on record,
// and of what was under way at most what was sent.
func TestARefusalThatWasAnsweredSurvivesEverything(t *testing.T) {
	t.Parallel()
	const rounds, atOnce = 30, 8
	url, processes := storetest.Processes(t, storetest.URL, 2, beRefused(atOnce))
	db, err := store.Open(t.Context(), url, store.Options{MaxConns: 4})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	who := uuid.New()
	b := budget.New(db, budget.Limits{Calls: 1, Window: time.Hour})
	reserve(t, b, newCall(principal.Principal{Kind: principal.User, ID: who}))

	ended := make(chan struct{})
	var folding sync.WaitGroup
	folding.Go(func() {
		for {
			select {
			case <-ended:
				return
			default:
			}
			_, err := db.Conn(t.Context()).Exec(t.Context(), `UPDATE ai_audit_refusals SET since = since - interval '61 seconds'`)
			if err == nil {
				err = b.FoldRefusals(t.Context())
			}
			if err != nil {
				t.Errorf("fold: %v", err)
				return
			}
		}
	})
	answered := 0
	for range rounds {
		for _, answer := range storetest.Ask(t, processes, who.String()) {
			var n int
			_, err := fmt.Sscan(answer, &n)
			require.NoError(t, err, answer)
			answered += n
		}
	}
	require.Equal(t, 2*rounds*atOnce, answered)
	// The second process dies while its calls are under way; the first one goes on.
	processes[1].Send(t, who.String())
	processes[1].Signal(t, syscall.SIGKILL)
	for range 3 {
		storetest.Ask(t, processes[:1], who.String())
		answered += atOnce
	}
	close(ended)
	folding.Wait()
	rows, counted, folded := beyond(t, db)
	require.GreaterOrEqual(t, rows+counted+folded, answered, "what was answered is on record")
	require.LessOrEqual(t, rows+counted+folded, answered+atOnce, "and nothing twice")
	require.Positive(t, folded)
}

// beRefused makes so many calls at once and answers how many were refused for the budget, each after its answer.
func beRefused(atOnce int) func(db *store.DB, request string) string {
	return func(db *store.DB, who string) string {
		b := budget.New(db, budget.Limits{Calls: 1, Window: time.Hour})
		p := principal.Principal{Kind: principal.User, ID: uuid.MustParse(strings.TrimSpace(who))}
		var refused atomic.Int64
		var calling sync.WaitGroup
		for range atOnce {
			calling.Go(func() {
				if _, err := b.Reserve(context.Background(), newCall(p)); problem.Is(err, problem.Budget) {
					refused.Add(1)
				}
			})
		}
		calling.Wait()
		return fmt.Sprint(refused.Load())
	}
}
