package turn

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/chat/turn/turndb"
)

// Orphan is a turn whose process is dead.
type Orphan struct {
	ID uuid.UUID
	// Claim is that of the dead process, and Process the key of its lock, which nobody holds.
	Claim   int
	Process int64
}

const (
	// orphans bounds how many Orphans returns at once.
	orphans = 200
	// orphaned is how often a turn can be an orphan. One that has lost as many processes may be what kills them: Temporal waits longer each
	// time before another one gets it, and the reconciler ends it.
	orphaned = 3
)

// Orphans lists turns whose process is dead, as far as the database knows, oldest first. own is the process that asks. A process that has
// just lost its connection looks dead for the moment in which it makes another.
func (s *Store) Orphans(ctx context.Context, own int64) ([]Orphan, error) {
	rows, err := s.queries(ctx).OrphanedTurns(ctx, turndb.OrphanedTurnsParams{Own: own, MostClaims: orphaned, MaxRows: orphans})
	if err != nil {
		return nil, fmt.Errorf("list turns of dead processes: %w", err)
	}
	found := make([]Orphan, len(rows))
	for i, r := range rows {
		found[i] = Orphan{ID: r.ID, Claim: int(r.Claim), Process: r.HeldBy}
	}
	return found, nil
}

// Adopt reports whether this call has made own the process that sees to the turn: nobody else has, and its process is still dead. Its claim
// stays: whoever goes on with it raises it.
func (s *Store) Adopt(ctx context.Context, o Orphan, own int64) (bool, error) {
	n, err := s.queries(ctx).AdoptTurn(ctx, turndb.AdoptTurnParams{ID: o.ID, Claim: int32(o.Claim), Dead: o.Process, Own: own})
	if err != nil {
		return false, fmt.Errorf("adopt turn: %w", err)
	}
	return n == 1, nil
}

// Adopted reports whether nobody has gone on with the turn since own has adopted it.
func (s *Store) Adopted(ctx context.Context, o Orphan, own int64) (bool, error) {
	adopted, err := s.queries(ctx).TurnIsAdopted(ctx, turndb.TurnIsAdoptedParams{ID: o.ID, Claim: int32(o.Claim), Own: own})
	if err != nil {
		return false, fmt.Errorf("look at adopted turn: %w", err)
	}
	return adopted, nil
}
