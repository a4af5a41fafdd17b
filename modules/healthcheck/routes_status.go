package healthcheck

import (
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"countersign/internal/rest"
)

type boardQuery struct {
	Limit   int    `query:"limit" minimum:"1" maximum:"1000" default:"50" doc:"How many to list at most."`
	Cursor  string `query:"cursor" maxLength:"1000" doc:"nextCursor of the page before."`
	Query   string `query:"query" maxLength:"200" doc:"Text to look for in names, descriptions and tags."`
	Tag     string `query:"tag" maxLength:"200"`
	GroupID string `query:"groupId" maxLength:"100"`
	Status  string `query:"status" enum:"unknown,healthy,partly-unknown,degraded,unhealthy"`
}

type pastQuery struct {
	SystemIDs string `query:"systemIds" required:"true" minLength:"1" maxLength:"3699" doc:"At most 100 ids, with commas between them."`
}

type past struct {
	Systems []BoardPast `json:"systems" nullable:"false" doc:"In the order of the ids; those that the caller may not see are left out."`
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
			"Those that the caller may see, the worst first and then by name, with counts by status. A system whose status changes "+
				"between two pages can be on both or on neither.",
		),
	), m.listBoard)
	huma.Register(api, rest.Op("get-board-past", http.MethodGet, base+"/board/past", "See how systems have fared", status,
		rest.Doc("90 days and 24 hours of each, for the bars and lines of a board.")),
		m.listPast)
	huma.Register(api, rest.Op("get-system-status", http.MethodGet, base+"/systems/{id}", "See how a system fares", status,
		rest.Doc("Names of checks are a part of it, but for private ones that the caller may not see. Those count, and are not named.")),
		func(ctx context.Context, in *rest.ByID) (*rest.Body[SystemStatus], error) {
			return rest.With(s.System(ctx, in.ID))
		})
	huma.Register(api, rest.Op("list-failing-targets", http.MethodGet, checksPath+"/{id}/failing",
		"List where a health check does not pass", status, rest.Doc("On systems that the caller may see.")), m.listFailing)
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

func (m *Module) listBoard(ctx context.Context, in *boardQuery) (*rest.Body[Board], error) {
	group, err := rest.OptionalID("groupId", in.GroupID)
	if err != nil {
		return nil, err
	}
	selection := Selection{Query: in.Query, Tag: in.Tag, GroupID: group}
	return rest.With(m.service.Board(ctx, selection, Status(in.Status), rest.Page{Limit: in.Limit, Cursor: in.Cursor}))
}

func (m *Module) listPast(ctx context.Context, in *pastQuery) (*rest.Body[past], error) {
	ids := []uuid.UUID{}
	for text := range strings.SplitSeq(in.SystemIDs, ",") {
		id, err := rest.OptionalID("systemIds", text)
		if err != nil {
			return nil, err
		}
		if id != nil {
			ids = append(ids, *id)
		}
	}
	rows, err := m.service.Past(ctx, ids)
	return rest.With(past{rows}, err)
}
