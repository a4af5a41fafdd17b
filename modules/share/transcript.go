package share

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/chat/stream"
	"countersign/internal/principal"
	"countersign/internal/store"
	"countersign/modules/share/sharedb"
)

// Piece is a part of a message for a reader, without arguments and results of tools.
type Piece struct {
	Kind string `json:"kind" enum:"text,tool,proposal,question" doc:"What was said, that a tool was used, that a change was proposed, that something was asked"`
	Text string `json:"text,omitempty" doc:"Of a text, as Markdown where the assistant wrote it; of a question what it asks"`
	Tool string `json:"tool,omitempty" doc:"The name of the tool that was used"`
	// ProposalID is left out where the reader does not see the proposal.
	ProposalID *uuid.UUID `json:"proposalId,omitempty" doc:"Of a proposal that you may see: GET /api/ai/proposals/{id} has it. Left out for others."`
}

// Message is a message of a shared conversation.
type Message struct {
	ID     string    `json:"id"`
	Role   string    `json:"role" enum:"user,assistant"`
	At     time.Time `json:"at"`
	Pieces []Piece   `json:"pieces" nullable:"false"`
}

// Withheld is the reason why the rest of a conversation is not shown.
type Withheld struct {
	Reason   string `json:"reason" enum:"rights,length" doc:"rights: an answer tells of something that you may not see, and what stands behind it may repeat it"`
	Messages int    `json:"messages" doc:"How many messages are not shown; 0 when they were not counted"`
}

// Transcript is a shared conversation as far as the reader may see it now.
type Transcript struct {
	Chat
	Running  bool      `json:"running" doc:"An answer is being written. It is shown when it is complete."`
	Messages []Message `json:"messages" nullable:"false"`
	Withheld *Withheld `json:"withheld,omitempty"`
}

// Read returns a conversation shared with the caller.
func (m *Module) Read(ctx context.Context, id uuid.UUID) (Transcript, error) {
	p, err := acts(ctx)
	if err != nil {
		return Transcript{}, err
	}
	one, err := m.queries(ctx).SharedOne(ctx, sharedb.SharedOneParams{ID: id, PersonID: p.ID})
	if store.NoRows(err) {
		return Transcript{}, notShared(id)
	}
	if err != nil {
		return Transcript{}, fmt.Errorf("find shared conversation: %w", err)
	}
	t := Transcript{
		Chat:    Chat{ID: one.ID, Title: one.Title, Owner: Owner{one.OwnerID, one.OwnerName}, SharedAt: one.CreatedAt, UpdatedAt: one.UpdatedAt},
		Running: one.Running, Messages: []Message{},
	}
	if err := m.read(ctx, m.sight(p), &t); err != nil {
		return Transcript{}, err
	}
	var proposals []uuid.UUID
	for _, message := range t.Messages {
		for _, piece := range message.Pieces {
			if piece.ProposalID != nil {
				proposals = append(proposals, *piece.ProposalID)
			}
		}
	}
	return t, m.hideProposals(ctx, p, t.Messages, proposals)
}

// read adds the visible messages in batches, as the model's inputs for them can be long.
func (m *Module) read(ctx context.Context, look *readerSight, t *Transcript) error {
	after := int64(0)
	for {
		rows, err := m.queries(
			ctx,
		).SharedMessages(
			ctx,
			sharedb.SharedMessagesParams{ConversationID: t.ID, After: &after, MaxRows: messageBatch},
		)
		if err != nil {
			return fmt.Errorf("list messages: %w", err)
		}
		for _, row := range rows {
			if len(t.Messages) == maxMessages {
				t.Withheld = &Withheld{Reason: "length"}
				return nil
			}
			message, sees, err := look.message(ctx, row)
			if err != nil {
				return err
			}
			if !sees {
				count, err := m.queries(ctx).CountSharedMessages(ctx, t.ID)
				t.Withheld = &Withheld{Reason: "rights", Messages: max(int(count)-len(t.Messages), 1)}
				if err != nil {
					return fmt.Errorf("count messages: %w", err)
				}
				return nil
			}
			t.Messages = append(t.Messages, message)
			after = *row.Position
		}
		if len(rows) < messageBatch {
			return nil
		}
	}
}

// message returns a message if the reader sees everything that went into it.
func (s *readerSight) message(ctx context.Context, row sharedb.SharedMessagesRow) (message Message, sees bool, err error) {
	if sees, err = s.canSeeInstructions(ctx, row.SkillID, row.AgentID); err != nil || !sees {
		return message, false, err
	}
	if sees, err = s.canSeeMessage(ctx, row.Parts, row.ModelMessages); err != nil || !sees {
		return message, false, err
	}
	return Message{ID: row.ID, Role: row.Role, At: row.CreatedAt, Pieces: piecesOf(row.Parts)}, true, nil
}

// hideProposals removes the ids of proposals that the reader does not see.
func (m *Module) hideProposals(ctx context.Context, p principal.Principal, messages []Message, ids []uuid.UUID) error {
	if len(ids) == 0 {
		return nil
	}
	seen, err := m.Proposals.Visible(ctx, p, ids)
	if err != nil {
		return fmt.Errorf("look at proposals: %w", err)
	}
	for _, message := range messages {
		for i, piece := range message.Pieces {
			if piece.ProposalID != nil && !seen[*piece.ProposalID] {
				message.Pieces[i].ProposalID = nil
			}
		}
	}
	return nil
}

// piecesOf returns the shown parts of a message: no reasoning, errors, arguments, results or unknown parts.
func piecesOf(parts []stream.Part) []Piece {
	pieces := []Piece{}
	for _, part := range parts {
		switch part.Type {
		case "text":
			if part.Text != nil && *part.Text != "" {
				pieces = append(pieces, Piece{Kind: "text", Text: *part.Text})
			}
		case "dynamic-tool":
			pieces = append(pieces, Piece{Kind: "tool", Tool: part.ToolName})
		case "data-proposal", "data-applied":
			var card struct {
				ProposalID uuid.UUID `json:"proposalId"`
			}
			piece := Piece{Kind: "proposal"}
			if json.Unmarshal(part.Data, &card) == nil && card.ProposalID != uuid.Nil {
				piece.ProposalID = &card.ProposalID
			}
			pieces = append(pieces, piece)
		case "data-question":
			var asked struct {
				Question string `json:"question"`
			}
			if json.Unmarshal(part.Data, &asked) == nil && asked.Question != "" {
				pieces = append(pieces, Piece{Kind: "question", Text: asked.Question})
			}
		}
	}
	return pieces
}
