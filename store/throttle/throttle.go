// Package throttle lets whoever has failed often wait: after a number of failures each further one is answered by a
// longer wait, up to a bound. Failures are counted in PostgreSQL by its clock, for all processes together.
//
// An attempt is reserved before it is judged and counts as failed until it is taken back, so attempts that run in
// parallel cannot pass together, and the attempt of a process that died has failed.
package throttle

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"countersign/problem"
	"countersign/store"
	"countersign/store/throttle/throttledb"
)

// Rule is how failures of one sort make wait.
type Rule struct {
	// Sort keeps the buckets of rules apart.
	Sort string
	// Free is how many failures are answered at once. The next one waits First, each further one twice as long, up to Most.
	Free        int
	First, Most time.Duration
	// Window is for how long after the last failure they are all remembered.
	Window time.Duration
}

// Bucket is what failures are counted by, such as one account.
type Bucket struct {
	rule Rule
	name []byte
}

// Bucket is the one of these parts.
func (r Rule) Bucket(parts ...string) Bucket {
	sum := sha256.New()
	for _, part := range append([]string{r.Sort}, parts...) {
		_, _ = fmt.Fprintf(sum, "%d:%s", len(part), part)
	}
	return Bucket{r, sum.Sum(nil)}
}

// Throttle counts.
type Throttle struct{ db *store.DB }

// New makes a Throttle on a database.
func New(db *store.DB) *Throttle { return &Throttle{db: db} }

// Reserve counts an attempt in each of the buckets, or in none when one of them still makes it wait, and says how long. It
// must not run inside of a transaction, as other processes have to see the attempt at once.
func (t *Throttle) Reserve(ctx context.Context, buckets ...Bucket) (wait time.Duration, err error) {
	err = t.db.InTx(ctx, func(ctx context.Context) error {
		q := throttledb.New(t.db.Conn(ctx))
		for _, b := range ordered(buckets) {
			_, err := q.Reserve(ctx, throttledb.ReserveParams{
				Bucket: b.name, WindowSeconds: b.rule.Window.Seconds(), Free: int32(b.rule.Free),
				FirstSeconds: b.rule.First.Seconds(), MostSeconds: b.rule.Most.Seconds(),
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

// Attempt is Reserve, with the refusal TooMany for who has to wait.
func (t *Throttle) Attempt(ctx context.Context, says string, buckets ...Bucket) error {
	wait, err := t.Reserve(ctx, buckets...)
	if err != nil || wait <= 0 {
		return err
	}
	return TooMany(wait, says)
}

// TooMany is problem.Throttled: says has a %s for how long to wait, which is a second at least.
func TooMany(wait time.Duration, says string) error {
	return problem.Errorf(problem.Throttled, says, Spoken(wait)).After(max(wait, time.Second))
}

type waiting struct{}

func (waiting) Error() string { return "too many failures" }

var errWait error = waiting{}

// Wait is for how long an attempt has to wait; 0 when it need not.
func (t *Throttle) Wait(ctx context.Context, buckets ...Bucket) (time.Duration, error) {
	longest := 0.0
	for _, b := range buckets {
		seconds, err := throttledb.New(t.db.Conn(ctx)).Wait(ctx, throttledb.WaitParams{
			Bucket: b.name, Free: int32(b.rule.Free), FirstSeconds: b.rule.First.Seconds(), MostSeconds: b.rule.Most.Seconds(),
		})
		if err != nil {
			return 0, fmt.Errorf("look up failures: %w", err)
		}
		longest = max(longest, seconds)
	}
	return time.Duration(longest * float64(time.Second)), nil
}

// Succeed takes an attempt back that was reserved in these buckets. It forgets the failures of the first one, and keeps
// those of the others, which may be somebody else's.
func (t *Throttle) Succeed(ctx context.Context, own Bucket, others ...Bucket) error {
	return t.db.InTx(ctx, func(ctx context.Context) error {
		q := throttledb.New(t.db.Conn(ctx))
		for _, b := range ordered(append([]Bucket{own}, others...)) {
			settle := q.TakeBack
			if bytes.Equal(b.name, own.name) {
				settle = q.Forget
			}
			if err := settle(ctx, b.name); err != nil {
				return fmt.Errorf("take attempt back: %w", err)
			}
		}
		return nil
	})
}

// ordered keeps transactions from waiting for each other in a circle.
func ordered(buckets []Bucket) []Bucket {
	buckets = slices.Clone(buckets)
	slices.SortFunc(buckets, func(a, b Bucket) int { return bytes.Compare(a.name, b.name) })
	return buckets
}

// maxRows bounds the table, whoever tries however many names.
const maxRows = 500_000

// Sweep deletes what is forgotten and reports how many rows. A few times an hour is enough.
func (t *Throttle) Sweep(ctx context.Context) (int64, error) {
	n, err := throttledb.New(t.db.Conn(ctx)).DeleteOld(ctx, maxRows)
	if err != nil {
		return 0, fmt.Errorf("delete old failures: %w", err)
	}
	return n, nil
}

// Spoken is a wait as a person would say it.
func Spoken(d time.Duration) string {
	if d <= time.Second {
		return "a second"
	}
	if d <= 90*time.Second {
		return fmt.Sprintf("%d seconds", int((d+time.Second-1)/time.Second))
	}
	return fmt.Sprintf("%d minutes", int((d+time.Minute-1)/time.Minute))
}
