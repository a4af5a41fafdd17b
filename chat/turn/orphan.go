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
	// Claim is the fencing token of the dead process, and Process the key of its free lock.
	Claim   int
	Process int64
}

const (
	// maxOrphans bounds one list of Orphans.
	maxOrphans = 200
	// maxOrphanClaims is the number of claims up to which an orphaned turn is claimed. A turn that has lost as many
	// processes may be a poison message that kills them: Temporal backs off before each retry, and the reconciler ends it.
	maxOrphanClaims = 3
)

// Orphans lists turns whose process is dead in the eyes of the database, oldest first. own is the calling process. A
// process that has just lost its connection looks dead until it reconnects.
func (s *Store) Orphans(ctx context.Context, own int64) ([]Orphan, error) {
	rows, err := s.queries(ctx).OrphanedTurns(ctx, turndb.OrphanedTurnsParams{Own: own, MostClaims: maxOrphanClaims, MaxRows: maxOrphans})
	if err != nil {
		return nil, fmt.Errorf("list turns of dead processes: %w", err)
	}
	found := make([]Orphan, len(rows))
	for i, r := range rows {
		found[i] = Orphan{ID: r.ID, Claim: int(r.Claim), Process: r.HeldBy}
	}
	return found, nil
}

// ClaimOrphan makes own the process that restarts the turn, and reports whether it did: no other process has, and the
// turn's process is still dead. The fencing token is raised later, by the process that runs the turn.
func (s *Store) ClaimOrphan(ctx context.Context, o Orphan, own int64) (bool, error) {
	n, err := s.queries(ctx).ClaimOrphanedTurn(ctx, turndb.ClaimOrphanedTurnParams{ID: o.ID, Claim: int32(o.Claim), Dead: o.Process, Own: own})
	if err != nil {
		return false, fmt.Errorf("adopt turn: %w", err)
	}
	return n == 1, nil
}

// StillHoldsOrphan reports whether no process has claimed the turn since own claimed the orphan.
func (s *Store) StillHoldsOrphan(ctx context.Context, o Orphan, own int64) (bool, error) {
	adopted, err := s.queries(ctx).OrphanClaimHolds(ctx, turndb.OrphanClaimHoldsParams{ID: o.ID, Claim: int32(o.Claim), Own: own})
	if err != nil {
		return false, fmt.Errorf("look at adopted turn: %w", err)
	}
	return adopted, nil
}
