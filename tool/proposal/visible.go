package proposal

import (
	"context"
	"sync"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/tool"
	"countersign/tool/disposition"
	"countersign/tool/proposal/proposaldb"
)

// reader is the principal that a request reads proposals for.
//
// Principals always see their own proposals. The modules decide about others': each record that a proposal targets
// (tool.Target) is read from the REST API as the reader, once per request. A proposal whose target the reader cannot
// read does not exist for them.
type reader struct {
	*Service
	p          principal.Principal
	exceptions map[string]disposition.Policy

	mu         sync.Mutex
	visibility map[string]visibility
	// tools caches the tools of loaded cards, by name.
	tools map[string]loadedTool
	// policies caches policies that tools compute from the database.
	policies map[uuid.UUID]disposition.Policy
	// refused explains for rehearsed proposals why the reader could not make their changes.
	refused map[uuid.UUID]error
}

// loadedTool is the tool of a proposal, with the error that keeps the reader from deciding about its proposals. ok is
// false for a tool that was removed since.
type loadedTool struct {
	tool      tool.Tool
	ok        bool
	undecided error
}

// preload loads the tools of cards.
func (r *reader) preload(ctx context.Context, cards ...Card) error {
	for _, c := range cards {
		if k, done := r.tools[c.ToolName]; done {
			if err := r.loadEffectivePolicy(ctx, k, c); err != nil {
				return err
			}
			continue
		}
		var k loadedTool
		var err error
		if k.tool, k.ok, err = r.Registry.Lookup(ctx, c.ToolName); err != nil {
			return err
		}
		if _, k.undecided = r.Registry.Decidable(ctx, r.p, c.ToolName); problem.CodeOf(k.undecided) == problem.Internal {
			return k.undecided
		}
		r.tools[c.ToolName] = k
		if err := r.loadEffectivePolicy(ctx, k, c); err != nil {
			return err
		}
	}
	return nil
}

// loadEffectivePolicy computes the policy of a proposal whose tool reads the database for it.
func (r *reader) loadEffectivePolicy(ctx context.Context, k loadedTool, c Card) (err error) {
	if k.ok && k.tool.Policy.Loosens != nil {
		r.policies[c.ProposalID], err = disposition.Effective(ctx, k.tool, c.Payload, r.exceptions)
	}
	return err
}

// toolOf returns the tool of a loaded card.
func (r *reader) toolOf(c Card) (tool.Tool, bool) {
	k := r.tools[c.ToolName]
	return k.tool, k.ok
}

// decidable returns the tool of a loaded card, or why the reader may not decide about its proposals.
func (r *reader) decidable(c Card) (tool.Tool, error) {
	k, looked := r.tools[c.ToolName]
	if !looked {
		return tool.Tool{}, notFound()
	}
	return k.tool, k.undecided
}

// visibility is the answer of a target. Not every kind of record returns the reader's level; for a record without one,
// the module decides when the change is made.
type visibility struct {
	there bool
	level access.Level
}

// maxParallelReads bounds the concurrent reads of targets.
const maxParallelReads = 4

func (s *Service) reader(ctx context.Context, p principal.Principal) (*reader, error) {
	exceptions, err := disposition.ExceptionsOf(ctx, s.Policies)
	return &reader{
		Service: s, p: p, exceptions: exceptions, visibility: map[string]visibility{}, tools: map[string]loadedTool{},
		policies: map[uuid.UUID]disposition.Policy{}, refused: map[uuid.UUID]error{},
	}, err
}

// policyOf returns the current policy of a proposal's change.
func (r *reader) policyOf(c Card) disposition.Policy {
	t, ok := r.toolOf(c)
	if !ok {
		return disposition.DefaultPolicy
	}
	if policy, found := r.policies[c.ProposalID]; found {
		return policy
	}
	t.Policy.Loosens = nil
	policy, _ := disposition.Effective(context.Background(), t, c.Payload, r.exceptions)
	return policy
}

