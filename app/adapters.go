package app

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"countersign/auth"
	"countersign/chat/conversation"
	"countersign/check"
	"countersign/internal/principal"
	"countersign/modules/catalog"
	"countersign/modules/healthcheck"
	"countersign/modules/maintenance"
	"countersign/tool"
)

// Adapters keep packages independent: each converts the types of one module to those of its consumer.

// callers creates clients that act as a principal during a tool call.
type callers struct {
	router    *tool.Router
	delegator *auth.Delegator
}

// Caller implements proposal.Callers.
func (c callers) Caller(p principal.Principal, turn uuid.UUID) tool.Caller {
	return tool.Caller{Principal: p, Client: &tool.Client{Router: c.router, Credential: c.delegator.Mint(p, turn, 0)}}
}

// catalogGrants adapts grants to the catalog.
type catalogGrants struct{ *auth.Grants }

// Owners implements catalog.Grants.
func (g catalogGrants) Owners(ctx context.Context, objectType string, ids []uuid.UUID) (map[uuid.UUID][]catalog.Owner, error) {
	found, err := g.Grants.Owners(ctx, objectType, ids)
	if err != nil {
		return nil, err
	}
	owners := make(map[uuid.UUID][]catalog.Owner, len(found))
	for id, list := range found {
		for _, o := range list {
			owners[id] = append(owners[id], catalog.Owner(o))
		}
	}
	return owners, nil
}

// people looks up users for modules.
type people struct{ *auth.Directory }

// People implements catalog.Directory.
func (d people) People(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]catalog.Person, error) {
	found, err := d.Directory.People(ctx, ids)
	if err != nil {
		return nil, err
	}
	result := make(map[uuid.UUID]catalog.Person, len(found))
	for id, u := range found {
		result[id] = catalog.Person(u)
	}
	return result, nil
}

// Names implements skill.Directory.
func (d people) Names(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	found, err := d.Directory.People(ctx, ids)
	if err != nil {
		return nil, err
	}
	names := make(map[uuid.UUID]string, len(found))
	for id, u := range found {
		names[id] = u.Name
	}
	return names, nil
}

// onCallPeople reads users and teams for schedules and policies.
type onCallPeople struct{ people }

// Members implements oncall.People.
func (d onCallPeople) Members(ctx context.Context, teams []uuid.UUID) (map[uuid.UUID][]uuid.UUID, error) {
	return d.MembersOf(ctx, teams)
}

// Find implements oncall.People.
func (d onCallPeople) Find(ctx context.Context, names []string) (map[string]uuid.UUID, error) {
	return d.PeopleNamed(ctx, names)
}

// accounts looks up owners of conversations for erasures: users, and applications, which have no address.
type accounts struct{ *auth.Directory }

// People implements conversation.People.
func (d accounts) People(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]conversation.Person, error) {
	found, err := d.Directory.People(ctx, ids)
	if err != nil {
		return nil, err
	}
	result := make(map[uuid.UUID]conversation.Person, len(found))
	for id, u := range found {
		result[id] = conversation.Person(u)
	}
	if len(result) == len(ids) {
		return result, nil
	}
	applications, err := d.Applications(ctx)
	if err != nil {
		return nil, err
	}
	for _, a := range applications {
		if slices.Contains(ids, a.ID) {
			result[a.ID] = conversation.Person{Name: a.Name}
		}
	}
	return result, nil
}

// names looks up the names of users and applications.
type names struct{ *auth.Directory }

// Names implements connection.Names.
func (d names) Names(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	people, err := d.People(ctx, ids)
	if err != nil {
		return nil, err
	}
	applications, err := d.Applications(ctx)
	if err != nil {
		return nil, err
	}
	found := make(map[uuid.UUID]string, len(ids))
	for _, a := range applications {
		found[a.ID] = a.Name
	}
	for id, person := range people {
		found[id] = person.Name
	}
	return found, nil
}

// planned adapts maintenances to health checks.
type planned struct{ *maintenance.Module }

// PlannedWork implements healthcheck.Planned.
func (p planned) PlannedWork(ctx context.Context, systems []uuid.UUID) (map[uuid.UUID][]healthcheck.PlannedWork, error) {
	if who := principal.FromContext(ctx); !who.Has(maintenance.Read) && !who.Has(maintenance.Manage) {
		return nil, nil
	}
	active, err := p.InProgress(ctx, systems...)
	work := make(map[uuid.UUID][]healthcheck.PlannedWork, len(active))
	for id, list := range active {
		for _, one := range list {
			work[id] = append(work[id], healthcheck.PlannedWork{
				ID: one.ID, Title: one.Title, Since: one.Since, Until: one.Until, SuppressNotifications: one.Suppresses,
			})
		}
	}
	return work, err
}

// checkedSystems adapts catalog systems to health checks.
type checkedSystems struct{ *catalog.Module }

// Describe implements healthcheck.Systems.
func (c checkedSystems) Describe(ctx context.Context, ids []uuid.UUID) ([]healthcheck.System, error) {
	described, err := c.Module.Describe(ctx, ids)
	if err != nil {
		return nil, err
	}
	systems := make([]healthcheck.System, len(described))
	for i, d := range described {
		systems[i].Scope = check.SystemScope{ID: d.ID, Name: d.Name, Metadata: d.Metadata}
		for _, e := range d.Environments {
			systems[i].Environments = append(systems[i].Environments, check.EnvironmentScope{ID: e.ID, Name: e.Name, Fields: e.Fields})
		}
	}
	return systems, nil
}

// Names returns names of systems regardless of the caller.
func (c checkedSystems) Names(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	described, err := c.Module.Describe(ctx, ids)
	found := make(map[uuid.UUID]string, len(described))
	for _, d := range described {
		found[d.ID] = d.Name
	}
	return found, err
}

// Browse implements healthcheck.Systems.
func (c checkedSystems) Browse(ctx context.Context, f healthcheck.Selection, after string, limit int) ([]healthcheck.Named, bool, error) {
	list, more, err := c.Module.Browse(ctx, catalog.SystemFilter{Query: f.Query, Tag: f.Tag, GroupID: f.GroupID}, after, limit)
	named := make([]healthcheck.Named, len(list))
	for i, system := range list {
		named[i] = healthcheck.Named(system)
	}
	return named, more, err
}

// GroupsOf implements healthcheck.Systems.
func (c checkedSystems) GroupsOf(ctx context.Context, ids []uuid.UUID) ([]healthcheck.BoardGroup, map[uuid.UUID][]uuid.UUID, error) {
	list, of, err := c.Module.GroupsOf(ctx, ids)
	groups := make([]healthcheck.BoardGroup, len(list))
	for i, group := range list {
		groups[i] = healthcheck.BoardGroup(group)
	}
	return groups, of, err
}
