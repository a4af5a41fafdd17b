package incident

import (
	"context"

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

// AddUpdate writes an update, which may set the status, and returns it and the revision of the incident. The revision
// rises with a change of the status alone, so that updates do not overtake each other's proposals.
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
		moves := in.StatusChange != "" && in.StatusChange != Status(h.Status)
		status := Status("")
		if moves {
			status = in.StatusChange
		}
		written, err := s.post(ctx, h, in, status)
		if err != nil {
			return note.Note{}, err
		}
		if moves {
			if h, _, err = s.move(ctx, h, transition{to: in.StatusChange, update: &written.ID}); err != nil {
				return note.Note{}, err
			}
		}
		revision = h.Revision
		return written, nil
	})
	return written, revision, err
}

// post writes an update of a locked incident beside the status that it sets, if any.
func (s *service) post(ctx context.Context, h held, in NewUpdate, status Status) (note.Note, error) {
	written, err := s.notes.Add(ctx, h.ID, note.New{Message: in.Message, StatusChange: string(status), Visibility: in.Visibility})
	if err != nil {
		return note.Note{}, err
	}
	if err := s.record(ctx, audit.Changed, h.Incident, summaryWritten, nil); err != nil {
		return note.Note{}, err
	}
	return written, s.announce(ctx, EventUpdated, h, Payload{UpdateID: &written.ID, Visibility: string(in.Visibility)})
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
		if err := s.record(ctx, audit.Changed, h.Incident, "An update was edited", nil); err != nil {
			return note.Note{}, err
		}
		return edited, s.announce(ctx, EventUpdated, h, Payload{UpdateID: &update, Visibility: string(edited.Visibility)})
	})
	return edited, revision, err
}

// DeleteUpdate deletes an update with its history. The status that it set stays.
func (s *service) DeleteUpdate(ctx context.Context, id, update uuid.UUID, based *int64) error {
	return s.part(ctx, id, based, "An update was deleted", func(ctx context.Context) error { return s.notes.Delete(ctx, id, update) })
}

// AddLink adds a link, and returns it and the revision of the incident.
func (s *service) AddLink(ctx context.Context, id uuid.UUID, in note.NewLink, based *int64) (added note.Link, revision int64, err error) {
	var v validation
	in = note.Linked(&v.Issues, in)
	if err := v.Err(); err != nil {
		return note.Link{}, 0, err
	}
	err = s.part(ctx, id, based, "A link was added", func(ctx context.Context) (err error) {
		added, err = s.notes.AddLink(ctx, id, in)
		return err
	})
	if err != nil {
		return note.Link{}, 0, err
	}
	row, err := s.queries(ctx).Incident(ctx, id)
	return added, row.Revision, store.Wrap("load incident", err)
}

// RemoveLink deletes a link. A second call finds none.
func (s *service) RemoveLink(ctx context.Context, id, link uuid.UUID, based *int64) error {
	return s.part(ctx, id, based, "A link was removed", func(ctx context.Context) error { return s.notes.RemoveLink(ctx, id, link) })
}

// part changes a part of an incident, whose revision rises.
func (s *service) part(ctx context.Context, id uuid.UUID, based *int64, summary string, do func(ctx context.Context) error) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		if _, err := s.hold(ctx, id, based); err != nil {
			return err
		}
		if err := do(ctx); err != nil {
			return err
		}
		now, err := s.bump(ctx, id)
		if err != nil {
			return err
		}
		return s.record(ctx, audit.Changed, now.Incident, summary, nil)
	})
}
