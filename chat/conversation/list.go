package conversation

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/chat/conversation/conversationdb"
	"countersign/principal"
	"countersign/problem"
	"countersign/rest"
)

// place is where a page of a list goes on: behind the conversation with this id, whose time was this.
type place struct {
	at time.Time
	id uuid.UUID
}

// latest is after every conversation.
var latest = time.Date(9999, time.January, 1, 0, 0, 0, 0, time.UTC)

func placeOf(p rest.Page) (place, error) {
	key, err := p.After()
	if err != nil || key == "" {
		return place{at: latest}, err
	}
	at, id, _ := strings.Cut(key, " ")
	micro, atErr := strconv.ParseInt(at, 10, 64)
	after, idErr := uuid.Parse(id)
	if atErr != nil || idErr != nil || micro < 0 || micro > latest.UnixMicro() {
		return place{}, problem.UnknownCursor()
	}
	return place{time.UnixMicro(micro).UTC(), after}, nil
}

func (p place) String() string { return fmt.Sprintf("%d %s", p.at.UnixMicro(), p.id) }

// List returns a page of p's conversations that are not archived, the latest first. A conversation that goes on while the
// pages are read comes to the front.
func (s *Service) List(ctx context.Context, p principal.Principal, page rest.Page) ([]Conversation, rest.Next, error) {
	behind, err := placeOf(page)
	if err != nil {
		return nil, rest.Next{}, err
	}
	rows, err := s.queries(ctx).ConversationsByOwner(ctx, conversationdb.ConversationsByOwnerParams{
		OwnerID: p.ID, Before: behind.at, After: behind.id, Max: page.Rows(),
	})
	if err != nil {
		return nil, rest.Next{}, fmt.Errorf("list conversations: %w", err)
	}
	list := make([]Conversation, len(rows))
	for i, row := range rows {
		list[i] = of(row.AiConversation, row.ActiveTurnID)
	}
	list, next := rest.Cut(page, list, func(c Conversation) string { return place{c.UpdatedAt, c.ID}.String() })
	return list, next, nil
}

// Archived returns a page of p's archived conversations, the latest first.
func (s *Service) Archived(ctx context.Context, p principal.Principal, page rest.Page) ([]Conversation, rest.Next, error) {
	behind, err := placeOf(page)
	if err != nil {
		return nil, rest.Next{}, err
	}
	rows, err := s.queries(ctx).ArchivedConversationsByOwner(ctx, conversationdb.ArchivedConversationsByOwnerParams{
		OwnerID: p.ID, Before: &behind.at, After: behind.id, Max: page.Rows(),
	})
	if err != nil {
		return nil, rest.Next{}, fmt.Errorf("list archived conversations: %w", err)
	}
	list := make([]Conversation, len(rows))
	for i, row := range rows {
		list[i] = of(row.AiConversation, row.ActiveTurnID)
	}
	list, next := rest.Cut(page, list, func(c Conversation) string { return place{*c.ArchivedAt, c.ID}.String() })
	return list, next, nil
}
