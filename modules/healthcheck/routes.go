package healthcheck

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"countersign/internal/rest"
)

const (
	base         = "/api/healthcheck"
	checksPath   = base + "/checks"
	kindsPath    = base + "/kinds"
	validatePath = base + "/validate"
	draftsPath   = base + "/draft-runs"

	draftPreviewPath = draftsPath + "/preview"
)

type checkQuery struct {
	rest.Page
	Query    string `query:"query" maxLength:"200" doc:"Text to look for in names and descriptions."`
	Name     string `query:"name" maxLength:"200" doc:"A whole name, whatever its case."`
	Strategy string `query:"strategyId" maxLength:"100"`
	SystemID string `query:"systemId" format:"uuid" doc:"Only checks that are assigned to this system."`
}

type checkList struct {
	Checks []Check `json:"checks" nullable:"false"`
	rest.Next
}

// Routes declares the REST operations of health checks. The service checks which checks and systems a caller may see
// and change, because grants on single records add to the rules of roles.
func (m *Module) Routes(api huma.API) {
	m.Authoring.Routes(api)
	s := m.service
	huma.Register(api, rest.Op("list-check-kinds", http.MethodGet, kindsPath, "List what health checks can be made of",
		rest.Doc("Strategies with their collectors, the schemas of both, and the operators of assertions.")),
		func(ctx context.Context, _ *struct{}) (*rest.Body[Catalog], error) { return rest.With(s.Catalog(ctx)) })
	huma.Register(api, rest.Op("list-checks", http.MethodGet, checksPath, "List health checks",
		rest.Doc("By name, those that the caller may see: by "+Read+" and by grants.")), m.listChecks)
	huma.Register(api, rest.Op(
		"create-check",
		http.MethodPost,
		checksPath,
		"Create a health check",
		rest.Rules(Manage),
		rest.Doc(
			"With assignToSystemId it is assigned in the same transaction, which needs the right to change that system. One "+
				"that refers to secrets needs "+secretRead+" too.",
		),
	),
		rest.Create(s.Create))
	huma.Register(api, rest.Op("get-check", http.MethodGet, checksPath+"/{id}", "Read a health check"), rest.Get(s.Check))
	huma.Register(api, rest.Op(
		"update-check",
		http.MethodPatch,
		checksPath+"/{id}",
		"Change a health check",
		rest.Doc(
			"What is absent stays; config, collectors and keptFields are replaced as a whole. A change of what one does that "+
				"refers to secrets needs "+secretRead+" too.",
		),
	),
		rest.Change(s.Update))
	huma.Register(api, rest.Op("set-check-paused", http.MethodPut, checksPath+"/{id}/paused", "Pause a health check, or let it run again",
		rest.Doc("What it has found no longer counts for its systems while it is paused.")), rest.Set(s.SetPaused))
	huma.Register(api, rest.Op("delete-check", http.MethodDelete, checksPath+"/{id}", "Delete a health check",
		rest.Doc("Its assignments and its history go with it.")), rest.Delete(s.Delete))
	const assignment = checksPath + "/{id}/systems/{systemId}"
	huma.Register(
		api,
		rest.Op("list-check-systems", http.MethodGet, checksPath+"/{id}/systems", "List the systems that a health check is assigned to",
			rest.Doc("Those that the caller may see.")),
		m.listAssignments,
	)
	huma.Register(api, rest.Op(
		"assign-check",
		http.MethodPut,
		assignment,
		"Assign a health check to a system",
		rest.Doc(
			"Or change how it is. Needs the right to change the check and the system. The ETag is the new revision of the check.",
		),
	), m.assign)
	huma.Register(api, rest.Op("unassign-check", http.MethodDelete, assignment, "Take a health check from a system",
		rest.Doc("Needs the right to change the check and the system.")),
		func(ctx context.Context, in *assignmentRemoval) (*struct{}, error) {
			return nil, s.Unassign(ctx, in.ID, in.SystemID, in.Revision())
		})
	m.statusRoutes(api)
	m.heartbeatRoutes(api)
	m.retentionRoutes(api)
	m.locationRoutes(api)
	m.importRoutes(api)
	huma.Register(
		api,
		rest.Op("validate-check", http.MethodPost, validatePath, "See what is wrong with a health check",
			rest.ReadOnly(), rest.Rules(Manage),
			rest.SelfIdempotent(), rest.Status(http.StatusOK), rest.Doc("The same as creating one would say. Nothing is stored.")),
		func(ctx context.Context, in *struct{ Body Definition }) (*rest.Body[Verdict], error) {
			return rest.With(s.Validate(ctx, in.Body))
		},
	)
}

func (m *Module) listChecks(ctx context.Context, in *checkQuery) (*rest.Body[checkList], error) {
	system, err := rest.OptionalID("systemId", in.SystemID)
	if err != nil {
		return nil, err
	}
	list, next, err := m.service.Checks(ctx, Filter{Query: in.Query, Name: in.Name, Strategy: in.Strategy, SystemID: system}, in.Page)
	return rest.With(checkList{list, next}, err)
}

type assignmentQuery struct {
	rest.ByID
	rest.Page
}

type assignmentList struct {
	Systems []Assignment `json:"systems" nullable:"false"`
	rest.Next
}

type assignmentWrite struct {
	rest.ByID
	SystemID uuid.UUID `path:"systemId" format:"uuid"`
	rest.IfMatch
	Body AssignmentChoice
}

type assignmentRemoval struct {
	rest.ByID
	SystemID uuid.UUID `path:"systemId" format:"uuid"`
	rest.IfMatch
}

func (m *Module) listAssignments(ctx context.Context, in *assignmentQuery) (*rest.Body[assignmentList], error) {
	list, next, err := m.service.Assignments(ctx, in.ID, in.Page)
	return rest.With(assignmentList{list, next}, err)
}

func (m *Module) assign(ctx context.Context, in *assignmentWrite) (*rest.Record[Assignment], error) {
	out, err := m.service.Assign(ctx, in.ID, in.SystemID, in.Body, in.Revision())
	return rest.Answer(out.Assignment, out.revision, err)
}
