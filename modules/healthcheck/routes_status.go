package healthcheck

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"countersign/internal/rest"
)

type boardQuery struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50" doc:"How many to list at most."`
	Cursor string `query:"cursor" maxLength:"1000" doc:"nextCursor of the page before."`
	Query  string `query:"query" maxLength:"200" doc:"Text to look for in names, descriptions and tags."`
	Tag    string `query:"tag" maxLength:"200"`
	Status string `query:"status" enum:"unknown,healthy,partly-unknown,degraded,unhealthy"`
}

type board struct {
	Systems []BoardRow `json:"systems" nullable:"false"`
	rest.Next
}

// statusRoutes registers runs and system health.
func (m *Module) statusRoutes(api huma.API) {
	s := m.service
	m.historyRoutes(api)
	status := rest.Rules(StatusRead)
	huma.Register(api, rest.Op(
		"get-board",
		http.MethodGet,
		base+"/board",
		"List how systems fare",
		status,
		rest.Doc(
			"By name, those that the caller may see. A page can be short and yet name the next one when a status is asked for.",
		),
	), m.listBoard)
	huma.Register(api, rest.Op("get-system-status", http.MethodGet, base+"/systems/{id}", "See how a system fares", status,
		rest.Doc("Names of checks are a part of it, but for private ones that the caller may not see. Those count, and are not named.")),
		func(ctx context.Context, in *rest.ByID) (*rest.Body[SystemStatus], error) {
			return rest.With(s.System(ctx, in.ID))
		})
	huma.Register(
		api,
		rest.Op("run-check-now", http.MethodPost, checksPath+"/{id}/run-now", "Run a health check at once", rest.Status(http.StatusOK),
			rest.Doc("Beside its schedule. Needs the right to change the check. The runs have begun when it answers, and not ended.")),
		func(ctx context.Context, in *struct {
			rest.ByID
			rest.IfMatch
			Body RunNow
		},
		) (*rest.Body[Requested], error) {
			return rest.With(s.RunNow(ctx, in.ID, in.Body, in.Revision()))
		},
	)
	huma.Register(api, rest.Op("test-check", http.MethodPost, draftsPath, "Run a health check once without saving it", rest.Rules(Manage),
		rest.SelfIdempotent(), rest.Status(http.StatusOK),
		rest.Doc("Secrets are placeholders. Whatever the run finds is an answer with status 200. With an "+
			"Idempotency-Key it runs once; a repeat gets the first answer. "+
			"Counts against the tool budget and is in the audit log, as a call of the tool is.")),
		func(ctx context.Context, in *struct {
			Key  string `header:"Idempotency-Key" maxLength:"255"`
			Body Draft
		},
		) (*rest.Body[DraftRun], error) {
			return rest.With(s.Test(ctx, in.Body, in.Key))
		})
	huma.Register(api, rest.Op("preview-check-draft", http.MethodPost, draftPreviewPath,
		"See what a run of a health check would send", rest.ReadOnly(), rest.Rules(Manage),
		rest.SelfIdempotent(), rest.Status(http.StatusOK), rest.Doc("Sends nothing.")),
		func(ctx context.Context, in *struct{ Body Draft }) (*rest.Body[DraftPreview], error) {
			return rest.With(s.PreviewDraft(ctx, in.Body))
		})
}

func (m *Module) listBoard(ctx context.Context, in *boardQuery) (*rest.Body[board], error) {
	rows, next, err := m.service.Board(
		ctx,
		BoardFilter{Query: in.Query, Tag: in.Tag, Status: Status(in.Status)},
		rest.Page{Limit: in.Limit, Cursor: in.Cursor},
	)
	return rest.With(board{rows, next}, err)
}
