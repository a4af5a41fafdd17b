package memory

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
	"countersign/modules/memory/memorydb"
)

// Systems reads the catalog as the principal of the context.
type Systems interface {
	Sight(ctx context.Context) access.Sight
	// Lookup finds visible systems; others are missing in the answer.
	Lookup(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]access.Record, error)
}

// Turns finds the conversation of a turn.
type Turns interface {
	// Conversation returns false when there is no such turn.
	Conversation(ctx context.Context, turn uuid.UUID) (uuid.UUID, bool, error)
	// Tainted reports whether a conversation holds outside content that its person has not accepted.
	Tainted(ctx context.Context, conversation uuid.UUID) (bool, error)
}

// Module provides the operations, tools and access rules of memories.
type Module struct {
	service *service
}

// Options are the dependencies of a Module.
type Options struct {
	DB      *store.DB
	Systems Systems
	Turns   Turns
	// Removed is called for deleted memories.
	Removed access.OnRemoved
}

// New creates the module.
func New(o Options) *Module {
	return &Module{service: &service{db: o.DB, systems: o.Systems, turns: o.Turns, removed: o.Removed}}
}

type service struct {
	db      *store.DB
	systems Systems
	turns   Turns
	removed access.OnRemoved
}

func (s *service) queries(ctx context.Context) *memorydb.Queries {
	return memorydb.New(s.db.Conn(ctx))
}

// OnRemoved deletes all memories on a system, in the transaction that deletes the system.
func (m *Module) OnRemoved(ctx context.Context, kind string, id uuid.UUID) error {
	if kind != systemType {
		return nil
	}
	q := m.service.queries(ctx)
	if err := q.Hold(ctx, id.String()); err != nil {
		return fmt.Errorf("hold memories of a system: %w", err)
	}
	memories, err := q.DeleteOfSystem(ctx, id)
	if err != nil {
		return fmt.Errorf("delete memories of a system: %w", err)
	}
	if err := m.service.removed.Notify(ctx, memoryType, memories...); err != nil {
		return err
	}
	return m.service.recordRemoval(ctx, id, len(memories))
}

// Get returns one memory.
func (s *service) Get(ctx context.Context, id uuid.UUID) (Memory, error) {
	row, err := s.queries(ctx).Memory(ctx, id)
	return s.visible(ctx, id, memorydb.LockMemoryRow(row), err)
}

// visible returns a row that the caller sees. A missing and a hidden memory give the same error.
func (s *service) visible(ctx context.Context, id uuid.UUID, row memorydb.LockMemoryRow, err error) (Memory, error) {
	if err != nil && !store.NoRows(err) {
		return Memory{}, fmt.Errorf("load memory: %w", err)
	}
	if err == nil {
		list, err := s.present(ctx, []memorydb.LockMemoryRow{row})
		if err != nil {
			return Memory{}, err
		}
		if len(list) == 1 {
			return list[0], nil
		}
	}
	return Memory{}, problem.Errorf(problem.NotFound, "No memory has the id %s. Search the memories to see what there is.", id)
}

// present converts rows for the caller and leaves out hidden ones.
func (s *service) present(ctx context.Context, rows []memorydb.LockMemoryRow) ([]Memory, error) {
	p := principal.FromContext(ctx)
	ids := []uuid.UUID{}
	for _, row := range rows {
		if row.SystemID != nil {
			ids = append(ids, *row.SystemID)
		}
	}
	systems := map[uuid.UUID]access.Record{}
	if len(ids) > 0 {
		var err error
		if systems, err = s.systems.Lookup(ctx, ids); err != nil {
			return nil, fmt.Errorf("look up systems: %w", err)
		}
	}
	list := make([]Memory, 0, len(rows))
	for _, row := range rows {
		m := Memory{
			ID: row.ID, OwnerID: row.OwnerID, OwnerName: row.OwnerName, Scope: Scope(row.Scope), SystemID: row.SystemID,
			RecallHint: row.RecallHint, Content: row.Content, Tags: row.Tags, Own: row.OwnerID == p.ID,
			Revised: rest.Revised{Revision: row.Revision}, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
		}
		if row.EditorName != nil {
			m.EditorName = *row.EditorName
		}
		if m.Own {
			m.AlwaysInject, m.SourceConversationID, m.Outside = row.AlwaysInject, row.SourceConversationID, row.Outside
		}
		if row.SystemID == nil {
			m.MayChange = m.Own
			if m.Own {
				list = append(list, m)
			}
			continue
		}
		if system, ok := systems[*row.SystemID]; ok {
			m.SystemName, m.MayChange = system.Name, system.Level.Includes(access.Edit)
			list = append(list, m)
		}
	}
	return list, nil
}

