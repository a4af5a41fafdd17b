package conversation

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/principal"
)

// Types of objects in the audit log. The one retention setting has the id "setting".
const (
	conversationType = "ai.conversation"
	retentionType    = "ai.retention"
	retentionID      = "setting"
)

// Types of objects in the audit log, as people read them.
var (
	auditedConversation = audit.Declare(audit.Type{
		ID: conversationType, Label: "Conversation", Plural: "Conversations", Kept: []string{"permissionMode", "verdict"},
	})
	auditedRetention = audit.Declare(audit.Type{
		ID: retentionType, Label: "Retention", Kept: []string{"enabled", "archivedDays", "idleDays"},
	})
)

// Audited are conversations and their retention setting.
func (*Sweeper) Audited() []audit.Kind {
	return []audit.Kind{{Type: auditedConversation}, {Type: auditedRetention}}
}

// record adds a change to the audit log, in its transaction. It leaves out the title, which is private to the owner.
func (s *Service) record(
	ctx context.Context,
	p principal.Principal,
	action audit.Action,
	id uuid.UUID,
	summary string,
	fields audit.Fields,
) error {
	return audit.Record(
		ctx,
		s.db,
		audit.Event{Action: action, Object: audit.Object(conversationType, id, ""), Summary: summary, Fields: fields, Actor: p},
	)
}

func changedFields(before, after Conversation) (fields audit.Fields) {
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	fields.Mention("title", text(before.Title) != text(after.Title))
	fields.Mention(
		"connection",
		(before.ConnectionID == nil) != (after.ConnectionID == nil) || after.ConnectionID != nil && *before.ConnectionID != *after.ConnectionID,
	)
	fields.Mention("model", text(before.Model) != text(after.Model))
	fields.Compare("permissionMode", string(before.PermissionMode), string(after.PermissionMode))
	return fields
}

// recordSetting adds a change of the retention setting to the audit log.
func (s *Sweeper) recordSetting(ctx context.Context, p principal.Principal, before, after RetentionSetting) error {
	var fields audit.Fields
	fields.Compare("enabled", before.Enabled, after.Enabled)
	fields.Compare("archivedDays", before.ArchivedDays, after.ArchivedDays)
	fields.Compare("idleDays", before.IdleDays, after.IdleDays)
	return audit.Record(ctx, s.db, audit.Event{
		Action: audit.Changed, Object: audit.Ref{Type: retentionType, ID: retentionID, Name: "Retention of conversations"},
		Summary: "The retention of conversations was changed", Fields: fields, Actor: p,
	})
}

// recordSwept adds a deletion by the retention setting, or by that of runs, to the audit log.
func (s *Sweeper) recordSwept(ctx context.Context, id uuid.UUID, one Deleted, by string) error {
	if one.Conversations == 0 {
		return nil
	}
	return audit.Record(ctx, s.db, audit.Event{
		Action: audit.Deleted, Object: audit.Object(conversationType, id, ""),
		Summary: fmt.Sprintf("Deleted permanently by %s, with %d messages and %d proposals", by, one.Messages, one.Proposals),
	})
}

// recordErasure adds a step of an erasure to the audit log, whose own entries about the person are deleted with it.
func (s *Erasures) recordErasure(ctx context.Context, by principal.Principal, person uuid.UUID, summary string) error {
	return audit.Record(
		ctx,
		s.db,
		audit.Event{Action: audit.Erased, Object: audit.Object(audit.PersonType, person, ""), Summary: summary, Actor: by},
	)
}
