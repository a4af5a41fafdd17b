package proposal

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/tool"
)

// Waiting is an open proposal with whom it waits for, so that they can be notified.
type Waiting struct {
	Card

	// Alone reports that the person who proposed it can decide, so that nobody else has to be asked.
	Alone bool
	// Unattended reports that nobody is there who could decide: its proposer is an application or a run.
	Unattended bool
	// Holders are sets of people of which others decide, by their rights; none where nobody else can.
	Holders []Holders
	// Not are people who do not count as a second person.
	Not []uuid.UUID
}

// Holders are the people who hold all rules, and the level on the record where there is one.
type Holders struct {
	Rules []string
	Kind  access.Kind
	ID    uuid.UUID
	Level access.Level
}

// Waiting returns an open proposal with whom it waits for, on behalf of the product; false for one that is decided, gone, or
// applied without a decision. Rights on single targets are checked by Decidable.
func (s *Service) Waiting(ctx context.Context, id uuid.UUID, opens ...string) (Waiting, bool, error) {
	c, err := s.load(ctx, id)
	if problem.Is(err, problem.NotFound) {
		return Waiting{}, false, nil
	}
	if err != nil || c.Status != Proposed || c.Automatic {
		return Waiting{}, false, err
	}
	w := Waiting{Card: c, Alone: c.Proposer.Kind == principal.User && !c.TwoPerson}
	t, ok, err := s.Registry.Lookup(ctx, c.ToolName)
	if err != nil || !ok {
		return w, true, err
	}
	policy, err := s.policy(ctx, t, c.Payload)
	if err != nil {
		return Waiting{}, false, err
	}
	two := (c.TwoPerson || policy.TwoPerson) && !t.Access.Personal
	w.Alone = c.Proposer.Kind == principal.User && !two
	if w.Alone || t.Access.Personal || t.Access.Targets == nil {
		return w, true, nil
	}
	w.Unattended = !two && c.Run == nil && !policy.AlwaysConfirm && !policy.ByHand
	if two {
		w.Not = slices.DeleteFunc(
			[]uuid.UUID{c.Proposer.ID, valueOf(c.issuer), valueOf(c.author)},
			func(id uuid.UUID) bool { return id == uuid.Nil },
		)
	} else {
		// The rarest rule comes first: holders of the first one are read.
		opens = slices.Concat([]string{ManageRule}, opens)
	}
	targets, err := t.Access.Targets(c.Payload)
	if err != nil {
		// A payload that the tool does not understand any more is for its proposer only.
		return w, true, nil //nolint:nilerr // see above
	}
	w.Holders = holdersOf(t, targets, opens)
	return w, true, nil
}

func valueOf(id *uuid.UUID) uuid.UUID {
	if id == nil {
		return uuid.Nil
	}
	return *id
}

// rarestFirst orders rules: everybody may chat, and few hold the others.
func rarestFirst(rules, opens []string) []string {
	if slices.Contains(opens, ManageRule) {
		return slices.Concat(opens, rules)
	}
	return slices.Concat(rules, opens)
}

// holdersOf returns the sets of people who may use a tool on its targets: by their roles, or by a grant on one of them.
func holdersOf(t tool.Tool, targets []tool.Target, opens []string) []Holders {
	var sets []Holders
	for _, g := range t.Access.Grants {
		for _, target := range targets {
			if id, err := uuid.Parse(target.Path[max(len(target.Path)-36, 0):]); err == nil {
				sets = append(sets, Holders{Rules: slices.Concat(opens, t.RoleRules()), Kind: g.Kind, ID: id, Level: g.Level})
			}
		}
	}
	if len(sets) == 0 {
		return []Holders{{Rules: rarestFirst(t.Rules, opens)}}
	}
	return sets
}

// Decidable returns an open proposal that p may decide, or an ended one that p may see, without its token: for messages
// about it. It returns problem.NotFound for one that p may not see, and why p may not decide about it.
//
// It makes no rehearsal, since p is not there to answer for a change: reads of its targets are all that is done as p.
func (s *Service) Decidable(ctx context.Context, p principal.Principal, id uuid.UUID) (Card, error) {
	r, err := s.reader(ctx, p)
	if err != nil {
		return Card{}, err
	}
	card, _, err := r.card(ctx, id)
	if err != nil {
		return Card{}, err
	}
	if !r.canSee(card) {
		return Card{}, notFound()
	}
	if card.Status == Proposed {
		if err := r.mayApply(card); err != nil {
			return Card{}, err
		}
	}
	return card.seenBy(p), nil
}

// Decided returns a proposal on behalf of the product, with who decided about it.
func (s *Service) Decided(ctx context.Context, id uuid.UUID) (Card, error) { return s.load(ctx, id) }
