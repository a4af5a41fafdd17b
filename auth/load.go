package auth

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/auth/authdb"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
)

// Load returns the current principal with this id, if its session, API token or run still stands. Background work learns
// the current rights of its person or application by it.
func (a *Authenticator) Load(ctx context.Context, kind principal.Kind, id, sessionID uuid.UUID) (principal.Principal, error) {
	p, err := a.byID(ctx, kind, sessionID)
	if err != nil {
		return principal.Principal{}, err
	}
	if p.IsZero() && kind == principal.Application {
		return principal.Principal{}, problem.Errorf(
			problem.Unauthorized,
			"The API token or the run with which this was started has ended. Start it again with one that stands.",
		)
	}
	if p.IsZero() || p.ID != id || p.Kind != kind {
		return principal.Principal{}, problem.Errorf(
			problem.Unauthorized,
			"The session in which this was started has ended. Sign in and ask again.",
		)
	}
	return p, nil
}

// Person returns a person with their current rights, who is shown or sent something without a session. It returns
// problem.NotFound for one that is gone, disabled, or whose password another person knows.
func (a *Authenticator) Person(ctx context.Context, id uuid.UUID) (principal.Principal, error) {
	row, err := authdb.New(a.db.Conn(ctx)).PrincipalOfUser(ctx, authdb.PrincipalOfUserParams{
		UserID: id, DefaultRole: UsersRole, ObjectTypes: a.grants.types(),
	})
	if err != nil && !store.NoRows(err) {
		return principal.Principal{}, fmt.Errorf("find person: %w", err)
	}
	if err != nil || row.MustChangePassword {
		return principal.Principal{}, problem.Errorf(problem.NotFound, "No person who may sign in has the id %s.", id)
	}
	return principal.Principal{
		Kind: principal.User, ID: row.ID, Name: row.Name, Email: row.Email, Rules: row.Rules, TeamIDs: row.TeamIds,
		Grants: parseGrants(row.Grants),
	}, nil
}
