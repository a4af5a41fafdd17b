package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
	"countersign/internal/text"
	"countersign/modules/memory/memorydb"
)

// Save creates a memory of the caller. A similar one of the same scope and system is updated instead, or with keep is
// a conflict that names it.
func (s *service) Save(ctx context.Context, n NewMemory, keep bool) (Saved, error) {
	var v validation
	given := n.Tags != nil
	n = v.memory(n)
	if err := v.Err(); err != nil {
		return Saved{}, err
	}
	return store.InTx(ctx, s.db, func(ctx context.Context) (Saved, error) {
		if err := s.lockSave(ctx, n); err != nil {
			return Saved{}, err
		}
		similar, err := s.similar(ctx, n)
		if err != nil {
			return Saved{}, err
		}
		if similar != nil && keep {
			return Saved{}, problem.Errorf(
				problem.Conflict,
				"A memory of yours is for nearly the same: %q (id %s). Change that one, or choose another recall hint.",
				similar.RecallHint,
				similar.ID,
			)
		}
		if similar != nil {
			change := Change{RecallHint: &n.RecallHint, Content: &n.Content, AlwaysInject: n.AlwaysInject}
			if given {
				change.Tags = &n.Tags
			}
			updated, err := s.Update(ctx, similar.ID, change, nil)
			return Saved{Memory: updated, Updated: true}, err
		}
		m, err := s.insert(ctx, n)
		return Saved{Memory: m}, err
	})
}

// lockSave locks saves of the owner and the system, and checks that the caller may share on the system.
func (s *service) lockSave(ctx context.Context, n NewMemory) error {
	q := s.queries(ctx)
	if err := q.Hold(ctx, principal.FromContext(ctx).ID.String()); err != nil {
		return fmt.Errorf("hold memories: %w", err)
	}
	if n.SystemID == nil {
		return nil
	}
	if err := q.Hold(ctx, n.SystemID.String()); err != nil {
		return fmt.Errorf("hold memories: %w", err)
	}
	system, err := s.system(ctx, *n.SystemID)
	if err != nil {
		return err
	}
	return Memory{SystemName: system.Name, MayChange: system.Level.Includes(access.Edit)}.changeable("save")
}

// system finds a system named in an input. A missing one is an issue of the input.
func (s *service) system(ctx context.Context, id uuid.UUID) (access.Record, error) {
	found, err := s.systems.Lookup(ctx, []uuid.UUID{id})
	if err != nil {
		return access.Record{}, fmt.Errorf("look up system: %w", err)
	}
	system, ok := found[id]
	if !ok {
		message := fmt.Sprintf("No system has the id %s. List the systems to see what exists.", id)
		return system, problem.InvalidInput(message, problem.Issue{Path: "systemId", Message: "names no system"})
	}
	return system, nil
}

// similar returns the caller's most similar memory of the same scope and system, nil for none.
func (s *service) similar(ctx context.Context, n NewMemory) (*Memory, error) {
	hints, err := s.queries(
		ctx,
	).Hints(
		ctx,
		memorydb.HintsParams{OwnerID: principal.FromContext(ctx).ID, Scope: string(n.Scope), SystemID: n.SystemID},
	)
	if err != nil {
		return nil, fmt.Errorf("list recall hints: %w", err)
	}
	best, overlap := uuid.Nil, 0.0
	for _, hint := range hints {
		if o := Overlap(hint.RecallHint, n.RecallHint); o >= NearDuplicate && o > overlap {
			best, overlap = hint.ID, o
		}
	}
	if best == uuid.Nil {
		return nil, nil
	}
	m, err := s.Get(ctx, best)
	if err != nil {
		return nil, err
	}
	return &m, nil
}

// Similar returns the memory that saving n would update, nil for none.
func (s *service) Similar(ctx context.Context, n NewMemory) (*Memory, error) {
	if n.SystemID != nil {
		if _, err := s.system(ctx, *n.SystemID); err != nil {
			return nil, err
		}
	}
	return s.similar(ctx, n)
}

func (s *service) insert(ctx context.Context, n NewMemory) (Memory, error) {
	p := principal.FromContext(ctx)
	q := s.queries(ctx)
	have, err := q.CountOfOwner(ctx, p.ID)
	if err != nil {
		return Memory{}, fmt.Errorf("count memories: %w", err)
	}
	if have >= MaxPerOwner {
		return Memory{}, problem.Errorf(
			problem.Conflict,
			"You have %d memories, which is the most there can be. Delete some that are no longer needed.",
			have,
		)
	}
	source, outside, err := s.source(ctx)
	if err != nil {
		return Memory{}, err
	}
	id := store.NewID()
	always := n.AlwaysInject != nil && *n.AlwaysInject
	w := weigh(n.RecallHint, n.Content, n.Tags)
	err = q.Insert(ctx, memorydb.InsertParams{
		ID: id, OwnerID: p.ID, OwnerName: p.Name, Scope: string(n.Scope), SystemID: n.SystemID,
		RecallHint: n.RecallHint, Content: n.Content, Tags: n.Tags, AlwaysInject: always, SourceConversationID: source, Outside: outside,
		Folded: w.folded, HintWords: w.hint, TagWords: w.tags, ContentWords: w.content,
	})
	if err != nil {
		return Memory{}, fmt.Errorf("save memory: %w", err)
	}
	m, err := s.Get(ctx, id)
	if err != nil {
		return Memory{}, err
	}
	var fields audit.Fields
	fields.Compare("alwaysInject", false, always)
	return m, s.record(ctx, audit.Created, m, "Memory saved", fields)
}

