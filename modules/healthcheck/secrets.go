package healthcheck

import (
	"context"
	"fmt"
	"reflect"

	"github.com/google/uuid"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/secret"
	"countersign/modules/healthcheck/healthcheckdb"
)

// secretRead is the vault rule that naming a secret needs.
const secretRead = "vault.secret.read"

// permitSecrets decides whether the caller may save a check that references secrets. Any change of the executed part
// needs the right to use secrets, because all of it affects where they are sent, and so does a further location, in whose
// network a name may be another host; before is nil for a new check.
func permitSecrets(p principal.Principal, before, next *NewCheck) error {
	if len(next.secrets()) == 0 ||
		before != nil && reflect.DeepEqual(before.configuration(), next.configuration()) && next.within(before.Definition) {
		return nil
	}
	if missing := p.Missing(secretRead); len(missing) > 0 {
		return problem.MissingRule("change what a health check does that uses secrets", missing...)
	}
	return nil
}

// permitDisclosure checks that the caller may see the systems and environments whose data the check receives, because a check
// can send its data anywhere. id is nil for a new check.
func (s *service) permitDisclosure(ctx context.Context, id *uuid.UUID, before, next *NewCheck) error {
	ofSystem, ofEnvironment := next.receives(s.Kinds)
	if !ofSystem || before != nil && reflect.DeepEqual(before.configuration(), next.configuration()) {
		return nil
	}
	if ofEnvironment && !s.Systems.SeesEnvironments(ctx) {
		return problem.MissingRule("write a health check that is told about environments", environmentRead)
	}
	if id == nil {
		return nil
	}
	sight := s.Systems.Sight(ctx)
	unseen, err := s.queries(ctx).HasUnseenSystems(ctx, healthcheckdb.HasUnseenSystemsParams{
		CheckID: *id, ByRule: sight.Every(), SubjectType: sight.SubjectType, SubjectID: sight.SubjectID, TeamIds: sight.TeamIDs,
	})
	if err != nil {
		return fmt.Errorf("look for systems that are not seen: %w", err)
	}
	if unseen {
		return problem.Errorf(
			problem.Forbidden,
			"You cannot change what this health check does while it has templates or scripts: it would be told about systems "+
				"that you may not see. Make a health check of your own.",
		)
	}
	return nil
}

// secretsExist refuses names of secrets that do not exist.
func (s *service) secretsExist(ctx context.Context, d Definition) error {
	names := d.secrets()
	if len(names) == 0 {
		return nil
	}
	err := s.Secrets.Exist(ctx, names)
	if e := problem.As(err); problem.Is(err, problem.Conflict) {
		return problem.InvalidInput(e.Detail, problem.Issue{Path: "config", Message: e.Detail})
	}
	return err
}

// permitSending decides whether the caller may change the systems of a check: for a guarded one, they affect where its
// secrets are sent.
func (s *service) permitSending(ctx context.Context, row healthcheckdb.HealthCheck) error {
	if missing := principal.FromContext(ctx).Missing(secretRead); row.Guarded && len(missing) > 0 {
		return problem.MissingRule("choose where a health check sends secrets", missing...)
	}
	return nil
}

// mostUsers bounds the named checks that refer to a secret.
const mostUsers = 100

// secretUser is the kind of records that refer to secrets.
const secretUser = "health check"

// SecretUsers lists the checks that reference a secret: visible ones by name, others as a number.
func (m *Module) SecretUsers(ctx context.Context, name string) ([]secret.User, error) {
	sight := checkKind.Sight(ctx)
	q := m.service.queries(ctx)
	rows, err := q.ChecksWithSecret(ctx, healthcheckdb.ChecksWithSecretParams{
		Secret:      name,
		ByRule:      sight.Every(),
		SubjectType: sight.SubjectType,
		SubjectID:   sight.SubjectID,
		TeamIds:     sight.TeamIDs,
		MaxRows:     mostUsers,
	})
	if err != nil {
		return nil, fmt.Errorf("list checks with a secret: %w", err)
	}
	all, err := q.CountChecksWithSecret(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("count checks with a secret: %w", err)
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
