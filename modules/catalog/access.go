package catalog

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

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

// Access is what the caller may do with a record. Each level includes those before it.
type Access string

// To own is to delete the record and to choose its owner.
const (
	noAccess Access = ""
	CanView  Access = "viewer"
	CanEdit  Access = "editor"
	CanOwn   Access = "owner"
)

func (a Access) includes(b Access) bool {
	order := []Access{noAccess, CanView, CanEdit, CanOwn}
	return slices.Index(order, a) >= slices.Index(order, b)
}

// kind is what access to a sort of record depends on.
type kind struct {
	noun, plural string
	// objectType is empty when there are no grants on single records.
	objectType   string
	read, manage string
}

var (
	systemKind      = kind{"system", "systems", "catalog.system", SystemRead, SystemManage}
	groupKind       = kind{"group", "groups", "catalog.group", GroupRead, GroupManage}
	environmentKind = kind{"environment", "environments", "", EnvironmentRead, EnvironmentManage}
)

// sight is which records of a kind a caller sees and may change. It decides for pages and for single records alike.
type sight struct {
	kind kind
	// byRule is what the rules of roles give on every record that is not private.
	byRule  Access
	private []uuid.UUID
	granted map[Access][]uuid.UUID
}

func (s *service) sightOf(ctx context.Context, k kind) (sight, error) {
	p := principal.FromContext(ctx)
	v := sight{kind: k, private: []uuid.UUID{}, granted: map[Access][]uuid.UUID{CanView: {}}}
	switch {
	case p.Has(k.manage):
		v.byRule = CanOwn
	case p.Has(k.read):
		v.byRule = CanView
	}
	if k.objectType == "" {
		return v, nil
	}
	hidden, err := s.grants.Private(ctx, k.objectType)
	if err != nil {
		return sight{}, fmt.Errorf("list private records: %w", err)
	}
	v.private = append(v.private, hidden...)
	if v.byRule == CanOwn && len(hidden) == 0 {
		// Grants could add nothing.
		return v, nil
	}
	for _, level := range []Access{CanView, CanEdit, CanOwn} {
		ids, err := s.grants.Accessible(ctx, p, k.objectType, string(level))
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
func (v sight) every() bool { return v.byRule != noAccess }

// nothing reports whether no record can be seen.
func (v sight) nothing() bool { return !v.every() && len(v.granted[CanView]) == 0 }

// of is what the caller may do with one record.
func (v sight) of(id uuid.UUID) Access {
	best := noAccess
	if !slices.Contains(v.private, id) {
		best = v.byRule
	}
	for level, ids := range v.granted {
		if level.includes(best) && slices.Contains(ids, id) {
			best = level
		}
	}
	return best
}

// listable refuses a caller who holds neither the rule nor any grant: an empty list would look like an empty catalog.
func (v sight) listable() error {
	if v.nothing() {
		return problem.MissingRule("list "+v.kind.plural, v.kind.read)
	}
	return nil
}

// missing is the one answer for a record that does not exist and for one that the caller may not see.
func (k kind) missing(id uuid.UUID) error {
	return problem.Errorf(problem.NotFound, "No %s has the id %s. List the %s to see what exists.", k.noun, id, k.plural)
}

// permit checks one record, which a query found or, as its err says, did not. The name is shown only to those who see
// the record.
func (v sight) permit(id uuid.UUID, name string, err error, want Access) error {
	if err != nil && !store.NoRows(err) {
		return fmt.Errorf("load %s: %w", v.kind.noun, err)
	}
	have := v.of(id)
	if err != nil || have == noAccess {
		return v.kind.missing(id)
	}
	if have.includes(want) {
		return nil
	}
	return v.kind.refusal(name, want)
}

// refusal is the answer to a caller who sees a record and may not change it.
func (k kind) refusal(name string, want Access) error {
	action := "change"
	if want == CanOwn {
		action = "delete or give away"
	}
	return problem.MissingRule(fmt.Sprintf("%s the %s %s", action, k.noun, name), k.manage)
}

// creatable checks the rule that making a record needs.
func (k kind) creatable(ctx context.Context) error {
	if missing := principal.FromContext(ctx).Missing(k.manage); len(missing) > 0 {
		return problem.MissingRule("create a "+k.noun, missing...)
	}
	return nil
}
