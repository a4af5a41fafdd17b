package proposal

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/tool"
	"countersign/tool/disposition"
)

func errDisabled(name string) error {
	return problem.Errorf(problem.Forbidden, "An administrator has switched %s off, so it cannot be used.", name)
}

// policy returns the current policy of a change with this payload; it is loaded for each decision, as it can change
// meanwhile.
func (s *Service) policy(ctx context.Context, t tool.Tool, payload json.RawMessage) (disposition.Policy, error) {
	return disposition.CurrentPolicy(ctx, s.Policies, t, payload)
}

// secondPerson refuses a decider who does not count as a second person for another's proposal; issuer is the creator of
// the proposer's token, if it is an application.
func secondPerson(p principal.Principal, proposer principal.Kind, id uuid.UUID, issuer *uuid.UUID) error {
	switch {
	case !p.InPerson():
		return problem.Errorf(problem.Forbidden, "A second person has to apply this, and %s is not a person.", nounOf(p))
	case p.ID == id:
		return problem.Errorf(problem.Forbidden, "A second person has to apply this, because you have proposed it yourself.")
	case proposer == principal.Application && issuer == nil:
		return problem.Errorf(
			problem.Forbidden,
			"A second person has to apply this, and nobody knows whose application has proposed it. Replace the token of the "+
				"application and propose it again.",
		)
	case proposer == principal.Application && *issuer == p.ID:
		return problem.Errorf(
			problem.Forbidden,
			"A second person has to apply this, because an application proposed it whose token you have made.",
		)
	}
	return nil
}

func errNeedsPerson(p principal.Principal) error {
	return problem.Errorf(
		problem.Forbidden,
		"An administrator wants a person's decision about every change of this kind, and %s is not a person.",
		nounOf(p),
	)
}

func errRunDecidedByPerson() error {
	return problem.Errorf(problem.Forbidden, "A run has proposed this, so a person decides about it, and no application or program.")
}

// nounOf names the kind of a principal that is no person: an application, or a program that acts for one.
func nounOf(p principal.Principal) string {
	if p.Client != nil {
		return "a program"
	}
	return "an application"
}

func errPolicyTightened() error {
	return problem.Errorf(problem.Forbidden, "An administrator has changed the policy of this tool, so this needs a person's decision.")
}
