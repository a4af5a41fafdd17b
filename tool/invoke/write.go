package invoke

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/secret/scrub"
	"countersign/internal/store"
	"countersign/tool"
	"countersign/tool/budget"
	"countersign/tool/proposal"
)

// Write is a request to the REST API that needs a decision.
type Write struct {
	Tool tool.Tool
	// Input is the tool input that corresponds to the request.
	Input json.RawMessage
	// Based is the revision of the request's If-Match; "" for none.
	Based string
	// TwoPerson requires a second person.
	TwoPerson bool
	// Why states what requires a decision, Reason is the caller's own reason for the request.
	Why, Reason string
}

// ReadsOnly reports whether a request with this input of an EffectByInput tool only reads.
func (s *Service) ReadsOnly(ctx context.Context, p principal.Principal, t tool.Tool, input json.RawMessage) (bool, error) {
	proposed, err := t.DryRun(ctx, s.Callers.Caller(p, store.NewID()), input)
	return err == nil && proposed.Effect == tool.Read, err
}

// ProposeWrite makes a proposal of a request that p would be allowed to make.
func (s *Service) ProposeWrite(ctx context.Context, p principal.Principal, w Write) (proposal.Card, error) {
	id := store.NewID()
	proposed, err := w.Tool.DryRun(ctx, s.Callers.Caller(p, id), w.Input)
	if err != nil {
		return proposal.Card{}, err
	}
	if based := strings.TrimPrefix(w.Based, "W/"); based != "" && proposed.Revision != "" && based != proposed.Revision {
		return proposal.Card{}, problem.Errorf(
			problem.Precondition,
			"What this would change has changed meanwhile. Read it again, and change it as it is now.",
		)
	}
	// The payload is stored, with the hash of the audited arguments.
	open := slices.DeleteFunc(
		scrub.Paths(proposed.Payload),
		func(path string) bool { return slices.Contains(w.Tool.Schema.SealedInput, path) },
	)
	if err := tool.RefuseCredentials(w.Tool.Effect, open, proposed.Payload); err != nil {
		return proposal.Card{}, err
	}
	id, err = s.Budget.Reserve(ctx, budget.Call{
		ID: id, Principal: p, Transport: budget.API, Tool: w.Tool.Name, Effect: w.Tool.Effect, Arguments: proposed.Payload,
	})
	if err != nil {
		return proposal.Card{}, err
	}
	card, err := s.Proposals.Create(ctx, proposal.New{
		ID: id, Principal: p, Tool: w.Tool, Proposed: proposed, WhyConfirm: w.Why, TwoPerson: w.TwoPerson, Reason: w.Reason,
	})
	if err != nil {
		return s.release(ctx, p, id, err)
	}
	return card, nil
}
