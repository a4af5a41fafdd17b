package modelcheck

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/rest"
	"countersign/modules/modelcheck/modelcheckdb"
)

const (
	path      = "/api/ai/model-checks"
	checkType = "ai.model-check"
)

// The type in the audit log, as people read it.
var auditedCheck = audit.Declare(audit.Type{ID: checkType, Label: "Model check", Plural: "Model checks", Kept: []string{"model"}})

type checkQuery struct {
	rest.Page
	ConnectionID string `query:"connectionId" maxLength:"36" doc:"Only checks of this connection."`
}

type checkList struct {
	Checks []Check `json:"checks" nullable:"false"`
	rest.Next
}

// Routes declares the operations of this package.
func (m *Module) Routes(api huma.API) {
	manage := rest.Rules(Manage)
	huma.Register(api, rest.Op("list-model-checks", http.MethodGet, path, "List checks of models", manage,
		rest.Doc("The newest first. The newest 50 of each connection are kept.")),
		func(ctx context.Context, in *checkQuery) (*rest.Body[checkList], error) {
			connection, err := rest.OptionalID("connectionId", in.ConnectionID)
			if err != nil {
				return nil, err
			}
			checks, next, err := m.List(ctx, connection, in.Page)
			return rest.With(checkList{checks, next}, err)
		})
	huma.Register(api, rest.Op("get-model-check", http.MethodGet, path+"/{id}", "Get a check of a model", manage,
		rest.Doc("With the outcome of every situation that was played so far.")),
		func(ctx context.Context, in *rest.ByID) (*rest.Body[Report], error) {
			return rest.With(m.Report(ctx, in.ID))
		})
	// The workflow must find the row, so the row is committed before the answer.
	huma.Register(api, rest.Op(
		"start-model-check",
		http.MethodPost,
		path,
		"Check a model",
		rest.Tool("ai.checkModel", rest.Mutates, rest.Direct(), rest.Titled("Check models")),
		manage,
		rest.SelfIdempotent(),
		rest.Status(http.StatusAccepted),
		rest.Doc(
			"Plays scripted situations to a model and judges what it does. Nothing is executed and nothing is proposed. It "+
				"runs in the background, one check of a connection at a time; its model calls count against the caller's spend cap.",
		),
	),
		func(ctx context.Context, in *rest.Creation[NewCheck]) (*rest.Body[Check], error) {
			return rest.With(m.Start(ctx, in.Body))
		})
	huma.Register(api, rest.Op("stop-model-check", http.MethodPost, path+"/{id}/stop", "Stop a check of a model",
		rest.Tool("ai.checkModel", rest.Mutates, rest.Direct(), rest.Titled("Check models")), manage,
		rest.SelfIdempotent(), rest.Status(http.StatusOK),
		rest.Doc("What was played so far is kept. A check that has ended stays as it is.")),
		func(ctx context.Context, in *rest.ByID) (*rest.Body[Check], error) {
			return rest.With(m.Stop(ctx, in.ID))
		})
}

// Audited are the checks, whose history is readable with the right to manage connections.
func (m *Module) Audited() []audit.Kind {
	return []audit.Kind{audit.Ruled(auditedCheck, Manage, audit.ByUUID(func(ctx context.Context, id uuid.UUID) (Check, error) {
		row, err := m.row(ctx, id)
		return fromRow(row), err
	}))}
}

// record adds an action on a check to the audit log, in its transaction.
func (m *Module) record(ctx context.Context, action audit.Action, row modelcheckdb.AiModelCheck, summary string) error {
	fields := audit.Fields{}
	fields.Compare("model", "", row.Model)
	return audit.Record(
		ctx,
		m.DB,
		audit.Event{Action: action, Object: audit.Object(checkType, row.ID, row.ConnectionName), Summary: summary, Fields: fields},
	)
}
