package budget

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"countersign/internal/store"
	"countersign/tool/budget/budgetdb"
)

// together bounds the calls that one transaction reserves or finishes.
const together = 64

// reservation is a call to reserve, with the queries of its round trip.
type reservation struct {
	call    budgetdb.ReserveCallParams
	queries []store.BatchableQuery
}

// reserved is the row of a call; uuid.Nil over the budget.
type reserved struct {
	id  uuid.UUID
	err error
}

// reserve reserves one call in a batch of its principal's calls.
func (b *Budget) reserve(ctx context.Context, principal string, r reservation) (uuid.UUID, error) {
	// Uncommitted rows are visible only to their own transaction, so a call in one is not batched with others.
	if b.db.InTransaction(ctx) {
		return b.reserveOne(ctx, principal, r)
	}
	row, err := b.reserving.Do(ctx, principal, r)
	if err != nil {
		return uuid.Nil, err
	}
	return row.id, row.err
}

func (b *Budget) reserveOne(ctx context.Context, principal string, r reservation) (uuid.UUID, error) {
	rows, err := b.reserveAll(ctx, principal, []reservation{r})
	if err != nil {
		return uuid.Nil, err
	}
	return rows[0].id, nil
}

// reserveAll reserves a batch of one principal's calls.
func (b *Budget) reserveAll(ctx context.Context, principal string, all []reservation) ([]reserved, error) {
	calls, along := make([]budgetdb.ReserveCallParams, len(all)), []store.BatchableQuery{}
	for i, r := range all {
		calls[i], along = r.call, append(along, r.queries...)
	}
	var tell func()
	ids, err := budgetdb.Reserve(ctx, b.db.Conn(ctx), principal, calls, func(batch *store.Batch) { tell = store.Enqueue(batch, along...) })
	rows := make([]reserved, len(all))
	if store.RejectedByServer(err) && len(all) > 1 {
		// One call of the batch ran the reservation for all.
		for i, r := range all {
			rows[i].id, rows[i].err = b.reserveOne(ctx, principal, r)
		}
		return rows, nil
	}
	if err != nil {
		return nil, err
	}
	tell()
	for i, id := range ids {
		rows[i].id = id
	}
	return rows, nil
}

// settle records the outcome of one call in a batch.
func (b *Budget) settle(ctx context.Context, p budgetdb.FinishCallParams) error {
	if b.db.InTransaction(ctx) {
		return budgetdb.New(b.db.Conn(ctx)).FinishCall(ctx, p)
	}
	failure, err := b.settling.Do(ctx, struct{}{}, p)
	return errors.Join(err, failure)
}

func (b *Budget) settleAll(ctx context.Context, _ struct{}, all []budgetdb.FinishCallParams) ([]error, error) {
	failures := make([]error, len(all))
	err := budgetdb.Finish(ctx, b.db.Conn(ctx), all)
	if !store.RejectedByServer(err) || len(all) == 1 {
		return failures, err
	}
	for i, p := range all {
		failures[i] = budgetdb.New(b.db.Conn(ctx)).FinishCall(ctx, p)
	}
	return failures, nil
}
