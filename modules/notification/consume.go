package notification

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"countersign/check/health"
	"countersign/event"
	"countersign/internal/notice"
	"countersign/internal/principal"
	"countersign/modules/notification/notificationdb"
)

// Topics of systems, which package healthcheck declares with their facts.
const (
	AboutSystem  = "system"
	TopicHealth  = "system.health"
	TopicMessage = "system.message"
	// TopicUserMessage is the topic of messages of automations to one user.
	TopicUserMessage = "automation.message"
)

// Consumers follow the health of systems and incidents.
func (m *Module) Consumers() []event.Consumer {
	return []event.Consumer{
		{Name: "notification.systems", Types: []string{health.EventDegraded, health.EventHealthy}, Handle: m.service.systemChanged},
		{Name: "notification.incidents", Types: incidentTypes, Handle: m.service.incidentChanged},
	}
}

// Notices adds messages of people to subscribers, and topics of incidents.
func (m *Module) Notices() []notice.Subject {
	return []notice.Subject{
		{Kind: AboutMessage, Facts: m.service.messageFacts, Topics: []notice.Topic{
			{ID: TopicMessage, Label: "Messages about systems", Description: "A message to those who subscribe to a system or a group."},
		}},
		{Kind: AboutUserMessage, Facts: m.service.userMessageFacts, Topics: []notice.Topic{
			{ID: TopicUserMessage, Label: "Messages of automations", Description: "A message of an automation to you."},
		}},
		{Kind: AboutIncident, Topics: []notice.Topic{
			{
				ID: TopicIncidentOpened, Label: "Opened incidents",
				Description: "An incident of a system that you subscribe to is opened, or open again.",
			},
			{
				ID: TopicIncidentUpdated, Label: "Updates of incidents",
				Description: "An incident of a system that you subscribe to has news.",
			},
		}},
	}
}

// EdgeFlapping begins the edge of the notice that a system keeps changing.
const EdgeFlapping = "flapping:"

// A system that changes more often than this in the time is flapping: one message says so, and another one where it has
// settled.
const (
	flappingTime    = 15 * time.Minute
	flappingChanges = 4
	flappingSettled = 5 * time.Minute
)

// systemChanged tells the subscribers of a system about its health, in the transaction of the consumer.
func (s *service) systemChanged(ctx context.Context, e event.Event) error {
	p, err := event.Decode[health.ChangedPayload](e)
	if err != nil {
		return err
	}
	if p.SystemID == uuid.Nil {
		// An event that says nothing of a system tells nothing of it.
		return nil
	}
	n := notice.Notice{
		About: notice.About{Kind: AboutSystem, ID: p.SystemID}, Topic: TopicHealth, Edge: "event:" + strconv.FormatInt(e.ID, 10),
		Phase: notice.Problem, Systems: []uuid.UUID{p.SystemID},
	}
	changes, err := s.queries(ctx).RecentProblems(ctx, notificationdb.RecentProblemsParams{
		AboutKind: AboutSystem, AboutID: p.SystemID, Topic: TopicHealth, Seconds: flappingTime.Seconds(),
	})
	if err != nil {
		return fmt.Errorf("count changes of a system: %w", err)
	}
	flapping := changes >= flappingChanges
	if flapping {
		// A message that waits to say where it has settled is outdated by this change.
		if _, err := s.ledger.Stop(ctx, notice.Stop{
			About: n.About, Reason: "It changed again.", Phases: []notice.Phase{notice.Recovery},
		}); err != nil {
			return err
		}
	}
	if e.Type == health.EventHealthy {
		n.Phase = notice.Recovery
		if flapping {
			n.Delay = flappingSettled
		}
		_, err := s.ledger.Tell(ctx, n)
		return err
	}
	to, err := s.subscribers(ctx, AboutSystem, p.SystemID)
	if err != nil {
		return err
	}
	switch {
	case !flapping:
	case changes == flappingChanges:
		n.Edge = EdgeFlapping + n.Edge
	default:
		known, err := s.queries(ctx).IsKnown(ctx, notificationdb.IsKnownParams{AboutKind: AboutSystem, AboutID: p.SystemID})
		if err != nil {
			return fmt.Errorf("look for told problems: %w", err)
		}
		if n.Delay = flappingSettled; known {
			// It counts as a change, and says nothing new.
			to = nil
		}
	}
	_, err = s.ledger.Tell(ctx, n, to...)
	return err
}

// subscribers are those of systems and of their groups who may see records of a kind about one of the systems. Nothing is
// written for the others, in whose own logs it would say that there is such a record.
func (s *service) subscribers(ctx context.Context, kind string, systems ...uuid.UUID) ([]notice.Recipient, error) {
	subject, ok := s.subject(kind)
	if !ok || len(systems) == 0 {
		return nil, nil
	}
	of, err := s.systems.GroupsOf(asService(ctx), systems)
	if err != nil {
		return nil, fmt.Errorf("find groups of systems: %w", err)
	}
	p := notificationdb.SubscribersParams{Systems: append([]uuid.UUID{}, systems...), Groups: []uuid.UUID{}}
	for _, groups := range of {
		p.Groups = append(p.Groups, groups...)
	}
	ids, err := s.queries(ctx).Subscribers(ctx, p)
	if err != nil {
		return nil, fmt.Errorf("find subscribers: %w", err)
	}
	var people []notice.Recipient
	for _, rule := range subject.Rules {
		if len(ids) == 0 {
			break
		}
		seers, err := s.systems.Seers(ctx, rule, systems, ids)
		if err != nil {
			return nil, fmt.Errorf("find who may see systems: %w", err)
		}
		for _, id := range seers {
			people = append(people, notice.Person(id))
		}
		ids = slices.DeleteFunc(ids, func(id uuid.UUID) bool { return slices.Contains(seers, id) })
	}
	return people, nil
}

// asService reads as a part of the product, which sees everything; each person's message is read as that person.
func asService(ctx context.Context) context.Context {
	return principal.NewContext(ctx, principal.Principal{Kind: principal.Service, Name: "notifications", Rules: []string{principal.Admin}})
}
