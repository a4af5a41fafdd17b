package auth

import (
	"context"
	"maps"
	"slices"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/problem"
)

// Objects are the granted objects of a module.
type Objects interface {
	// Types are the object types, such as "catalog.system".
	Types() []string
	// See is problem.NotFound unless the object exists and the principal of ctx can see it.
	See(ctx context.Context, objectType string, id uuid.UUID) error
	// Touch raises the revision of an object whose grants change, in the transaction of ctx, and returns the object's
	// name; problem.NotFound when missing.
	Touch(ctx context.Context, objectType string, id uuid.UUID) (name string, err error)
}

// Shared are Objects that their owners may share without the rule to manage teams. An owner holds a grant, or manages
// the whole type while the object is not private.
type Shared interface {
	Objects
	// SharedByOwners reports whether owners may share objects of a type.
	SharedByOwners(objectType string) bool
}

// Bind sets the modules whose objects the API can grant access to. It is called during wiring, before any request.
func (g *Grants) Bind(owners ...Objects) {
	if g.objects == nil {
		g.objects = map[string]Objects{}
	}
	for _, o := range owners {
		for _, objectType := range o.Types() {
			g.objects[objectType] = o
		}
	}
}

// types returns the object types with grants.
func (g *Grants) types() []string { return slices.Sorted(maps.Keys(g.objects)) }

func (g *Grants) owner(objectType string) (Objects, error) {
	if err := checkObjectType(objectType); err != nil {
		return nil, err
	}
	o, ok := g.objects[objectType]
	if !ok {
		return nil, problem.Errorf(problem.NotFound, "There are no objects of the type %s to grant access to.", objectType)
	}
	return o, nil
}

// shown returns the access of an object for the principal of ctx: managers of grants see it for every object, others
// for objects they can see.
func (g *Grants) shown(ctx context.Context, objectType string, id uuid.UUID) (Access, error) {
	o, err := g.owner(objectType)
	if err != nil {
		return Access{}, err
	}
	err = o.See(ctx, objectType, id)
	manages := principal.FromContext(ctx).Has(RuleTeamsManage)
	if err != nil && (!manages || !problem.Is(err, problem.NotFound)) {
		return Access{}, err
	}
	return g.Access(ctx, objectType, id)
}

// maySet refuses an actor who may not change access to an object. Invisible objects are reported as missing.
func (g *Grants) maySet(ctx context.Context, o Objects, objectType string, id uuid.UUID) error {
	actor := principal.FromContext(ctx)
	missing := actor.Missing(RuleTeamsManage)
	if len(missing) == 0 {
		return nil
	}
	refusal := problem.MissingRule("change who has access to this", missing...)
	if shared, ok := o.(Shared); !ok || !shared.SharedByOwners(objectType) {
		return refusal
	}
	if err := o.See(ctx, objectType, id); err != nil {
		return err
	}
	have, err := g.levelOn(ctx, actor, objectType, id)
	if err != nil {
		return err
	}
	if !have.Includes(access.Own) {
		return refusal
	}
	return nil
}

// replace is SetAccess for an existing object at a revision of its grants (optimistic concurrency). It raises the
// object's revision, so concurrent changes based on the old access are refused.
func (g *Grants) replace(ctx context.Context, objectType string, id uuid.UUID, wanted Access, based *int64) (after Access, err error) {
	o, err := g.owner(objectType)
	if err != nil {
		return Access{}, err
	}
	if err := g.maySet(ctx, o, objectType, id); err != nil {
		return Access{}, err
	}
	// An unchanged replacement must not invalidate waiting proposals on the object, as managers of teams may lack the
	// right to change it.
	if live, err := g.Access(
		ctx,
		objectType,
		id,
	); err == nil && live.exists() && live.revision() == wanted.revision() &&
		(based == nil || *based == live.revision()) {
		return live, nil
	}
	err = g.db.InTx(ctx, func(ctx context.Context) error {
		name, err := o.Touch(ctx, objectType, id)
		if err != nil {
			return err
		}
		before, err := g.Access(ctx, objectType, id)
		if err != nil {
			return err
		}
		if based != nil && *based != before.revision() {
			return problem.Errorf(problem.Precondition, "The grants have changed since. Read them again and repeat the change.")
		}
		// The check is repeated under the lock, as the actor may have lost ownership meanwhile.
		if err := g.maySet(ctx, o, objectType, id); err != nil {
			return err
		}
		if err := g.mayReplace(ctx, objectType, id, before, wanted); err != nil {
			return err
		}
		if err := wanted.owned(); err != nil {
			return err
		}
		if after, err = g.SetAccess(ctx, objectType, id, wanted); err != nil {
			return err
		}
		return g.recordAccess(ctx, audit.Object(objectType, id, name), before, after)
	})
	return after, err
}
