package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/tool/proposal"
)

type planBody struct {
	Status int
	Body   proposal.Plan
}

// planRoutes declares the operations on the proposals of one turn together.
func (r *Proposals) planRoutes(api huma.API) {
	const path = "/api/ai/plans/{id}"
	huma.Register(api, rest.Op("get-plan", http.MethodGet, path, "Read a plan", rest.Rules(ChatRule),
		rest.Doc("The proposals of one turn, in the order of their calls, with tokens for those that you may apply.")),
		func(ctx context.Context, in *rest.ByID) (*planBody, error) {
			plan, err := r.Service.Plan(ctx, principal.FromContext(ctx), in.ID)
			return &planBody{http.StatusOK, plan}, err
		})
	huma.Register(api, rest.Op("apply-plan", http.MethodPost, path+"/apply", "Apply a plan",
		rest.Rules(ChatRule), rest.SelfIdempotent(), rest.Status(http.StatusOK),
		rest.Doc("Spends the tokens of exactly the open proposals, all or none, and carries them out in order up to the first failure. "+
			"The answer is the plan with its outcome: 200 when it has ended, whatever its status, and 202 while it is being applied. "+
			"A repeat with the same Idempotency-Key is told how the first one went.")),
		func(ctx context.Context, in *struct {
			ID   uuid.UUID `path:"id" format:"uuid"`
			Key  string    `header:"Idempotency-Key" maxLength:"255"`
			Body struct {
				Tokens []string `json:"tokens" minItems:"1" maxItems:"100" doc:"The tokens that you saw"`
				Reason string   `json:"reason,omitempty" maxLength:"500" doc:"Why you agree. Kept with each proposal, for everyone who can see it."`
			}
		},
		) (*planBody, error) {
			return r.applyPlan(ctx, in.ID, in.Body.Tokens, in.Key, in.Body.Reason)
		})
	huma.Register(api, rest.Op("decline-plan", http.MethodPost, path+"/decline", "Decline a plan",
		rest.Rules(ChatRule), rest.SelfIdempotent(), rest.Status(http.StatusOK), rest.Doc("Declines every open proposal of the plan.")),
		func(ctx context.Context, in *declineInput) (*planBody, error) {
			p := principal.FromContext(ctx)
			if err := r.Service.DeclinePlan(ctx, p, in.ID, in.reason()); err != nil {
				return nil, err
			}
			plan, err := r.Service.Plan(ctx, p, in.ID)
			return &planBody{http.StatusOK, plan}, err
		})
}

func (r *Proposals) applyPlan(ctx context.Context, id uuid.UUID, tokens []string, key, reason string) (*planBody, error) {
	p := principal.FromContext(ctx)
	if p.TurnID != uuid.Nil {
		return nil, problem.Errorf(problem.Forbidden, "A tool cannot apply a plan; only a person or an application can.")
	}
	if err := r.Service.BeginPlan(ctx, p, id, tokens, key, reason); err != nil {
		return nil, err
	}
	wait, cancel := context.WithTimeout(ctx, ApplyWait)
	defer cancel()
	if err := r.Service.AwaitPlan(wait, id); err != nil {
		return nil, err
	}
	plan, err := r.Service.Plan(ctx, p, id)
	if err != nil {
		return nil, err
	}
	status := http.StatusOK
	if plan.Status == proposal.Applying {
		status = http.StatusAccepted
	}
	return &planBody{status, plan}, nil
}
