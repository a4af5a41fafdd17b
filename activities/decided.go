package activities

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"countersign/chat/assistant"
	"countersign/internal/secret/scrub"
	"countersign/tool"
	"countersign/tool/proposal"
)

// updateDecided replaces results that say a proposal waits by its decision, and returns the changes that remain applied
// although the messages that proposed them are replaced. It reads both from the rows of the proposals: the turn that
// acknowledged a decision may be replaced, or never have run.
func (a *Turn) updateDecided(ctx context.Context, s *session, sc scope) (standing []assistant.Decided, err error) {
	if a.Proposals == nil {
		return nil, nil
	}
	var waiting []uuid.UUID
	var said strings.Builder
	for _, m := range s.History() {
		said.WriteString(m.Content)
		if id, ok := assistant.AwaitedProposal(m); ok {
			waiting = append(waiting, id)
		}
	}
	replaced, err := a.Proposals.AppliedInReplaced(ctx, s.ConversationID)
	if err != nil {
		return nil, err
	}
	if len(waiting)+len(replaced) == 0 {
		return nil, nil
	}
	cards, err := a.Proposals.CurrentCards(ctx, sc.principal, append(waiting, replaced...))
	if err != nil {
		return nil, err
	}
	decided := map[uuid.UUID]assistant.Decided{}
	for id, card := range cards {
		if card.ConversationID == nil || *card.ConversationID != s.ConversationID || card.Status == proposal.Proposed {
			continue
		}
		if decided[id], err = a.decidedText(ctx, s, sc, card); err != nil {
			return nil, err
		}
	}
	s.ReplaceAwaited(func(id uuid.UUID) (string, bool) {
		d, ok := decided[id]
		return d.String(), ok
	})
	for _, id := range replaced {
		if d, ok := decided[id]; ok && !strings.Contains(said.String(), id.String()) {
			standing = append(standing, d)
		}
	}
	return standing, nil
}

// decidedText is the text about a decided proposal for the model. Its content taints the conversation first.
func (a *Turn) decidedText(ctx context.Context, s *session, sc scope, card proposal.Card) (assistant.Decided, error) {
	var n note
	o, err := n.outcome(ctx, card, a.Registry)
	if err != nil {
		return assistant.Decided{}, err
	}
	for _, t := range n.taints {
		if s.HasTaint(t) {
			continue
		}
		if err := s.Taint(ctx, t); err != nil {
			return assistant.Decided{}, err
		}
	}
	d := assistant.Decided{ID: card.ProposalID, Outcome: o, Untrusted: o.Result != nil}
	if card.Status != proposal.Applied || o.Result != nil || len(card.Result) == 0 {
		return d, nil
	}
	d.Result = assistant.Clamp(scrub.JSON(card.Result), assistant.ClampChars(0))
	if a.Authors == nil {
		return d, nil
	}
	// The changed record may hold content of other users.
	var told tool.DisclosedRecords
	told.Note(card.Result)
	written, err := a.Authors.LessPrivileged(ctx, sc.principal, told.IDs())
	if err != nil {
		return d, err
	}
	for i, w := range written {
		written[i].Name = told.Name(w.ID)
	}
	return d, s.TaintWritten(ctx, card.ToolName, written)
}
