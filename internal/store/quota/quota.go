// Package quota limits how many operations of one kind a principal may have open at once, across all processes. An operation
// acquires a lease before it begins and releases it at its end. Leases are rows in PostgreSQL; those of a dead process expire.
package quota

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/internal/store/chore"
	"countersign/internal/store/quota/quotadb"
)

// Kind is a kind of operation with a limit.
type Kind struct {
	// Name identifies the kind; Plural is its name in messages: "streams".
	Name, Plural string
	// Max is the number of leases that a principal may hold at once.
	Max int
	// TTL is the lifetime of a lease unless it is renewed. An operation without Renew must end within it.
	TTL time.Duration
	// RetryAfter is the wait that a refusal suggests.
	RetryAfter time.Duration
}

// Limiter hands out leases.
type Limiter struct{ db *store.DB }

// New makes a Limiter on a database.
func New(db *store.DB) *Limiter { return &Limiter{db: db} }

// Lease is the right to run one operation.
type Lease struct {
	db        *store.DB
	kind      Kind
	id        uuid.UUID
	principal string
}

// Acquire acquires a lease for p, or fails with problem.Throttled.
func (q *Limiter) Acquire(ctx context.Context, p principal.Principal, k Kind) (*Lease, error) {
	place := &Lease{db: q.db, kind: k, id: store.NewID(), principal: p.Key()}
	_, err := quotadb.New(q.db.Locked(ctx, k.Name+"/"+place.principal)).AcquireLease(ctx, quotadb.AcquireLeaseParams{
		ID: place.id, Kind: k.Name, Principal: place.principal, HoldSeconds: k.TTL.Seconds(), Most: int64(k.Max),
	})
	if store.NoRows(err) {
		return nil, problem.Errorf(
			problem.Throttled,
			"You have %d %s already, and no more are possible at once. Close or finish one, or wait %d seconds and try again.",
			k.Max,
			k.Plural,
			int(k.RetryAfter.Seconds()),
		).After(
			k.RetryAfter,
		)
	}
	if err != nil {
		// The row may exist all the same, if only the answer was lost.
		place.Release(ctx)
		return nil, fmt.Errorf("acquire one of the %s: %w", k.Plural, err)
	}
	return place, nil
}

// renewTimeout bounds a renewal.
const renewTimeout = 5 * time.Second

// Renew extends the lease by its TTL. Its statement ignores the end of ctx: a canceled one could reach the database after that
// of Release, and revive the lease.
func (p *Lease) Renew(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewTimeout)
	defer cancel()
	err := quotadb.New(
		p.db.Conn(ctx),
	).RenewLease(
		ctx,
		quotadb.RenewLeaseParams{ID: p.id, Kind: p.kind.Name, Principal: p.principal, HoldSeconds: p.kind.TTL.Seconds()},
	)
	if err != nil {
		return fmt.Errorf("renew one of the %s: %w", p.kind.Plural, err)
	}
	return nil
}

// releaseTimeout bounds a release.
const releaseTimeout = 5 * time.Second

// Release ends the lease, also when ctx is done. If that fails, the lease expires.
func (p *Lease) Release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	_ = quotadb.New(p.db.Conn(ctx)).ReleaseLease(ctx, p.id)
}

// Chores delete expired leases.
func (q *Limiter) Chores() []chore.Chore {
	return []chore.Chore{{Name: "sweep places", Every: 10 * time.Minute, Do: func(ctx context.Context) error {
		if _, err := quotadb.New(q.db.Conn(ctx)).DeleteExpiredLeases(ctx); err != nil {
			return fmt.Errorf("delete old places: %w", err)
		}
		return nil
	}}}
}
