package spend

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/tool/spend/spenddb"
)

// reservationLife is how long a reservation counts toward the cap of a run, longer than a call can take. A call whose
// process was killed is not settled; toward the cap of a connection it counts until the window has passed.
const reservationLife = time.Hour

// unlimited is the cap of a connection without one: the call is only written.
var unlimited = Cap{Tokens: math.MaxInt64 / 2, Window: time.Minute}

// ErrRunBudget is the cause of a refusal by the cap of a run.
var ErrRunBudget = errors.New("raise the cap of the definition, or let it do less")

// reserveInRun is Reserve for a call of a run: it has to fit into the cap of the run, which bounds all of its calls on all
// connections, and into that of the connection. The row of the run serializes its calls.
func (l *Ledger) reserveInRun(ctx context.Context, c Call, limit Cap, counts Counts) error {
	if limit.none() {
		limit, counts = unlimited, All
	}
	leave, err := l.db.LockLocally(ctx, "spend/run/"+c.Principal.Run.ID.String())
	if err != nil {
		return fmt.Errorf("wait for other model calls: %w", err)
	}
	defer leave()
	return l.db.InTx(ctx, func(ctx context.Context) error {
		q := spenddb.New(l.db.Conn(ctx))
		most, err := q.LockRun(ctx, c.Principal.Run.ID)
		if store.NoRows(err) {
			return problem.Errorf(problem.Unauthorized, "The run of this call is deleted, so it makes no more calls.")
		}
		if err != nil {
			return fmt.Errorf("lock run: %w", err)
		}
		if most != nil {
			used, err := q.SpentInRun(ctx, spenddb.SpentInRunParams{
				RunID: c.Principal.Run.ID, ID: c.ID, ReservedSeconds: reservationLife.Seconds(),
			})
			if err != nil {
				return fmt.Errorf("sum tokens of run: %w", err)
			}
			if used+c.estimate() > *most {
				return problem.Errorf(
					problem.Spend,
					"This run has used %d of its %d tokens, and this call needs about %d, so it is not made: %w.",
					used, *most, c.estimate(), ErrRunBudget,
				)
			}
		}
		return l.reserve(ctx, c, limit, counts)
	})
}