// isProposer and isDecider report whether the reader made a proposal, and whether they have decided about it. A run's
// proposals are made by the run: its application is a reader like others.
func (r *reader) isProposer(c Card) bool { return r.actsFor(c) && isPrincipal(&c.Proposer, r.p) }
func (r *reader) isDecider(c Card) bool  { return r.actsFor(c) && isPrincipal(c.DecidedBy, r.p) }

// actsFor reports whether the reader can be who made a proposal or decided about it, as far as its run says: that run
// itself, or a person.
func (r *reader) actsFor(c Card) bool {
	return c.Run == nil || r.p.Kind == principal.User || r.p.Run != nil && r.p.Run.ID == *c.Run
}

func isPrincipal(w *Who, p principal.Principal) bool {
	return w != nil && w.Kind == p.Kind && w.ID == p.ID
}

// twoPerson reports whether a proposal needs a second person. A Personal tool never does.
func (r *reader) twoPerson(c Card) bool {
	if t, ok := r.toolOf(c); ok && t.Access.Personal {
		return false
	}
	return c.TwoPerson || c.Status == Proposed && r.policyOf(c).TwoPerson
}

// targetsOf returns the targets of another principal's proposal, and whether the reader may see it if they can read
// all of them: with ManageRule or as a second person, and with the rules of the tool.
func (r *reader) targetsOf(c Card) ([]tool.Target, bool) {
	t, err := r.decidable(c)
	if err != nil || t.Access.Personal || t.Access.Targets == nil || !r.p.Has(ManageRule) && !r.twoPerson(c) {
		return nil, false
	}
	targets, err := t.Access.Targets(c.Payload)
	return targets, err == nil
}

// loadVisibility reads the targets of cards that are not loaded yet. It makes requests: never call it in a
// transaction.
func (r *reader) loadVisibility(ctx context.Context, cards ...Card) error {
	if err := r.preload(ctx, cards...); err != nil {
		return err
	}
	asked := map[string]uuid.UUID{}
	for _, c := range cards {
		if r.isProposer(c) || r.isDecider(c) {
			continue
		}
		targets, _ := r.targetsOf(c)
		for _, t := range targets {
			if _, known := r.visibility[t.Path]; !known {
				asked[t.Path] = c.ProposalID
			}
		}
	}
	var running sync.WaitGroup
	places := make(chan struct{}, maxParallelReads)
	for path, id := range asked {
		places <- struct{}{}
		running.Go(func() {
			defer func() { <-places }()
			seen := r.readTarget(ctx, path, id)
			r.mu.Lock()
			defer r.mu.Unlock()
			r.visibility[path] = seen
		})
	}
	running.Wait()
	return context.Cause(ctx)
}

// readTarget reads one target as the reader. A failed read counts as not visible.
func (r *reader) readTarget(ctx context.Context, path string, id uuid.UUID) visibility {
	var record struct {
		Access access.Level `json:"access"`
	}
	if _, err := r.Callers.Caller(r.p, id).Client.Get(ctx, path, &record); err != nil {
		if problem.CodeOf(err) == problem.Internal && ctx.Err() == nil {
			r.Log.Warn("Target of a proposal not read, so the proposal is not shown", "proposal", id, "error", err)
		}
		return visibility{}
	}
	return visibility{there: true, level: record.Access}
}

// canSee reports whether a proposal exists for the reader, after loadVisibility.
func (r *reader) canSee(c Card) bool {
	if r.isProposer(c) || r.isDecider(c) {
		return true
	}
	targets, may := r.targetsOf(c)
	for _, t := range targets {
		may = may && r.visibility[t.Path].there
	}
	return may
}

