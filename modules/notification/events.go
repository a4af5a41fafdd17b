package notification

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"countersign/event"
	"countersign/internal/principal"
	"countersign/internal/problem"
)

// EventFailed is the type of the events about deliveries that have failed for good.
const EventFailed = "notification.failed"

// subjectNotification is the kind of their subject.
const subjectNotification = "notification"

// Failure is the payload of EventFailed.
type Failure struct {
	NotificationID uuid.UUID `json:"notificationId" jsonschema:"description=The notification"`
	DeliveryID     uuid.UUID `json:"deliveryId" jsonschema:"description=The delivery that failed"`
	ChannelID      uuid.UUID `json:"channelId" jsonschema:"description=The channel that it was for"`
	AboutKind      string    `json:"aboutKind" jsonschema:"description=The kind of record that it is about; such as incident"`
	AboutID        uuid.UUID `json:"aboutId" jsonschema:"description=The record that it is about"`
	Topic          string    `json:"topic" jsonschema:"description=Its topic; such as incident.opened"`
	Reason         string    `json:"reason" jsonschema:"description=Why in one sentence"`
	Attempts       int       `json:"attempts" jsonschema:"description=How many attempts were made"`
}

// Check refuses a missing delivery or reason.
func (p Failure) Check() error {
	if p.DeliveryID == uuid.Nil || p.NotificationID == uuid.Nil || p.Reason == "" {
		return errors.New("it lacks the notification, the delivery or the reason")
	}
	return nil
}

// EventTypes are the events about notifications, for readers of the log.
func (m *Module) EventTypes() []event.Type {
	return []event.Type{event.Define[Failure](event.Type{
		ID: EventFailed, Name: "Notification failed", Description: "A notification could not be delivered to one of its channels.",
		Rule: LogRead, Subject: subjectNotification, See: seeNotification,
	})}
}

func seeNotification(ctx context.Context, id uuid.UUID) error {
	if !principal.FromContext(ctx).Has(LogRead) {
		return problem.Errorf(problem.NotFound, "There is no notification with the id %s.", id)
	}
	return nil
}
