package access

import (
	"context"
	"fmt"
	"sync"
	"time"

	"countersign/internal/principal"
	"countersign/internal/store"
	"countersign/internal/store/throttle"
)

// Guesses is the enumeration guard: it counts names that a principal wanted for a record and that belong to records
// which they do not see, as each reveals that there is such a record. A principal who has found many waits before the
// next name is judged, whether it is taken or free.
//
// The count is kept even if the request is rolled back, as in a rehearsal.
type Guesses struct {
	DB *store.DB
	// Record audits a guess, in the transaction of ctx.
	Record func(ctx context.Context, db *store.DB, noun string) error

	// mu keeps requests from opening many connections at once.
	mu sync.Mutex
}

var takenNames = throttle.Rule{Name: "taken name", FreeFailures: 10, FirstWait: time.Minute, MaxWait: 15 * time.Minute, Window: time.Hour}

func takenBy(ctx context.Context) throttle.Bucket {
	return takenNames.Bucket(principal.FromContext(ctx).Key())
}

// check refuses a name while the principal is rate-limited.
func (g *Guesses) check(ctx context.Context) error {
	if g == nil {
		return nil
	}
	wait, err := throttle.New(g.DB).Wait(ctx, takenBy(ctx))
	if err != nil || wait <= 0 {
		return err
	}
	return tooManyNames(wait)
}

// found counts and audits a name that was found taken, or refuses it when concurrent ones reached the limit.
func (g *Guesses) found(ctx context.Context, noun string) error {
	if g == nil {
		return nil
	}
	if err := g.check(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	g.mu.Lock()
	defer g.mu.Unlock()
	apart, err := g.DB.SeparatePool(ctx, 1)
	if err != nil {
		return err
	}
	defer apart.Close()
	wait := time.Duration(0)
	err = apart.InTx(ctx, func(ctx context.Context) error {
		if wait, err = throttle.New(apart).Reserve(ctx, takenBy(ctx)); err != nil || wait > 0 {
			return err
		}
		if err := g.Record(ctx, apart, noun); err != nil {
			return fmt.Errorf("record a taken name: %w", err)
		}
		return nil
	})
	if err == nil && wait > 0 {
		return tooManyNames(wait)
	}
	return err
}

func tooManyNames(wait time.Duration) error {
	return throttle.TooMany(wait, "Too many names were tried that are taken. Wait %s and choose another name then.")
}
