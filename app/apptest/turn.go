package apptest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/chat/stream"
	"countersign/internal/problem"
	"countersign/tool/proposal"
)

// Turn is an assistant's answer as reduced from a complete stream.
type Turn struct {
	Events  []Event
	Message stream.Message
	// Metadata is the message's metadata.
	Metadata struct {
		TurnID    uuid.UUID `json:"turnId"`
		Status    string    `json:"status"`
		Truncated bool      `json:"truncated"`
		Error     *struct {
			Code    problem.Code `json:"code"`
			Message string       `json:"message"`
		} `json:"error"`
	}
}

// TurnOf reduces events as the AI SDK's client does.
func TurnOf(t testing.TB, events []Event) *Turn {
	t.Helper()
	turn := &Turn{Events: events}
	chunks := make([]string, len(events))
	for i, e := range events {
		chunks[i] = e.Chunk
	}
	message, err := stream.Reduce(chunks)
	require.NoError(t, err)
	turn.Message = message
	require.NoError(t, json.Unmarshal(message.Metadata, &turn.Metadata))
	return turn
}

// TextOf returns the text of a message.
func TextOf(m stream.Message) string {
	var texts []string
	for _, p := range m.Parts {
		if p.Type == "text" && p.Text != nil {
			texts = append(texts, *p.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// Text returns the text of the answer.
func (turn *Turn) Text() string { return TextOf(turn.Message) }

// Types are the types of the turn's events.
func (turn *Turn) Types() []string {
	types := make([]string, len(turn.Events))
	for i, e := range turn.Events {
		types[i] = e.Type
	}
	return types
}

// Chunks are the events of the stream as they came.
func (turn *Turn) Chunks() []string {
	chunks := make([]string, len(turn.Events))
	for i, e := range turn.Events {
		chunks[i] = e.Chunk
	}
	return chunks
}

// ToolCalls are the tool parts of the message.
func (turn *Turn) ToolCalls() []stream.Part { return ToolCallsOf(turn.Message) }

// ToolCallsOf are the tool parts of a message.
func ToolCallsOf(m stream.Message) []stream.Part {
	var calls []stream.Part
	for _, p := range m.Parts {
		if p.Type == "dynamic-tool" {
			calls = append(calls, p)
		}
	}
	return calls
}

// Card returns the only card of the message, "proposal" or "applied".
func (turn *Turn) Card(t testing.TB, kind string) proposal.Card {
	t.Helper()
	var cards []proposal.Card
	for _, p := range turn.Message.Parts {
		if p.Type == "data-"+kind {
			var c proposal.Card
			require.NoError(t, json.Unmarshal(p.Data, &c))
			cards = append(cards, c)
		}
	}
	require.Len(t, cards, 1, "cards of the kind %s in %s", kind, turn.Text())
	return cards[0]
}

// Proposal reads a proposal's card, with its token while it is open.
func (c *Client) Proposal(t testing.TB, id uuid.UUID) proposal.Card {
	t.Helper()
	var card proposal.Card
	c.Get(t, "/api/ai/proposals/"+id.String(), &card)
	return card
}

// Apply applies an open proposal and waits for its outcome. The apply response alone may come earlier.
func (c *Client) Apply(t testing.TB, id uuid.UUID) proposal.Card {
	t.Helper()
	card := c.Proposal(t, id)
	require.NotEmpty(t, card.Token, "the proposal is %s", card.Status)
	c.Post(t, "/api/ai/proposals/apply", map[string]any{"token": card.Token}, nil)
	Eventually(t, "the change is made", func() bool {
		card = c.Proposal(t, id)
		return card.Status != proposal.Applying
	})
	return card
}

// Propose creates a proposal outside of a chat.
func (c *Client) Propose(t testing.TB, tool string, input any) proposal.Card {
	t.Helper()
	var card proposal.Card
	c.Post(t, "/api/ai/tools/"+tool+"/propose", map[string]any{"input": input}, &card)
	return card
}
