package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"countersign/chat/conversation"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/tool"
)

// Tool identities of operations that only a person may request.
const (
	retentionTool = "ai.setRetention"
	erasureTool   = "ai.erasePerson"
)

// Privacy are the routes of retention and of privacy requests.
type Privacy struct {
	Sweeper  *conversation.Sweeper
	Erasures *conversation.Erasures
}

type retentionBody = rest.Record[conversation.Retention]

func retentionAnswer(r conversation.Retention, err error) (*retentionBody, error) {
	return rest.Answer(r, r.Revision, err)
}

type erasureBody struct {
	Body conversation.Erasure
}

type peopleList struct {
	People []conversation.Owner `json:"people" nullable:"false"`
	rest.Next
}

type erasureList struct {
	Erasures []conversation.Erasure `json:"erasures" nullable:"false"`
	rest.Next
}

// Routes declares the operations. Each write is idempotent by itself, and reaches the workflow engine after its row is
// committed.
func (r *Privacy) Routes(api huma.API) {
	const retention, privacy = "/api/ai/retention", "/api/ai/privacy"
	huma.Register(api, rest.Op("get-retention", http.MethodGet, retention, "Get the retention setting", rest.Rules(RetentionRule)),
		func(ctx context.Context, _ *struct{}) (*retentionBody, error) {
			return retentionAnswer(r.Sweeper.Setting(ctx))
		})
	huma.Register(api, rest.Op("set-retention", http.MethodPut, retention, "Choose when conversations are deleted permanently",
		rest.Tool(retentionTool, rest.Mutates, rest.ByHand(), rest.External()), rest.Rules(RetentionRule),
		rest.SelfIdempotent(), rest.Doc("A sweep runs once a day while it is enabled.")), r.setRetention)
	huma.Register(
		api,
		rest.Op("list-kept-people", http.MethodGet, privacy+"/people", "List those of whom conversations are kept", rest.Rules(PrivacyRule),
			rest.Doc("Also those whose account is gone.")),
		func(ctx context.Context, in *struct{ rest.Page }) (*rest.Body[peopleList], error) {
			people, next, err := r.Erasures.Owners(ctx, in.Page)
			return rest.With(peopleList{people, next}, err)
		},
	)
	huma.Register(
		api,
		rest.Op("preview-erasure", http.MethodGet, privacy+"/people/{id}", "Count what is kept of a person", rest.Rules(PrivacyRule)),
		func(ctx context.Context, in *rest.ByID) (*struct{ Body conversation.Content }, error) {
			content, err := r.Erasures.Preview(ctx, in.ID)
			return &struct{ Body conversation.Content }{content}, err
		},
	)
	huma.Register(api, rest.Op("request-erasure", http.MethodPost, privacy+"/erasures", "Delete everything that is kept of a person",
		rest.Tool(erasureTool, rest.Destroys, rest.ByHand(), rest.External()), rest.Rules(PrivacyRule),
		rest.SelfIdempotent(),
		rest.Doc("Running answers are stopped first. It cannot be undone. A repeat finds the erasure that runs.")), r.requestErasure)
	huma.Register(api, rest.Op("list-erasures", http.MethodGet, privacy+"/erasures", "List erasures", rest.Rules(PrivacyRule),
		rest.Doc("Newest first.")),
		func(ctx context.Context, in *struct{ rest.Page }) (*rest.Body[erasureList], error) {
			list, next, err := r.Erasures.List(ctx, in.Page)
			return rest.With(erasureList{list, next}, err)
		})
	huma.Register(api, rest.Op("get-erasure", http.MethodGet, privacy+"/erasures/{id}", "Get an erasure", rest.Rules(PrivacyRule)),
		func(ctx context.Context, in *rest.ByID) (*erasureBody, error) {
			e, err := r.Erasures.Get(ctx, in.ID)
			return &erasureBody{e}, err
		})
}

func (r *Privacy) setRetention(ctx context.Context, in *struct {
	rest.IfMatch
	Body conversation.RetentionSetting
},
) (*retentionBody, error) {
	by, err := outsideTurn(ctx, retentionTool)
	if err != nil {
		return nil, err
	}
	set, err := r.Sweeper.Set(ctx, by, in.Body, in.Revision())
	if err != nil {
		return nil, err
	}
	// If Temporal is unreachable now, a worker updates the schedule within a minute.
	_ = r.Sweeper.Schedule(ctx)
	return retentionAnswer(set, nil)
}

func (r *Privacy) requestErasure(ctx context.Context, in *struct {
	Body struct {
		PersonID uuid.UUID `json:"personId"`
		Email    string    `json:"email,omitempty" maxLength:"254" doc:"The person's address, to confirm; not needed when the account is gone"`
	}
},
) (*erasureBody, error) {
	by, err := outsideTurn(ctx, erasureTool)
	if err != nil {
		return nil, err
	}
	e, err := r.Erasures.Request(ctx, by, in.Body.PersonID, in.Body.Email)
	return &erasureBody{e}, err
}

// outsideTurn refuses the credential of a turn, unless it applies a decided proposal of this tool: irreversible work is
// requested by a person, not by a model.
func outsideTurn(ctx context.Context, identity string) (principal.Principal, error) {
	p := principal.FromContext(ctx)
	if p.TurnID != uuid.Nil && tool.Carried(ctx) != identity {
		return p, problem.Errorf(problem.Forbidden, "The assistant cannot do this. Do it yourself on the administration page.")
	}
	return p, nil
}
