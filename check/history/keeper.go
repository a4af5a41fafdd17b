package history

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"countersign/check/history/historydb"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/internal/store/chore"
)

// Keeper seals results, rolls them up, and deletes those beyond retention.
type Keeper struct {
	db    *store.DB
	log   *slog.Logger
	grace time.Duration
	now   func(ctx context.Context) (int64, error)
}

// KeeperOptions tune a Keeper; zero values mean the defaults.
type KeeperOptions struct {
	// Grace is the delay after the end of an hour before it is sealed, for late results; five minutes by default. Later
	// results are sealed too, at more cost.
	Grace time.Duration
	// Now returns the time in milliseconds since 1970; that of the database by default.
	Now func(ctx context.Context) (int64, error)
}

// parts is the number of partitions of check_results.
const parts = 8

// NewKeeper makes a keeper.
func NewKeeper(db *store.DB, log *slog.Logger, o KeeperOptions) *Keeper {
	k := &Keeper{db: db, log: log, grace: 5 * time.Minute, now: o.Now}
	if o.Grace > 0 {
		k.grace = o.Grace
	}
	if k.now == nil {
		k.now = func(ctx context.Context) (int64, error) { return historydb.New(db.Conn(ctx)).Now(ctx) }
	}
	return k
}

// Chores are the periodic jobs of the keeper.
func (k *Keeper) Chores() []chore.Chore {
	return []chore.Chore{
		{Name: "seal check results", Every: time.Minute, Do: func(ctx context.Context) error {
			_, err := k.Seal(ctx)
			return err
		}},
		{Name: "add up days of checks", Every: 10 * time.Minute, Do: k.AddUpDays},
		{Name: "forget old check results", Every: time.Hour, Do: k.Prune},
		{Name: "forget removed check targets", Every: time.Minute, Do: k.Forget},
	}
}

// Retention is the number of days for which history is kept: single runs with their reports, hourly sums, and daily sums with
// transitions and gaps.
type Retention struct {
	RawDays    int `json:"rawDays" minimum:"1" maximum:"30" doc:"Single runs with what they found."`
	HourlyDays int `json:"hourlyDays" minimum:"7" maximum:"90" doc:"Sums of hours."`
	DailyDays  int `json:"dailyDays" minimum:"30" maximum:"1095" doc:"Sums of days, changes of statuses and gaps."`
}

// Retention returns the current setting.
func (k *Keeper) Retention(ctx context.Context) (Retention, error) { return retention(ctx, k.db) }

func retention(ctx context.Context, db *store.DB) (Retention, error) {
	set, err := setting(ctx, db)
	return set.Retention, err
}

func setting(ctx context.Context, db *store.DB) (RetentionSetting, error) {
	row, err := historydb.New(db.Conn(ctx)).Retention(ctx)
	return settingOf(historydb.LockRetentionRow(row), err)
}

// RetentionSetting is the retention with its revision.
type RetentionSetting struct {
	Retention

	Revision  int64
	UpdatedAt time.Time
}

// Setting returns the current retention with its revision.
func (k *Keeper) Setting(ctx context.Context) (RetentionSetting, error) { return setting(ctx, k.db) }

// HoldSetting returns the retention, locked until the transaction ends.
func (k *Keeper) HoldSetting(ctx context.Context) (RetentionSetting, error) {
	return settingOf(historydb.New(k.db.Conn(ctx)).LockRetention(ctx))
}

func settingOf(row historydb.LockRetentionRow, err error) (RetentionSetting, error) {
	if err != nil {
		return RetentionSetting{}, fmt.Errorf("read retention: %w", err)
	}
	days := Retention{RawDays: int(row.RawDays), HourlyDays: int(row.HourlyDays), DailyDays: int(row.DailyDays)}
	return RetentionSetting{Retention: days, Revision: row.Revision, UpdatedAt: row.UpdatedAt}, nil
}

