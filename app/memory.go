package app

import (
	"context"

	"github.com/google/uuid"

	"countersign/modules/memory"
	"countersign/problem"
)

// systemsOf is what the memories ask the catalog. The catalog forgets memories with a system, so it is made later.
type systemsOf struct{ parts *parts }

// Sight implements memory.Systems.
func (s systemsOf) Sight(ctx context.Context) (memory.Sight, error) {
	sight, err := s.parts.catalog.Sight(ctx)
	return memory.Sight(sight), err
}

// Lookup implements memory.Systems.
func (s systemsOf) Lookup(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]memory.SystemAccess, error) {
	found, err := s.parts.catalog.SystemAccess(ctx, ids)
	if err != nil {
		return nil, err
	}
	systems := make(map[uuid.UUID]memory.SystemAccess, len(found))
	for id, system := range found {
		systems[id] = memory.SystemAccess{Name: system.Name, Managed: system.MayEdit()}
	}
	return systems, nil
}

// turnsOf is what the memories ask about turns.
type turnsOf struct{ parts *parts }

// Conversation implements memory.Turns.
func (t turnsOf) Conversation(ctx context.Context, id uuid.UUID) (uuid.UUID, bool, error) {
	found, err := t.parts.turns.Find(ctx, id)
	if problem.Is(err, problem.NotFound) {
		return uuid.Nil, false, nil
	}
	return found.ConversationID, err == nil, err
}

// catalogRemovals takes along what other modules keep about a record that the catalog deletes.
type catalogRemovals struct {
	catalogGrants
	memories *memory.Module
}

// Remove implements catalog.Grants.
func (r catalogRemovals) Remove(ctx context.Context, objectType string, id uuid.UUID) error {
	if objectType == "catalog.system" {
		if err := r.memories.ForgetSystem(ctx, id); err != nil {
			return err
		}
	}
	return r.catalogGrants.Remove(ctx, objectType, id)
}