// source returns the conversation of the caller's turn, nil for none, and whether it is tainted. The contents read by
// an MCP client's model are unknown, so they count as tainted.
func (s *service) source(ctx context.Context) (id *uuid.UUID, outside bool, err error) {
	if audit.Way(ctx) == audit.ByMCP {
		return nil, true, nil
	}
	turn := principal.FromContext(ctx).TurnID
	if turn == uuid.Nil {
		return nil, false, nil
	}
	found, ok, err := s.turns.Conversation(ctx, turn)
	if err != nil {
		return nil, false, fmt.Errorf("find conversation: %w", err)
	}
	if !ok {
		return nil, false, nil
	}
	if outside, err = s.turns.Tainted(ctx, found); err != nil {
		return nil, false, fmt.Errorf("look at conversation: %w", err)
	}
	return &found, outside, nil
}

// Update changes a memory. A change without effect keeps the revision. A text changed by another user is no longer
// always injected, as the owner has not agreed to it.
func (s *service) Update(ctx context.Context, id uuid.UUID, c Change, based *int64) (Memory, error) {
	return store.InTx(ctx, s.db, func(ctx context.Context) (Memory, error) {
		before, row, err := s.lock(ctx, id, based)
		if err != nil {
			return Memory{}, err
		}
		if err := before.changeable("change"); err != nil {
			return Memory{}, err
		}
		if c.AlwaysInject != nil {
			if err := before.alwaysInjectable(); err != nil {
				return Memory{}, err
			}
		}
		next, err := c.applyTo(before)
		if err != nil {
			return Memory{}, err
		}
		always := row.AlwaysInject
		rest.Replace(&always, c.AlwaysInject)
		rewritten := next.RecallHint != before.RecallHint || next.Content != before.Content || !slices.Equal(next.Tags, before.Tags)
		if !rewritten && always == row.AlwaysInject {
			return before, nil
		}
		p := principal.FromContext(ctx)
		w := weigh(next.RecallHint, next.Content, next.Tags)
		params := memorydb.UpdateParams{
			ID:                   id,
			OwnerName:            row.OwnerName,
			RecallHint:           next.RecallHint,
			Content:              next.Content,
			Tags:                 next.Tags,
			AlwaysInject:         always,
			SourceConversationID: row.SourceConversationID,
			EditorID:             row.EditorID,
			EditorName:           row.EditorName,
			Outside:              row.Outside,
			Folded:               w.folded,
			HintWords:            w.hint,
			TagWords:             w.tags,
			ContentWords:         w.content,
		}
		if err := s.attribute(ctx, &params, before.Own, rewritten, p); err != nil {
			return Memory{}, err
		}
		if err := s.queries(ctx).Update(ctx, params); err != nil {
			return Memory{}, fmt.Errorf("update memory: %w", err)
		}
		var fields audit.Fields
		fields.Mention("recallHint", next.RecallHint != before.RecallHint)
		fields.Mention("content", next.Content != before.Content)
		fields.Mention("tags", !slices.Equal(next.Tags, before.Tags))
		fields.Compare("alwaysInject", row.AlwaysInject, params.AlwaysInject)
		if err := s.record(ctx, audit.Changed, before, "Memory changed", fields); err != nil {
			return Memory{}, err
		}
		return s.Get(ctx, id)
	})
}

// attribute records the author of a changed text.
func (s *service) attribute(ctx context.Context, params *memorydb.UpdateParams, own, rewritten bool, p principal.Principal) error {
	switch {
	case !own:
		params.EditorID, params.EditorName, params.AlwaysInject = &p.ID, &p.Name, false
	case p.TurnID == uuid.Nil:
		// An editor in the web app has read the text.
		params.Outside = false
	}
	if own && rewritten {
		source, outside, err := s.source(ctx)
		if err != nil {
			return err
		}
		params.Outside = params.Outside || outside
		if source != nil {
			params.SourceConversationID = source
		}
		params.OwnerName, params.EditorID, params.EditorName = p.Name, nil, nil
	}
	return nil
}

// applyTo returns the texts of a memory after the change.
func (c Change) applyTo(m Memory) (NewMemory, error) {
	next := NewMemory{Scope: m.Scope, SystemID: m.SystemID, RecallHint: m.RecallHint, Content: m.Content, Tags: m.Tags}
	rest.Replace(&next.RecallHint, c.RecallHint)
	rest.Replace(&next.Content, c.Content)
	rest.Replace(&next.Tags, c.Tags)
	var v validation
	next = v.memory(next)
	return next, v.Err()
}

// searchedTexts holds the searched texts of a memory.
type searchedTexts struct{ folded, hint, tags, content string }

func weigh(hint, content string, tags []string) searchedTexts {
	labels := strings.Join(tags, " ")
	return searchedTexts{
		folded:  text.Key(hint + "\n" + labels + "\n" + content),
		hint:    strings.Join(wordsOf(hint), " "),
		tags:    strings.Join(wordsOf(labels), " "),
		content: strings.Join(wordsOf(content), " "),
	}
}
