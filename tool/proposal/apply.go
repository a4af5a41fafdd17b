package proposal

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/crash"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/tool"
	"countersign/tool/proposal/proposaldb"
)

// Begin spends a token: it moves the proposal from proposed to applying in the name of p and signals its workflow.
// Exactly one call succeeds. A retry by the same principal with the same key gets the outcome of the first; key is the
// request's Idempotency-Key and reason is p's reason, each "" without one.
func (s *Service) Begin(ctx context.Context, p principal.Principal, token, key, reason string) (card Card, err error) {
	if reason, err = Reason("reason", reason); err != nil {
		return Card{}, err
	}
	err = s.guarded(ctx, p, func() error {
		card, err = s.beginBy(ctx, p, token, key, reason)
		return err
	})
	return card, err
}

// Apply is Begin, and waits up to wait for the outcome: the card is applied, failed, or still applying. It does not
// wait while no workflow can be signalled: the decision is stored, and is carried out later.
func (s *Service) Apply(ctx context.Context, p principal.Principal, token, key, reason string, wait time.Duration) (Card, error) {
	card, err := s.Begin(ctx, p, token, key, reason)
	if err != nil || card.unsignalled {
		return card, err
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	return s.Await(ctx, card.ProposalID)
}

func (s *Service) beginBy(ctx context.Context, p principal.Principal, token, key, reason string) (Card, error) {
	id, nonce, ok := ParseToken(token)
	if !ok {
		return Card{}, wrongToken()
	}
	row, err := s.row(ctx, id)
	if problem.Is(err, problem.NotFound) {
		return Card{}, wrongToken()
	}
	if err != nil {
		return Card{}, err
	}
	if !s.Nonces.fits(id, row.AiProposal.NonceSalt, nonce) {
		return Card{}, wrongToken()
	}
	card, err := cardOf(row.AiProposal, row.IsExpired)
	if err != nil {
		return Card{}, err
	}
	r, err := s.reader(ctx, p)
	if err != nil {
		return Card{}, err
	}
	if err := r.loadVisibility(ctx, card); err != nil {
		return Card{}, err
	}
	// A token grants no access: a caller who may not see the proposal gets the same error as for an unknown token.
	if !r.canSee(card) {
		return Card{}, notFound()
	}
	if repeats(row.AiProposal, p, key) {
		return card, r.mayDecide(card)
	}
	if err := r.rehearse(ctx, card, row.AiProposal); err != nil {
		return Card{}, err
	}
	if err := r.mayApply(card); err != nil {
		return Card{}, err
	}
	begun, err := s.beginApply(ctx, p, row.AiProposal, key, reason, r.twoPerson(card))
	if problem.Is(err, problem.Conflict) {
		// The first call may have committed after this one read the row.
		if row, again := s.row(ctx, id); again == nil && repeats(row.AiProposal, p, key) {
			return cardOf(row.AiProposal, row.IsExpired)
		}
	}
	return begun, err
}

// repeats reports whether p has begun this apply with the same key before.
func repeats(row proposaldb.AiProposal, p principal.Principal, key string) bool {
	return key != "" && row.ApplyKey != nil && *row.ApplyKey == key && row.DecidedByID != nil && *row.DecidedByID == p.ID
}

// BeginAutomatic applies a proposal that its own turn has just made in auto mode, without a token: the decision was the
// person's choice of the mode. It refuses a destructive proposal, and one that was not made automatic.
func (s *Service) BeginAutomatic(ctx context.Context, p principal.Principal, id uuid.UUID) (Card, error) {
	card, err := s.load(ctx, id)
	if err != nil {
		return Card{}, err
	}
	if !card.Automatic || card.Effect != tool.Mutate || card.Proposer.ID != p.ID {
		return Card{}, problem.Errorf(problem.Forbidden, "This proposal needs a person's decision.")
	}
	if card.Status != Proposed {
		return card, nil
	}
	t, err := s.Registry.Decidable(ctx, p, card.ToolName)
	if err != nil {
		return Card{}, err
	}
	policy, err := s.policy(ctx, t, card.Payload)
	if err != nil {
		return Card{}, err
	}
	if card.TwoPerson || policy.TwoPerson || policy.AlwaysConfirm || !policy.Enabled {
		return Card{}, errPolicyTightened()
	}
	row, err := s.row(ctx, id)
	if err != nil {
		return Card{}, err
	}
	return s.beginApply(ctx, p, row.AiProposal, "", "", false)
}

func (s *Service) beginApply(
	ctx context.Context,
	p principal.Principal,
	row proposaldb.AiProposal,
	key, reason string,
	twoPerson bool,
) (Card, error) {
	id := row.ID
	if row.Status != string(Proposed) {
		return Card{}, s.conflictOf(ctx, id)
	}
	if err := s.verifySeal(row); err != nil {
		return Card{}, err
	}
	decided, err := s.Seals.decided(row, p, reason, twoPerson, false)
	if err != nil {
		return Card{}, err
	}
	crash.Point("apply.before-begin", id)
	n, err := s.onRecord(ctx, p, agreed, reason, []uuid.UUID{id}, func(ctx context.Context) (int64, error) {
		return s.queries(ctx).BeginApply(ctx, proposaldb.BeginApplyParams{
			ID:               id,
			DecidedByKind:    decided.DecidedByKind,
			DecidedByID:      decided.DecidedByID,
			DecidedByName:    decided.DecidedByName,
			DecidedSessionID: decided.DecidedSessionID,
			ApplyKey:         store.TextOrNull(key),
			DecisionReason:   reason,
			TwoPerson:        decided.TwoPerson,
			Seal:             decided.Seal,
		})
	})
	if err != nil {
		return Card{}, fmt.Errorf("begin apply: %w", err)
	}
	if n == 0 {
		return Card{}, s.conflictOf(ctx, id)
	}
	ctx, cancel := committed(ctx)
	defer cancel()
	crash.Point("apply.after-begin", id)
	signalled := s.signalWorkflow(ctx, id)
	crash.Point("apply.after-signal", id)
	card, err := s.load(ctx, id)
	card.unsignalled = !signalled && !card.Status.Final()
	return card, err
}

// resignalDelay is the time after which Await signals the workflow again.
const resignalDelay = 2 * time.Second

// Await waits until the proposal is final or ctx ends, and returns its current state.
func (s *Service) Await(ctx context.Context, id uuid.UUID) (Card, error) {
	changed, stop := s.watch.On(id)
	defer stop()
	// The process that took the decision may have died before it signalled the workflow.
	resignal := time.NewTimer(resignalDelay)
	defer resignal.Stop()
	for {
		card, err := s.load(context.WithoutCancel(ctx), id)
		if err != nil || card.Status.Final() {
			crash.Point("apply.before-answer", id)
			return card, err
		}
		select {
		case <-changed:
		case <-resignal.C:
			if card.Status == Applying && !s.signalWorkflow(ctx, id) {
				return card, nil
			}
		case <-ctx.Done():
			return card, nil
		}
	}
}

// Run carries out an applying proposal as the decider. It is the activity of the proposal's workflow and may be
// retried: the write carries the proposal's id as idempotency key. A refusal makes the proposal failed; a host failure
// is returned, and the status stays applying until a retry succeeds.
func (s *Service) Run(ctx context.Context, id uuid.UUID) (Card, error) {
	row, err := s.row(ctx, id)
	if err != nil {
		return Card{}, err
	}
	if row.AiProposal.Status != string(Applying) || row.AiProposal.Planned {
		return cardOf(row.AiProposal, row.IsExpired)
	}
	return s.runAttempt(ctx, id, false)
}

// runAttempt records an attempt, makes the change and records the outcome. afterOwn reports that an earlier change of
// the same plan was applied.
func (s *Service) runAttempt(ctx context.Context, id uuid.UUID, afterOwn bool) (Card, error) {
	row, err := s.queries(ctx).BeginAttempt(ctx, id)
	if err != nil && !store.NoRows(err) {
		return Card{}, fmt.Errorf("begin attempt: %w", err)
	}
	if err == nil {
		a := attempt{Service: s, row: row, afterOwn: afterOwn}
		if err := a.run(ctx); err != nil {
			return Card{}, err
		}
		crash.Point("apply.after-record", id)
	}
	return s.load(ctx, id)
}

func (s *Service) execute(ctx context.Context, p proposaldb.AiProposal) (json.RawMessage, error) {
	who, t, err := s.loadDecider(ctx, p)
	if err != nil {
		return nil, err
	}
	caller := s.Callers.Caller(who, turnOf(p))
	caller.Client.IdempotencyKey = p.ID.String()
	caller.Client.IfMatch = p.Revision
	result, err := t.Run(audit.Applying(tool.Carry(ctx, t.Name), originOf(p)), caller, p.Payload)
	if err != nil {
		return nil, err
	}
	return tool.Canonical(result)
}

// originOf describes the changes of a proposal for the audit log.
func originOf(p proposaldb.AiProposal) audit.Proposal {
	from := audit.Proposal{
		ID:          p.ID,
		AskedByKind: principal.Kind(p.PrincipalKind),
		AskedBy:     p.PrincipalID,
		TurnID:      p.TurnID,
		Transport:   audit.ByAPI,
		Run:         p.RunID,
	}
	switch {
	case p.RunID != nil:
		from.Transport = audit.ByAutomation
	case p.TurnID != nil:
		from.Transport = audit.ByChat
	case p.Transport != "":
		from.Transport = p.Transport
	case from.AskedByKind == principal.Application:
		from.Transport = audit.ByApplication
	}
	return from
}

// loadDecider loads the decider's current state: lost rights stop the apply, and so does a policy under which they
// could no longer decide.
func (s *Service) loadDecider(ctx context.Context, p proposaldb.AiProposal) (principal.Principal, tool.Tool, error) {
	who, err := s.Principals.Load(ctx, principal.Kind(*p.DecidedByKind), *p.DecidedByID, *p.DecidedSessionID)
	if err != nil {
		return who, tool.Tool{}, err
	}
	t, err := s.Registry.Decidable(ctx, who, p.ToolName)
	if err != nil {
		return who, t, err
	}
	if t.Access.Personal && (who.Kind != principal.Kind(p.PrincipalKind) || who.ID != p.PrincipalID) {
		return who, t, problem.Errorf(problem.Forbidden, "Only who proposed this may apply it: it is about them alone.")
	}
	policy, err := s.policy(ctx, t, p.Payload)
	switch {
	case err != nil:
	case !policy.Enabled:
		err = errDisabled(t.Name)
	case p.RunID != nil && !p.Automatic && !who.InPerson():
		err = errRunDecidedByPerson()
	case policy.AlwaysConfirm && !who.InPerson():
		err = errNeedsPerson(who)
	case policy.AlwaysConfirm && p.Automatic:
		err = errPolicyTightened()
	case !t.Access.Personal && (p.TwoPerson || policy.TwoPerson):
		err = secondPerson(who, proposer{
			kind: principal.Kind(p.PrincipalKind), id: p.PrincipalID, issuer: p.IssuerID, run: p.RunID, author: p.AuthorID,
		})
	}
	return who, t, err
}

// failureOf converts a refusal to the failure on the card, with a fresh diff when the target has changed.
func (s *Service) failureOf(ctx context.Context, p proposaldb.AiProposal, err error, afterOwn bool) Failure {
	e := problem.As(err)
	f := Failure{Code: e.Code, Message: e.Detail, Issues: e.Issues}
	if e.Code != problem.Precondition {
		return f
	}
	f.Code = problem.Drift
	f.Message = "The target has changed since this was proposed, so nothing was applied. Ask for the change again to " +
		"see it against the current state."
	if afterOwn {
		f.Message = "The target has changed since this was proposed, by an earlier change of this plan or by another " +
			"user, and this would no longer do what was shown. So it was not applied. Ask for it again to see it against the current state."
	}
	who, t, err := s.loadDecider(ctx, p)
	if err != nil {
		return f
	}
	if t.Identity.Version != "" {
		// The tool has changed, not its target.
		f.Message = e.Detail
	}
	if fresh, err := t.DryRun(tool.Carry(ctx, t.Name), s.Callers.Caller(who, turnOf(p)), p.Payload); err == nil {
		f.Diff = fresh.Diff
	}
	return f
}

// turnOf returns the id to which the decider's credential is bound: the turn, or the proposal itself without one.
func turnOf(p proposaldb.AiProposal) uuid.UUID {
	if p.TurnID == nil {
		return p.ID
	}
	return *p.TurnID
}
