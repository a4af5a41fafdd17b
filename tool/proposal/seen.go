package proposal

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/internal/principal"
)

// Visible returns those of some proposals that p may see now.
func (s *Service) Visible(ctx context.Context, p principal.Principal, ids []uuid.UUID) (map[uuid.UUID]bool, error) {
	rows, err := s.queries(ctx).ProposalsByID(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("load proposals: %w", err)
	}
	r, err := s.reader(ctx, p)
	if err != nil {
		return nil, err
	}
	cards := make([]Card, len(rows))
	for i, row := range rows {
		if cards[i], err = cardOf(row.AiProposal, row.IsExpired); err != nil {
			return nil, err
		}
	}
	if err := r.loadVisibility(ctx, cards...); err != nil {
		return nil, err
	}
	seen := map[uuid.UUID]bool{}
	for _, c := range cards {
		if r.canSee(c) {
			seen[c.ProposalID] = true
		}
	}
	return seen, nil
}

// AppliedInReplaced returns the newest applied proposals of a conversation whose messages are replaced.
func (s *Service) AppliedInReplaced(ctx context.Context, conversation uuid.UUID) ([]uuid.UUID, error) {
	ids, err := s.queries(ctx).AppliedInReplaced(ctx, conversation)
	if err != nil {
		return nil, fmt.Errorf("list changes of replaced messages: %w", err)
	}
	return ids, nil
}
