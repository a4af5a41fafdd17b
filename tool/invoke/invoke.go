// Package invoke runs single tool calls for callers outside of a chat turn: the REST API and MCP clients. A read
// runs, a write becomes a proposal; both are reserved in the budget and audited before anything happens.
package invoke

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/secret/scrub"
	"countersign/internal/store"
	"countersign/internal/text"
	"countersign/tool"
	"countersign/tool/budget"
	"countersign/tool/disposition"
	"countersign/tool/proposal"
)

// Timeout bounds a call, whatever its tool declares.
const Timeout = tool.MaxTimeout

// Service runs tool calls.
type Service struct {
	Reads
	Registry  *tool.Registry
	Proposals *proposal.Service
	Callers   proposal.Callers
}

// Offered returns the tools that p may use now, by name.
func (s *Service) Offered(ctx context.Context, p principal.Principal) ([]tool.Tool, error) {
	return disposition.Offered(ctx, s.Policies, s.Registry, p)
}

// Result is the result of a read. ToolCallID is its audit row.
type Result struct {
	ToolCallID uuid.UUID       `json:"toolCallId"`
	Output     json.RawMessage `json:"output"`
}

// Read runs a read tool as p. A write tool is refused: it has to be proposed.
func (s *Service) Read(
	ctx context.Context,
	p principal.Principal,
	transport budget.Transport,
	name string,
	input json.RawMessage,
) (Result, error) {
	ctx, t, id, err := s.reserve(ctx, store.NewID(), p, transport, name, input, func(t tool.Tool) error {
		if t.Effect != tool.Read && !t.Impact.EffectByInput {
			return changes(t)
		}
		return nil
	})
	if err != nil {
		return Result{}, err
	}
	caller := s.Callers.Caller(p, id)
	if t.Impact.EffectByInput {
		proposed, err := t.DryRun(ctx, caller, input)
		if err == nil && proposed.Effect != tool.Read {
			err = changes(t)
		}
		if err != nil {
			return Result{}, s.settled(ctx, id, err)
		}
	}
	output, err := s.run(ctx, t, caller, id, input)
	return Result{ToolCallID: id, Output: output.JSON}, err
}

func changes(t tool.Tool) error {
	return problem.Errorf(problem.Invalid, "%s changes something: propose it, and a person decides.", t.Name)
}

// Output is the result of a read, without credentials. Untrusted reports outside content.
type Output struct {
	JSON      json.RawMessage
	Untrusted bool
}

// run runs a reserved read, and finishes its audit row while the answer is prepared.
func (s *Service) run(ctx context.Context, t tool.Tool, caller tool.Caller, id uuid.UUID, input json.RawMessage) (Output, error) {
	output, err := t.RunAsRead(ctx, caller, input)
	settled := make(chan error, 1)
	go func() { settled <- s.Budget.Finish(context.WithoutCancel(ctx), id, err) }()
	var out Output
	var unready error
	if err == nil {
		out, unready = ready(t, output)
	}
	if err := cmp.Or(err, <-settled, unready); err != nil {
		return Output{}, err
	}
	return out, nil
}

func ready(t tool.Tool, output any) (Output, error) {
	raw, err := tool.Canonical(output)
	return Output{JSON: scrub.JSON(raw), Untrusted: t.Taints(output)}, err
}

// Propose makes a proposal of a write tool's call and returns its card, with the token if p may apply it. A repeat with
// the same key, the request's Idempotency-Key, returns the first proposal, and a different call with it is refused; key
// is "" without one. A failed call can be retried with its key. reason is p's reason, "" without one.
func (s *Service) Propose(
	ctx context.Context,
	p principal.Principal,
	transport budget.Transport,
	name string,
	input json.RawMessage,
	key, reason string,
) (proposal.Card, error) {
	callID := store.NewID()
	if key != "" {
		callID = uuid.NewSHA1(p.ID, []byte(key))
		if card, made, err := s.proposed(ctx, p, callID, name, input); made || err != nil {
			return card, err
		}
	}
	ctx, t, id, err := s.reserve(ctx, callID, p, transport, name, input, func(t tool.Tool) error {
		if t.Effect == tool.Read {
			return problem.Errorf(problem.Invalid, "%s only reads: call it instead of proposing it.", t.Name)
		}
		return nil
	})
	if err != nil {
		return proposal.Card{}, err
	}
	return s.propose(ctx, p, t, id, input, reason)
}

// propose makes the proposal of a reserved call.
func (s *Service) propose(
	ctx context.Context,
	p principal.Principal,
	t tool.Tool,
	id uuid.UUID,
	input json.RawMessage,
	reason string,
) (proposal.Card, error) {
	caller := s.Callers.Caller(p, id)
	proposed, err := t.DryRun(ctx, caller, input)
	if err == nil && proposed.Effect == tool.Read {
		var why string
		why, err = t.Leaves(ctx, caller, input, true)
		proposed = proposed.AsLeaving(why)
	}
	if err == nil {
		_, err = s.Proposals.Create(ctx, proposal.New{ID: id, Principal: p, Tool: t, Proposed: proposed, WhyConfirm: asker(p), Reason: reason})
	}
	if err != nil {
		return s.release(ctx, p, id, err)
	}
	return s.Proposals.Get(ctx, p, id)
}

