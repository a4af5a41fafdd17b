package oauth

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"countersign/internal/rest"
)

type asking struct {
	Body struct {
		Request string `json:"request" maxLength:"12000" doc:"The parameter request of the page to which the program has led"`
	}
}

type decided struct {
	Redirect string `json:"redirect" doc:"The address to go on to. It is the program's, and holds a code that works once and for a minute"`
}

type programList struct {
	Programs []ConnectedProgram `json:"programs" nullable:"false"`
	rest.Next
}

type programQuery struct {
	rest.Page
	Everybody bool `query:"everybody" doc:"Those of everybody instead of one's own. Needs oauth.program.manage."`
}

type newRegistration struct {
	rest.IfMatch
	Body struct {
		Enabled bool `json:"enabled"`
	}
}

// Routes declares the operations for people. Mount serves those for programs.
func (s *Server) Routes(api huma.API) {
	// Idempotency would store the code.
	huma.Register(
		api,
		rest.Op(
			"ask-authorization",
			http.MethodPost,
			"/api/oauth/question",
			"See what a program asks for",
			rest.SelfIdempotent(),
			rest.Status(http.StatusOK),
			rest.Doc("For the page to which a program sends the browser."),
		),
		func(ctx context.Context, in *asking) (*rest.Body[Question], error) {
			return rest.With(s.Ask(ctx, in.Body.Request))
		},
	)
	huma.Register(
		api,
		rest.Op(
			"decide-authorization",
			http.MethodPost,
			"/api/oauth/decision",
			"Let a program act for me, or do not",
			rest.SelfIdempotent(),
			rest.Status(http.StatusOK),
		),
		func(ctx context.Context, in *rest.Creation[Decision]) (*rest.Body[decided], error) {
			redirect, err := s.Decide(ctx, in.Body)
			return rest.With(decided{redirect}, err)
		},
	)
	huma.Register(
		api,
		rest.Op("list-connected-programs", http.MethodGet, "/api/oauth/programs", "List connected programs", rest.Doc("Newest first.")),
		func(ctx context.Context, in *programQuery) (*rest.Body[programList], error) {
			programs, next, err := s.Programs(ctx, in.Everybody, in.Page)
			return rest.With(programList{programs, next}, err)
		},
	)
	huma.Register(api, rest.Op("disconnect-program", http.MethodDelete, "/api/oauth/programs/{id}", "Disconnect a program",
		rest.Tool("auth.disconnectProgram", rest.Destroys, rest.Decided(RuleManage)),
		rest.Doc("One's own, or anybody's with oauth.program.manage. Its tokens stop working at once.")),
		func(ctx context.Context, in *rest.ByID) (*struct{}, error) { return nil, s.Disconnect(ctx, in.ID) })
	huma.Register(
		api,
		rest.Op(
			"get-program-registration",
			http.MethodGet,
			"/api/oauth/registration",
			"See whether programs may register themselves",
			rest.Rules(RuleManage),
		),
		func(ctx context.Context, _ *struct{}) (*rest.Record[Registration], error) {
			return rest.Show(s.Registration(ctx))
		},
	)
	huma.Register(api, rest.Op("set-program-registration", http.MethodPut, "/api/oauth/registration",
		"Choose whether programs may register themselves",
		rest.Tool("auth.setProgramRegistration", rest.Mutates), rest.Rules(RuleManage),
		rest.Doc("It ends nothing that people have allowed.")),
		func(ctx context.Context, in *newRegistration) (*rest.Record[Registration], error) {
			return rest.Show(s.SetRegistration(ctx, in.Body.Enabled, in.Revision()))
		})
}
