package proposal

import (
	"context"
	"sync"

	"github.com/google/uuid"

	"countersign/access"
	"countersign/principal"
	"countersign/problem"
	"countersign/tool"
	"countersign/tool/disposition"
	"countersign/tool/proposal/proposaldb"
)

// reader is a principal who looks at proposals, for the length of one request.
//
// Proposals of one's own are always seen. Which of others' are is nothing that this package could know: what they are
// about belongs to the modules. So each record that a proposal is about (tool.Target) is asked for at the REST API as the
// reader, once in a request: a proposal about something that the reader cannot read does not exist for them.
type reader struct {
	*Service
	p          principal.Principal
	exceptions map[string]disposition.Policy

	mu    sync.Mutex
	sight map[string]sight
	// tools are those of the cards that were looked at, by name.
	tools map[string]known
	// policies are those of cards whose tools look into the database for them.
	policies map[uuid.UUID]disposition.Policy
	// refused says of proposals that were rehearsed why the reader could not make their changes.
	refused map[uuid.UUID]error
}

// known is the tool of a proposal: what it is, and why the reader may not decide about its proposals. There is none where
// somebody has taken it away since.
type known struct {
	tool      tool.Tool
	ok        bool
	undecided error
}

// know finds the tools of cards.
func (r *reader) know(ctx context.Context, cards ...Card) error {
	for _, c := range cards {
		if k, done := r.tools[c.ToolName]; done {
			if err := r.loosening(ctx, k, c); err != nil {
				return err
			}
			continue
		}
		var k known
		var err error
		if k.tool, k.ok, err = r.Registry.Lookup(ctx, c.ToolName); err != nil {
			return err
		}
		if _, k.undecided = r.Registry.Decidable(ctx, r.p, c.ToolName); problem.CodeOf(k.undecided) == problem.Internal {
			return k.undecided
		}
		r.tools[c.ToolName] = k
		if err := r.loosening(ctx, k, c); err != nil {
			return err
		}
	}
	return nil
}

// loosening finds the policy of a proposal whose tool looks into the database for it.
func (r *reader) loosening(ctx context.Context, k known, c Card) (err error) {
	if k.ok && k.tool.Policy.Loosens != nil {
		r.policies[c.ProposalID], err = disposition.Effective(ctx, k.tool, c.Payload, r.exceptions)
	}
	return err
}

// toolOf is the tool of a card that was looked at.
func (r *reader) toolOf(c Card) (tool.Tool, bool) {
	k := r.tools[c.ToolName]
	return k.tool, k.ok
}

// decidable is the tool of a card that was looked at, or why the reader may not decide about its proposals.
func (r *reader) decidable(c Card) (tool.Tool, error) {
	k, looked := r.tools[c.ToolName]
	if !looked {
		return tool.Tool{}, notFound()
	}
	return k.tool, k.undecided
}

// sight is what a target has answered. Not every kind of record tells the reader's level; where it is there without one,
// the module decides when the change is made.
type sight struct {
	there bool
	level access.Level
}

// lookers is how many targets are asked for at a time.
const lookers = 4

func (s *Service) reader(ctx context.Context, p principal.Principal) (*reader, error) {
	exceptions, err := disposition.ExceptionsOf(ctx, s.Policies)
	return &reader{
		Service: s, p: p, exceptions: exceptions, sight: map[string]sight{}, tools: map[string]known{},
		policies: map[uuid.UUID]disposition.Policy{}, refused: map[uuid.UUID]error{},
	}, err
}

// policyOf is the policy that holds for a proposal at this moment, by what it would do.
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

// proposed and decided report whether the reader made a proposal, and whether they have decided about it.
func (r *reader) proposed(c Card) bool { return isWho(&c.Proposer, r.p) }
func (r *reader) decided(c Card) bool  { return isWho(c.DecidedBy, r.p) }

func isWho(w *Who, p principal.Principal) bool { return w != nil && w.Kind == p.Kind && w.ID == p.ID }

// twoPerson reports whether a proposal needs a second person. What is its caller's own never does.
func (r *reader) twoPerson(c Card) bool {
	if t, ok := r.toolOf(c); ok && t.Access.Personal {
		return false
	}
	return c.TwoPerson || c.Status == Proposed && r.policyOf(c).TwoPerson
}

// concerns returns what a proposal of somebody else is about, and whether the reader may know of it if they may see all of
// that: with ManageRule or as a second person, and with the rules of the tool.
func (r *reader) concerns(c Card) ([]tool.Target, bool) {
	t, err := r.decidable(c)
	if err != nil || t.Access.Personal || t.Access.Targets == nil || !r.p.Has(ManageRule) && !r.twoPerson(c) {
		return nil, false
	}
	targets, err := t.Access.Targets(c.Payload)
	return targets, err == nil
}

