package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"countersign/chat/conversation"
	"countersign/chat/stream"
	transcripts "countersign/chat/transcript"
	"countersign/chat/turn"
	"countersign/internal/principal"
	"countersign/internal/rest"
	"countersign/tool/proposal"
)

// markdown writes messages page by page, so that memory holds one page at most.
func (r *Conversations) markdown(ctx context.Context, in *rest.ByID) (*huma.StreamResponse, error) {
	p, err := person(ctx)
	if err != nil {
		return nil, err
	}
	c, err := r.Service.Get(ctx, p, in.ID)
	if err != nil {
		return nil, err
	}
	title := ""
	if c.Title != nil {
		title = *c.Title
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		hc.SetHeader("Content-Type", "text/markdown; charset=utf-8")
		hc.SetHeader("Content-Disposition", `attachment; filename="`+transcripts.FileName(title)+`"`)
		hc.SetHeader("X-Content-Type-Options", "nosniff")
		out := hc.BodyWriter()
		if err := r.writeMarkdown(ctx, out, p, c, title); err != nil && ctx.Err() == nil {
			// The marker keeps readers from taking the export for complete.
			_, _ = io.WriteString(out, "\n---\n\n*The export was interrupted here. Try again.*\n")
		}
	}}, nil
}

func (r *Conversations) writeMarkdown(
	ctx context.Context,
	out io.Writer,
	p principal.Principal,
	c conversation.Conversation,
	title string,
) error {
	w := transcripts.New(out, transcripts.Head{Title: title, Owner: p.Name, StartedAt: c.CreatedAt, At: time.Now(), URL: r.URL})
	err := r.Service.EachPage(ctx, c.ID, func(page []conversation.Dated) error {
		messages, proposals, err := readPage(page)
		if err != nil {
			return err
		}
		var cards map[uuid.UUID]proposal.Card
		if len(proposals) > 0 {
			if cards, err = r.Proposals.CurrentCards(ctx, p, proposals); err != nil {
				return err
			}
		}
		for _, m := range messages {
			if err := w.Message(m, cards); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && c.ActiveTurnID != nil {
		err = w.Running()
	}
	return err
}

// readPage reads stored messages, and which proposals have cards in them.
func readPage(page []conversation.Dated) (messages []transcripts.Message, proposals []uuid.UUID, err error) {
	messages = make([]transcripts.Message, len(page))
	for i, stored := range page {
		m := stream.Message{ID: stored.ID, Role: stored.Role}
		if err := json.Unmarshal(stored.Parts, &m.Parts); err != nil {
			return nil, nil, fmt.Errorf("read message: %w", err)
		}
		var about turn.MessageMetadata
		if err := json.Unmarshal(stored.Metadata, &about); err != nil {
			return nil, nil, fmt.Errorf("read message: %w", err)
		}
		messages[i] = transcripts.Message{Message: m, At: stored.At, Model: about.Model}
		for _, part := range m.Parts {
			if id, ok := cardOf(part); ok {
				proposals = append(proposals, id)
			}
		}
	}
	return messages, proposals, nil
}

// cardOf returns the proposal whose card a part is.
func cardOf(part stream.Part) (uuid.UUID, bool) {
	if part.Type != "data-proposal" && part.Type != "data-applied" {
		return uuid.Nil, false
	}
	var card struct {
		ProposalID uuid.UUID `json:"proposalId"`
	}
	err := json.Unmarshal(part.Data, &card)
	return card.ProposalID, err == nil && card.ProposalID != uuid.Nil
}
