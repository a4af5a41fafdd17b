package auth

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/auth/authdb"
	"countersign/internal/principal"
	"countersign/internal/problem"
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
	found, err := a.People(ctx, []uuid.UUID{id})
	if err != nil {
		return principal.Principal{}, err
	}
	if p, ok := found[id]; ok {
		return p, nil
	}
	return principal.Principal{}, problem.Errorf(problem.NotFound, "No person who may sign in has the id %s.", id)
}

// People returns those of the people who may sign in, as Person does.
func (a *Authenticator) People(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]principal.Principal, error) {
	rows, err := authdb.New(a.db.Conn(ctx)).PrincipalsOfUsers(ctx, authdb.PrincipalsOfUsersParams{
		UserIds: ids, DefaultRole: UsersRole, ObjectTypes: a.grants.types(),
	})
	if err != nil {
		return nil, fmt.Errorf("find people: %w", err)
	}
	found := make(map[uuid.UUID]principal.Principal, len(rows))
	for _, row := range rows {
		found[row.ID] = principal.Principal{
			Kind: principal.User, ID: row.ID, Name: row.Name, Email: row.Email, Rules: row.Rules, TeamIDs: row.TeamIds,
			Grants: parseGrants(row.Grants),
		}
	}
	return found, nil
}
