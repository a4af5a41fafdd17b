package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"countersign/chat/conversation"
	"countersign/chat/stream"
	"countersign/principal"
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
		for _, part := range parts {
			if id, ok := waiting(part); ok {
				ids = append(ids, id)
			}
		}
	}
	if len(ids) == 0 {
		return nil
	}
	cards, err := r.Proposals.Standing(ctx, principal.FromContext(ctx), ids)
	if err != nil {
		return err
	}
	for i, parts := range open {
		for n := range parts {
			if id, ok := waiting(parts[n]); ok {
				if card, known := cards[id]; known {
					settle(&parts[n], card)
				}
			}
		}
		if messages[i].Parts, err = json.Marshal(parts); err != nil {
			return fmt.Errorf("encode message: %w", err)
		}
	}
	return nil
}

// waiting is the proposal that a tool part waits for.
func waiting(part stream.Part) (uuid.UUID, bool) {
	if part.State != stream.ApprovalRequested || part.Approval == nil {
		return uuid.Nil, false
	}
	id, err := uuid.Parse(part.Approval.ID)
	return id, err == nil
}
