package incident

import (
	"context"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/note"
	"countersign/internal/store"
)

// editor returns the updates and links of incidents, as people read and change them.
func (s *service) editor() *note.Editor {
	return &note.Editor{
		Notes: s.notes,
		See: func(ctx context.Context, id uuid.UUID) error {
			_, err := s.Get(ctx, id)
			return err
		},
		Hold: func(ctx context.Context, id uuid.UUID, based *int64) (note.Held, error) {
			h, err := s.hold(ctx, id, based)
			return s.noted(h), err
		},
		Raise: func(ctx context.Context, id uuid.UUID) (note.Held, error) {
			h, err := s.bump(ctx, id)
			return s.noted(h), err
		},
	}
}

func (s *service) noted(h held) note.Held {
	return note.Held{
		ID: h.ID, Revision: h.Revision,
		Record: func(ctx context.Context, summary string) error {
			return s.record(ctx, audit.Changed, h.Incident, summary, nil)
		},
		Announce: func(ctx context.Context, n note.Note) error {
			return s.announce(ctx, EventUpdated, h, Payload{UpdateID: &n.ID, Visibility: string(n.Visibility)})
		},
	}
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
		n := note.New{Message: in.Message, Visibility: in.Visibility}
		if moves {
			n.StatusChange = string(in.StatusChange)
		}
		written, err := s.notes.Write(ctx, s.noted(h), n)
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