// look asks for the targets of cards that have not been asked for, which takes requests: never call it in a transaction.
func (r *reader) look(ctx context.Context, cards ...Card) error {
	if err := r.know(ctx, cards...); err != nil {
		return err
	}
	asked := map[string]uuid.UUID{}
	for _, c := range cards {
		if r.proposed(c) || r.decided(c) {
			continue
		}
		targets, _ := r.concerns(c)
		for _, t := range targets {
			if _, known := r.sight[t.Path]; !known {
				asked[t.Path] = c.ProposalID
			}
		}
	}
	var running sync.WaitGroup
	places := make(chan struct{}, lookers)
	for path, id := range asked {
		places <- struct{}{}
		running.Go(func() {
			defer func() { <-places }()
			seen := r.ask(ctx, path, id)
			r.mu.Lock()
			defer r.mu.Unlock()
			r.sight[path] = seen
		})
	}
	running.Wait()
	return context.Cause(ctx)
}

// ask reads one target as the reader. One that cannot be read now is not seen now.
func (r *reader) ask(ctx context.Context, path string, id uuid.UUID) sight {
	var record struct {
		Access access.Level `json:"access"`
	}
	if _, err := r.Callers.Caller(r.p, id).Client.Get(ctx, path, &record); err != nil {
		if problem.CodeOf(err) == problem.Internal && ctx.Err() == nil {
			r.Log.Warn("Target of a proposal not read, so the proposal is not shown", "proposal", id, "error", err)
		}
		return sight{}
	}
	return sight{there: true, level: record.Access}
}

// sees reports whether a proposal exists for the reader, after look.
func (r *reader) sees(c Card) bool {
	if r.proposed(c) || r.decided(c) {
		return true
	}
	targets, may := r.concerns(c)
	for _, t := range targets {
		may = may && r.sight[t.Path].there
	}
	return may
}

// mayDecide checks what both decisions need beside an open proposal that the reader sees: the tool's rules as they are
// now, and of a proposal of somebody else that the reader could make the change to its targets, after rehearse.
func (r *reader) mayDecide(c Card) error {
	t, err := r.decidable(c)
	if err != nil || r.proposed(c) {
		return err
	}
	targets, _ := r.concerns(c)
	for _, target := range targets {
		if level := r.sight[target.Path].level; level != access.None && !level.Includes(target.Level) {
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
		return switchedOff(c.ToolName)
	case (policy.AlwaysConfirm || policy.ByHand) && !r.p.InPerson():
		return notByPrograms(r.p)
	case !r.twoPerson(c):
		return nil
	}
	return secondPerson(r.p, c.Proposer.Kind, c.Proposer.ID, c.issuer)
}

// show is the card for the reader, after look: with its token while they may apply it, else with the reason why not.
func (r *reader) show(c Card, row proposaldb.AiProposal) (Card, error) {
	if !r.sees(c) {
		return Card{}, notFound()
	}
	c.TwoPerson = r.twoPerson(c)
	if c.TwoPerson {
		c.Request = requestOf(row)
	}
	if !r.proposed(c) {
		c.Outside, c.Effects, c.Labels = sourceless(c.Outside), nil, r.namesFor(c)
	}
	if c.Status != Proposed {
		return c.seenBy(r.p), nil
	}
	if err := r.mayApply(c); err != nil {
		c.Blocked = problem.As(err).Detail
		return c, nil
	}
	if err := r.intact(row); err != nil {
		c.Blocked = problem.As(err).Detail
		return c, nil
	}
	c.Token = r.Nonces.token(c.ProposalID, row.NonceSalt)
	return c, nil
}

// place puts a card of the given place into its plan as far as the reader sees it.
func (r *reader) place(ctx context.Context, c Card, members, position int64) (Card, error) {
	if members < 2 || c.Automatic || r.proposed(c) {
		return c.inPlan(members, position), nil
	}
	rows, err := r.queries(ctx).PlanMembers(ctx, c.TurnID)
	if err != nil {
		return c, planError("load", err)
	}
	seen, err := r.seen(ctx, memberRows(rows))
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

// seen are the members of a plan that exist for the reader, counted among themselves.
func (r *reader) seen(ctx context.Context, all []member) (members, error) {
	cards, err := cardsOf(all)
	if err != nil {
		return members{}, err
	}
	if err := r.look(ctx, cards...); err != nil {
		return members{}, err
	}
	return r.among(all, cards), nil
}

// among is seen after look.
func (r *reader) among(all []member, cards []Card) members {
	var m members
	for i, c := range cards {
		if r.sees(c) {
			m.rows, m.cards = append(m.rows, all[i].proposal), append(m.cards, c)
		}
	}
	for i := range m.cards {
		m.cards[i].PlanID, m.cards[i].PlanPosition = nil, 0
		m.cards[i] = m.cards[i].inPlan(int64(len(m.cards)), int64(i+1))
	}
	return m
}
