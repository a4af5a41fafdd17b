package inspector

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"countersign/internal/principal"
	"countersign/internal/rest"
)

const path = "/api/ai/turns"

type turnQuery struct {
	rest.Page

	Status       string `query:"status" enum:"running,done,failed,stopped" doc:"Only turns that stand there"`
	PrincipalID  string `query:"principalId" maxLength:"36" doc:"Only turns of this person or application"`
	ConnectionID string `query:"connectionId" maxLength:"36" doc:"Only turns on this connection"`
	Model        string `query:"model" maxLength:"200" doc:"Only turns with this model"`
	SlowSeconds  int    `query:"slowSeconds" minimum:"0" maximum:"86400" doc:"Only turns that took at least so long, or run so long already"`
	Feedback     string `query:"feedback" enum:"up,down,comment" doc:"Only turns whose answers were given this feedback, or any with a comment"`
}

type turnList struct {
	Turns []Turn `json:"turns" nullable:"false"`
	rest.Next
}

// Routes declares the operations of this package.
func (m *Module) Routes(api huma.API) {
	huma.Register(api, rest.Op("list-turns", http.MethodGet, path, "List the turns of everybody", rest.Rules(Read),
		rest.Doc("The newest first, without anything that was said.")),
		func(ctx context.Context, in *turnQuery) (*rest.Body[turnList], error) {
			f := Filter{Status: in.Status, Model: in.Model, SlowSeconds: in.SlowSeconds, Feedback: in.Feedback}
			var err error
			if f.Principal, err = rest.OptionalID("principalId", in.PrincipalID); err != nil {
				return nil, err
			}
			if f.Connection, err = rest.OptionalID("connectionId", in.ConnectionID); err != nil {
				return nil, err
			}
			turns, next, err := m.List(ctx, f, in.Page)
			return rest.With(turnList{turns, next}, err)
		})
	huma.Register(api, rest.Op(
		"inspect-turn",
		http.MethodGet,
		path+"/{id}",
		"See how a turn went",
		rest.Rules(ChatRead),
		rest.Doc(
			"Each step with its timing, tokens, model and cost. Your own "+
				"turns, and with "+Read+" those of everybody; who may not read the conversation sees no texts, no arguments, and "+
				"no names of tools that the product does not have by itself.",
		),
	),
		func(ctx context.Context, in *rest.ByID) (*rest.Body[Report], error) {
			return rest.With(m.Report(ctx, in.ID))
		})
	huma.Register(
		api,
		rest.Op(
			"report-spend",
			http.MethodGet,
			"/api/ai/spend/report",
			"See what everybody has used of models",
			rest.Rules(Read),
			rest.Doc(
				"Tokens and costs by hours, days, weeks or months of a time zone, split by one thing: the twelve that have used "+
					"the most, and all others together.",
			),
		),
		func(ctx context.Context, in *reportQuery) (*rest.Body[SpendReport], error) {
			who, err := rest.OptionalID("principalId", in.PrincipalID)
			if err != nil {
				return nil, err
			}
			return rest.With(m.sumSpend(ctx, in.SpendQuery, who))
		},
	)
	huma.Register(api, rest.Op("report-own-spend", http.MethodGet, "/api/ai/spend/own", "See what you have used of models",
		rest.Doc("As the report of everybody, of the caller alone.")),
		func(ctx context.Context, in *SpendQuery) (*rest.Body[SpendReport], error) {
			return rest.With(m.sumSpend(ctx, *in, new(principal.FromContext(ctx).ID)))
		})
}
