package agent

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"countersign/internal/rest"
)

const (
	base          = "/api/agents"
	agentPath     = base + "/{id}"
	revisionsPath = agentPath + "/revisions"
	revisionPath  = revisionsPath + "/{rev}"
	toolPath      = revisionPath + "/tools/{tool}"
	skillPath     = revisionPath + "/skills/{skill}"
)

// ByAgent is the input of an operation on an agent, or part of it.
type ByAgent struct {
	Agent string `path:"id" minLength:"1" maxLength:"64" doc:"The id or the slug of the agent."`
}

// ByRevision is the input of an operation on a revision, or part of it.
type ByRevision struct {
	ByAgent
	Rev string `path:"rev" minLength:"1" maxLength:"36" doc:"The id or the number of the revision."`
}

// ByTool is the input of an operation on a tool of a revision, or part of it.
type ByTool struct {
	ByRevision
	Tool string `path:"tool" minLength:"1" maxLength:"64" pattern:"^[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?$"`
}

// BySkill is the input of an operation on a skill of a revision, or part of it.
type BySkill struct {
	ByRevision
	Skill string `path:"skill" minLength:"1" maxLength:"64" pattern:"^[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?$"`
}

type agentQuery struct {
	rest.Page
	Query string `query:"query" maxLength:"200" doc:"Text to look for in slugs, names and descriptions."`
	Slug  string `query:"slug" maxLength:"64" doc:"A whole slug."`
}

type agentList struct {
	Agents []Agent `json:"agents" nullable:"false"`
	rest.Next
}

type revisionQuery struct {
	ByAgent
	rest.Page
	State State `query:"state" enum:"draft,ready,live,archived" doc:"Only those in this state."`
}

type revisionList struct {
	Revisions []Revision `json:"revisions" nullable:"false"`
	rest.Next
}

// Options of operations: the tool identities of writing and checking drafts.
var (
	writesDraft = rest.Tool("agent.writeDraft", rest.Mutates, rest.Direct(), rest.Decided(Manage), rest.Titled("Write drafts of agents"))
	checksDraft = rest.Tool("agent.tryDraft", rest.Mutates, rest.Direct(), rest.Decided(Manage), rest.Titled("Check drafts of agents"))
)

// Routes declares the operations of agents. The service checks access, as grants on single agents add to the roles'
// rules.
func (m *Module) Routes(api huma.API) {
	s := m.service
	huma.Register(api, rest.Op("list-agents", http.MethodGet, base, "List agents",
		rest.Doc("By slug, those that the caller may see: by "+Read+" and by grants.")),
		func(ctx context.Context, in *agentQuery) (*rest.Body[agentList], error) {
			list, next, err := s.Agents(ctx, Filter{Query: in.Query, Slug: in.Slug}, in.Page)
			return rest.With(agentList{list, next}, err)
		})
	huma.Register(api, rest.Op("create-agent", http.MethodPost, base, "Create an agent",
		rest.Tool("agent.createAgent", rest.Mutates), rest.Rules(Manage),
		rest.Doc("Without revisions. The caller becomes its owner.")), rest.Create(s.Create))
	huma.Register(api, rest.Op("get-agent", http.MethodGet, agentPath, "Read an agent"),
		func(ctx context.Context, in *ByAgent) (*rest.Record[Agent], error) {
			return rest.Show(s.Agent(ctx, in.Agent))
		})
	huma.Register(api, rest.Op("update-agent", http.MethodPatch, agentPath, "Change an agent",
		rest.Tool("agent.updateAgent", rest.Mutates, rest.Decided(Manage)), rest.Doc("Absent fields stay.")),
		func(ctx context.Context, in *struct {
			ByAgent
			rest.IfMatch
			Body rest.Patch[AgentChange]
		},
		) (*rest.Record[Agent], error) {
			if err := in.Body.Err(); err != nil {
				return nil, err
			}
			return rest.Show(s.Update(ctx, in.Agent, in.Body.Change, in.Revision()))
		})
	huma.Register(api, rest.Op("delete-agent", http.MethodDelete, agentPath, "Delete an agent",
		rest.Tool("agent.deleteAgent", rest.Destroys, rest.Decided(Manage)),
		rest.Doc("With all of its revisions. For its owners. What its live tools are offered for ends at once.")),
		func(ctx context.Context, in *struct {
			ByAgent
			rest.IfMatch
		},
		) (*struct{}, error) {
			return nil, s.Delete(ctx, in.Agent, in.Revision())
		})
	m.revisionRoutes(api)
	m.bundleRoutes(api)
	m.toolRoutes(api)
	contextRoutes(api)
	m.runRoutes(api)
	m.useRoutes(api)
}