// lock locks a memory that the caller sees until the transaction ends, and checks the revision.
func (s *service) lock(ctx context.Context, id uuid.UUID, based *int64) (Memory, memorydb.LockMemoryRow, error) {
	row, err := s.queries(ctx).LockMemory(ctx, id)
	m, err := s.visible(ctx, id, row, err)
	if err != nil {
		return Memory{}, row, err
	}
	return m, row, problem.CheckRevision("memory "+quoted(m.RecallHint), m.Revision, based)
}

// changeable refuses a caller who may see but not change a memory.
func (m Memory) changeable(action string) error {
	if m.MayChange {
		return nil
	}
	return problem.MissingRule(fmt.Sprintf("%s a memory that is shared on the system %s", action, m.SystemName), systemManage)
}

// alwaysInjectable refuses to change another user's prompts.
func (m Memory) alwaysInjectable() error {
	if m.Own {
		return nil
	}
	return problem.Errorf(
		problem.Forbidden,
		"Only %s, who owns this memory, can choose whether it is always injected: it is for the owner's prompts alone. "+
			"Save a memory of your own instead.",
		m.OwnerName,
	)
}

// Delete deletes a memory. A second call finds none.
func (s *service) Delete(ctx context.Context, id uuid.UUID, based *int64) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		m, _, err := s.lock(ctx, id, based)
		if err != nil {
			return err
		}
		if err := m.changeable("delete"); err != nil {
			return err
		}
		if _, err := s.queries(ctx).Delete(ctx, id); err != nil {
			return fmt.Errorf("delete memory: %w", err)
		}
		if err := s.removed.Notify(ctx, memoryType, id); err != nil {
			return err
		}
		return s.record(ctx, audit.Deleted, m, "Memory deleted", nil)
	})
}

// SetAlwaysInject sets whether a memory of the caller is part of every prompt.
func (s *service) SetAlwaysInject(ctx context.Context, id uuid.UUID, in AlwaysInjectChoice, based *int64) (Memory, error) {
	return store.InTx(ctx, s.db, func(ctx context.Context) (Memory, error) {
		m, _, err := s.lock(ctx, id, based)
		if err != nil {
			return Memory{}, err
		}
		if err := m.alwaysInjectable(); err != nil {
			return Memory{}, err
		}
		// A person who sets it in the web app has read the text.
		outside := m.Outside && principal.FromContext(ctx).TurnID != uuid.Nil
		if m.AlwaysInject == in.AlwaysInject && m.Outside == outside {
			return m, nil
		}
		if err := s.queries(
			ctx,
		).SetAlwaysInject(
			ctx,
			memorydb.SetAlwaysInjectParams{ID: id, AlwaysInject: in.AlwaysInject, Outside: outside},
		); err != nil {
			return Memory{}, fmt.Errorf("set always-inject: %w", err)
		}
		var fields audit.Fields
		fields.Compare("alwaysInject", m.AlwaysInject, in.AlwaysInject)
		if err := s.record(ctx, audit.Changed, m, "Memory changed", fields); err != nil {
			return Memory{}, err
		}
		return s.Get(ctx, id)
	})
}
