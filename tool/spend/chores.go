package spend

import (
	"context"
	"fmt"
	"time"

	"countersign/internal/store/chore"
	"countersign/tool/spend/spenddb"
)

// Chores are the periodic jobs of this package.
func (l *Ledger) Chores() []chore.Chore {
	return []chore.Chore{
		{Name: "prune spend", Every: 6 * time.Hour, Do: l.Prune},
		{Name: "add up spend", Every: 10 * time.Minute, Do: l.AddUp},
		{Name: "add up spend for charts", Every: 10 * time.Minute, Do: l.AddUpSeries},
	}
}

// AddUp stores the sums of hours that ended long ago, at most a day's per run. A window is then the sum of whole hours
// and of the calls at its ends, with the same result.
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

// daysAtOnce bounds the days that one AddUpSeries run sums, each in its own transaction.
const daysAtOnce = 31

// AddUpSeries stores the sums of half hours that ended at least two hours ago, for Series, and recomputes those with a
// changed call.
func (l *Ledger) AddUpSeries(ctx context.Context) error {
	for more, days := true, 0; more && days < daysAtOnce; days++ {
		err := l.db.InTx(ctx, func(ctx context.Context) error {
			var err error
			more, err = l.addUpDay(ctx)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// addUpDay sums one day and reports whether more may follow.
func (l *Ledger) addUpDay(ctx context.Context) (more bool, err error) {
	q := spenddb.New(l.db.Conn(ctx))
	mark, err := q.LockBuckets(ctx)
	if err != nil {
		return false, fmt.Errorf("look for half hours to add up: %w", err)
	}
	late, err := q.TakeLate(ctx, mark.Through)
	if err != nil {
		return false, fmt.Errorf("look for half hours that have changed: %w", err)
	}
	for _, bucket := range late {
		if err := q.ForgetBucket(ctx, bucket); err != nil {
			return false, fmt.Errorf("forget a half hour: %w", err)
		}
		if err := q.SealBuckets(ctx, spenddb.SealBucketsParams{From: bucket, Upto: bucket.Add(bucketSize)}); err != nil {
			return false, fmt.Errorf("add up a half hour again: %w", err)
		}
	}
	if !mark.Upto.After(mark.Through) {
		return false, nil
	}
	if err := q.SealBuckets(ctx, spenddb.SealBucketsParams{From: mark.Through, Upto: mark.Upto}); err != nil {
		return false, fmt.Errorf("add up half hours: %w", err)
	}
	if err := q.MoveBuckets(ctx, mark.Upto); err != nil {
		return false, fmt.Errorf("store how far half hours are added up: %w", err)
	}
	return true, nil
}
