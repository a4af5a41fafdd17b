package proposal

import (
	"context"

	"countersign/problem"
	"countersign/tool/disposition"
)

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
