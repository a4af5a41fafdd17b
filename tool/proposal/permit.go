package proposal

import (
	"context"

	"countersign/principal"
	"countersign/problem"
	"countersign/tool/disposition"
)

// visible holds for whoever made a proposal, and for those who may decide about other people's: with ManageRule, or as
// the second person. Both need the tool's rules.
func (s *Service) visible(p principal.Principal, c Card) bool {
	if c.Proposer.Kind == p.Kind && c.Proposer.ID == p.ID {
		return true
	}
	return (p.Has(ManageRule) || c.TwoPerson) && s.authorize(p, c) == nil
}

// authorize checks the tool's rules as they are now, for whoever decides.
func (s *Service) authorize(p principal.Principal, c Card) error {
	_, err := s.Registry.Decidable(p, c.ToolName)
	return err
}

// mayApply checks everything that applying needs beside an open proposal: rules, policy, and a second person.
func (s *Service) mayApply(p principal.Principal, c Card, policy disposition.Policy) error {
	if err := s.authorize(p, c); err != nil {
		return err
	}
	switch {
	case !policy.Enabled:
		return switchedOff(c.ToolName)
	case policy.AlwaysConfirm && p.Kind != principal.User:
		return problem.Errorf(problem.Forbidden, "An administrator wants a person's decision about every change of this kind, and an application is not a person.")
	case !c.TwoPerson && !policy.TwoPerson:
		return nil
	case p.Kind != principal.User:
		return problem.Errorf(problem.Forbidden, "A second person has to apply this, and an application is not a person.")
	case p.ID == c.Proposer.ID:
		return problem.Errorf(problem.Forbidden, "A second person has to apply this, because you have proposed it yourself.")
	case c.Proposer.Kind == principal.Application && c.issuer == nil:
		return problem.Errorf(problem.Forbidden, "A second person has to apply this, and nobody knows whose application has proposed it. Replace the token of the application and propose it again.")
	case c.Proposer.Kind == principal.Application && *c.issuer == p.ID:
		return problem.Errorf(problem.Forbidden, "A second person has to apply this, because an application proposed it whose token you have made.")
	}
	return nil
}

func switchedOff(tool string) error {
	return problem.Errorf(problem.Forbidden, "An administrator has switched %s off, so it cannot be used.", tool)
}

func (s *Service) policy(ctx context.Context, tool string) (disposition.Policy, error) {
	if s.Policies == nil {
		return disposition.DefaultPolicy, nil
	}
	return s.Policies.Policy(ctx, tool)
}

func (s *Service) exceptions(ctx context.Context) (map[string]disposition.Policy, error) {
	if s.Policies == nil {
		return nil, nil
	}
	return s.Policies.Exceptions(ctx)
}

func policyIn(exceptions map[string]disposition.Policy, tool string) disposition.Policy {
	if p, ok := exceptions[tool]; ok {
		return p
	}
	return disposition.DefaultPolicy
}
