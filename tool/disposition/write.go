package disposition

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"countersign/internal/principal"
	"countersign/tool"
)

// Effective returns the policy of a change: that of its tool and those of tools with the same effect, with a second
// person or a decision added where one person or a program could otherwise undo what policies require. exceptions are
// the policies that differ from the default.
func Effective(ctx context.Context, t tool.Tool, input json.RawMessage, exceptions map[string]Policy) (Policy, error) {
	p := BasePolicy(t, exceptions)
	if t.Policy.ConditionalCovers != nil {
		p = p.merge(exceptions, t.Policy.ConditionalCovers(input))
	}
	if t.Policy.NeedsSecond != nil && t.Policy.NeedsSecond(input, SecondPersonTools(exceptions)) {
		p.TwoPerson = true
	}
	if t.Policy.NeedsPerson != nil && t.Policy.NeedsPerson(input, toolsWhere(exceptions, Policy.bindsPrograms)) {
		p.AlwaysConfirm = true
	}
	if t.Policy.Loosens == nil || len(exceptions) == 0 {
		return p, nil
	}
	l, err := t.Policy.Loosens(ctx, input, slices.Sorted(maps.Keys(exceptions)))
	if err != nil {
		return p, fmt.Errorf("find the policies that %s loosens: %w", t.Name, err)
	}
	return p.mergeLoosened(exceptions, l.Widens, l.Policies).merge(exceptions, l.Covers), nil
}

// mergeLoosened adds the policies that a change loosens: their rules decide about it, and a program cannot make it.
func (p Policy) mergeLoosened(exceptions map[string]Policy, widens bool, policies []string) Policy {
	loosened := Policy{Enabled: true}.merge(exceptions, policies)
	p = p.merge(exceptions, policies)
	p.Card = p.Card || loosened.AlwaysConfirm
	p.ByHand = p.ByHand || widens || len(policies) > 0
	p.TwoPerson = p.TwoPerson || widens && len(SecondPersonTools(exceptions)) > 0
	return p
}

// BasePolicy returns the policy of every change of a tool, whatever its input: its own, and those of the tools in Covers.
func BasePolicy(t tool.Tool, exceptions map[string]Policy) Policy {
	p := policyOf(exceptions, t.Name).merge(exceptions, t.Policy.Covers)
	p.AlwaysConfirm = p.AlwaysConfirm || t.Policy.PersonDecides
	p.ByHand = t.Policy.ByHand
	return p
}

// CurrentPolicy is Effective with the current policies, or BasePolicy for a nil input, which is not validated yet. Without
// policies the default applies.
func CurrentPolicy(ctx context.Context, policies Policies, t tool.Tool, input json.RawMessage) (Policy, error) {
	exceptions, err := ExceptionsOf(ctx, policies)
	if err != nil {
		return Policy{}, err
	}
	if input == nil {
		return BasePolicy(t, exceptions), nil
	}
	return Effective(ctx, t, input, exceptions)
}

// merge merges the policy with those of other tools.
func (p Policy) merge(exceptions map[string]Policy, others []string) Policy {
	for _, name := range others {
		other := policyOf(exceptions, name)
		p.Enabled = p.Enabled && other.Enabled
		p.AlwaysConfirm = p.AlwaysConfirm || other.AlwaysConfirm
		p.TwoPerson = p.TwoPerson || other.TwoPerson
	}
	return p
}

// needsSecond reports whether changes need a second person, bindsPrograms whether a program alone cannot make them.
func (p Policy) needsSecond() bool   { return p.TwoPerson }
func (p Policy) bindsPrograms() bool { return !p.Enabled || p.AlwaysConfirm || p.TwoPerson }

// MayNeedSecond reports whether policies require a second person for some or all changes of the tool.
func MayNeedSecond(t tool.Tool, exceptions map[string]Policy) bool {
	return BasePolicy(t, exceptions).TwoPerson ||
		(t.Policy.ConditionalCovers != nil || t.Policy.NeedsSecond != nil || t.Policy.Loosens != nil) &&
			len(SecondPersonTools(exceptions)) > 0
}

// SecondPersonTools lists the tools whose policies require a second person, by name.
func SecondPersonTools(exceptions map[string]Policy) []string {
	return toolsWhere(exceptions, Policy.needsSecond)
}

// toolsWhere lists the tools whose policies are of a kind, by name.
func toolsWhere(exceptions map[string]Policy, kind func(Policy) bool) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(exceptions)) {
		if kind(exceptions[name]) {
			names = append(names, name)
		}
	}
	return names
}

func policyOf(exceptions map[string]Policy, name string) Policy {
	if p, ok := exceptions[name]; ok {
		return p
	}
	return DefaultPolicy
}

// DecideWrite decides about a write that a caller makes without the assistant, by a page, the API or an application:
// Apply lets it through, Confirm makes a proposal of it, Refuse does nothing. why states what requires the decision.
// own means that the change affects only the caller's own data.
func DecideWrite(p principal.Principal, own bool, policy Policy) (d Disposition, why string) {
	undecidable := Undecidable(p, own, policy)
	switch {
	case !policy.Enabled:
		return Refuse, "An administrator has switched this off, for everybody and on every way."
	case policy.ByHand && !p.ByHand():
		return Refuse, byHandText
	case undecidable != "":
		return Refuse, undecidable
	case policy.TwoPerson:
		return Confirm, "A second person has to apply this."
	case policy.Card || policy.AlwaysConfirm && !p.ByHand():
		return Confirm, "An administrator wants a person's decision about every change of this kind."
	}
	return Apply, ""
}

const byHandText = "Only a person who has signed in does this, at the pages: no application, no connected program and not the assistant."

// Undecidable returns the reason why no one can decide about a change that p proposes, "" when someone can. Such a
// change is refused at once.
func Undecidable(p principal.Principal, own bool, policy Policy) string {
	switch {
	case p.Kind != principal.Application:
	case own && policy.AlwaysConfirm:
		return "An administrator wants a person's decision about every change of this kind, and what an application keeps " +
			"for itself is nobody else's to decide about. Applications cannot do this while the policy is set."
	case !own && policy.TwoPerson && p.IssuerID == nil:
		return "A second person has to apply this, and nobody knows whose application this is, so nobody can be the second " +
			"person. Replace the token of the application and try again."
	}
	return ""
}
