// Package throttle is a rate limit with exponential backoff after failures, such as failed sign-ins (brute-force protection).
// Failures are counted in PostgreSQL by its clock, across all processes.
//
// An attempt is reserved before it is verified and counts as failed until it is taken back: parallel attempts cannot pass
// together, and the attempt of a process that died counts as failed.
package throttle

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/internal/store/throttle/throttledb"
)

// Rule is the backoff of one kind of failure.
type Rule struct {
	// Name separates the buckets of rules.
	Name string
	// FreeFailures is the number of failures without a wait. The next one waits FirstWait, each further one twice as long, up
	// to MaxWait.
	FreeFailures       int
	FirstWait, MaxWait time.Duration
	// Window is the time after the last failure for which failures count.
	Window time.Duration
}

// Bucket is a counter of failures, such as that of one account.
type Bucket struct {
	rule Rule
	name []byte
}

// Bucket is the bucket of the rule for a key of several parts.
func (r Rule) Bucket(parts ...string) Bucket {
	sum := sha256.New()
	for _, part := range append([]string{r.Name}, parts...) {
		_, _ = fmt.Fprintf(sum, "%d:%s", len(part), part)
	}
	return Bucket{r, sum.Sum(nil)}
}

// Throttle counts failures.
type Throttle struct{ db *store.DB }

// New makes a Throttle on a database.
func New(db *store.DB) *Throttle { return &Throttle{db: db} }

// Reserve counts an attempt in each of the buckets, or in none if one of them still requires a wait, which it returns. It must
// not run inside a transaction, because other processes have to see the attempt at once.
func (t *Throttle) Reserve(ctx context.Context, buckets ...Bucket) (wait time.Duration, err error) {
	err = t.db.InTx(ctx, func(ctx context.Context) error {
		q := throttledb.New(t.db.Conn(ctx))
		for _, b := range ordered(buckets) {
			_, err := q.Reserve(ctx, throttledb.ReserveParams{
				Bucket: b.name, WindowSeconds: b.rule.Window.Seconds(), Free: int32(b.rule.FreeFailures),
				FirstSeconds: b.rule.FirstWait.Seconds(), MostSeconds: b.rule.MaxWait.Seconds(),
			})
			if store.NoRows(err) {
				return errWait
			}
			if err != nil {
				return fmt.Errorf("count attempt: %w", err)
			}
		}
		return nil
	})
	if err != errWait { //nolint:errorlint // it is not wrapped
		return 0, err
	}
	wait, err = t.Wait(ctx, buckets...)
	return max(wait, time.Second), err
}

// Attempt is Reserve with a TooMany error when a wait is required.
func (t *Throttle) Attempt(ctx context.Context, says string, buckets ...Bucket) error {
	wait, err := t.Reserve(ctx, buckets...)
	if err != nil || wait <= 0 {
		return err
	}
	return TooMany(wait, says)
}

// TooMany is problem.Throttled. says has a %s for the wait, which is at least a second.
func TooMany(wait time.Duration, says string) error {
	return problem.Errorf(problem.Throttled, says, HumanDuration(wait)).After(max(wait, time.Second))
}

type waiting struct{}

func (waiting) Error() string { return "too many failures" }

var errWait error = waiting{}

// Wait is the remaining wait of the next attempt, 0 for none.
func (t *Throttle) Wait(ctx context.Context, buckets ...Bucket) (time.Duration, error) {
	longest := 0.0
	for _, b := range buckets {
		seconds, err := throttledb.New(t.db.Conn(ctx)).Wait(ctx, throttledb.WaitParams{
			Bucket: b.name, Free: int32(b.rule.FreeFailures), FirstSeconds: b.rule.FirstWait.Seconds(), MostSeconds: b.rule.MaxWait.Seconds(),
		})
		if err != nil {
			return 0, fmt.Errorf("look up failures: %w", err)
		}
		longest = max(longest, seconds)
	}
	return time.Duration(longest * float64(time.Second)), nil
}

// Succeed returns a reserved attempt to these buckets. It clears the failures of the first bucket, and keeps those of
// the others, which other accounts may share.
func (t *Throttle) Succeed(ctx context.Context, own Bucket, others ...Bucket) error {
	return t.db.InTx(ctx, func(ctx context.Context) error {
		q := throttledb.New(t.db.Conn(ctx))
		for _, b := range ordered(append([]Bucket{own}, others...)) {
			update := q.DecrementFailures
			if bytes.Equal(b.name, own.name) {
				update = q.ResetFailures
			}
			if err := update(ctx, b.name); err != nil {
				return fmt.Errorf("take attempt back: %w", err)
			}
		}
		return nil
	})
}

// ordered sorts buckets, which prevents deadlocks between transactions.
func ordered(buckets []Bucket) []Bucket {
	buckets = slices.Clone(buckets)
	slices.SortFunc(buckets, func(a, b Bucket) int { return bytes.Compare(a.name, b.name) })
	return buckets
}

// maxRows bounds the table against an attack with many names.
const maxRows = 500_000

// Sweep deletes expired buckets and reports how many. A few times an hour is enough.
func (t *Throttle) Sweep(ctx context.Context) (int64, error) {
	n, err := throttledb.New(t.db.Conn(ctx)).DeleteOld(ctx, maxRows)
	if err != nil {
		return 0, fmt.Errorf("delete old failures: %w", err)
	}
	return n, nil
}

// HumanDuration is a wait in words.
func HumanDuration(d time.Duration) string {
	if d <= time.Second {
		return "a second"
	}
	if d <= 90*time.Second {
		return fmt.Sprintf("%d seconds", int((d+time.Second-1)/time.Second))
	}
	return fmt.Sprintf("%d minutes", int((d+time.Minute-1)/time.Minute))
}
