// Package quota bounds what one principal may have open at the same moment, over all processes: a place is taken before
// the work begins and given back at its end. Places are rows in PostgreSQL; those of a process that died are free again
// when the time is over for which they were held.
package quota

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/principal"
	"countersign/problem"
	"countersign/store"
	"countersign/store/chore"
	"countersign/store/quota/quotadb"
)

// Kind is what places are for.
type Kind struct {
	// Name keeps kinds apart; Plural is how messages call what is bounded: "streams".
	Name, Plural string
	// Most is how many a principal may have at once.
	Most int
	// Hold is for how long a place is held unless it is kept. Work without Keep must be over by then.
	Hold time.Duration
	// Retry is what a refusal tells to wait.
	Retry time.Duration
}

// Places hands out places.
type Places struct{ db *store.DB }

// New makes Places on a database.
func New(db *store.DB) *Places { return &Places{db: db} }

// Place is one that is held.
type Place struct {
	db        *store.DB
	kind      Kind
	id        uuid.UUID
	principal string
}

// Take takes a place of p, or is problem.Throttled.
func (q *Places) Take(ctx context.Context, p principal.Principal, k Kind) (*Place, error) {
	place := &Place{db: q.db, kind: k, id: store.NewID(), principal: p.Key()}
	_, err := quotadb.New(q.db.Locked(ctx, k.Name+"/"+place.principal)).TakePlace(ctx, quotadb.TakePlaceParams{
		ID: place.id, Kind: k.Name, Principal: place.principal, HoldSeconds: k.Hold.Seconds(), Most: int64(k.Most),
	})
	if store.NoRows(err) {
		return nil, problem.Errorf(
			problem.Throttled,
			"You have %d %s already, and no more are possible at once. Close or finish one, or wait %d seconds and try again.",
			k.Most,
			k.Plural,
			int(k.Retry.Seconds()),
		).After(
			k.Retry,
		)
	}
	if err != nil {
		// The row may be there all the same, where only the answer was lost.
		place.GiveBack(ctx)
		return nil, fmt.Errorf("take one of the %s: %w", k.Plural, err)
	}
	return place, nil
}

// keepTimeout bounds how long work waits for the database to keep its place.
const keepTimeout = 5 * time.Second

// Keep holds the place for another while. The end of ctx does not end its statement, which could reach the database behind that of
// GiveBack otherwise, and hold the place for nobody.
func (p *Place) Keep(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepTimeout)
	defer cancel()
	err := quotadb.New(
		p.db.Conn(ctx),
	).KeepPlace(
		ctx,
		quotadb.KeepPlaceParams{ID: p.id, Kind: p.kind.Name, Principal: p.principal, HoldSeconds: p.kind.Hold.Seconds()},
	)
	if err != nil {
		return fmt.Errorf("keep one of the %s: %w", p.kind.Plural, err)
	}
	return nil
}

// giveBackTimeout bounds how long the end of some work waits for the database.
const giveBackTimeout = 5 * time.Second

// GiveBack ends the hold, also when ctx is over. A place that cannot be given back is free again after a while.
func (p *Place) GiveBack(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), giveBackTimeout)
	defer cancel()
	_ = quotadb.New(p.db.Conn(ctx)).GivePlaceBack(ctx, p.id)
}

// Chores are what has to be done now and then.
func (q *Places) Chores() []chore.Chore {
	return []chore.Chore{{Name: "sweep places", Every: 10 * time.Minute, Do: func(ctx context.Context) error {
		if _, err := quotadb.New(q.db.Conn(ctx)).DeleteOldPlaces(ctx); err != nil {
			return fmt.Errorf("delete old places: %w", err)
		}
		return nil
	}}}
}
