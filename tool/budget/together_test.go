package budget_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
	"countersign/internal/store"
)

// Calls of one principal that come at the same time are reserved in one transaction. One that cannot be reserved takes no other along.
func TestACallThatIsRefusedByTheDatabaseTakesNoOtherAlong(t *testing.T) {
	t.Parallel()
	b, db := newBudget(t, 1_000)
	p := someone()
	taken := newCall(p)
	require.NoError(t, b.Finish(t.Context(), reserve(t, b, taken), nil))
	const rounds, calls = 10, 40
	for range rounds {
		failures := make(chan error, calls)
		var calling sync.WaitGroup
		for i := range calls {
			c := newCall(p)
			if i%8 == 0 {
				c.ID = taken.ID
			}
			calling.Go(func() {
				id, err := b.Reserve(t.Context(), c)
				switch conflict := problem.Is(err, problem.Conflict); {
				case c.ID == taken.ID && !conflict:
					failures <- fmt.Errorf("the id was taken: %w", err)
				case c.ID != taken.ID && (err != nil || id != c.ID):
					failures <- fmt.Errorf("%s became %s: %w", c.ID, id, err)
				}
			})
		}
		calling.Wait()
		close(failures)
		for err := range failures {
			require.NoError(t, err)
		}
	}
	const others = rounds * calls * 7 / 8
	require.Equal(t, others, count(t, db, `principal_id = $1 AND status = 'running'`, p.ID))
	require.Equal(t, others+1, count(t, db, `principal_id = $1 AND number <= $2`, p.ID, others+1), "they are numbered without gaps")
}

func TestManyCallsAreSettledEachInItsOwnWay(t *testing.T) {
	t.Parallel()
	b, db := newBudget(t, 1_000)
	p := someone()
	var calling sync.WaitGroup
	failures := make(chan error, 300)
	for i := range 300 {
		calling.Go(func() {
			c := newCall(p)
			id, err := b.Reserve(t.Context(), c)
			var outcome error
			if i%3 == 0 {
				outcome = problem.Errorf(problem.NotFound, "No.")
			}
			if err == nil {
				err = b.Finish(t.Context(), id, outcome)
			}
			failures <- err
		})
	}
	calling.Wait()
	close(failures)
	for err := range failures {
		require.NoError(t, err)
	}
	require.Equal(t, 200, count(t, db, `status = 'executed' AND error_code IS NULL AND finished_at IS NOT NULL`))
	require.Equal(t, 100, count(t, db, `status = 'failed' AND error_code = 'not_found' AND finished_at IS NOT NULL`))
}

// What a transaction reserves and settles is its own: it is taken back with it, and does not wait for it.
func TestATransactionReservesForItself(t *testing.T) {
	t.Parallel()
	b, db := newBudget(t, 2)
	p := someone()
	errNo := errors.New("no")
	err := db.InTx(t.Context(), func(ctx context.Context) error {
		id, err := b.Reserve(ctx, newCall(p))
		if err == nil {
			err = b.Finish(ctx, id, nil)
		}
		return errors.Join(err, errNo)
	})
	require.Equal(t, errNo.Error(), err.Error())
	require.Zero(t, count(t, db, `principal_id = $1`, p.ID))
	reserve(t, b, newCall(p))
	reserve(t, b, newCall(p))
	exceeds(t, b, newCall(p))
}

// A question that goes along is asked when the call has its row.
func TestAQuestionGoesAlongWithAReservation(t *testing.T) {
	t.Parallel()
	b, _ := newBudget(t, 1)
	p := someone()
	rows := func(id uuid.UUID) *store.BatchedQuery[int] {
		return store.NewBatchedQuery(id, func(batch *store.Batch) func() int {
			var n int
			batch.Queue(`SELECT count(*) FROM ai_tool_calls WHERE id = $1`, id).QueryRow(func(row pgx.Row) error { return row.Scan(&n) })
			return func() int { return n }
		})
	}
	first := newCall(p)
	one, same := rows(first.ID), rows(first.ID)
	_, err := b.ReserveAlong(t.Context(), first, one, same)
	require.NoError(t, err)
	for _, q := range []*store.BatchedQuery[int]{one, same} {
		n, heard := q.Answer()
		require.True(t, heard)
		require.Equal(t, 1, n)
	}
	second := newCall(p)
	late := rows(second.ID)
	_, err = b.ReserveAlong(t.Context(), second, late)
	require.True(t, problem.Is(err, problem.Budget))
	n, heard := late.Answer()
	require.True(t, heard, "it is answered for a call that has no place, too")
	require.Zero(t, n)
}
