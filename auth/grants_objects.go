package auth

import (
	"context"
	"maps"
	"slices"

	"github.com/google/uuid"

	"countersign/access"
	"countersign/principal"
	"countersign/problem"
	"countersign/tool/audit"
)

// Objects are the objects of some types, as the module that owns them knows them.
type Objects interface {
	// Types are the object types, such as "catalog.system".
	Types() []string
	// See is problem.NotFound unless the object exists and the principal of ctx may see it.
	See(ctx context.Context, objectType string, id uuid.UUID) error
	// Touch raises the revision of an object whose grants change, in the transaction of ctx; problem.NotFound when it
	// does not exist. It returns the object's name.
	Touch(ctx context.Context, objectType string, id uuid.UUID) (name string, err error)
}

// Shared are Objects that their owners share: who owns one, by a grant on it or by the rule to manage all of its type while it is not
// private, gives access to it without managing teams.
type Shared interface {
	Objects
	// SharedByOwners reports whether that holds for objects of a type.
	SharedByOwners(objectType string) bool
}

// Bind tells Grants who owns the objects that the API can grant access to. It is called while the product is put
// together, before any request.
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

// types are the types of objects that there can be grants on.
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

// shown is the access of an object for the principal of ctx: who may manage grants sees those of every object, others
// those of objects that they see.
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

// maySet refuses an actor who may not change who has access to an object. Of an object that they do not see, they hear that there is none.
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

// replace is SetAccess for an object that exists, if its grants still have the revision that this is based on. The revision
// of the object rises, so a change of it that was based on what its access was before is refused.
func (g *Grants) replace(ctx context.Context, objectType string, id uuid.UUID, wanted Access, based *int64) (after Access, err error) {
	o, err := g.owner(objectType)
	if err != nil {
		return Access{}, err
	}
	if err := g.maySet(ctx, o, objectType, id); err != nil {
		return Access{}, err
	}
	// What stays as it is must not spoil what waits for the object: whoever manages teams need not be one who may change it.
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
		// Whoever owned it a moment ago may own it no more: from here on it is locked.
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
