package conversation

import (
	"context"
	"fmt"

	"countersign/chat/conversation/conversationdb"
	"countersign/internal/principal"
	"countersign/internal/rest"
)

// cursorOf is the cursor of a page; the first page's comes after every conversation.
func cursorOf(p rest.Page) (rest.Moment, error) {
	after, err := p.AfterMoment()
	if err != nil || after == nil {
		return rest.Latest(), err
	}
	return *after, nil
}

// List returns a page of p's conversations that are not archived, the latest first. A conversation that is used during
// paging moves to the front.
func (s *Service) List(ctx context.Context, p principal.Principal, page rest.Page) ([]Conversation, rest.Next, error) {
	after, err := cursorOf(page)
	if err != nil {
		return nil, rest.Next{}, err
	}
	rows, err := s.queries(ctx).ConversationsByOwner(ctx, conversationdb.ConversationsByOwnerParams{
		OwnerID: p.ID, Before: after.At, After: after.ID, Max: page.Rows(),
	})
	if err != nil {
		return nil, rest.Next{}, fmt.Errorf("list conversations: %w", err)
	}
	list := make([]Conversation, len(rows))
	for i, row := range rows {
		list[i] = of(row.AiConversation, row.ActiveTurnID)
	}
	list, next := rest.Cut(page, list, func(c Conversation) string { return rest.Moment{At: c.UpdatedAt, ID: c.ID}.String() })
	return list, next, nil
}

// Archived returns a page of p's archived conversations, the latest first.
func (s *Service) Archived(ctx context.Context, p principal.Principal, page rest.Page) ([]Conversation, rest.Next, error) {
	after, err := cursorOf(page)
	if err != nil {
		return nil, rest.Next{}, err
	}
	rows, err := s.queries(ctx).ArchivedConversationsByOwner(ctx, conversationdb.ArchivedConversationsByOwnerParams{
		OwnerID: p.ID, Before: &after.At, After: after.ID, Max: page.Rows(),
	})
	if err != nil {
		return nil, rest.Next{}, fmt.Errorf("list archived conversations: %w", err)
	}
	list := make([]Conversation, len(rows))
	for i, row := range rows {
		list[i] = of(row.AiConversation, row.ActiveTurnID)
	}
	list, next := rest.Cut(page, list, func(c Conversation) string { return rest.Moment{At: *c.ArchivedAt, ID: c.ID}.String() })
	return list, next, nil
}
