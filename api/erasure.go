package api

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/api/apidb"
	"countersign/internal/principal"
	"countersign/internal/store"
)

// KeptAnswers are the stored answers for idempotent retries of a person's requests. They hold titles and names, and are
// deleted when a person is erased.
type KeptAnswers struct {
	DB *store.DB
}

// Name implements conversation.Eraser.
func (KeptAnswers) Name() string { return "keptAnswers" }

// Count implements conversation.Eraser.
func (k KeptAnswers) Count(ctx context.Context, person uuid.UUID) (int64, error) {
	n, err := apidb.New(k.DB.Conn(ctx)).CountIdempotentAnswers(ctx, keyOf(person))
	if err != nil {
		return 0, fmt.Errorf("count kept answers: %w", err)
	}
	return n, nil
}

// Erase implements conversation.Eraser.
func (k KeptAnswers) Erase(ctx context.Context, person uuid.UUID) (int64, error) {
	n, err := apidb.New(k.DB.Conn(ctx)).EraseIdempotentAnswers(ctx, keyOf(person))
	if err != nil {
		return 0, fmt.Errorf("erase kept answers: %w", err)
	}
	return n, nil
}

func keyOf(person uuid.UUID) string {
	return principal.Principal{Kind: principal.User, ID: person}.Key()
}
