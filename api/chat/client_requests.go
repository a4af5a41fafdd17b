package chat

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/api/chat/chatdb"
	"countersign/internal/store/chore"
)

// Chores prune expired requests of clients.
func (h *Completions) Chores() []chore.Chore {
	return []chore.Chore{{Name: "prune requests of clients", Every: time.Hour, Do: func(ctx context.Context) error {
		if _, err := h.requests(ctx).PruneClientRequests(ctx); err != nil {
			return fmt.Errorf("prune requests of clients: %w", err)
		}
		return nil
	}}}
}

// Name implements conversation.Eraser. The rows hold hashes and ids.
func (h *Completions) Name() string { return "clientRequests" }

// Count implements conversation.Eraser.
func (h *Completions) Count(ctx context.Context, person uuid.UUID) (int64, error) {
	n, err := h.requests(ctx).CountClientRequests(ctx, person)
	if err != nil {
		return 0, fmt.Errorf("count requests of clients: %w", err)
	}
	return n, nil
}

// Erase implements conversation.Eraser.
func (h *Completions) Erase(ctx context.Context, person uuid.UUID) (int64, error) {
	n, err := h.requests(ctx).EraseClientRequests(ctx, person)
	if err != nil {
		return 0, fmt.Errorf("erase requests of clients: %w", err)
	}
	return n, nil
}

func (h *Completions) requests(ctx context.Context) *chatdb.Queries {
	return chatdb.New(h.Chat.DB.Conn(ctx))
}
