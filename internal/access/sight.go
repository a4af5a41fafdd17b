package access

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"countersign/internal/access/accessdb"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
)

// Sight is the set of records of a kind that a caller sees: the arguments of the SQL predicate access_opens, by which
// queries filter rows, and of Levels. It holds no ids of records, so its size does not depend on the number of grants.
type Sight struct {
	Kind Kind
	// ByRule is the level that the rules of roles give on every record that is not private.
	ByRule Level
	// SubjectType and SubjectID are the caller as the subject of grants.
	SubjectType string
	SubjectID   uuid.UUID
	// TeamIDs are the teams of a person, and keepers for an administrator.
	TeamIDs []uuid.UUID
}

// keepers is a virtual team of the administrators. No team has this id and nothing is granted to it; it opens private
// records without grants, which otherwise no one could find and assign. It does not include everyone who manages the
// kind: one who also manages accounts could open an account's private records by deleting the account.
var keepers = uuid.Nil

// Sight returns that of the principal of ctx.
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

// Levels returns the caller's level on each of the records; invisible ones are missing. The result holds while the
// records are locked: changing the grants of a record locks it first.
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

// Private is the relation that closes a record to rules. All other relations are levels.
const Private = "private"

// Permit checks one record, which a query found or, as its err says, did not. Its name is shown only to callers who see
// it. A change requires a locked record.
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

// fewGrants is the number of a caller's grants up to which a page is chosen from all of them.
const fewGrants = 1000

// Few reports whether few grants open everything that the caller sees: a page is then best chosen from all of them.
func (s Sight) Few(ctx context.Context, db *store.DB) (bool, error) {
	if s.Every() {
		return false, nil
	}
	more, err := s.HoldsMore(ctx, db, fewGrants)
	return !more, err
}

// HoldsMore reports whether the caller holds more than so many grants, without counting further.
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

// Listing returns the Sight for a list, and whether few grants open what it sees. It refuses a caller with neither the
// rule nor any grant: an empty list would look as if there were no records.
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