func (m *Module) revisionRoutes(api huma.API) {
	s := m.service
	huma.Register(
		api,
		rest.Op("list-agent-revisions", http.MethodGet, revisionsPath, "List the revisions of an agent", rest.Doc("The newest first.")),
		func(ctx context.Context, in *revisionQuery) (*rest.Body[revisionList], error) {
			list, next, err := s.Revisions(ctx, in.Agent, in.State, in.Page)
			return rest.With(revisionList{list, next}, err)
		},
	)
	huma.Register(api, rest.Op("create-agent-revision", http.MethodPost, revisionsPath, "Create a draft",
		writesDraft,
		rest.Doc("With an empty bundle, or with a copy of that of another revision.")),
		func(ctx context.Context, in *struct {
			ByAgent
			Body NewRevision
		},
		) (*rest.Record[Revision], error) {
			return rest.Show(s.CreateRevision(ctx, in.Agent, in.Body))
		})
	huma.Register(
		api,
		rest.Op("get-agent-revision", http.MethodGet, revisionPath, "Read a revision", rest.Doc("Its ETag is that of its bundle.")),
		func(ctx context.Context, in *ByRevision) (*rest.Record[Revision], error) {
			return rest.Show(s.Revision(ctx, in.Agent, in.Rev))
		},
	)
	huma.Register(api, rest.Op("delete-agent-revision", http.MethodDelete, revisionPath, "Delete a draft",
		writesDraft),
		func(ctx context.Context, in *RevisionWrite) (*struct{}, error) {
			return nil, s.DeleteDraft(ctx, in.target())
		})
	huma.Register(api, rest.Op(
		"promote-agent-revision",
		http.MethodPost,
		revisionPath+"/promote",
		"Make a revision the live one",
		rest.Tool("agent.promoteRevision", rest.Mutates, rest.Decided(Manage), rest.WithLoosening(s.loosening)),
		rest.Status(http.StatusOK),
		rest.Doc(
			"A ready one, or an archived one to go back. The revision that was live is archived in the same transaction. For "+
				"owners; one that names secrets needs "+secretRead+" too.",
		),
	),
		func(ctx context.Context, in *RevisionWrite) (*rest.Record[Revision], error) {
			return rest.Show(s.Promote(ctx, in.target()))
		})
	huma.Register(api, rest.Op("archive-agent-revision", http.MethodPost, revisionPath+"/archive", "Archive a revision",
		rest.Tool("agent.archiveRevision", rest.Mutates, rest.Decided(Manage)), rest.Status(http.StatusOK),
		rest.Doc("A ready or the live one, after which none is live. For owners.")),
		func(ctx context.Context, in *RevisionWrite) (*rest.Record[Revision], error) {
			return rest.Show(s.Archive(ctx, in.target()))
		})
}

// RevisionWrite is the input of a write of a revision.
type RevisionWrite struct {
	ByRevision
	rest.IfMatch
}

// target returns the revision and the ETag that the write is based on.
func (w *RevisionWrite) target() Target {
	return Target{Agent: w.Agent, Rev: w.Rev, Based: w.Revision()}
}

// Target is a revision to write, at the ETag that the write is based on, nil for any.
type Target struct {
	Agent, Rev string
	Based      *int64
}
