package api

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"countersign/audit"
	"countersign/event"
	"countersign/internal/notice"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/tool/invoke"
	"countersign/tool/proposal"
)

const (
	// ApplyWait bounds how long an apply waits for its outcome before it answers that it is still running.
	ApplyWait    = 20 * time.Second
	maxProposals = 200
)

// Proposals are the routes of proposals: the cards and the decisions about them.
type Proposals struct {
	Service  *proposal.Service
	Invoke   *invoke.Service
	Ledger   *notice.Ledger
	Deciders Deciders
}

// Audited are the proposals.
func (*Proposals) Audited() []audit.Kind { return proposal.Audited() }

// EventTypes are the events about proposals, for those who may see the proposal.
func (r *Proposals) EventTypes() []event.Type {
	return proposal.EventTypes(ChatRule, func(ctx context.Context, id uuid.UUID) error {
		sees, err := r.Service.Sees(ctx, principal.FromContext(ctx), id)
		if err == nil && !sees {
			return problem.Errorf(problem.NotFound, "There is no proposal with the id %s.", id)
		}
		return err
	})
}

type cardBody struct {
	Body proposal.Card
}

type applyOutput struct {
	Status int
	Body   applied
}

type applied struct {
	ToolCallID uuid.UUID       `json:"toolCallId"`
	ProposalID uuid.UUID       `json:"proposalId"`
	Status     proposal.Status `json:"status" enum:"applied,applying" doc:"applied, or applying when it takes longer than the request"`
	Result     json.RawMessage `json:"result,omitempty"`
}

// declineInput names a proposal or a plan to decline, with an optional reason.
type declineInput struct {
	ID   uuid.UUID `path:"id" format:"uuid"`
	Body *struct {
		Reason string `json:"reason,omitempty" maxLength:"500" doc:"Why you decline. Kept with the proposal, for everyone who can see it."`
	} `required:"false"`
}

func (in *declineInput) reason() string {
	if in.Body == nil {
		return ""
	}
	return in.Body.Reason
}

type proposalList struct {
	Body struct {
		Proposals  []proposal.Card `json:"proposals" nullable:"false"`
		NextCursor string          `json:"nextCursor,omitempty" doc:"Ask with it for the next page; absent on the last one. A page can be empty and not be the last."`
	}
}

