package memory

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/modules/memory/memorydb"
)

// erasedEditor replaces the name of a person whose data was erased.
const erasedEditor = "somebody who is gone"

// Name is the plural noun for this module's data in an erasure report.
func (*Module) Name() string { return "memories" }

// Count counts the memories of a person, shared ones included.
func (m *Module) Count(ctx context.Context, person uuid.UUID) (int64, error) {
	n, err := m.service.queries(ctx).CountOfOwner(ctx, person)
	if err != nil {
		return 0, fmt.Errorf("count memories: %w", err)
	}
	return n, nil
}

// Erase deletes a person's memories, shared ones included, and removes their name from others' memories that they
// changed. It joins the transaction of ctx and returns the number of deleted memories.
func (m *Module) Erase(ctx context.Context, person uuid.UUID) (int64, error) {
	q, gone := m.service.queries(ctx), erasedEditor
	if err := q.ForgetEditor(ctx, memorydb.ForgetEditorParams{EditorID: &person, Gone: &gone}); err != nil {
		return 0, fmt.Errorf("forget editor of memories: %w", err)
	}
	memories, err := q.DeleteOfOwner(ctx, person)
	if err != nil {
		return 0, fmt.Errorf("erase memories: %w", err)
	}
	return int64(len(memories)), m.service.removed.Notify(ctx, memoryType, memories...)
}
