package spend

import (
	"context"
	"fmt"
	"time"

	"countersign/store/chore"
	"countersign/tool/spend/spenddb"
)

// Chores are what has to be done now and then.
func (l *Ledger) Chores() []chore.Chore {
	return []chore.Chore{
		{Name: "prune spend", Every: 6 * time.Hour, Do: l.Prune},
		{Name: "add up spend", Every: 10 * time.Minute, Do: l.AddUp},
	}
}

// AddUp stores the sums of hours that are over for long, at most those of a day. A window is then added up from hours and from the calls
// at its ends, to the same number.
func (l *Ledger) AddUp(ctx context.Context) error {
	return l.db.InTx(ctx, func(ctx context.Context) error {
		q := spenddb.New(l.db.Conn(ctx))
		hours, err := q.LockHours(ctx)
		if err != nil {
			return fmt.Errorf("look for hours to add up: %w", err)
		}
		if !hours.Upto.After(hours.Through) {
			return nil
		}
		if err := q.SealHours(ctx, spenddb.SealHoursParams{From: hours.Through, Upto: hours.Upto}); err != nil {
			return fmt.Errorf("add up hours: %w", err)
		}
		if err := q.MoveHours(ctx, hours.Upto); err != nil {
			return fmt.Errorf("store how far hours are added up: %w", err)
		}
		return nil
	})
}