// Routes declares the operations.
func (r *Proposals) Routes(api huma.API) {
	huma.Register(api, rest.Op("list-proposals", http.MethodGet, "/api/ai/proposals", "List proposals", rest.Rules(ChatRule),
		rest.Doc("Yours, and those of others for who may decide about them, newest first. No tokens: read a single proposal for its token.")),
		func(ctx context.Context, in *struct {
			Query  string `query:"query" maxLength:"200" doc:"Words that stand in the summary, the tool or the name of the proposer, all of them and in any case."`
			Status string `query:"status" enum:"proposed,applying,applied,failed,declined,expired,skipped"`
			Cursor string `query:"cursor" maxLength:"200" doc:"nextCursor of the page before."`
			Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
		},
		) (*proposalList, error) {
			out := &proposalList{}
			var err error
			out.Body.Proposals, out.Body.NextCursor, err = r.Service.Search(
				ctx,
				principal.FromContext(ctx),
				in.Query,
				proposal.Status(in.Status),
				in.Cursor,
				min(in.Limit, maxProposals),
			)
			return out, err
		})
	huma.Register(api, rest.Op("get-proposal", http.MethodGet, "/api/ai/proposals/{id}", "Read a proposal", rest.Rules(ChatRule),
		rest.Doc("With its token while it is open and you may apply it.")),
		func(ctx context.Context, in *rest.ByID) (*cardBody, error) {
			card, err := r.Service.Get(ctx, principal.FromContext(ctx), in.ID)
			return &cardBody{card}, err
		})
	huma.Register(api, rest.Op("apply-proposal", http.MethodPost, "/api/ai/proposals/apply", "Apply a proposal",
		rest.Rules(ChatRule), rest.SelfIdempotent(), rest.Status(http.StatusOK),
		rest.Doc("Spends the token: exactly one call applies. A repeat with the same Idempotency-Key is told how the first one went.")),
		func(ctx context.Context, in *struct {
			Key  string `header:"Idempotency-Key" maxLength:"255"`
			Body struct {
				Token  string `json:"token" minLength:"1" maxLength:"200"`
				Reason string `json:"reason,omitempty" maxLength:"500" doc:"Why you agree. Kept with the proposal, for everyone who can see it."`
			}
		},
		) (*applyOutput, error) {
			return r.apply(ctx, in.Body.Token, in.Key, in.Body.Reason)
		})
	huma.Register(api, rest.Op("decline-proposal", http.MethodPost, "/api/ai/proposals/{id}/decline", "Decline a proposal",
		rest.Rules(ChatRule), rest.SelfIdempotent(), rest.Status(http.StatusOK)),
		func(ctx context.Context, in *declineInput) (*cardBody, error) {
			card, err := r.Service.Decline(ctx, principal.FromContext(ctx), in.ID, in.reason())
			return &cardBody{card}, err
		})
	r.step(
		api,
		proposal.Again,
		"Propose a change again",
		"Of a proposal of yours that failed, expired or was not reached in its plan: the same arguments, checked "+
			"against the current state, with a difference, a revision and a decision of their own.",
	)
	r.step(api, proposal.Undo, "Propose to take a change back",
		"Of an applied change: the change that takes all of it back, where one does, as your proposal. Nothing happens until it is applied.")
	r.planRoutes(api)
}

// stepOutput is a proposal that was derived from another.
type stepOutput struct {
	Status int
	Body   proposal.Card
}

// step declares an operation that derives a new proposal from an ended one.
func (r *Proposals) step(api huma.API, step proposal.Step, title, doc string) {
	huma.Register(api, rest.Op("propose-"+string(step), http.MethodPost, "/api/ai/proposals/{id}/"+string(step), title,
		rest.Rules(ChatRule), rest.SelfIdempotent(), rest.Status(http.StatusCreated),
		rest.Doc(doc+" 201 when this call has made it; 200 when you had made it before, however it stands by now.")),
		func(ctx context.Context, in *rest.ByID) (*stepOutput, error) {
			card, made, err := r.Invoke.Step(ctx, principal.FromContext(ctx), in.ID, step)
			out := &stepOutput{http.StatusCreated, card}
			if !made {
				out.Status = http.StatusOK
			}
			return out, err
		})
}

func (r *Proposals) apply(ctx context.Context, token, key, reason string) (*applyOutput, error) {
	p := principal.FromContext(ctx)
	if p.TurnID != uuid.Nil {
		return nil, problem.Errorf(problem.Forbidden, "A tool cannot apply a proposal; only a person or an application can.")
	}
	card, err := r.Service.Apply(ctx, p, token, key, reason, ApplyWait)
	if err != nil {
		return nil, err
	}
	out := &applyOutput{Status: http.StatusOK, Body: applied{card.ToolCallID, card.ProposalID, card.Status, card.Result}}
	switch card.Status {
	case proposal.Applied:
		return out, nil
	case proposal.Failed:
		return nil, failed(card)
	default:
		out.Status = http.StatusAccepted
		return out, nil
	}
}

// failed is the answer to a refused apply: the refusal itself, with the fresh diff for drift.
func failed(card proposal.Card) error {
	e := &problem.Error{Code: card.Error.Code, Detail: card.Error.Message, Issues: card.Error.Issues}
	e = e.With("proposalId", card.ProposalID).With("proposalStatus", card.Status)
	if card.Error.Diff != nil {
		e = e.With("diff", card.Error.Diff)
	}
	return e
}
