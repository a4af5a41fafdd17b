package auth

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	"countersign/auth/authdb"
	"countersign/problem"
	"countersign/store"
)

// Classes of buckets, in the order in which they are locked.
const (
	emailBucket = iota + 1
	addressBucket
)

// throttle counts failed sign-ins by e-mail address and by client address, for all processes together.
//
// An attempt is reserved before its password is checked and counts as failed until it has succeeded, so guesses that
// run in parallel cannot pass the limit together. The price is known: whoever fails often enough locks an e-mail
// address out for a while. People who are signed in stay so.
type throttle struct {
	db     *store.DB
	limits Throttle
}

// attempt is one reserved sign-in attempt.
type attempt struct {
	email  []byte
	byMail int64
	byAddr int64
}

// reserve counts an attempt, or refuses it with Throttled. It must not run inside of a transaction, as other
// processes have to see the attempt at once.
func (t throttle) reserve(ctx context.Context, email, address string) (attempt, error) {
	a := attempt{email: bucketOf("email", strings.ToLower(email))}
	from := bucketOf("address", address)
	err := t.db.InTx(ctx, func(ctx context.Context) error {
		q := authdb.New(t.db.Conn(ctx))
		if err := t.check(ctx, q, emailBucket, a.email, t.limits.PerEmail); err != nil {
			return err
		}
		if err := t.check(ctx, q, addressBucket, from, t.limits.PerAddress); err != nil {
			return err
		}
		var err error
		if a.byMail, err = q.InsertAttempt(ctx, a.email); err != nil {
			return fmt.Errorf("reserve sign-in attempt: %w", err)
		}
		if a.byAddr, err = q.InsertAttempt(ctx, from); err != nil {
			return fmt.Errorf("reserve sign-in attempt: %w", err)
		}
		return nil
	})
	return a, err
}

func (t throttle) check(ctx context.Context, q *authdb.Queries, class int32, bucket []byte, most int) error {
	if err := q.LockAttempts(ctx, authdb.LockAttemptsParams{Class: class, Bucket: bucket}); err != nil {
		return fmt.Errorf("lock sign-in attempts: %w", err)
	}
	count, err := q.CountAttempts(ctx, authdb.CountAttemptsParams{
		Bucket: bucket, WindowSeconds: t.limits.Window.Seconds(), Skip: int32(most - 1),
	})
	if err != nil {
		return fmt.Errorf("count sign-in attempts: %w", err)
	}
	if count.Total < int64(most) {
		return nil
	}
	wait := time.Second // attempts that are still being checked may turn out well
	if count.Failed >= int64(most) {
		wait = max(wait, time.Duration(count.RetrySeconds*float64(time.Second)))
	}
	return problem.Errorf(problem.Throttled, "Too many failed sign-ins. Wait %s and try again.", spoken(wait)).After(wait)
}

// fail settles an attempt whose password was wrong.
func (t throttle) fail(ctx context.Context, a attempt) error {
	if err := authdb.New(t.db.Conn(ctx)).FailAttempts(ctx, []int64{a.byMail, a.byAddr}); err != nil {
		return fmt.Errorf("settle sign-in attempt: %w", err)
	}
	return nil
}

// succeed takes an attempt back, and forgives the failures of its e-mail address.
func (t throttle) succeed(ctx context.Context, a attempt) error {
	q := authdb.New(t.db.Conn(ctx))
	if err := q.DeleteAttempts(ctx, []int64{a.byMail, a.byAddr}); err != nil {
		return fmt.Errorf("settle sign-in attempt: %w", err)
	}
	if err := q.DeleteFailures(ctx, a.email); err != nil {
		return fmt.Errorf("forgive sign-in failures: %w", err)
	}
	return nil
}

func bucketOf(kind, value string) []byte {
	sum := sha256.Sum256([]byte(kind + "\x00" + value))
	return sum[:]
}

// spoken is a wait as a person would say it.
func spoken(d time.Duration) string {
	if d <= 90*time.Second {
		return fmt.Sprintf("%d seconds", int((d+time.Second-1)/time.Second))
	}
	return fmt.Sprintf("%d minutes", int((d+time.Minute-1)/time.Minute))
}
