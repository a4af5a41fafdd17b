package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"countersign/chat/conversation"
	"countersign/chat/stream"
	"countersign/chat/turn"
	"countersign/principal"
	"countersign/tool/proposal"
)

// settle brings the tool parts of messages that waited for a decision when they were stored to where their proposals stand, so
// that a client which begins with them asks for nothing that is decided.
func (r *Conversations) settle(ctx context.Context, messages []conversation.Message) error {
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
		ids = append(ids, allWaiting(parts)...)
	}
	if len(ids) == 0 {
		return nil
	}
	cards, err := r.Proposals.Standing(ctx, principal.FromContext(ctx), ids)
	if err != nil {
		return err
	}
	for i, parts := range open {
		settleAll(parts, cards)
		if messages[i].Parts, err = json.Marshal(parts); err != nil {
			return fmt.Errorf("encode message: %w", err)
		}
	}
	return nil
}

// stored is the message of a turn that is over, for a client that asks for it again: as it was streamed, but for what
// has been decided since.
func (h *Chat) stored(ctx context.Context, t turn.Turn) (stream.Message, error) {
	m, err := h.Conversations.Message(ctx, t.ConversationID, t.AssistantMessageID)
	if err != nil {
		return m, err
	}
	ids := allWaiting(m.Parts)
	if len(ids) == 0 {
		return m, nil
	}
	cards, err := h.Proposals.Standing(ctx, principal.FromContext(ctx), ids)
	if err != nil {
		return m, err
	}
	settleAll(m.Parts, cards)
	return m, nil
}

// settleAll settles the parts whose proposals are among the cards.
func settleAll(parts []stream.Part, cards map[uuid.UUID]proposal.Card) {
	for i := range parts {
		if id, ok := waiting(parts[i]); ok {
			if card, known := cards[id]; known {
				settle(&parts[i], card)
			}
		}
	}
}

// allWaiting are the proposals that tool parts wait for.
func allWaiting(parts []stream.Part) (ids []uuid.UUID) {
	for _, part := range parts {
		if id, ok := waiting(part); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// waiting is the proposal that a tool part waits for.
func waiting(part stream.Part) (uuid.UUID, bool) {
	if part.State != stream.ApprovalRequested || part.Approval == nil {
		return uuid.Nil, false
	}
	id, err := uuid.Parse(part.Approval.ID)
	return id, err == nil
}
