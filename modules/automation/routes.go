package automation

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"countersign/internal/rest"
)

// Paths of the REST API.
const (
	path     = "/api/automations"
	runsPath = "/api/automation-runs"
)

type automationQuery struct {
	rest.Page
	Status string `query:"status" enum:"enabled,disabled"`
	Group  string `query:"group" maxLength:"200"`
	Query  string `query:"query" maxLength:"200" doc:"A part of the name."`
}

type automationList struct {
	Automations []Listed `json:"automations" nullable:"false"`
	rest.Next
}

type revisionQuery struct {
	rest.ByID
	rest.Page
}

type revisionList struct {
	Revisions []Revision `json:"revisions" nullable:"false"`
	rest.Next
}

// rollback names the revision to go back to.
type rollback struct {
	Revision int64 `json:"revision" minimum:"1"`
}

type runQuery struct {
	rest.Page
	AutomationID string `query:"automationId" format:"uuid"`
	Status       string `query:"status" enum:"queued,pending,running,success,failed,cancelled,skipped"`
}

type runList struct {
	Runs []Run `json:"runs" nullable:"false"`
	rest.Next
}

type stepList struct {
	Steps []RunStep `json:"steps" nullable:"false"`
	rest.Next
}

// Routes declares the operations of automations. The service checks what the caller may do.
func (m *Module) Routes(api huma.API) {
	m.Authoring.Routes(api)
	s := m.service
	const reads = "Needs " + Read + " or " + Manage + "."
	huma.Register(api, rest.Op("list-automations", http.MethodGet, path, "List automations", rest.Doc("By name. "+reads)),
		func(ctx context.Context, in *automationQuery) (*rest.Body[automationList], error) {
			list, next, err := s.Automations(ctx, *in)
			return rest.With(automationList{list, next}, err)
		})
	huma.Register(api, rest.Op("create-automation", http.MethodPost, path, "Create an automation",
		rest.Doc("Refuses a definition with issues, all of them in one answer. Needs "+Manage+" and every right of the application.")),
		rest.Create(s.Create))
	huma.Register(api, rest.Op("validate-automation", http.MethodPost, path+"/validate", "Validate a definition", rest.ReadOnly(),
		rest.SelfIdempotent(), rest.Status(http.StatusOK), rest.Rules(Read), rest.Doc("As saving it would, and changes nothing.")),
		func(ctx context.Context, in *rest.Creation[Draft]) (*rest.Body[Verdict], error) {
			return rest.With(s.Validate(ctx, in.Body))
		})
	huma.Register(api, rest.Op("get-automation", http.MethodGet, path+"/{id}", "Read an automation", rest.Doc(reads)), rest.Get(s.Automation))
	huma.Register(api, rest.Op("update-automation", http.MethodPatch, path+"/{id}", "Change an automation",
		rest.Doc("A new text or another application makes a new revision; runs that have begun keep theirs. Needs "+Manage+".")),
		rest.Change(s.Update))
	huma.Register(api, rest.Op("delete-automation", http.MethodDelete, path+"/{id}", "Delete an automation",
		rest.Doc("With its revisions and runs. Those that run are cancelled. Needs "+Manage+".")),
		rest.Delete(s.Delete))
	huma.Register(api, rest.Op("list-automation-revisions", http.MethodGet, path+"/{id}/revisions", "List revisions of an automation",
		rest.Doc("Newest first. "+reads)),
		func(ctx context.Context, in *revisionQuery) (*rest.Body[revisionList], error) {
			list, next, err := s.Revisions(ctx, in.ID, in.Page)
			return rest.With(revisionList{list, next}, err)
		})
	huma.Register(api, rest.Op("roll-back-automation", http.MethodPost, path+"/{id}/rollback", "Go back to a revision",
		rest.Doc("Makes an earlier definition the current one, as a new revision. Needs "+Manage+".")),
		rest.Set(func(ctx context.Context, id uuid.UUID, in rollback, based *int64) (Automation, error) {
			return s.Rollback(ctx, id, in.Revision, based)
		}))
	huma.Register(api, rest.Op("run-automation", http.MethodPost, path+"/{id}/run", "Run an automation by hand",
		rest.Doc("In the name of its application. Its conditions and its mode count. Needs "+Manage+".")),
		func(ctx context.Context, in *rest.Part[NewRun]) (*rest.Body[Started], error) {
			return rest.With(s.RunNow(ctx, in.ID, in.Body, in.Revision()))
		})
	huma.Register(api, rest.Op("list-automation-runs", http.MethodGet, runsPath, "List runs of automations", rest.Doc("Newest first. "+reads)),
		func(ctx context.Context, in *runQuery) (*rest.Body[runList], error) {
			list, next, err := s.RunList(ctx, *in)
			return rest.With(runList{list, next}, err)
		})
	huma.Register(api, rest.Op("get-automation-run", http.MethodGet, runsPath+"/{id}", "Read a run of an automation", rest.Doc(reads)),
		func(ctx context.Context, in *rest.ByID) (*rest.Body[Run], error) { return rest.With(s.Run(ctx, in.ID)) })
	huma.Register(api, rest.Op("list-automation-run-steps", http.MethodGet, runsPath+"/{id}/steps", "List steps of a run",
		rest.Doc("In the order of their begin, with what each condition saw. "+reads)),
		func(ctx context.Context, in *revisionQuery) (*rest.Body[stepList], error) {
			list, next, err := s.StepsOf(ctx, in.ID, in.Page)
			return rest.With(stepList{list, next}, err)
		})
	huma.Register(api, rest.Op("cancel-automation-run", http.MethodPost, runsPath+"/{id}/cancel", "Cancel a run",
		rest.Doc("Its done steps are undone where they say how. Needs "+Manage+".")),
		func(ctx context.Context, in *rest.ByID) (*rest.Body[Cancellation], error) {
			return rest.With(s.Cancel(ctx, in.ID))
		})
	huma.Register(api, rest.Op("run-automation-again", http.MethodPost, runsPath+"/{id}/again", "Run again",
		rest.Doc("Fires the trigger of a run once more, with the current definition. Needs "+Manage+".")),
		func(ctx context.Context, in *rest.ByID) (*rest.Body[Started], error) {
			return rest.With(s.Again(ctx, in.ID))
		})
}
