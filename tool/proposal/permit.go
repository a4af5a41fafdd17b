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

// proposer is who made a proposal: a person, or an application with the creator of its token, and in a run with the author
// of its definition.
type proposer struct {
	kind   principal.Kind
	id     uuid.UUID
	issuer *uuid.UUID
	run    *uuid.UUID
	author *uuid.UUID
}

// secondPerson refuses a decider who does not count as a second person for another's proposal.
func secondPerson(p principal.Principal, by proposer) error {
	switch {
	case !p.InPerson():
		return problem.Errorf(problem.Forbidden, "A second person has to apply this, and %s is not a person.", nounOf(p))
	case p.ID == by.id:
		return problem.Errorf(problem.Forbidden, "A second person has to apply this, because you have proposed it yourself.")
	case by.kind == principal.Application && by.issuer == nil:
		return problem.Errorf(
			problem.Forbidden,
			"A second person has to apply this, and nobody knows whose application has proposed it. Replace the token of the "+
				"application and propose it again.",
		)
	case by.kind == principal.Application && *by.issuer == p.ID:
		return problem.Errorf(
			problem.Forbidden,
			"A second person has to apply this, because an application proposed it whose token you have made.",
		)
	case by.run != nil && by.author == nil:
		return problem.Errorf(problem.Forbidden, "A second person has to apply this, and nobody knows who wrote what proposed it.")
	case by.run != nil && *by.author == p.ID:
		return problem.Errorf(problem.Forbidden, "A second person has to apply this, because you have written what proposed it.")
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
