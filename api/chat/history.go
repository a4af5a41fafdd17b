package chat

import (
	"context"
	"encoding/json"

	"countersign/chat/conversation"
	"countersign/chat/turn"
)

// Names of the clients that send histories, as shown to people.
const (
	sdkClient  = "an AI SDK chat"
	aguiClient = "an AG-UI client"
)

// acceptWithHistory is accept for a client that may send earlier messages. With the first message of a conversation
// they reach the model as data and taint the conversation; later the server's history counts.
func (h *Chat) acceptWithHistory(ctx context.Context, set turn.Settings, in chatRequest) (a accepted, err error) {
	if len(in.history.Exchanges) == 0 {
		return h.accept(ctx, set, in)
	}
	err = h.DB.InTx(ctx, func(ctx context.Context) error {
		told, err := h.Conversations.InitialClientHistory(ctx, set.ConversationID, in.MessageID, in.history)
		if err != nil {
			return err
		}
		if !told.Empty() {
			in.program = in.historyClient
		}
		if a, err = h.accept(ctx, set, in); err != nil || !a.created {
			return err
		}
		return h.Conversations.StoreClientHistory(ctx, a.ID, told)
	})
	return a, err
}

// clientHistory decodes the UIMessages or AG-UI messages before the last one. Malformed messages are skipped.
func clientHistory(list []json.RawMessage) conversation.ClientInput {
	if len(list) < 2 {
		return conversation.ClientInput{}
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
	return historyOf(append(sent, sentMessage{role: "user"}))
}
