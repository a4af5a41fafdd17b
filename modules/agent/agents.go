package agent

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
	"countersign/internal/text"
	"countersign/modules/agent/agentdb"
)

// Filter narrows a list of agents; empty fields match all.
type Filter struct {
	// Query is searched in slugs, names and descriptions.
	Query string
	// Slug is an exact slug.
	Slug string
}

// Agents lists the agents that the caller may see, by slug.
func (s *service) Agents(ctx context.Context, f Filter, page rest.Page) ([]Agent, rest.Next, error) {
	sight, _, err := kind.Listing(ctx, s.DB)
	if err != nil {
		return nil, rest.Next{}, err
	}
	after, err := page.After()
	if err != nil {
		return nil, rest.Next{}, err
	}
	var v problem.Issues
	slug, search := text.Query(&v, "slug", f.Slug), text.Query(&v, "query", f.Query)
	if err := v.Err(); err != nil {
		return nil, rest.Next{}, err
	}
	params := agentdb.AgentsParams{
		After: after, MaxRows: page.Rows(), Slug: slug, Search: search, ByGrants: !sight.Every() && slug == "",
		ByRule: sight.Every(), SubjectType: sight.SubjectType, SubjectID: sight.SubjectID, TeamIds: sight.TeamIDs,
	}
	if search == "" {
		params.Depth = new(int64(page.Rows()))
	}
	rows, err := agentdb.New(s.DB.CustomPlans(ctx)).Agents(ctx, params)
	if err != nil {
		return nil, rest.Next{}, fmt.Errorf("list agents: %w", err)
	}
	rows, next := rest.Cut(page, rows, func(row agentdb.Agent) string { return row.NameKey })
	list, err := s.assemble(ctx, rows...)
	return list, next, err
}

// Agent returns one agent, by its id or slug.
func (s *service) Agent(ctx context.Context, ref string) (Agent, error) {
	row, err := s.findAgent(ctx, ref)
	if err != nil {
		return Agent{}, err
	}
	list, err := s.assemble(ctx, row)
	if err != nil {
		return Agent{}, err
	}
	list[0].LeftOut, err = s.leftOut(ctx, row)
	return list[0], err
}

// assemble adds the related data of agents, in a fixed number of queries.
func (s *service) assemble(ctx context.Context, rows ...agentdb.Agent) ([]Agent, error) {
	list := make([]Agent, len(rows))
	if len(rows) == 0 {
		return list, nil
	}
	ids := make([]uuid.UUID, len(rows))
	at := make(map[uuid.UUID]*Agent, len(rows))
	for i, row := range rows {
		ids[i], at[row.ID] = row.ID, &list[i]
		list[i] = Agent{
			ID: row.ID, Slug: row.NameKey, Name: row.Name, Description: row.Description, Revised: rest.Revised{Revision: row.Revision},
			CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
		}
	}
	levels, err := kind.Sight(ctx).Levels(ctx, s.DB, ids...)
	if err != nil {
		return nil, err
	}
	for id, level := range levels {
		at[id].Access = level
	}
	private, err := s.queries(ctx).PrivateAgents(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("list private agents: %w", err)
	}
	for _, id := range private {
		at[id].Private = true
	}
	sums, err := s.queries(ctx).SummariseRevisions(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("summarise revisions: %w", err)
	}
	for _, sum := range sums {
		a := at[sum.AgentID]
		a.DraftCount, a.ToolCount = int(sum.Drafts), int(sum.Tools)
		if sum.LiveID != nil {
			a.LiveRevision = &LiveRevision{ID: *sum.LiveID, Number: int(sum.LiveNumber)}
		}
	}
	return list, nil
}

