package conversation

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/chat/conversation/conversationdb"
	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/store"
)

const (
	// emptyHours is how long a conversation may wait for its first message.
	emptyHours = 24
	// emptyAtOnce bounds the deletions of one Tidy.
	emptyAtOnce = 500
)

// Tidy deletes conversations without any message a day after their last change: their first message was refused, or
// their owner has left.
func (s *Sweeper) Tidy(ctx context.Context) error {
	ids, err := s.queries(ctx).EmptyConversations(ctx, conversationdb.EmptyConversationsParams{Hours: emptyHours, MaxRows: emptyAtOnce})
	if err != nil {
		return fmt.Errorf("list empty conversations: %w", err)
	}
	for _, id := range ids {
		if err := deleteEmpty(ctx, s.db, s.removed, id, principal.Principal{}, "Deleted, as nothing was said in it for a day"); err != nil {
			return err
		}
	}
	return nil
}

// ForMessage is Create for a message that comes with the same request.
func (s *Service) ForMessage(ctx context.Context, p principal.Principal) (Conversation, error) {
	c, err := s.Create(ctx, p, Settings{})
	c.started = true
	return c, err
}

// Withdraw deletes a conversation that this request has created, by ForClient or ForMessage, after its message was
// refused.
func (s *Service) Withdraw(ctx context.Context, p principal.Principal, c Conversation) error {
	if !c.started {
		return nil
	}
	return deleteEmpty(ctx, s.db, s.removed, c.ID, p, "Deleted, as its first message was refused")
}

func deleteEmpty(
	ctx context.Context,
	db *store.DB,
	removed access.OnRemoved,
	id uuid.UUID,
	by principal.Principal,
	why string,
) error {
	return db.InTx(ctx, func(ctx context.Context) error {
		q := conversationdb.New(db.Conn(ctx))
		// The lock blocks new messages.
		if _, err := q.LockConversation(ctx, id); store.NoRows(err) {
			return nil
		} else if err != nil {
			return fmt.Errorf("lock conversation: %w", err)
		}
		n, err := q.DeleteEmpty(ctx, id)
		if err != nil || n == 0 {
			return err
		}
		if err := removed.Notify(ctx, conversationType, id); err != nil {
			return err
		}
		return audit.Record(ctx, db, audit.Event{Action: audit.Deleted, Object: audit.Object(conversationType, id, ""), Summary: why, Actor: by})
	})
}
