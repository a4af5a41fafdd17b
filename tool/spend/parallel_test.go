package spend_test

import (
	"context"
	"fmt"
	"math/rand/v2"
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
	"countersign/tool/spend"
)

// Nobody can pass the cap together, from however many processes: a hundred times five hundred calls at once, over two
// operating system processes, against a cap of sixty tokens.
func TestParallelCallsOfTwoProcessesNeverExceedTheCap(t *testing.T) {
	t.Parallel()
	const rounds, calls, limit = 100, 500, 60
	url, processes := storetest.Processes(t, storetest.URL, 2, serveReservations(calls/2, limit))
	db, err := store.Open(t.Context(), url, store.Options{MaxConns: 2})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	for round := range rounds {
		// Every second round the calls are of random size.
		largest := 1 + 19*(round%2)
		who := uuid.New()
		var admitted, refused, tokens int
		for _, answer := range storetest.Ask(t, processes, fmt.Sprintf("%s %d", who, largest)) {
			var a, r, n, others int
			_, err := fmt.Sscan(answer, &a, &r, &n, &others)
			require.NoError(t, err, answer)
			require.Zero(t, others, "calls that failed otherwise")
			admitted, refused, tokens = admitted+a, refused+r, tokens+n
		}
		require.Equal(t, calls, admitted+refused)
		require.LessOrEqual(t, tokens, limit, "round %d", round)
		require.Greater(t, tokens, limit-largest, "round %d: what fits is admitted", round)
		var rows, sum int
		require.NoError(t, db.Conn(t.Context()).QueryRow(t.Context(),
			`SELECT count(*), sum(tokens) FROM ai_spend WHERE principal_id = $1`, who).Scan(&rows, &sum))
		require.Equal(t, admitted, rows, "round %d", round)
		require.Equal(t, tokens, sum, "round %d", round)
	}
}

// serveReservations reserves so many calls at once and answers how many were admitted and refused, the sum of their
// tokens, and how many failed otherwise.
func serveReservations(calls int, limit int64) func(db *store.DB, request string) string {
	connection := uuid.MustParse("00000000-0000-0000-0000-0000000000c0")
	return func(db *store.DB, request string) string {
		var who string
		var largest int
		_, _ = fmt.Sscan(request, &who, &largest)
		ledger := spend.New(db)
		var admitted, refused, tokens, others atomic.Int64
		var calling sync.WaitGroup
		for range calls {
			calling.Go(func() {
				c := spend.Call{
					ID: uuid.New(), Connection: connection, Principal: principal.Principal{Kind: principal.User, ID: uuid.MustParse(who)},
					Purpose: spend.Answer, Estimate: 1 + rand.IntN(largest),
				}
				err := ledger.Reserve(context.Background(), c, spend.Cap{Tokens: limit, Window: time.Hour})
				switch {
				case err == nil:
					admitted.Add(1)
					tokens.Add(int64(c.Estimate))
				case problem.Is(err, problem.Spend):
					refused.Add(1)
				default:
					others.Add(1)
				}
			})
		}
		calling.Wait()
		return fmt.Sprint(admitted.Load(), refused.Load(), tokens.Load(), others.Load())
	}
}
