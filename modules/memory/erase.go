package memory

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/modules/memory/memorydb"
)

// goneEditor stands for the name of a person whose content was erased.
const goneEditor = "somebody who is gone"

// Name is the plural noun under which what this module keeps of a person is counted.
func (*Module) Name() string { return "memories" }

// Count is how many memories a person owns, shared ones included.
func (m *Module) Count(ctx context.Context, person uuid.UUID) (int64, error) {
	n, err := m.service.queries(ctx).CountOfOwner(ctx, person)
	if err != nil {
		return 0, fmt.Errorf("count memories: %w", err)
	}
	return n, nil
}

// Erase deletes a person's memories, shared ones included, and takes the name out of others' that the person has
// changed. It joins the transaction of ctx and returns how many it has deleted.
func (m *Module) Erase(ctx context.Context, person uuid.UUID) (int64, error) {
	q, gone := m.service.queries(ctx), goneEditor
	if err := q.ForgetEditor(ctx, memorydb.ForgetEditorParams{EditorID: &person, Gone: &gone}); err != nil {
		return 0, fmt.Errorf("forget editor of memories: %w", err)
	}
	n, err := q.DeleteOfOwner(ctx, person)
	if err != nil {
		return 0, fmt.Errorf("erase memories: %w", err)
	}
	return n, nil
}
