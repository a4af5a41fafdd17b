package notification

import (
	"context"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/modules/notification/notificationdb"
)

// Types of objects in the audit log.
const (
	channelType  = "notification.channel"
	settingsType = "notification.settings"
	personType   = "notification.preferences"
	messageType  = "notification.message"
)

var (
	auditedChannel = audit.Declare(audit.Type{
		ID: channelType, Label: "Notification channel", Plural: "Notification channels", Kept: []string{"kind"}, Restricted: true,
	})
	auditedSettings = audit.Declare(audit.Type{
		ID: settingsType, Label: "Mail server", Plural: "Mail servers", Restricted: true,
	})
	auditedMessage = audit.Declare(audit.Type{
		ID: messageType, Label: "Message to subscribers", Plural: "Messages to subscribers", Restricted: true,
	})
	auditedPerson = audit.Declare(audit.Type{
		ID: personType, Label: "Notification rules", Plural: "Notification rules", Restricted: true,
	})
)

// Audited lets callers read the history of channels that they see, and of their own rules.
func (m *Module) Audited() []audit.Kind {
	return []audit.Kind{
		{Type: auditedChannel, See: audit.ByUUID(m.service.Channel)},
		{Type: auditedSettings, See: audit.ByUUID(func(ctx context.Context, _ uuid.UUID) (Settings, error) { return m.service.Settings(ctx) })},
		{Type: auditedMessage, See: audit.ByUUID(func(ctx context.Context, id uuid.UUID) (struct{}, error) {
			if principal.FromContext(ctx).Has(Send) {
				return struct{}{}, nil
			}
			return struct{}{}, problem.Errorf(problem.NotFound, "There is no message with the id %s.", id)
		})},
		{Type: auditedPerson, See: audit.ByUUID(func(ctx context.Context, id uuid.UUID) (struct{}, error) {
			if p := principal.FromContext(ctx); p.Kind == principal.User && p.ID == id {
				return struct{}{}, nil
			}
			return struct{}{}, problem.Errorf(problem.NotFound, "There are no notification rules with the id %s.", id)
		})},
	}
}

// audited writes an audit entry about a changed channel.
func (s *service) audited(ctx context.Context, action audit.Action, row notificationdb.NotifyChannel, summary string) error {
	return audit.Record(ctx, s.db, audit.Event{
		Action: action, Object: audit.Object(channelType, row.ID, row.Name), Summary: summary,
	})
}
