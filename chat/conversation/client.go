package conversation

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/chat/conversation/conversationdb"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/tool/disposition"
)

// MaxClientID bounds a client's id for a conversation: printable ASCII without spaces.
const MaxClientID = 128

// ClientID reports whether a client can use this id for a conversation.
func ClientID(name string) bool {
	return name != "" && len(name) <= MaxClientID && !strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' })
}

// Find returns p's conversation with this id, or with this id of p's client; problem.NotFound when there is neither.
func (s *Service) Find(ctx context.Context, p principal.Principal, name string) (Conversation, error) {
	unknown := error(problem.Errorf(problem.NotFound, "There is no such conversation."))
	if id, err := uuid.Parse(name); err == nil {
		found, err := s.Get(ctx, p, id)
		if !problem.Is(err, problem.NotFound) {
			return found, err
		}
		unknown = err
	}
	if !ClientID(name) {
		return Conversation{}, unknown
	}
	row, err := s.queries(ctx).ConversationByClient(ctx, conversationdb.ConversationByClientParams{OwnerID: p.ID, ClientID: name})
	if store.NoRows(err) {
		return Conversation{}, unknown
	}
	if err != nil {
		return Conversation{}, fmt.Errorf("find conversation of a client: %w", err)
	}
	return of(row.AiConversation, row.ActiveTurnID), nil
}

// ForClient is Find, and creates a missing conversation. Ids are separate for each owner.
func (s *Service) ForClient(ctx context.Context, p principal.Principal, name string) (Conversation, error) {
	found, err := s.Find(ctx, p, name)
	if !problem.Is(err, problem.NotFound) {
		return found, err
	}
	if !ClientID(name) {
		return Conversation{}, problem.Errorf(problem.Invalid, "The id of a chat must have 1 to %d printable ASCII characters.", MaxClientID)
	}
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.room(ctx, p); err != nil {
			return err
		}
		row, err := s.queries(ctx).CreateClientConversation(ctx, conversationdb.CreateClientConversationParams{
			ID: store.NewID(), OwnerID: p.ID, PermissionMode: string(disposition.Approve), ClientID: &name,
		})
		if store.NoRows(err) {
			// A concurrent request of the same client has just created it.
			found, err = s.Find(ctx, p, name)
			return err
		}
		if err != nil {
			return fmt.Errorf("create conversation of a client: %w", err)
		}
		found = of(row, nil)
		found.started = true
		return s.record(ctx, p, audit.Created, row.ID, "Conversation started", nil)
	})
	return found, err
}
