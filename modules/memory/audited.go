package memory

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/audit"
)

// Types of objects in the audit log.
const (
	memoryType = "ai.memory"
	systemType = "catalog.system"
)

// The type in the audit log, as people read it.
var auditedMemory = audit.Declare(audit.Type{
	ID: memoryType, Label: "Memory", Plural: "Memories", Kept: []string{"alwaysInject"}, Restricted: true,
})

// Audited lets callers who see a memory read its history.
func (m *Module) Audited() []audit.Kind {
	return []audit.Kind{{Type: auditedMemory, See: audit.ByUUID(m.service.Get)}}
}

// record writes an audit event about a change, in its transaction. It names only the system of a shared memory, not
// its subject.
func (s *service) record(ctx context.Context, action audit.Action, m Memory, summary string, fields audit.Fields) error {
	e := audit.Event{Action: action, Object: audit.Object(memoryType, m.ID, ""), Summary: summary, Fields: fields}
	if m.SystemID != nil {
		e.Subject = audit.Object(systemType, *m.SystemID, m.SystemName)
	}
	return audit.Record(ctx, s.db, e)
}

// recordRemoval writes an audit event about memories deleted with their system.
func (s *service) recordRemoval(ctx context.Context, system uuid.UUID, n int) error {
	if n == 0 {
		return nil
	}
	return audit.Record(ctx, s.db, audit.Event{
		Action: audit.Deleted, Object: audit.Ref{Type: memoryType}, Subject: audit.Object(systemType, system, ""),
		Summary: fmt.Sprintf("%d memories were deleted with the system on which they were shared", n),
	})
}
