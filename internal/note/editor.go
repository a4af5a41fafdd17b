package note

import (
	"context"

	"github.com/google/uuid"

	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
)

// Editor lets people read and change what stands under records, by the rules of the module of the records.
type Editor struct {
	Notes *Store
	// See refuses a caller who may not see a record.
	See func(ctx context.Context, id uuid.UUID) error
	// Hold locks a record for a change by the caller until the transaction ends, and checks its revision.
	Hold func(ctx context.Context, id uuid.UUID, based *int64) (Held, error)
	// Raise raises the revision of a locked record.
	Raise func(ctx context.Context, id uuid.UUID) (Held, error)
}

// Held is a locked record.
type Held struct {
	ID       uuid.UUID
	Revision int64
	// Record writes a change to the audit log.
	Record func(ctx context.Context, summary string) error
	// Announce appends the event of a written or edited update.
	Announce func(ctx context.Context, written Note) error
}

// SummaryWritten is the entry of the audit log about a new update.
const SummaryWritten = "An update was written"

// Updates returns a page of the updates that the caller may see, newest first.
func (e *Editor) Updates(ctx context.Context, id uuid.UUID, page rest.Page) ([]Note, rest.Next, error) {
	if err := e.See(ctx, id); err != nil {
		return nil, rest.Next{}, err
	}
	return e.Notes.List(ctx, id, page)
}

// UpdateOf returns one update.
func (e *Editor) UpdateOf(ctx context.Context, id, update uuid.UUID) (Note, error) {
	if err := e.See(ctx, id); err != nil {
		return Note{}, err
	}
	return e.Notes.Get(ctx, id, update)
}

// Write writes an update, whose fields have their stored form, under a locked record. The revision of the record stays, so
// that updates do not overtake each other's proposals.
func (s *Store) Write(ctx context.Context, h Held, n New) (Note, error) {
	written, err := s.Add(ctx, h.ID, n)
	if err != nil {
		return Note{}, err
	}
	if err := h.Record(ctx, SummaryWritten); err != nil {
		return Note{}, err
	}
	return written, h.Announce(ctx, written)
}

// UpdateChange edits an update; nil fields stay.
type UpdateChange struct {
	Message    *string     `json:"message,omitempty" doc:"1 to 10,000 characters."`
	Visibility *Visibility `json:"visibility,omitempty" enum:"public,logged_in,internal"`
}

// EditUpdate replaces the text and the visibility of an update, and keeps the former ones in its history. It returns the
// revision of the record, too.
func (e *Editor) EditUpdate(ctx context.Context, id, update uuid.UUID, c UpdateChange, based *int64) (Note, int64, error) {
	var revision int64
	edited, err := store.InTx(ctx, e.Notes.DB, func(ctx context.Context) (Note, error) {
		h, err := e.Hold(ctx, id, based)
		if err != nil {
			return Note{}, err
		}
		revision = h.Revision
		edited, changed, err := e.Notes.Edit(ctx, id, update, func(n *New) error {
			var issues problem.Issues
			if c.Message != nil {
				n.Message = Message(&issues, "message", *c.Message)
			}
			if c.Visibility != nil {
				n.Visibility = Seen(&issues, "visibility", *c.Visibility)
			}
			return issues.Err()
		})
		if err != nil || !changed {
			return edited, err
		}
		if err := h.Record(ctx, "An update was edited"); err != nil {
			return Note{}, err
		}
		return edited, h.Announce(ctx, edited)
	})
	return edited, revision, err
}

// AddLink adds a link, and returns it and the revision of the record.
func (e *Editor) AddLink(ctx context.Context, id uuid.UUID, in NewLink, based *int64) (added Link, revision int64, err error) {
	var issues problem.Issues
	in = Linked(&issues, in)
	if err := issues.Err(); err != nil {
		return Link{}, 0, err
	}
	revision, err = e.part(ctx, id, based, "A link was added", func(ctx context.Context) (err error) {
		added, err = e.Notes.AddLink(ctx, id, in)
		return err
	})
	return added, revision, err
}

// part changes a part of a record, whose revision rises.
func (e *Editor) part(
	ctx context.Context,
	id uuid.UUID,
	based *int64,
	summary string,
	do func(ctx context.Context) error,
) (revision int64, err error) {
	err = e.Notes.DB.InTx(ctx, func(ctx context.Context) error {
		if _, err := e.Hold(ctx, id, based); err != nil {
			return err
		}
		if err := do(ctx); err != nil {
			return err
		}
		h, err := e.Raise(ctx, id)
		if err != nil {
			return err
		}
		revision = h.Revision
		return h.Record(ctx, summary)
	})
	return revision, err
}

// UpdatesOf are the parameters of the operation that lists the updates of a record.
type UpdatesOf struct {
	rest.ByID
	rest.Page
}

// ByUpdate are the parameters of an operation on an update.
type ByUpdate struct {
	rest.ByID
	UpdateID uuid.UUID `path:"updateId" format:"uuid"`
}

// Read handles the operation that reads an update.
func (e *Editor) Read(ctx context.Context, in *ByUpdate) (*rest.Body[Note], error) {
	return rest.With(e.UpdateOf(ctx, in.ID, in.UpdateID))
}

// UpdatePatch is the input of the operation that edits an update.
type UpdatePatch[C any] struct {
	ByUpdate
	rest.IfMatch
	Body rest.Patch[C]
}

// UpdateRemoval is the input of the operation that deletes an update.
type UpdateRemoval struct {
	ByUpdate
	rest.IfMatch
}

// DeleteUpdate handles the operation that deletes an update with its history. The status that it set stays.
func (e *Editor) DeleteUpdate(ctx context.Context, in *UpdateRemoval) (*struct{}, error) {
	_, err := e.part(ctx, in.ID, in.Revision(), "An update was deleted", func(ctx context.Context) error {
		return e.Notes.Delete(ctx, in.ID, in.UpdateID)
	})
	return nil, err
}

// LinkRemoval is the input of the operation that removes a link.
type LinkRemoval struct {
	rest.ByID
	LinkID uuid.UUID `path:"linkId" format:"uuid"`
	rest.IfMatch
}

// RemoveLink handles the operation that removes a link. A second call finds none.
func (e *Editor) RemoveLink(ctx context.Context, in *LinkRemoval) (*struct{}, error) {
	_, err := e.part(ctx, in.ID, in.Revision(), "A link was removed", func(ctx context.Context) error {
		return e.Notes.RemoveLink(ctx, in.ID, in.LinkID)
	})
	return nil, err
}
