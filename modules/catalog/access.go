package catalog

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"countersign/access"
	"countersign/principal"
	"countersign/problem"
	"countersign/store"
)

// Grants are what teams, people and applications hold on single records, beside the rules of their roles.
type Grants interface {
	// Accessible lists the objects of a type on which p holds at least the relation viewer, editor or owner.
	Accessible(ctx context.Context, p principal.Principal, objectType, relation string) ([]uuid.UUID, error)
	// Private lists the objects of a type that the rules of roles do not open.
	Private(ctx context.Context, objectType string) ([]uuid.UUID, error)
	// Owners lists the teams that own each of the objects.
	Owners(ctx context.Context, objectType string, ids []uuid.UUID) (map[uuid.UUID][]Owner, error)
	// SetOwner makes a team the only owning team of an object; uuid.Nil takes the owner away. A team that does not
	// exist is problem.Invalid.
	SetOwner(ctx context.Context, objectType string, id, teamID uuid.UUID) error
	// Remove deletes everything that is kept about an object.
	Remove(ctx context.Context, objectType string, id uuid.UUID) error
}

var (
	systemKind      = access.Kind{Noun: "system", Plural: "systems", ObjectType: "catalog.system", Read: SystemRead, Manage: SystemManage}
	groupKind       = access.Kind{Noun: "group", Plural: "groups", ObjectType: "catalog.group", Read: GroupRead, Manage: GroupManage}
	environmentKind = access.Kind{Noun: "environment", Plural: "environments", Read: EnvironmentRead, Manage: EnvironmentManage}
)

// sight is which records of a kind a caller sees and may change. It decides for pages and for single records alike.
type sight struct {
	kind access.Kind
	// byRule is what the rules of roles give on every record that is not private.
	byRule  access.Level
	private []uuid.UUID
	granted map[access.Level][]uuid.UUID
}

func (s *service) sightOf(ctx context.Context, k access.Kind) (sight, error) {
	p := principal.FromContext(ctx)
	v := sight{kind: k, private: []uuid.UUID{}, granted: map[access.Level][]uuid.UUID{access.View: {}}}
	switch {
	case p.Has(k.Manage):
		v.byRule = access.Own
	case p.Has(k.Read):
		v.byRule = access.View
	}
	if k.ObjectType == "" {
		return v, nil
	}
	hidden, err := s.grants.Private(ctx, k.ObjectType)
	if err != nil {
		return sight{}, fmt.Errorf("list private records: %w", err)
	}
	v.private = append(v.private, hidden...)
	if v.byRule == access.Own && len(hidden) == 0 {
		// Grants could add nothing.
		return v, nil
	}
	for _, level := range []access.Level{access.View, access.Edit, access.Own} {
		ids, err := s.grants.Accessible(ctx, p, k.ObjectType, string(level))
		if err != nil {
			return sight{}, fmt.Errorf("list grants: %w", err)
		}
		if len(ids) == 0 {
			// Each level includes those before it, so there is nothing above this one.
			break
		}
		v.granted[level] = ids
	}
	return v, nil
}

// every reports whether all records but the private ones are seen.
func (v sight) every() bool { return v.byRule != access.None }

// nothing reports whether no record can be seen.
func (v sight) nothing() bool { return !v.every() && len(v.granted[access.View]) == 0 }

// of is what the caller may do with one record.
func (v sight) of(id uuid.UUID) access.Level {
	best := access.None
	if !slices.Contains(v.private, id) {
		best = v.byRule
	}
	for level, ids := range v.granted {
		if level.Includes(best) && slices.Contains(ids, id) {
			best = level
		}
	}
	return best
}

// listable refuses a caller who holds neither the rule nor any grant: an empty list would look like an empty catalog.
func (v sight) listable() error {
	if v.nothing() {
		return problem.MissingRule("list "+v.kind.Plural, v.kind.Read)
	}
	return nil
}

// permit checks one record, which a query found or, as its err says, did not. The name is shown only to those who see
// the record.
func (v sight) permit(id uuid.UUID, name string, err error, want access.Level) error {
	if err != nil && !store.NoRows(err) {
		return fmt.Errorf("load %s: %w", v.kind.Noun, err)
	}
	have := v.of(id)
	if err != nil || have == access.None {
		return v.kind.Missing(id)
	}
	return v.kind.Permit(name, have, want)
}
