package agent

import (
	"context"
	"fmt"

	"countersign/modules/agent/agentdb"
	"countersign/principal"
	"countersign/problem"
)

// secretRead is the rule of the vault that naming a secret needs, and whatever decides what becomes of one that is named: what is
// written into its tools, and which revision goes live.
const secretRead = "vault.secret.read"

// permitNamed decides whether the caller may name the secrets of a spec.
func (s *service) permitNamed(ctx context.Context, spec Spec) error {
	if err := permitSecrets(principal.FromContext(ctx), "name secrets in the spec of an agent", len(spec.Secrets) > 0); err != nil {
		return err
	}
	return s.secretsExist(ctx, spec)
}

// secretsExist refuses names of secrets that do not exist.
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

// SecretUser is an agent that names a secret, as the caller may know of it.
type SecretUser struct{ ID, Name string }

// mostUsers is how many agents that name a secret are shown.
const mostUsers = 100

// SecretUsers are the agents of which a revision names the secret: those that the caller sees by name, the others by number.
// Archived revisions do not count.
func (m *Module) SecretUsers(ctx context.Context, name string) ([]SecretUser, error) {
	sight := kind.Sight(ctx)
	q := m.service.queries(ctx)
	rows, err := q.AgentsWithSecret(ctx, agentdb.AgentsWithSecretParams{
		Secret:      name,
		ByRule:      sight.Every(),
		SubjectType: sight.SubjectType,
		SubjectID:   sight.SubjectID,
		TeamIds:     sight.TeamIDs,
		MaxRows:     mostUsers,
	})
	if err != nil {
		return nil, fmt.Errorf("list agents with a secret: %w", err)
	}
	all, err := q.CountAgentsWithSecret(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("count agents with a secret: %w", err)
	}
	users := make([]SecretUser, 0, len(rows)+1)
	for _, row := range rows {
		users = append(users, SecretUser{ID: row.ID.String(), Name: row.Name})
	}
	if others := int(all) - len(rows); others > 0 {
		users = append(users, SecretUser{Name: fmt.Sprintf("%d that are not shown", others)})
	}
	return users, nil
}
