package auth

import (
	"context"
	"fmt"
	"maps"

	"github.com/google/uuid"

	"countersign/auth/authdb"
)

// Person is a user as other users see them.
type Person struct {
	Name  string
	Email string
}

// Holders counts the people whose roles hold all of the rules, up to a limit.
func (d *Directory) Holders(ctx context.Context, rules []string, most int) (int, error) {
	n, err := authdb.New(d.db.Conn(ctx)).CountHolders(ctx, authdb.CountHoldersParams{Rules: rules, DefaultRole: UsersRole, Most: int32(most)})
	if err != nil {
		return 0, fmt.Errorf("count holders of access rules: %w", err)
	}
	return int(n), nil
}

// People looks up users; unknown ids are missing from the result.
func (d *Directory) People(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]Person, error) {
	rows, err := authdb.New(d.db.Conn(ctx)).PeopleByIDs(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("look people up: %w", err)
	}
	people := make(map[uuid.UUID]Person, len(rows))
	for _, r := range rows {
		people[r.ID] = Person{Name: r.Name, Email: r.Email}
	}
	return people, nil
}

// PeopleNamed finds users by their lower-case addresses and names. A name that several have finds none.
func (d *Directory) PeopleNamed(ctx context.Context, names []string) (map[string]uuid.UUID, error) {
	rows, err := authdb.New(d.db.Conn(ctx)).PeopleByNames(ctx, names)
	if err != nil {
		return nil, fmt.Errorf("find people by their names: %w", err)
	}
	found := make(map[string]uuid.UUID, len(rows))
	for _, r := range rows {
		if other, twice := found[r.Found]; twice && other != r.ID {
			found[r.Found] = uuid.Nil
			continue
		}
		found[r.Found] = r.ID
	}
	maps.DeleteFunc(found, func(_ string, id uuid.UUID) bool { return id == uuid.Nil })
	return found, nil
}

// MembersOf returns the members of teams.
func (d *Directory) MembersOf(ctx context.Context, teams []uuid.UUID) (map[uuid.UUID][]uuid.UUID, error) {
	rows, err := authdb.New(d.db.Conn(ctx)).MembersOfTeams(ctx, teams)
	if err != nil {
		return nil, fmt.Errorf("list members of teams: %w", err)
	}
	members := map[uuid.UUID][]uuid.UUID{}
	for _, r := range rows {
		members[r.TeamID] = append(members[r.TeamID], r.UserID)
	}
	return members, nil
}
