package auth

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"countersign/auth/authdb"
	"countersign/internal/access"
)

// Object is a record of a kind, and what a holder may at least do with it. The record exists: grants do not say so.
type Object struct {
	Kind  access.Kind
	ID    uuid.UUID
	Level access.Level
}

// Wanted says whom Holding finds: those whose roles hold all of the rules, and who may do what Object says. Both are
// needed where both are set.
type Wanted struct {
	Rules []string
	// Object is nil when rules alone decide.
	Object *Object
}

// Holders is a page of people, in the order of their ids.
type Holders struct {
	People []uuid.UUID
	// Next is the cursor of the next page; nil after the last one. A page before it can be short, even empty.
	Next uuid.UUID
}

// MaxHolders is the largest page of Holding.
const MaxHolders = 500

// Holding returns the people whose own request would be permitted now, by their roles, their grants and those of their
// teams, as package access decides: for notices, and for questions to those who may decide. Applications are not people.
// Someone who is disabled, has not signed in yet or has to change their password first is permitted nothing.
//
// It reads people after the cursor, whose zero value begins; limit is at most MaxHolders.
func (d *Directory) Holding(ctx context.Context, w Wanted, after uuid.UUID, limit int) (Holders, error) {
	if limit < 1 || limit > MaxHolders {
		return Holders{}, fmt.Errorf("%d holders are wanted, of at least 1 and at most %d", limit, MaxHolders)
	}
	p := authdb.HoldingParams{
		Rules: w.Rules, Opening: w.Rules[:min(len(w.Rules), 1)], Relations: []string{},
		DefaultRole: UsersRole, After: after, MaxRows: int32(limit) + 1,
	}
	if p.Rules == nil {
		p.Rules = []string{}
	}
	switch o := w.Object; {
	case o == nil && len(w.Rules) == 0, o != nil && o.Level == access.None:
		return Holders{}, errors.New("holders of nothing are wanted: name a rule, or an object and a level")
	case o != nil:
		p.ObjectType, p.ObjectID, p.Opening = o.Kind.ObjectType, o.ID, []string{o.Kind.Manage}
		if o.Level == access.View {
			p.Opening = append(p.Opening, o.Kind.Read)
		}
		for _, level := range []access.Level{access.View, access.Edit, access.Own} {
			if level.Includes(o.Level) {
				p.Relations = append(p.Relations, string(level))
			}
		}
	}
	rows, err := authdb.New(d.db.Conn(ctx)).Holding(ctx, p)
	if err != nil {
		return Holders{}, fmt.Errorf("find holders: %w", err)
	}
	page := Holders{People: []uuid.UUID{}}
	if len(rows) > limit {
		rows = rows[:limit]
		page.Next = rows[limit-1].ID
	}
	for _, r := range rows {
		if r.Holds {
			page.People = append(page.People, r.ID)
		}
	}
	return page, nil
}
