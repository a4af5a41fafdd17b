package app

import (
	"context"

	"github.com/google/uuid"

	"countersign/internal/principal"
	"countersign/internal/rest"
	"countersign/modules/healthcheck"
	"countersign/modules/incident"
	"countersign/tool/proposal"
)

// timelineSources are what other parts of the product know about incidents.
func (a *App) timelineSources(p *parts) []incident.Source {
	return []incident.Source{
		incident.Changes(p.auditLog, p.healthchecks.ChecksOf),
		transitions(p.healthchecks),
		proposals(p.proposals),
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
