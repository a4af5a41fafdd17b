package feedback

import (
	"context"
	"fmt"

	"github.com/google/uuid"
)

// Name implements conversation.Eraser.
func (*Module) Name() string { return "feedback" }

// Count counts the answers with feedback of a person.
func (m *Module) Count(ctx context.Context, person uuid.UUID) (int64, error) {
	n, err := m.queries(ctx).CountOfPerson(ctx, person)
	if err != nil {
		return 0, fmt.Errorf("count feedback: %w", err)
	}
	return n, nil
}

// Erase deletes a person's feedback; most is deleted with the conversations. It joins the transaction of ctx.
func (m *Module) Erase(ctx context.Context, person uuid.UUID) (int64, error) {
	n, err := m.queries(ctx).EraseOfPerson(ctx, person)
	if err != nil {
		return 0, fmt.Errorf("erase feedback: %w", err)
	}
	return n, nil
}