// SetRetention sets the retention and reports whether it changed. Older results are deleted within the hour.
func (k *Keeper) SetRetention(ctx context.Context, r Retention) (bool, error) {
	var issues []problem.Issue
	for _, tier := range []struct {
		path               string
		value, least, most int
	}{{"rawDays", r.RawDays, 1, 30}, {"hourlyDays", r.HourlyDays, 7, 90}, {"dailyDays", r.DailyDays, 30, 1095}} {
		if tier.value < tier.least || tier.value > tier.most {
			issues = append(issues, problem.Issue{Path: tier.path, Message: fmt.Sprintf("must be between %d and %d", tier.least, tier.most)})
		}
	}
	if len(issues) > 0 {
		return false, problem.InvalidInput("History cannot be kept for so many days. Correct the days.", issues...)
	}
	n, err := historydb.New(k.db.Conn(ctx)).SetRetention(ctx, historydb.SetRetentionParams{
		RawDays: int16(r.RawDays), HourlyDays: int16(r.HourlyDays), DailyDays: int16(r.DailyDays),
	})
	if err != nil {
		return false, fmt.Errorf("set retention: %w", err)
	}
	return n > 0, nil
}

// Prune deletes history beyond the retention. Reports are deleted with their runs.
func (k *Keeper) Prune(ctx context.Context) error {
	keep, err := k.Retention(ctx)
	if err != nil {
		return err
	}
	now, err := k.now(ctx)
	if err != nil {
		return fmt.Errorf("read clock: %w", err)
	}
	q := historydb.New(k.db.Conn(ctx))
	rawDay := now/Day - int64(keep.RawDays)
	daily := now/Day - int64(keep.DailyDays)
	for _, prune := range []func() (int64, error){
		func() (int64, error) { return q.PruneBlocks(ctx, int32(rawDay*24)) },
		func() (int64, error) { return q.PruneHours(ctx, int32((now/Day-int64(keep.HourlyDays))*24)) },
		func() (int64, error) { return q.PruneDays(ctx, int32(daily)) },
		func() (int64, error) { return 0, q.PruneDaysDone(ctx, int32(daily)) },
		func() (int64, error) { return q.PruneGaps(ctx, daily*Day) },
		func() (int64, error) { return q.PruneTransitions(ctx, daily*Day) },
	} {
		if _, err := prune(); err != nil {
			return fmt.Errorf("prune check history: %w", err)
		}
	}
	for part := range int64(reportParts) {
		oldest, err := q.OldestReport(ctx, part)
		if err != nil {
			return fmt.Errorf("look for old reports: %w", err)
		}
		if oldest == 0 || oldest/Day >= rawDay {
			continue
		}
		if err := q.ClearReports(ctx, oldest/Day); err != nil {
			return fmt.Errorf("clear reports of day %d: %w", oldest/Day, err)
		}
	}
	return nil
}

// reportParts is the number of partitions of check_reports.
const reportParts = 36

// Forget deletes removed targets with all their history, and that from locations which they left before the retention began.
func (k *Keeper) Forget(ctx context.Context) error {
	keep, err := k.Retention(ctx)
	if err != nil {
		return err
	}
	now, err := k.now(ctx)
	if err != nil {
		return fmt.Errorf("read clock: %w", err)
	}
	leftBefore := now - int64(keep.DailyDays)*Day
	for {
		n := 0
		err := k.db.InTx(ctx, func(ctx context.Context) error {
			q := historydb.New(k.db.Conn(ctx))
			gone, err := q.GoneTargets(ctx, historydb.GoneTargetsParams{LeftBefore: leftBefore, MaxRows: 200})
			if err != nil || len(gone) == 0 {
				return err
			}
			n = len(gone)
			// The lock keeps others from sealing results of these targets.
			if err := q.LockSeals(ctx); err != nil {
				return err
			}
			if err := q.ReopenBoardsOf(ctx, gone); err != nil {
				return err
			}
			for _, forget := range []func(context.Context, []int32) (int64, error){
				q.ForgetResults, q.ForgetReports, q.ForgetBlocks, q.ForgetHours, q.ForgetDays, q.ForgetTransitions, q.ForgetGaps,
				q.ForgetLocationTargets, q.ForgetTargets,
			} {
				if _, err := forget(ctx, gone); err != nil {
					return err
				}
			}
			return q.ForgetBoards(ctx)
		})
		if err != nil {
			return fmt.Errorf("forget removed targets: %w", err)
		}
		if n < 200 {
			return nil
		}
	}
}
