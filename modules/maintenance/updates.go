package maintenance

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/note"
	"countersign/internal/rest"
	"countersign/internal/store"
)

// Updates returns a page of the updates that the caller may see, newest first.
func (s *service) Updates(ctx context.Context, id uuid.UUID, page rest.Page) ([]note.Note, rest.Next, error) {
	if _, err := s.Get(ctx, id); err != nil {
		return nil, rest.Next{}, err
	}
	return s.notes.List(ctx, id, page)
}

// UpdateOf returns one update.
func (s *service) UpdateOf(ctx context.Context, id, update uuid.UUID) (note.Note, error) {
	if _, err := s.Get(ctx, id); err != nil {
		return note.Note{}, err
	}
	return s.notes.Get(ctx, id, update)
}

// AddUpdate writes an update, and returns it and the revision of the maintenance, which stays: updates do not overtake
// each other's proposals.
func (s *service) AddUpdate(ctx context.Context, id uuid.UUID, in NewUpdate, based *int64) (note.Note, int64, error) {
	var v validation
	in = v.update(in)
	if err := v.Err(); err != nil {
		return note.Note{}, 0, err
	}
	var revision int64
	written, err := store.InTx(ctx, s.db, func(ctx context.Context) (note.Note, error) {
		h, err := s.hold(ctx, id, based)
		if err != nil {
			return note.Note{}, err
		}
		revision = h.Revision
		written, err := s.notes.Add(ctx, id, note.New{Message: in.Message, Visibility: in.Visibility})
		if err != nil {
			return note.Note{}, err
		}
		if err := s.record(ctx, audit.Changed, h.Maintenance, "An update was written", nil); err != nil {
			return note.Note{}, err
		}
		return written, s.announce(ctx, EventUpdated, h.Maintenance, Payload{UpdateID: &written.ID, Visibility: string(in.Visibility)})
	})
	return written, revision, err
}

// EditUpdate replaces the text and the visibility of an update, and keeps the former ones in its history.
func (s *service) EditUpdate(ctx context.Context, id, update uuid.UUID, c UpdateChange, based *int64) (note.Note, int64, error) {
	var revision int64
	edited, err := store.InTx(ctx, s.db, func(ctx context.Context) (note.Note, error) {
		h, err := s.hold(ctx, id, based)
		if err != nil {
			return note.Note{}, err
		}
		revision = h.Revision
		edited, changed, err := s.notes.Edit(ctx, id, update, func(n *note.New) error {
			var v validation
			if c.Message != nil {
				n.Message = note.Message(&v.Issues, "message", *c.Message)
			}
			if c.Visibility != nil {
				n.Visibility = note.Seen(&v.Issues, "visibility", *c.Visibility)
			}
			return v.Err()
		})
		if err != nil || !changed {
			return edited, err
		}
		if err := s.record(ctx, audit.Changed, h.Maintenance, "An update was edited", nil); err != nil {
			return note.Note{}, err
		}
		return edited, s.announce(ctx, EventUpdated, h.Maintenance, Payload{UpdateID: &update, Visibility: string(edited.Visibility)})
	})
	return edited, revision, err
}

// DeleteUpdate deletes an update with its history.
func (s *service) DeleteUpdate(ctx context.Context, id, update uuid.UUID, based *int64) error {
	_, err := s.part(ctx, id, based, "An update was deleted", func(ctx context.Context) error { return s.notes.Delete(ctx, id, update) })
	return err
}

// AddLink adds a link, and returns it and the revision of the maintenance.
func (s *service) AddLink(ctx context.Context, id uuid.UUID, in note.NewLink, based *int64) (added note.Link, revision int64, err error) {
	var v validation
	in = note.Linked(&v.Issues, in)
	if err := v.Err(); err != nil {
		return note.Link{}, 0, err
	}
	revision, err = s.part(ctx, id, based, "A link was added", func(ctx context.Context) (err error) {
		added, err = s.notes.AddLink(ctx, id, in)
		return err
	})
	return added, revision, err
}

// RemoveLink deletes a link. A second call finds none.
func (s *service) RemoveLink(ctx context.Context, id, link uuid.UUID, based *int64) error {
	_, err := s.part(ctx, id, based, "A link was removed", func(ctx context.Context) error { return s.notes.RemoveLink(ctx, id, link) })
	return err
}

// part changes a part of a maintenance, whose revision rises.
func (s *service) part(
	ctx context.Context,
	id uuid.UUID,
	based *int64,
	summary string,
	do func(ctx context.Context) error,
) (revision int64, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if _, err := s.hold(ctx, id, based); err != nil {
			return err
		}
		if err := do(ctx); err != nil {
			return err
		}
		now, err := s.queries(ctx).Bump(ctx, id)
		if err != nil {
			return fmt.Errorf("raise the revision of a maintenance: %w", err)
		}
		revision = now.Revision
		return s.record(ctx, audit.Changed, now, summary, nil)
	})
	return revision, err
}
