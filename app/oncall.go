package app

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/modules/incident"
	"countersign/modules/notification"
	"countersign/modules/oncall"
)

// onCallIncidents gives escalations incidents, and the teams of their systems.
type onCallIncidents struct {
	*incident.Module

	parts *parts
}

// Hold implements oncall.Incidents.
func (i onCallIncidents) Hold(ctx context.Context, id uuid.UUID) (oncall.Incident, bool, error) {
	s, found, err := i.Module.Hold(ctx, id)
	if err != nil || !found {
		return oncall.Incident{}, false, err
	}
	return oncall.Incident{
		ID: s.ID, Title: s.Title, Severity: string(s.Severity), Systems: s.AllSystems, Open: s.IsOpen(), Suppressed: s.Suppressed,
		AcknowledgedAt: s.AcknowledgedAt, AcknowledgedBy: s.AcknowledgedBy,
	}, true, nil
}

// See implements oncall.Incidents.
func (i onCallIncidents) See(ctx context.Context, id uuid.UUID) (oncall.Incident, error) {
	s, err := i.Module.See(ctx, id)
	if err != nil {
		return oncall.Incident{}, err
	}
	out := oncall.Incident{ID: s.ID, Title: s.Title, Severity: string(s.Severity), Open: s.IsOpen(), Suppressed: s.SuppressNotifications}
	for _, system := range s.Systems {
		out.Systems = append(out.Systems, system.ID)
	}
	if s.Acknowledged != nil {
		out.AcknowledgedAt, out.AcknowledgedBy = &s.Acknowledged.At, &s.Acknowledged.ByID
	}
	return out, nil
}

// SeenBy implements oncall.Incidents.
func (i onCallIncidents) SeenBy(ctx context.Context, id, person uuid.UUID) (bool, error) {
	p, err := i.parts.auth.Authenticator.Person(ctx, person)
	if problem.Is(err, problem.NotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return i.seenAs(ctx, p, id)
}

// SeenByTeam implements oncall.Incidents, with the reader that notifications have for channels of a team.
func (i onCallIncidents) SeenByTeam(ctx context.Context, id, team uuid.UUID) (bool, error) {
	return i.seenAs(ctx, notification.TeamReader(team, incident.Read), id)
}

func (i onCallIncidents) seenAs(ctx context.Context, p principal.Principal, id uuid.UUID) (bool, error) {
	_, err := i.Module.See(principal.NewContext(ctx, p), id)
	if problem.Is(err, problem.NotFound) || problem.Is(err, problem.Forbidden) {
		return false, nil
	}
	return err == nil, err
}

// Owners implements oncall.Incidents.
func (i onCallIncidents) Owners(ctx context.Context, systems []uuid.UUID) ([]uuid.UUID, error) {
	owners, err := i.parts.auth.Grants.Owners(ctx, "catalog.system", systems)
	if err != nil {
		return nil, err
	}
	teams := []uuid.UUID{}
	for _, of := range owners {
		for _, o := range of {
			if !slices.Contains(teams, o.TeamID) {
				teams = append(teams, o.TeamID)
			}
		}
	}
	return teams, nil
}

// CheckSystems implements oncall.Incidents.
func (i onCallIncidents) CheckSystems(ctx context.Context, systems []uuid.UUID) error {
	found, err := i.parts.catalog.Lookup(ctx, systems)
	if err != nil {
		return err
	}
	for _, id := range systems {
		if _, ok := found[id]; !ok {
			return problem.Errorf(problem.NotFound, "No system has the id %s. List the systems to see what exists.", id)
		}
	}
	return nil
}
