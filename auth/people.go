package auth

import (
	"context"
	"fmt"

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
