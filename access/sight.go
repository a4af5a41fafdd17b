package access

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"countersign/access/accessdb"
	"countersign/principal"
	"countersign/problem"
	"countersign/store"
)

// Sight is which records of a kind a caller sees: the arguments of the SQL predicate access_opens, by which queries
// choose rows, and of Levels. It holds no ids of records, however many grants the caller has.
type Sight struct {
	Kind Kind
	// ByRule is what the rules of roles give on every record that is not private.
	ByRule Level
	// The subjects of grants that count: who calls, and the teams of a person.
	SubjectType string
	SubjectID   uuid.UUID
	// TeamIDs have keepers among them when the caller is an administrator.
	TeamIDs []uuid.UUID
}

// keepers stands for the administrators, as if they were a team. No team has this id and nothing is granted to it; what is private and
// granted to nobody is theirs, or nobody could find it and say whose it is. It is not for all who manage its kind: one of them who
// also manages accounts could open what is private to an account by deleting that.
var keepers = uuid.Nil

// Sight is that of the principal of ctx.
func (k Kind) Sight(ctx context.Context) Sight {
	p := principal.FromContext(ctx)
	s := Sight{Kind: k, SubjectType: string(p.Kind), SubjectID: p.ID, TeamIDs: p.TeamIDs}
	switch {
	case p.Has(k.Manage):
		s.ByRule = Own
		if p.Has(principal.Admin) {
			s.TeamIDs = append(slices.Clone(p.TeamIDs), keepers)
		}
	case p.Has(k.Read):
		s.ByRule = View
	}
	return s
}

// Every reports whether all records but the private ones are seen.
func (s Sight) Every() bool { return s.ByRule != None }

// Levels returns what the caller may do with each of the records; invisible ones are missing. The result holds while
// the records are locked: changing the grants of a record locks it first.
func (s Sight) Levels(ctx context.Context, db *store.DB, ids ...uuid.UUID) (map[uuid.UUID]Level, error) {
	levels := make(map[uuid.UUID]Level, len(ids))
	if s.Every() {
		for _, id := range ids {
			levels[id] = s.ByRule
		}
	}
	if s.Kind.ObjectType == "" || len(ids) == 0 {
		return levels, nil
	}
	rows, err := accessdb.New(db.Conn(ctx)).Relations(ctx, accessdb.RelationsParams{
		ObjectType: s.Kind.ObjectType, ObjectIds: ids, SubjectType: s.SubjectType, SubjectID: s.SubjectID, TeamIds: s.TeamIDs,
	})
	if err != nil {
		return nil, fmt.Errorf("look up grants: %w", err)
	}
	for _, r := range rows {
		if theirs := r.GrantedToNobody && slices.Contains(s.TeamIDs, keepers); r.Relation == Private && !theirs {
			delete(levels, r.ObjectID)
		}
	}
	for _, r := range rows {
		if level := Level(r.Relation); r.Relation != Private && level.Includes(levels[r.ObjectID]) {
			levels[r.ObjectID] = level
		}
	}
	return levels, nil
}

// Private is the relation of the public to a record that rules do not open. The relations of all others are levels.
const Private = "private"

// Permit checks one record, which a query found or, as its err says, did not. The name is shown only to those who see
// the record. A change is permitted of a record that is locked.
func (s Sight) Permit(ctx context.Context, db *store.DB, id uuid.UUID, name string, err error, want Level) error {
	if err != nil && !store.NoRows(err) {
		return fmt.Errorf("load %s: %w", s.Kind.Noun, err)
	}
	if err != nil {
		return s.Kind.Missing(id)
	}
	levels, err := s.Levels(ctx, db, id)
	if err != nil {
		return err
	}
	if levels[id] == None {
		return s.Kind.Missing(id)
	}
	return s.Kind.Permit(name, levels[id], want)
}

// fewGrants is up to how many grants of a caller, whom no rule lets see, are looked through one by one.
const fewGrants = 1000

// Few reports whether what the caller sees is what few grants open: a page is then best chosen from all of them.
func (s Sight) Few(ctx context.Context, db *store.DB) (bool, error) {
	if s.Every() {
		return false, nil
	}
	more, err := s.HoldsMore(ctx, db, fewGrants)
	return !more, err
}

// HoldsMore reports whether the caller holds more than so many grants. No more are counted.
func (s Sight) HoldsMore(ctx context.Context, db *store.DB, than int32) (bool, error) {
	held, err := s.held(ctx, db, than+1)
	return held > int64(than), err
}

// held counts the caller's grants, up to most. It is not needed where a rule opens records.
func (s Sight) held(ctx context.Context, db *store.DB, most int32) (int64, error) {
	if s.Every() || s.Kind.ObjectType == "" {
		return 0, nil
	}
	held, err := accessdb.New(db.Conn(ctx)).CountGrants(ctx, accessdb.CountGrantsParams{
		ObjectType: s.Kind.ObjectType, SubjectType: s.SubjectType, SubjectID: s.SubjectID, TeamIds: s.TeamIDs, AtMost: most,
	})
	if err != nil {
		return 0, fmt.Errorf("count grants: %w", err)
	}
	return held, nil
}

// Listing is the Sight of a caller who lists records, and whether few grants open what it sees. It refuses a caller who
// holds neither the rule nor any grant: an empty list would look as if there were no records.
func (k Kind) Listing(ctx context.Context, db *store.DB) (s Sight, few bool, err error) {
	s = k.Sight(ctx)
	held, err := s.held(ctx, db, fewGrants+1)
	switch {
	case err != nil:
		return s, false, err
	case s.Every():
		return s, false, nil
	case held == 0:
		return s, false, problem.MissingRule("list "+k.Plural, k.Read)
	}
	return s, held <= fewGrants, nil
}
