package app

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"

	"countersign/app/module"
	"countersign/internal/notice"
	"countersign/internal/principal"
	"countersign/internal/rest"
	"countersign/modules/healthcheck"
	"countersign/modules/incident"
	"countersign/modules/notification"
	"countersign/tool/proposal"
)

// timelineSources are what other parts of the product know about incidents.
func (a *App) timelineSources(p *parts) []incident.Source {
	// All modules are in the list when the first timeline is read.
	labels := sync.OnceValue(func() map[string]string { return topicLabels(p.list) })
	past := func(ctx context.Context, q notice.HistoryQuery) ([]pastNotice, error) {
		return pastNotices(ctx, p, labels(), q)
	}
	return []incident.Source{
		incident.Changes(p.auditLog, p.healthchecks.ChecksOf),
		transitions(p.healthchecks),
		proposals(p.proposals),
		escalationCalls(p, past),
		notices(past),
		alerts(p),
	}
}

// transitions are the changes of the health of the systems of an incident.
func transitions(checks *healthcheck.Module) incident.Source {
	return func(ctx context.Context, about incident.About, before rest.Moment, limit int) ([]incident.Entry, error) {
		q := healthcheck.TransitionsQuery{
			From: about.From, To: about.To, BeforeAt: before.At, BeforeID: incident.Number(before), Limit: limit,
		}
		names := map[uuid.UUID]string{}
		for _, system := range about.Systems {
			q.Systems = append(q.Systems, system.ID)
			names[system.ID] = system.Name
		}
		list, err := checks.Transitions(ctx, q)
		entries := make([]incident.Entry, len(list))
		for i, t := range list {
			entries[i] = incident.Health(t.ID, t.At, incident.HealthChange{
				SystemID: t.SystemID, SystemName: names[t.SystemID], CheckID: t.CheckID, CheckName: t.CheckName,
				Before: string(t.Before), After: string(t.After), Reason: t.Reason,
			})
		}
		return entries, err
	}
}

// proposals are those that name an incident or one of its systems.
func proposals(service *proposal.Service) incident.Source {
	return func(ctx context.Context, about incident.About, before rest.Moment, limit int) ([]incident.Entry, error) {
		q := proposal.AboutQuery{Records: []uuid.UUID{about.Incident}, From: about.From, To: about.To, Before: before, Limit: limit}
		for _, system := range about.Systems {
			q.Records = append(q.Records, system.ID)
		}
		cards, err := service.About(ctx, principal.FromContext(ctx), q)
		entries := make([]incident.Entry, len(cards))
		for i, c := range cards {
			shown := incident.Proposed{
				ProposalID: c.ProposalID, Tool: c.ToolName, Summary: c.Summary, Status: string(c.Status),
				ProposerID: c.Proposer.ID, Proposer: c.Proposer.Name,
			}
			if c.DecidedBy != nil {
				shown.Decider = c.DecidedBy.Name
			}
			entries[i] = incident.Proposal(c.CreatedAt, shown)
		}
		return entries, err
	}
}

// escalationCalls are the steps of escalation policies, with what became of their messages.
func escalationCalls(p *parts, read pastReader) incident.Source {
	return func(ctx context.Context, about incident.About, before rest.Moment, limit int) ([]incident.Entry, error) {
		list, err := p.onCall.CallsBefore(ctx, about.Incident, before.At, incident.Number(before), limit)
		if err != nil || len(list) == 0 {
			return nil, err
		}
		edges := make([]string, len(list))
		for i, taken := range list {
			edges[i] = taken.Edge
		}
		past, err := read(ctx, notice.HistoryQuery{
			About: aboutIncident(about), BeforeAt: rest.Latest().At, BeforeID: rest.Latest().ID, Limit: len(edges), Edges: edges,
		})
		if err != nil {
			return nil, err
		}
		byEdge := map[string]incident.Notified{}
		for _, n := range past {
			byEdge[n.edge] = n.Notified
		}
		entries := make([]incident.Entry, len(list))
		for i, taken := range list {
			step := incident.EscalationStep{
				Step: taken.Step, Round: taken.Round, PolicyName: taken.PolicyName, Unreached: taken.Unreached, Hidden: taken.Hidden,
			}
			for _, person := range taken.People {
				step.People = append(step.People, person.Name)
			}
			entries[i] = incident.Call(taken.Number, taken.TakenAt, step)
			if n, ok := byEdge[taken.Edge]; ok {
				entries[i].Notice = &n
			}
		}
		return entries, nil
	}
}

// notices are the other messages about an incident.
func notices(read pastReader) incident.Source {
	return func(ctx context.Context, about incident.About, before rest.Moment, limit int) ([]incident.Entry, error) {
		past, err := read(ctx, notice.HistoryQuery{
			About: aboutIncident(about), BeforeAt: before.At, BeforeID: before.ID, Limit: limit,
		})
		entries := make([]incident.Entry, len(past))
		for i, n := range past {
			entries[i] = incident.Notice(n.id, n.at, n.Notified)
		}
		return entries, err
	}
}

func aboutIncident(about incident.About) notice.About {
	return notice.About{Kind: incident.NoticeKind, ID: about.Incident}
}

// pastNotice is a notice of a timeline.
type pastNotice struct {
	incident.Notified
	id   uuid.UUID
	edge string
	at   time.Time
}

// pastReader reads notices about an incident for its timeline.
type pastReader func(context.Context, notice.HistoryQuery) ([]pastNotice, error)

// topicLabels are the names of all topics, by id.
func topicLabels(list *module.List) map[string]string {
	labels := map[string]string{}
	for _, subject := range list.Notices() {
		for _, topic := range subject.Topics {
			labels[topic.ID] = topic.Label
		}
	}
	return labels
}

// pastNotices reads notices about an incident: all of them for managers of incidents and readers of the log of deliveries, and
// for other people those that went to them.
func pastNotices(ctx context.Context, p *parts, labels map[string]string, q notice.HistoryQuery) ([]pastNotice, error) {
	caller := principal.FromContext(ctx)
	switch {
	case caller.Has(incident.Manage) || caller.Has(notification.LogRead):
	case caller.Kind == principal.User:
		q.Person = &caller.ID
	default:
		return nil, nil
	}
	q.Topic = incident.TopicCalled
	past, err := p.notices.History(ctx, q)
	if err != nil {
		return nil, err
	}
	var people []uuid.UUID
	for _, n := range past {
		for _, r := range n.Receivers {
			if r.Person != nil {
				people = append(people, *r.Person)
			}
		}
	}
	found, err := names{p.auth.Directory}.Names(ctx, people)
	if err != nil {
		return nil, err
	}
	list := make([]pastNotice, len(past))
	for i, n := range past {
		list[i] = pastNotice{id: n.ID, edge: n.Edge, at: n.At, Notified: incident.Notified{
			Topic: n.Topic, Label: labels[n.Topic], Phase: n.Phase, Messages: n.Counts.Deliveries, Waiting: n.Counts.Waiting,
			Sent: n.Counts.Sent, Unknown: n.Counts.Unknown, Failed: n.Counts.Failed, Receivers: []incident.Receiver{},
		}}
		for _, r := range n.Receivers {
			receiver := incident.Receiver{ChannelKind: r.Kind, State: r.State}
			if r.Person != nil {
				receiver.PersonID, receiver.Person = r.Person, found[*r.Person]
			}
			list[i].Receivers = append(list[i].Receivers, receiver)
		}
	}
	return list, nil
}
