// Package event is the transactional outbox: events are appended in the transaction of their change, and every consumer
// gets each at least once, in order per subject, with cursors of its own. The registry lists the types of events.
package event

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"countersign/event/eventdb"
)

// Event is something that happened.
type Event struct {
	ID int64 `json:"id"`
	// Type is one of the registry, such as healthcheck.system_degraded.
	Type string `json:"type"`
	// Subject is the object of the event and the unit of ordering, such as system:0193….
	Subject string `json:"subject"`
	// ContextKey groups events for automations, such as the id of the system.
	ContextKey string          `json:"contextKey,omitempty"`
	Payload    json.RawMessage `json:"payload"`
	CreatedAt  time.Time       `json:"createdAt"`
	// Cause is nil for an event of a version that did not note it.
	Cause *Cause `json:"cause,omitempty"`
}

// Appender appends events in the transaction of ctx. The caller holds a lock on the subject, which orders its events.
type Appender interface {
	Append(ctx context.Context, events ...New) error
}

// New is an event to append. Payload is a struct of the type's schema.
type New struct {
	Type, Subject, ContextKey string
	Payload                   any
}

// Decode reads the payload of an event as the struct of its type. A member that the struct does not have is an error.
func Decode[P any](e Event) (P, error) {
	var payload P
	decoder := json.NewDecoder(bytes.NewReader(e.Payload))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&payload); err != nil {
		return payload, fmt.Errorf("read payload of event %d, %s: %w", e.ID, e.Type, err)
	}
	return payload, nil
}

func fromRow(r eventdb.Event) Event {
	return Event{
		ID: r.ID, Type: r.Type, Subject: r.Subject, ContextKey: r.ContextKey, Payload: r.Payload, CreatedAt: r.CreatedAt,
		Cause: decodeCause(r.Cause),
	}
}

func fromRows(rows []eventdb.Event) []Event {
	events := make([]Event, len(rows))
	for i, r := range rows {
		events[i] = fromRow(r)
	}
	return events
}
