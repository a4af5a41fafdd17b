package proposal

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/principal"
	"countersign/tool/audit"
	"countersign/tool/proposal/proposaldb"
)

// WithdrawnReason is what cards of withdrawn proposals say.
const WithdrawnReason = "Withdrawn, because the message that asked for it was edited or is answered again."

// Withdraw declines what turns of p have proposed and nobody has decided, in the transaction of ctx, and returns it for Withdrawn.
// What is decided or carried out stays as it is.
func (s *Service) Withdraw(ctx context.Context, p principal.Principal, turns []uuid.UUID) ([]uuid.UUID, error) {
	ids, err := s.queries(ctx).Withdraw(ctx, proposaldb.WithdrawParams{
		Turns: turns, PrincipalKind: string(p.Kind), PrincipalID: p.ID,
		DecidedByKind: optional(string(p.Kind)), DecidedByID: &p.ID, DecidedByName: &p.Name, DecidedSessionID: &p.SessionID, DecisionReason: WithdrawnReason,
	})
	if err != nil {
		return nil, fmt.Errorf("withdraw proposals: %w", err)
	}
	for _, id := range ids {
		if err := audit.Record(ctx, s.DB, audit.Event{
			Action: audit.Decided, Object: audit.Object(auditType, id, ""), Summary: "A proposed change was withdrawn with the message that asked for it", Actor: p,
		}); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// Withdrawn ends the workflows of withdrawn proposals, once that is committed. The reconciler does it otherwise.
func (s *Service) Withdrawn(ctx context.Context, ids []uuid.UUID) {
	for _, id := range ids {
		s.drive(ctx, id)
	}
}
