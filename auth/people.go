package auth

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/auth/authdb"
)

// Person is a user as others see them.
type Person struct {
	Name  string
	Email string
}

// People looks users up; those who do not exist are missing from the answer.
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
