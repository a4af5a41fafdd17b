package spend_test

import (
	"context"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/tool/spend"
)

// inRun makes calls of a run with a cap, each on a connection of its own.
func inRun(t *testing.T, db *store.DB, tokenCap any) func(estimate int) spend.Call {
	t.Helper()
	who := principal.Principal{Kind: principal.Application, ID: uuid.New(), Run: &principal.Run{ID: uuid.New()}}
	_, err := db.Conn(t.Context()).Exec(t.Context(),
		`INSERT INTO runs (id, application_id, definition_kind, definition_id, revision, policy, token_cap)
		VALUES ($1, $2, 'test', gen_random_uuid(), 1, '{}', $3)`, who.Run.ID, who.ID, tokenCap)
	require.NoError(t, err)
	return func(estimate int) spend.Call {
		return spend.Call{ID: uuid.New(), Connection: uuid.New(), Principal: who, Purpose: spend.Answer, Estimate: estimate}
	}
}

// A run has one cap for all of its calls, whatever connection they are made on, and however many run at once on however
// many processes.
func TestParallelCallsOfARunDoNotPassItsCap(t *testing.T) {
	t.Parallel()
	l, db := newLedger(t)
	call := inRun(t, db, 100)
	var admitted, refused int
	var mu sync.Mutex
	var running sync.WaitGroup
	for range 3 {
		pool, err := db.SeparatePool(t.Context(), 4)
		require.NoError(t, err)
		t.Cleanup(pool.Close)
		process := spend.New(pool)
		for range 10 {
			running.Go(func() {
				err := process.Reserve(context.WithoutCancel(t.Context()), call(10), spend.Cap{})
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					admitted++
				} else if problem.Is(err, problem.Spend) {
					refused++
				}
			})
		}
	}
	running.Wait()
	require.Equal(t, 10, admitted)
	require.Equal(t, 20, refused)

	// The real use of a call counts, a released one not at all, and a repeat once.
	settled := inRun(t, db, 100)
	first := settled(90)
	require.NoError(t, l.Reserve(t.Context(), first, spend.Cap{}))
	require.NoError(t, l.Reserve(t.Context(), first, spend.Cap{}))
	require.NoError(t, l.Settle(t.Context(), first, spend.Usage{InputTokens: 20, OutputTokens: 10, Reported: true}))
	released := settled(70)
	require.NoError(t, l.Reserve(t.Context(), released, spend.Cap{}))
	exceeds(t, l.Reserve(t.Context(), settled(1), spend.Cap{}))
	require.NoError(t, l.Release(t.Context(), released))
	require.NoError(t, l.Reserve(t.Context(), settled(70), spend.Cap{}))
	require.Contains(t, exceeds(t, l.Reserve(t.Context(), settled(1), spend.Cap{})).Detail, "100 of its 100 tokens")
}

// A call whose process was killed is never settled. Its reservation ends after an hour; if it is settled later, it counts.
func TestReservationsOfKilledCallsEnd(t *testing.T) {
	t.Parallel()
	l, db := newLedger(t)
	call := inRun(t, db, 100)
	killed, used := call(60), call(30)
	require.NoError(t, l.Reserve(t.Context(), killed, spend.Cap{}))
	require.NoError(t, l.Reserve(t.Context(), used, spend.Cap{}))
	require.NoError(t, l.Settle(t.Context(), used, spend.Usage{InputTokens: 20, OutputTokens: 10, Reported: true}))
	age := func(by string) {
		t.Helper()
		_, err := db.Conn(t.Context()).Exec(t.Context(), `UPDATE ai_spend SET created_at = created_at - $1::text::interval`, by)
		require.NoError(t, err)
	}
	age("59 minutes")
	exceeds(t, l.Reserve(t.Context(), call(50), spend.Cap{}))
	age("2 minutes")
	require.NoError(t, l.Reserve(t.Context(), call(50), spend.Cap{}))
	require.Contains(t, exceeds(t, l.Reserve(t.Context(), call(50), spend.Cap{})).Detail, "80 of its 100 tokens")
	require.NoError(t, l.Settle(t.Context(), killed, spend.Usage{InputTokens: 10, OutputTokens: 5, Reported: true}))
	require.Contains(t, exceeds(t, l.Reserve(t.Context(), call(50), spend.Cap{})).Detail, "95 of its 100 tokens")
}

// The cap of the connection holds for runs too, for all runs of an application together.
func TestARunHasTheCapOfItsConnectionToo(t *testing.T) {
	t.Parallel()
	l, db := newLedger(t)
	one, other := inRun(t, db, nil), inRun(t, db, nil)
	connection, application := uuid.New(), uuid.New()
	on := func(c spend.Call) spend.Call {
		c.Connection, c.Principal.ID = connection, application
		return c
	}
	require.NoError(t, l.Reserve(t.Context(), on(one(60)), hundred))
	exceeds(t, l.Reserve(t.Context(), on(other(60)), hundred))
	require.NoError(t, l.Reserve(t.Context(), on(other(40)), hundred))
}
