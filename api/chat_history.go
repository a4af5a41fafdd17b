package api

import (
	"context"
	"encoding/json"

	"countersign/chat/conversation"
	"countersign/chat/turn"
)

// Names of the clients whose histories are told, as people read them.
const (
	sdkClient  = "an AI SDK chat"
	aguiClient = "an AG-UI client"
)

// acceptSaid is accept for a client that may send earlier messages. Where its message begins a conversation, they
// reach the model as data and taint the conversation; later the server's history stands.
func (h *Chat) acceptSaid(ctx context.Context, set turn.Settings, in chatRequest) (a accepted, err error) {
	if len(in.said.Before) == 0 {
		return h.accept(ctx, set, in)
	}
	err = h.DB.InTx(ctx, func(ctx context.Context) error {
		told, err := h.Conversations.ToldAtFirst(ctx, set.ConversationID, in.MessageID, in.said)
		if err != nil {
			return err
		}
		if !told.Empty() {
			in.program = in.saidBy
		}
		if a, err = h.accept(ctx, set, in); err != nil || !a.created {
			return err
		}
		return h.Conversations.KeepTold(ctx, a.ID, told)
	})
	return a, err
}

// clientHistory is what a list of UIMessages or of AG-UI messages says was said before its last one. What cannot be
// read is not a message.
func clientHistory(list []json.RawMessage) conversation.Said {
	if len(list) < 2 {
		return conversation.Said{}
	}
	sent := make([]sentMessage, 0, len(list))
	for _, raw := range list[:len(list)-1] {
		var m struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
			Parts   []struct {
				clientPart

				Output json.RawMessage `json:"output"`
			} `json:"parts"`
		}
		if json.Unmarshal(raw, &m) != nil {
			continue
		}
		one := sentMessage{role: m.Role}
		one.text, _ = contentText(m.Content)
		for _, part := range m.Parts {
			switch {
			case part.Type == "text":
				one.text += part.Text
			case len(part.Output) > 0:
				sent = append(sent, sentMessage{role: "tool", text: string(part.Output)})
			}
		}
		switch m.Role {
		case "system", "developer", "user", "assistant", "tool":
			sent = append(sent, one)
		}
	}
	return saidBy(append(sent, sentMessage{role: "user"}))
}
