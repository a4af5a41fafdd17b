package proposal

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/principal"
	"countersign/internal/store"
	"countersign/tool/proposal/proposaldb"
)

// StoppedReason is shown on the card of a proposal whose turn was stopped before the person saw it.
const StoppedReason = "Withdrawn, because the answer was stopped before this was shown."

// WithdrawnReason is shown on cards of withdrawn proposals.
const WithdrawnReason = "Withdrawn, because the message that asked for it was edited or is answered again."

// Withdraw declines the open proposals of p's turns, in the transaction of ctx, and returns them for Withdrawn.
// Decided proposals stay unchanged.
func (s *Service) Withdraw(ctx context.Context, p principal.Principal, turns []uuid.UUID) ([]uuid.UUID, error) {
	ids, err := s.queries(ctx).Withdraw(ctx, proposaldb.WithdrawParams{
		Turns:         turns,
		PrincipalKind: string(p.Kind),
		PrincipalID:   p.ID,
		DecidedByKind: store.TextOrNull(
			string(p.Kind),
		),
		DecidedByID:      &p.ID,
		DecidedByName:    &p.Name,
		DecidedSessionID: &p.SessionID,
		DecisionReason:   WithdrawnReason,
	})
	if err != nil {
		return nil, fmt.Errorf("withdraw proposals: %w", err)
	}
	for _, id := range ids {
		if err := audit.Record(ctx, s.DB, audit.Event{
			Action:  audit.Decided,
			Object:  audit.Object(auditType, id, ""),
			Summary: "A proposed change was withdrawn with the message that asked for it",
			Actor:   p,
		}); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// Withdrawn ends the workflows of withdrawn proposals after the commit. Otherwise the reconciler does it.
func (s *Service) Withdrawn(ctx context.Context, ids []uuid.UUID) {
	for _, id := range ids {
		s.signalWorkflow(ctx, id)
	}
}

// WithdrawStopped declines a proposal whose turn was stopped before its card was shown, unless it was decided
// meanwhile, and returns its current state. session is that of the turn.
func (s *Service) WithdrawStopped(ctx context.Context, id, session uuid.UUID) (Card, error) {
	n, err := store.InTx(ctx, s.DB, func(ctx context.Context) (int64, error) {
		n, err := s.queries(ctx).WithdrawCall(ctx,
			proposaldb.WithdrawCallParams{ID: id, DecidedSessionID: session, DecisionReason: StoppedReason})
		if err != nil || n == 0 {
			return n, err
		}
		card, err := s.load(ctx, id)
		if err != nil {
			return n, err
		}
		return n, audit.Record(ctx, s.DB, audit.Event{
			Action: audit.Decided, Object: audit.Object(auditType, id, ""),
			Summary: "A proposed change was withdrawn, as its turn was stopped",
			Actor:   principal.Principal{Kind: card.Proposer.Kind, ID: card.Proposer.ID, Name: card.Proposer.Name, SessionID: session},
		})
	})
	if err != nil {
		return Card{}, fmt.Errorf("withdraw proposal: %w", err)
	}
	ctx, cancel := committed(ctx)
	defer cancel()
	if n > 0 {
		s.signalWorkflow(ctx, id)
	}
	return s.load(ctx, id)
}

// Unrecorded is a proposal whose call has left no record in its turn.
type Unrecorded struct {
	ID         uuid.UUID
	Step, Call int
}

// Unrecorded lists the proposals of a turn whose calls have left no record in it.
func (s *Service) Unrecorded(ctx context.Context, turn uuid.UUID) ([]Unrecorded, error) {
	rows, err := s.queries(ctx).UnrecordedProposals(ctx, &turn)
	if err != nil {
		return nil, fmt.Errorf("list proposals without a record: %w", err)
	}
	found := make([]Unrecorded, len(rows))
	for i, row := range rows {
		found[i] = Unrecorded{ID: row.ID, Step: int(row.Step), Call: int(row.Call)}
	}
	return found, nil
}
