package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"countersign/chat/conversation"
	"countersign/chat/stream"
	"countersign/chat/turn"
	"countersign/internal/principal"
	"countersign/tool/proposal"
)

// resolveApprovals updates the tool parts of stored messages that waited for a decision to the state of their
// proposals, so that a client does not ask again for decided ones.
func (r *Conversations) resolveApprovals(ctx context.Context, messages []conversation.Message) error {
	open := map[int][]stream.Part{}
	var ids []uuid.UUID
	for i, m := range messages {
		if !bytes.Contains(m.Parts, []byte(`"`+stream.ApprovalRequested+`"`)) {
			continue
		}
		var parts []stream.Part
		if err := json.Unmarshal(m.Parts, &parts); err != nil {
			return fmt.Errorf("read message: %w", err)
		}
		open[i] = parts
		ids = append(ids, waitingProposals(parts)...)
	}
	if len(ids) == 0 {
		return nil
	}
	cards, err := r.Proposals.CurrentCards(ctx, principal.FromContext(ctx), ids)
	if err != nil {
		return err
	}
	for i, parts := range open {
		resolveParts(parts, cards)
		if messages[i].Parts, err = json.Marshal(parts); err != nil {
			return fmt.Errorf("encode message: %w", err)
		}
	}
	return nil
}

// stored returns the message of a finished turn for a repeated request: as streamed, with the decisions since.
func (h *Chat) stored(ctx context.Context, t turn.Turn) (stream.Message, error) {
	m, err := h.Conversations.Message(ctx, t.ConversationID, t.AssistantMessageID)
	if err != nil {
		return m, err
	}
	ids := waitingProposals(m.Parts)
	if len(ids) == 0 {
		return m, nil
	}
	cards, err := h.Proposals.CurrentCards(ctx, principal.FromContext(ctx), ids)
	if err != nil {
		return m, err
	}
	resolveParts(m.Parts, cards)
	return m, nil
}

// resolveParts updates the parts whose proposals are among the cards.
func resolveParts(parts []stream.Part, cards map[uuid.UUID]proposal.Card) {
	for i := range parts {
		if id, ok := waitingProposal(parts[i]); ok {
			if card, known := cards[id]; known {
				resolvePart(&parts[i], card)
			}
		}
	}
}

// waitingProposals returns the proposals that tool parts wait for.
func waitingProposals(parts []stream.Part) (ids []uuid.UUID) {
	for _, part := range parts {
		if id, ok := waitingProposal(part); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// waitingProposal returns the proposal that a tool part waits for.
func waitingProposal(part stream.Part) (uuid.UUID, bool) {
	if part.State != stream.ApprovalRequested || part.Approval == nil {
		return uuid.Nil, false
	}
	id, err := uuid.Parse(part.Approval.ID)
	return id, err == nil
}
