package maintenance

import (
	"context"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/note"
	"countersign/internal/store"
	"countersign/modules/maintenance/maintenancedb"
)

// editor returns the updates and links of maintenances, as people read and change them.
func (s *service) editor() *note.Editor {
	return &note.Editor{
		Notes: s.notes,
		See: func(ctx context.Context, id uuid.UUID) error {
			_, err := s.Get(ctx, id)
			return err
		},
		Hold: func(ctx context.Context, id uuid.UUID, based *int64) (note.Held, error) {
			h, err := s.hold(ctx, id, based)
			return s.noted(h.Maintenance), err
		},
		Raise: func(ctx context.Context, id uuid.UUID) (note.Held, error) {
			row, err := s.queries(ctx).Bump(ctx, id)
			return s.noted(row), store.Wrap("raise the revision of a maintenance", err)
		},
	}
}

func (s *service) noted(row maintenancedb.Maintenance) note.Held {
	return note.Held{
		ID: row.ID, Revision: row.Revision,
		Record: func(ctx context.Context, summary string) error {
			return s.record(ctx, audit.Changed, row, summary, nil)
		},
		Announce: func(ctx context.Context, n note.Note) error {
			return s.announce(ctx, EventUpdated, row, Payload{UpdateID: &n.ID, Visibility: string(n.Visibility)})
		},
	}
}

// AddUpdate writes an update, and returns it and the revision of the maintenance, which stays.
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
		return s.notes.Write(ctx, s.noted(h.Maintenance), note.New{Message: in.Message, Visibility: in.Visibility})
	})
	return written, revision, err
}