// Create creates an agent, which the caller owns.
func (s *service) Create(ctx context.Context, in NewAgent) (Agent, error) {
	if err := kind.Creatable(ctx); err != nil {
		return Agent{}, err
	}
	var v problem.Issues
	if _, isID := parseID(in.Slug); !validID(in.Slug) || isID {
		v.Report(
			"slug",
			"must have 1 to 64 small letters, digits, hyphens and underscores, begin and end with a letter or digit, and not be a UUID",
		)
	}
	in.Name, in.Description = checkedTexts(&v, in.Name, in.Description)
	if err := v.Err(); err != nil {
		return Agent{}, err
	}
	private := in.Private == nil || *in.Private
	id := store.NewID()
	return store.InTx(ctx, s.DB, func(ctx context.Context) (Agent, error) {
		n, err := s.queries(ctx).CountAgents(ctx)
		if err != nil {
			return Agent{}, fmt.Errorf("count agents: %w", err)
		}
		if n >= MaxAgents {
			return Agent{}, problem.Errorf(problem.Conflict, "There are %d agents, which is as many as there can be. Delete one first.", n)
		}
		created, err := s.queries(
			ctx,
		).CreateAgent(
			ctx,
			agentdb.CreateAgentParams{ID: id, NameKey: in.Slug, Name: in.Name, Description: in.Description},
		)
		if err := s.agents.Created(ctx, created, err, in.Slug, in.Slug); err != nil {
			return Agent{}, err
		}
		if err := s.Grants.Begin(ctx, id, principal.FromContext(ctx), private); err != nil {
			return Agent{}, fmt.Errorf("begin the grants of an agent: %w", err)
		}
		if err := s.record(ctx, audit.Created, agentdb.Agent{ID: id, Name: in.Name}, "Agent created", nil); err != nil {
			return Agent{}, err
		}
		return s.Agent(ctx, id.String())
	})
}

func checkedTexts(v *problem.Issues, name, description string) (string, string) {
	return text.Required(v, "name", text.Line(v, "name", name, MaxName)), text.Lines(v, "description", description, MaxDescription)
}

// Update changes an agent. A change without effect keeps its revision.
func (s *service) Update(ctx context.Context, ref string, c AgentChange, based *int64) (Agent, error) {
	return store.InTx(ctx, s.DB, func(ctx context.Context) (Agent, error) {
		row, err := s.lockAgent(ctx, ref, access.Edit, based)
		if err != nil {
			return Agent{}, err
		}
		name, description := row.Name, row.Description
		rest.Replace(&name, c.Name)
		rest.Replace(&description, c.Description)
		var v problem.Issues
		name, description = checkedTexts(&v, name, description)
		if err := v.Err(); err != nil {
			return Agent{}, err
		}
		n, err := s.queries(ctx).UpdateAgent(ctx, agentdb.UpdateAgentParams{ID: row.ID, Name: name, Description: description})
		if err != nil {
			return Agent{}, fmt.Errorf("update an agent: %w", err)
		}
		if n > 0 {
			if err := s.bumpRevision(ctx, row.ID); err != nil {
				return Agent{}, err
			}
			var fields audit.Fields
			fields.Compare("name", row.Name, name)
			fields.Mention("description", row.Description != description)
			row.Name = name
			if err := s.record(ctx, audit.Changed, row, "Agent changed", fields); err != nil {
				return Agent{}, err
			}
		}
		return s.Agent(ctx, ref)
	})
}

func (s *service) bumpRevision(ctx context.Context, id uuid.UUID) error {
	if err := s.queries(ctx).BumpAgent(ctx, id); err != nil {
		return fmt.Errorf("raise the revision of an agent: %w", err)
	}
	return nil
}

// Delete deletes an agent with its revisions and grants. A second call finds none.
func (s *service) Delete(ctx context.Context, ref string, based *int64) error {
	return s.DB.InTx(ctx, func(ctx context.Context) error {
		row, err := s.lockAgent(ctx, ref, access.Own, based)
		if err != nil {
			return err
		}
		revisions, err := s.queries(ctx).RevisionIDs(ctx, row.ID)
		if err != nil {
			return fmt.Errorf("list revisions: %w", err)
		}
		for _, id := range revisions {
			if err := audit.KeepAuthors(ctx, s.DB, revisionType, id); err != nil {
				return err
			}
		}
		n, err := s.queries(ctx).DeleteAgent(ctx, row.ID)
		if err != nil {
			return fmt.Errorf("delete an agent: %w", err)
		}
		if n == 0 {
			return missingAgent(ref)
		}
		if err := s.Grants.Remove(ctx, ObjectType, row.ID); err != nil {
			return fmt.Errorf("remove grants: %w", err)
		}
		return s.record(ctx, audit.Deleted, row, "Agent deleted, with its revisions and grants", nil)
	})
}