// mayDecide checks what both decisions need beside a visible open proposal: a person for a proposal of a run, the current
// rules of the tool, and for another principal's proposal that the reader could make the change to its targets, after
// rehearse.
func (r *reader) mayDecide(c Card) error {
	if c.Run != nil && !r.p.InPerson() {
		return errRunDecidedByPerson()
	}
	t, err := r.decidable(c)
	if err != nil || r.isProposer(c) {
		return err
	}
	targets, _ := r.targetsOf(c)
	for _, target := range targets {
		if level := r.visibility[target.Path].level; level != access.None && !level.Includes(target.Level) {
			return problem.MissingRule("decide about this: you may read what it changes, and not change it", t.Rules...)
		}
	}
	return r.refused[c.ProposalID]
}

// mayApply checks everything that applying needs beside an open proposal that the reader sees: mayDecide, the policy, and
// a second person.
func (r *reader) mayApply(c Card) error {
	if err := r.mayDecide(c); err != nil {
		return err
	}
	policy := r.policyOf(c)
	switch {
	case !policy.Enabled:
		return errDisabled(c.ToolName)
	case (policy.AlwaysConfirm || policy.ByHand) && !r.p.InPerson():
		return errNeedsPerson(r.p)
	case !r.twoPerson(c):
		return nil
	}
	return secondPerson(r.p, proposer{kind: c.Proposer.Kind, id: c.Proposer.ID, issuer: c.issuer, run: c.Run, author: c.author})
}

// redact returns the card for the reader, after loadVisibility: with its token while they may apply it, else with the
// reason why not.
func (r *reader) redact(c Card, row proposaldb.AiProposal) (Card, error) {
	if !r.canSee(c) {
		return Card{}, notFound()
	}
	c.TwoPerson = r.twoPerson(c)
	if c.TwoPerson {
		c.Request = requestOf(row)
	}
	if !r.isProposer(c) {
		c.Outside, c.Effects, c.Labels = sourceless(c.Outside), nil, r.namesFor(c)
	}
	if c.Status != Proposed {
		return c.seenBy(r.p), nil
	}
	if err := r.mayApply(c); err != nil {
		c.Blocked = problem.As(err).Detail
		return c, nil
	}
	if err := r.verifySeal(row); err != nil {
		c.Blocked = problem.As(err).Detail
		return c, nil
	}
	c.Token = r.Nonces.token(c.ProposalID, row.NonceSalt)
	return c, nil
}

// position sets the place of a card within the part of its plan that the reader sees.
func (r *reader) position(ctx context.Context, c Card, members, position int64) (Card, error) {
	if members < 2 || c.Automatic || r.isProposer(c) {
		return c.inPlan(members, position), nil
	}
	rows, err := r.queries(ctx).PlanMembers(ctx, c.TurnID)
	if err != nil {
		return c, planError("load", err)
	}
	seen, err := r.visibleMembers(ctx, memberRows(rows))
	if err != nil {
		return c, err
	}
	for _, m := range seen.cards {
		if m.ProposalID == c.ProposalID {
			c.PlanID, c.PlanPosition = m.PlanID, m.PlanPosition
		}
	}
	return c, nil
}

// visibleMembers returns the members of a plan that the reader sees, numbered among themselves.
func (r *reader) visibleMembers(ctx context.Context, all []member) (members, error) {
	cards, err := cardsOf(all)
	if err != nil {
		return members{}, err
	}
	if err := r.loadVisibility(ctx, cards...); err != nil {
		return members{}, err
	}
	return r.filterVisible(all, cards), nil
}

// filterVisible is visibleMembers after loadVisibility.
func (r *reader) filterVisible(all []member, cards []Card) members {
	var m members
	for i, c := range cards {
		if r.canSee(c) {
			m.rows, m.cards = append(m.rows, all[i].proposal), append(m.cards, c)
		}
	}
	for i := range m.cards {
		m.cards[i].PlanID, m.cards[i].PlanPosition = nil, 0
		m.cards[i] = m.cards[i].inPlan(int64(len(m.cards)), int64(i+1))
	}
	return m
}
