package agent

import (
	"context"
	"fmt"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/secret"
	"countersign/modules/agent/agentdb"
)

// secretRead is the vault's rule for naming a secret and for deciding about a named one: the code of its tools, and
// which revision goes live.
const secretRead = "vault.secret.read"

// permitNamed checks that the caller may name the secrets of a spec.
func (s *service) permitNamed(ctx context.Context, spec Spec) error {
	if err := permitSecrets(principal.FromContext(ctx), "name secrets in the spec of an agent", len(spec.Secrets) > 0); err != nil {
		return err
	}
	return s.secretsExist(ctx, spec)
}

// secretsExist refuses names of missing secrets.
func (s *service) secretsExist(ctx context.Context, spec Spec) error {
	if len(spec.Secrets) == 0 {
		return nil
	}
	err := s.Secrets.Exist(ctx, spec.secrets())
	if problem.Is(err, problem.Conflict) {
		detail := problem.As(err).Detail
		return problem.InvalidInput(detail, problem.Issue{Path: "spec.secrets", Message: detail})
	}
	return err
}

// maxUsers limits the listed agents.
const maxUsers = 100

// secretUser is the kind of records that refer to secrets.
const secretUser = "agent"

// SecretUsers lists the agents that name the secret in a revision that is not archived: visible ones by name, the
// others as a number.
func (m *Module) SecretUsers(ctx context.Context, name string) ([]secret.User, error) {
	sight := kind.Sight(ctx)
	q := m.service.queries(ctx)
	rows, err := q.AgentsWithSecret(ctx, agentdb.AgentsWithSecretParams{
		Secret:      name,
		ByRule:      sight.Every(),
		SubjectType: sight.SubjectType,
		SubjectID:   sight.SubjectID,
		TeamIds:     sight.TeamIDs,
		MaxRows:     maxUsers,
	})
	if err != nil {
		return nil, fmt.Errorf("list agents with a secret: %w", err)
	}
	all, err := q.CountAgentsWithSecret(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("count agents with a secret: %w", err)
	}
	users := make([]secret.User, 0, len(rows)+1)
	for _, row := range rows {
		users = append(users, secret.User{Kind: secretUser, ID: row.ID.String(), Name: row.Name})
	}
	if others := int(all) - len(rows); others > 0 {
		users = append(users, secret.Hidden(secretUser, others))
	}
	return users, nil
}
