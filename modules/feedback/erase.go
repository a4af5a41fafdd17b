package feedback

import (
	"context"
	"fmt"

	"github.com/google/uuid"
)

// Name implements conversation.Eraser.
func (*Module) Name() string { return "feedback" }

// Count is on how many answers a person has given feedback.
func (m *Module) Count(ctx context.Context, person uuid.UUID) (int64, error) {
	n, err := m.queries(ctx).CountOfPerson(ctx, person)
	if err != nil {
		return 0, fmt.Errorf("count feedback: %w", err)
	}
	return n, nil
}

// Erase deletes a person's feedback, of which most has gone with their conversations. It joins the transaction of ctx.
func (m *Module) Erase(ctx context.Context, person uuid.UUID) (int64, error) {
	n, err := m.queries(ctx).EraseOfPerson(ctx, person)
	if err != nil {
		return 0, fmt.Errorf("erase feedback: %w", err)
	}
	return n, nil
}
