package automation

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/google/uuid"

	"countersign/automation/definition"
)

// index finds the triggers of a type of events. Each process has one, which is as new as the generation that the transaction
// of the caller sees.
type index struct {
	mu         sync.Mutex
	generation int64
	byType     map[string][]entry
	// seen is the connection of the last read: a transaction asks for the generation once.
	seen any
}

// entry is a trigger of an enabled automation. Opposite is set where the event ends a lasting state instead.
type entry struct {
	automation uuid.UUID
	trigger    definition.Trigger
	opposite   bool
	// renews is set where each event of the type ends the state of the one before.
	renews bool
}

// triggers returns those of a type of events.
func (s *service) triggers(ctx context.Context, of string) ([]entry, error) {
	s.index.mu.Lock()
	defer s.index.mu.Unlock()
	conn := any(s.db.Conn(ctx))
	if s.index.byType != nil && s.index.seen == conn && s.db.InTransaction(ctx) {
		return s.index.byType[of], nil
	}
	q := s.queries(ctx)
	generation, err := q.Generation(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the generation of automations: %w", err)
	}
	if s.index.byType == nil || s.index.generation != generation {
		byType, err := s.enabledTriggers(ctx)
		if err != nil {
			return nil, err
		}
		s.index.byType, s.index.generation = byType, generation
	}
	s.index.seen = nil
	if s.db.InTransaction(ctx) {
		s.index.seen = conn
	}
	return s.index.byType[of], nil
}

// enabledTriggers reads the triggers of all enabled automations, by the type of the events that they take.
func (s *service) enabledTriggers(ctx context.Context) (map[string][]entry, error) {
	rows, err := s.queries(ctx).EnabledDefinitions(ctx)
	if err != nil {
		return nil, fmt.Errorf("read automations: %w", err)
	}
	types := s.Types()
	byType := map[string][]entry{}
	for _, row := range rows {
		def := new(definition.Definition)
		if err := json.Unmarshal(row.Compiled, def); err != nil {
			// A definition of a newer version: its processes run it.
			s.Log.Error("An automation cannot be read", "automation", row.ID, "error", err)
			continue
		}
		for _, t := range def.Triggers {
			if !t.Enabled {
				continue
			}
			known, _ := types.Type(t.Event)
			for of, e := range entriesOf(entry{automation: row.ID, trigger: t}, known.Opposites) {
				byType[of] = append(byType[of], e)
			}
		}
	}
	return byType, nil
}

// entriesOf are the entries of a trigger: that of its own event, and with a lasting state one for each event that ends it.
func entriesOf(e entry, opposites []string) map[string]entry {
	own := e
	own.renews = e.trigger.For > 0 && slices.Contains(opposites, e.trigger.Event)
	entries := map[string]entry{e.trigger.Event: own}
	if e.trigger.For == 0 {
		return entries
	}
	for _, o := range opposites {
		if o != e.trigger.Event {
			e.opposite = true
			entries[o] = e
		}
	}
	return entries
}

// revisions are compiled definitions that steps have read, by automation and revision. They never change.
type revisions struct {
	mu    sync.Mutex
	known map[revisionKey]*definition.Definition
	order []revisionKey
}

type revisionKey struct {
	automation uuid.UUID
	revision   int64
}

const maxRevisions = 500

func newRevisions() *revisions { return &revisions{known: map[revisionKey]*definition.Definition{}} }

// definitionOf reads a revision.
func (s *service) definitionOf(ctx context.Context, automation uuid.UUID, revision int64) (*definition.Definition, error) {
	key := revisionKey{automation, revision}
	s.revisions.mu.Lock()
	known := s.revisions.known[key]
	s.revisions.mu.Unlock()
	if known != nil {
		return known, nil
	}
	row, err := s.revision(ctx, automation, revision)
	if err != nil {
		return nil, err
	}
	def := new(definition.Definition)
	if err := json.Unmarshal(row.Compiled, def); err != nil {
		return nil, fmt.Errorf("read revision %d of automation %s: %w", revision, automation, err)
	}
	s.revisions.mu.Lock()
	defer s.revisions.mu.Unlock()
	if len(s.revisions.order) >= maxRevisions {
		delete(s.revisions.known, s.revisions.order[0])
		s.revisions.order = slices.Delete(s.revisions.order, 0, 1)
	}
	s.revisions.known[key] = def
	s.revisions.order = append(s.revisions.order, key)
	return def, nil
}