// SettleTimeout bounds the lookup of a failed call's outcome.
const SettleTimeout = 20 * time.Second

// release frees the id of a call that failed with err, unless a proposal was stored nevertheless; then it returns that
// proposal.
func (s *Service) release(ctx context.Context, p principal.Principal, id uuid.UUID, err error) (proposal.Card, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), SettleTimeout)
	defer cancel()
	if settleErr := s.Budget.Release(ctx, id, err); settleErr != nil {
		return proposal.Card{}, fmt.Errorf("%w (and %w)", err, settleErr)
	}
	if card, found := s.Proposals.Get(ctx, p, id); found == nil {
		return card, nil
	}
	return proposal.Card{}, err
}

// asker names the program that asks on behalf of a person, "" when they ask themselves; the decider sees it.
func asker(p principal.Principal) string {
	if p.Client == nil {
		return ""
	}
	return fmt.Sprintf(
		"The program “%s” asks for this in the name of %s. Nobody has checked what it calls itself.",
		text.Shown(p.Client.Name, 100),
		p.Name,
	)
}

// proposed finds the proposal of an earlier request with the same key. Without one, that request is still running or
// its process died: this request continues with its audit row, and the first to store the proposal wins.
func (s *Service) proposed(
	ctx context.Context,
	p principal.Principal,
	id uuid.UUID,
	name string,
	input json.RawMessage,
) (card proposal.Card, made bool, err error) {
	t, ok, err := s.Registry.Lookup(ctx, name)
	if err != nil {
		return card, false, err
	}
	if ok {
		name = t.Name
	}
	made, same, err := s.Budget.Made(ctx, id, name, input)
	switch {
	case err != nil || !made:
		return card, made, err
	case !same:
		return card, true, problem.Errorf(problem.KeyReused, "This Idempotency-Key was used for another request. Use a new key for each action.")
	}
	card, err = s.Proposals.Get(ctx, p, id)
	if problem.Is(err, problem.NotFound) {
		return card, false, nil
	}
	return card, true, err
}

// find returns the tool if p may use it now. The policies of a read tool are loaded in the round trip of its
// reservation.
func (s *Service) find(ctx context.Context, p principal.Principal, name string) (tool.Tool, error) {
	t, err := s.Registry.Find(ctx, p, name)
	if err != nil || t.Effect == tool.Read {
		return t, err
	}
	exceptions, err := disposition.ExceptionsOf(ctx, s.Policies)
	if err != nil {
		return t, err
	}
	return t, allowed(p, t, exceptions)
}

// allowed refuses a call that policies do not allow.
func allowed(p principal.Principal, t tool.Tool, exceptions map[string]disposition.Policy) error {
	policy := disposition.BasePolicy(t, exceptions)
	if d, why := disposition.Decide(
		disposition.Call{Effect: t.Effect, Principal: p.Kind, Mode: disposition.Approve, Policy: policy},
	); d == disposition.Refuse {
		return problem.Errorf(problem.Forbidden, "%s", why)
	}
	if why := disposition.Undecidable(p, t.Access.Personal, policy); t.Effect != tool.Read && why != "" {
		return problem.Errorf(problem.Forbidden, "%s", why)
	}
	return nil
}

// reserve finds the tool, validates the call and reserves budget. Refused calls are audited too. The call runs with the
// returned context.
func (s *Service) reserve(
	ctx context.Context,
	id uuid.UUID,
	p principal.Principal,
	transport budget.Transport,
	name string,
	input json.RawMessage,
	fits func(tool.Tool) error,
) (context.Context, tool.Tool, uuid.UUID, error) {
	call := budget.Call{
		ID: id, Principal: p, Transport: transport, Tool: name, Effect: tool.Read, Arguments: input,
	}
	t, err := s.find(ctx, p, name)
	if err != nil && problem.CodeOf(err) == problem.Internal {
		return ctx, t, uuid.Nil, err
	}
	if err := call.About(ctx, s.Registry, t, name); err != nil {
		return ctx, t, uuid.Nil, err
	}
	if err == nil && t.Access.ChatOnly {
		err = problem.Errorf(problem.Invalid, "The tool %s makes sense in a conversation only.", t.Name)
	}
	if err == nil {
		err = fits(t)
	}
	if err == nil {
		err = tool.RefuseCredentials(t.Effect, scrub.Paths(input), input)
	}
	if err != nil {
		call.ID = store.NewID()
		if auditErr := s.Budget.Refuse(ctx, call, err); auditErr != nil {
			return ctx, t, uuid.Nil, auditErr
		}
		return ctx, t, uuid.Nil, err
	}
	if t.Effect != tool.Read {
		id, err = s.Budget.Reserve(ctx, call)
		return ctx, t, id, err
	}
	ctx, id, err = s.Reserve(ctx, call, func(exceptions map[string]disposition.Policy) error { return allowed(p, t, exceptions) })
	return ctx, t, id, err
}
