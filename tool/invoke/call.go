package invoke

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"

	"countersign/internal/principal"
	"countersign/internal/store"
	"countersign/tool"
	"countersign/tool/budget"
	"countersign/tool/proposal"
)

// Answer is the result of a call: a read has an Output, everything else a Card. Tool is the called tool, if it was
// found.
type Answer struct {
	Tool   tool.Tool
	Output Output
	Card   *proposal.Card
}

// Call runs a read and proposes a write, for a caller whose calls a model chooses. A read that could exfiltrate what
// the model has read is proposed too, as in a tainted conversation. key and reason are those of Propose; a read has no
// key.
func (s *Service) Call(
	ctx context.Context,
	p principal.Principal,
	transport budget.Transport,
	name string,
	input json.RawMessage,
	key, reason string,
) (Answer, error) {
	if key != "" {
		known, ok, err := s.Registry.Visible(ctx, p, name)
		if err != nil {
			return Answer{}, err
		}
		if reads := ok && known.Impact.EffectByInput && s.reads(ctx, p, known, input); ok && known.Effect != tool.Read && !reads {
			card, err := s.Propose(ctx, p, transport, name, input, key, reason)
			return Answer{Tool: known, Card: &card}, err
		}
	}
	ctx, t, id, err := s.reserve(ctx, store.NewID(), p, transport, name, input, func(t tool.Tool) error {
		if !t.MayLeave() {
			return nil
		}
		return t.Input.Validate(ctx, input)
	})
	if err != nil {
		return Answer{Tool: t}, err
	}
	caller, asks := s.Callers.Caller(p, id), t.Effect != tool.Read
	if t.Impact.EffectByInput {
		proposed, err := t.DryRun(ctx, caller, input)
		if err != nil {
			return Answer{Tool: t}, s.settled(ctx, id, err)
		}
		asks = proposed.Effect != tool.Read
	}
	if !asks {
		why, err := t.Leaves(ctx, caller, input, true)
		if err == nil && why != "" && p.ReadOnly() {
			err = tool.ReadOnly(t.Name)
		}
		if err != nil {
			return Answer{Tool: t}, s.settled(ctx, id, err)
		}
		asks = why != ""
	}
	if asks && p.ReadOnly() {
		// A read-only program is answered or refused; its calls never become proposals.
		return Answer{Tool: t}, s.settled(ctx, id, tool.ReadOnly(t.Name))
	}
	if asks {
		card, err := s.propose(ctx, p, t, id, input, reason)
		return Answer{Tool: t, Card: &card}, err
	}
	output, err := s.run(ctx, t, caller, id, input)
	return Answer{Tool: t, Output: output}, err
}

// settled records a refusal in the audit row of a reserved call and returns it.
func (s *Service) settled(ctx context.Context, id uuid.UUID, why error) error {
	if err := s.Budget.Finish(context.WithoutCancel(ctx), id, why); err != nil {
		return err
	}
	return why
}

// reads reports whether an input of an EffectByInput tool only reads.
func (s *Service) reads(ctx context.Context, p principal.Principal, t tool.Tool, input json.RawMessage) bool {
	reads, err := s.ReadsOnly(ctx, p, t, input)
	return err == nil && reads
}
