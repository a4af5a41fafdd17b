package notification

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/google/uuid"

	"countersign/event"
	"countersign/internal/notice"
)

// Topics of incidents, for subscribers of their systems. The module of incidents has the facts of their messages.
const (
	AboutIncident        = "incident"
	TopicIncidentOpened  = "incident.opened"
	TopicIncidentUpdated = "incident.updated"
	// topicIncidentEnd is that of the end of what an escalation called about, which is one message for all.
	topicIncidentEnd = "incident.called"
)

// incidentTypes are the events of incidents, in the words of their module.
var incidentTypes = []string{"incident.created", "incident.updated", "incident.resolved", "incident.reopened"}

// incidentPayload is the part of their payload that says who is to know.
type incidentPayload struct {
	IncidentID   uuid.UUID   `json:"incidentId"`
	StatusBefore string      `json:"statusBefore"`
	SystemIDs    []uuid.UUID `json:"systemIds"`
	UpdateID     *uuid.UUID  `json:"updateId"`
	Visibility   string      `json:"visibility"`
	Suppressed   bool        `json:"suppressed"`
}

// incidentChanged notifies the subscribers of the systems of an incident.
func (s *service) incidentChanged(ctx context.Context, e event.Event) error {
	var p incidentPayload
	if err := json.Unmarshal(e.Payload, &p); err != nil {
		return fmt.Errorf("read payload of event %d: %w", e.ID, err)
	}
	if p.IncidentID == uuid.Nil {
		return nil
	}
	n := notice.Notice{
		About: notice.About{Kind: AboutIncident, ID: p.IncidentID}, Topic: TopicIncidentOpened, Edge: "event:" + strconv.FormatInt(e.ID, 10),
		Phase: notice.Problem, Systems: p.SystemIDs,
	}
	switch e.Type {
	case "incident.resolved":
		n.Topic, n.Edge, n.Phase = topicIncidentEnd, "resolved:"+strconv.FormatInt(e.ID, 10), notice.Recovery
		_, err := s.ledger.Tell(ctx, n)
		return err
	case "incident.updated":
		if p.Visibility == "internal" || p.UpdateID == nil && p.StatusBefore == "" {
			return nil
		}
		n.Topic, n.Phase = TopicIncidentUpdated, notice.Update
		if p.UpdateID != nil {
			// An edited update is no news.
			n.Edge = "update:" + p.UpdateID.String()
		}
	}
	if p.Suppressed {
		return nil
	}
	to, err := s.subscribers(ctx, AboutIncident, p.SystemIDs...)
	if err != nil || len(to) == 0 {
		return err
	}
	_, err = s.ledger.Tell(ctx, n, to...)
	return err
}
