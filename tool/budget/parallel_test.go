package budget_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
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

// Nobody can pass the count together, from however many processes: a hundred times five hundred calls at once, over two
// operating system processes, against a budget of sixty. Every fifth is a read that is not allowed: it uses up budget
// like the others, and a refusal beyond the budget uses up no more of it.
func TestParallelCallsOfTwoProcessesNeverExceedTheBudget(t *testing.T) {
	t.Parallel()
	const rounds, calls, limit = 100, 500, 60
	url, processes := storetest.Processes(t, storetest.URL, 2, serveCalls(calls/2, limit))
	db, err := store.Open(t.Context(), url, store.Options{MaxConns: 2})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	for round := range rounds {
		who := uuid.New()
		var allowed, forbidden, beyond int
		for _, answer := range storetest.Ask(t, processes, who.String()) {
			var a, f, b, others int
			_, err := fmt.Sscan(answer, &a, &f, &b, &others)
			require.NoError(t, err, answer)
			require.Zero(t, others, "calls that failed otherwise")
			allowed, forbidden, beyond = allowed+a, forbidden+f, beyond+b
		}
		require.Equal(t, calls, allowed+forbidden+beyond)
		counted := count(t, db, `principal_id = $1 AND number IS NOT NULL`, who)
		require.Equal(t, limit, counted, "round %d", round)
		require.Equal(t, allowed, count(t, db, `principal_id = $1 AND status = 'running'`, who), "round %d", round)
		require.Equal(
			t,
			limit-allowed,
			count(t, db, `principal_id = $1 AND status = 'refused' AND error_code = 'forbidden'`, who),
			"round %d",
			round,
		)
		var more int
		require.NoError(
			t,
			db.Conn(
				t.Context(),
			).QueryRow(
				t.Context(),
				`SELECT coalesce(sum(more), 0) FROM ai_audit_refusals WHERE principal_id = $1`,
				who,
			).Scan(
				&more,
			),
		)
		require.Equal(
			t,
			calls-limit,
			more+count(t, db, `principal_id = $1 AND status = 'refused' AND error_code = 'budget'`, who),
			"every call is on record",
		)
	}
}

// serveCalls makes so many calls at once and answers how many were allowed, how many were refusals of reads, how many
// the budget refused, and how many failed otherwise.
func serveCalls(calls, limit int) func(db *store.DB, request string) string {
	return func(db *store.DB, who string) string {
		b := budget.New(db, budget.Limits{Calls: limit, Window: time.Hour})
		p := principal.Principal{Kind: principal.User, ID: uuid.MustParse(who)}
		var allowed, forbidden, beyond, others atomic.Int64
		var calling sync.WaitGroup
		for i := range calls {
			calling.Go(func() {
				if i%5 == 0 {
					if b.Refuse(context.Background(), newCall(p), problem.MissingRule("read this", "some.rule.read")) != nil {
						others.Add(1)
					}
					forbidden.Add(1)
					return
				}
				_, err := b.Reserve(context.Background(), newCall(p))
				switch {
				case err == nil:
					allowed.Add(1)
				case problem.Is(err, problem.Budget):
					beyond.Add(1)
				default:
					others.Add(1)
				}
			})
		}
		calling.Wait()
		return fmt.Sprint(allowed.Load(), forbidden.Load(), beyond.Load(), others.Load())
	}
}
