package note

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"countersign/internal/note/notedb"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
)

// Names returns the names of people and applications; missing ones are left out.
type Names interface {
	Names(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error)
}

// Store keeps the notes and links of one kind of records. Its writes join the transaction of ctx.
type Store struct {
	DB    *store.DB
	Names Names
	// Kind is the type of the records in the audit log, Noun their name in messages, and Manage the access rule to change
	// them.
	Kind, Noun, Manage string
}

func (s *Store) queries(ctx context.Context) *notedb.Queries { return notedb.New(s.DB.Conn(ctx)) }

// audience is Audience as a query parameter.
func (s *Store) audience(ctx context.Context) []string {
	var list []string
	for _, v := range Audience(ctx, s.Manage) {
		list = append(list, string(v))
	}
	return list
}

// Add writes a note, whose fields have their stored form.
func (s *Store) Add(ctx context.Context, owner uuid.UUID, n New) (Note, error) {
	q, p := s.queries(ctx), principal.FromContext(ctx)
	written, err := q.CountNotes(ctx, notedb.CountNotesParams{OwnerKind: s.Kind, OwnerID: owner})
	if err != nil {
		return Note{}, fmt.Errorf("count notes: %w", err)
	}
	if written >= MaxNotes {
		return Note{}, problem.Errorf(
			problem.Conflict, "The %s has %d updates, which is the most it can have. Delete one first.", s.Noun, MaxNotes,
		)
	}
	row, err := q.CreateNote(ctx, notedb.CreateNoteParams{
		ID: store.NewID(), OwnerKind: s.Kind, OwnerID: owner, Message: n.Message, StatusChange: n.StatusChange,
		Visibility: string(n.Visibility), AuthorKind: string(p.Kind), AuthorID: p.ID, CreatedAt: n.At,
	})
	if err != nil {
		return Note{}, fmt.Errorf("write note: %w", err)
	}
	return s.one(ctx, row)
}

// Get returns a note that the principal of ctx may see.
func (s *Store) Get(ctx context.Context, owner, id uuid.UUID) (Note, error) {
	row, err := s.queries(ctx).Note(ctx, notedb.NoteParams{OwnerKind: s.Kind, OwnerID: owner, ID: id, Audience: s.audience(ctx)})
	if store.NoRows(err) {
		return Note{}, s.missing(id)
	}
	if err != nil {
		return Note{}, fmt.Errorf("load note: %w", err)
	}
	return s.one(ctx, row)
}

// List returns a page of the notes that the principal of ctx may see, newest first.
func (s *Store) List(ctx context.Context, owner uuid.UUID, page rest.Page) ([]Note, rest.Next, error) {
	before, err := page.AfterMoment()
	if err != nil {
		return nil, rest.Next{}, err
	}
	if before == nil {
		before = new(rest.Latest())
	}
	rows, err := s.before(ctx, owner, *before, page.Rows())
	if err != nil {
		return nil, rest.Next{}, err
	}
	rows, next := rest.Cut(page, rows, func(r notedb.Note) string { return rest.Moment{At: r.CreatedAt, ID: r.ID}.String() })
	list, err := s.assemble(ctx, rows...)
	return list, next, err
}

// Before returns the notes before a moment that the principal of ctx may see, newest first.
func (s *Store) Before(ctx context.Context, owner uuid.UUID, before rest.Moment, limit int) ([]Note, error) {
	rows, err := s.before(ctx, owner, before, int32(limit))
	if err != nil {
		return nil, err
	}
	return s.assemble(ctx, rows...)
}

func (s *Store) before(ctx context.Context, owner uuid.UUID, before rest.Moment, limit int32) ([]notedb.Note, error) {
	rows, err := s.queries(ctx).Notes(ctx, notedb.NotesParams{
		OwnerKind: s.Kind, OwnerID: owner, Audience: s.audience(ctx), BeforeAt: before.At, BeforeID: before.ID, MaxRows: limit,
	})
	if err != nil {
		return nil, fmt.Errorf("list notes: %w", err)
	}
	return rows, nil
}

// Edit replaces the text and the visibility of a note and keeps what it was. One without effect is no edit.
func (s *Store) Edit(ctx context.Context, owner, id uuid.UUID, change func(n *New) error) (edited Note, changed bool, err error) {
	q, p := s.queries(ctx), principal.FromContext(ctx)
	row, err := q.LockNote(ctx, notedb.LockNoteParams{OwnerKind: s.Kind, OwnerID: owner, ID: id, Audience: s.audience(ctx)})
	if store.NoRows(err) {
		return Note{}, false, s.missing(id)
	}
	if err != nil {
		return Note{}, false, fmt.Errorf("lock note: %w", err)
	}
	n := New{Message: row.Message, Visibility: Visibility(row.Visibility)}
	if err := change(&n); err != nil {
		return Note{}, false, err
	}
	if n.Message == row.Message && string(n.Visibility) == row.Visibility {
		edited, err = s.one(ctx, row)
		return edited, false, err
	}
	number, err := q.CreateEdit(ctx, notedb.CreateEditParams{
		NoteID: id, Message: row.Message, Visibility: row.Visibility, EditorKind: string(p.Kind), EditorID: p.ID,
	})
	if err != nil {
		return Note{}, false, fmt.Errorf("keep the former note: %w", err)
	}
	if number > MaxEdits {
		return Note{}, false, problem.Errorf(
			problem.Conflict, "This update was edited %d times, which is the most it can be. Write another one.", MaxEdits,
		)
	}
	if row, err = q.UpdateNote(ctx, notedb.UpdateNoteParams{ID: id, Message: n.Message, Visibility: string(n.Visibility)}); err != nil {
		return Note{}, false, fmt.Errorf("edit note: %w", err)
	}
	edited, err = s.one(ctx, row)
	return edited, true, err
}

// Delete deletes a note with its history. A second call finds none.
func (s *Store) Delete(ctx context.Context, owner, id uuid.UUID) error {
	gone, err := s.queries(ctx).DeleteNote(ctx, notedb.DeleteNoteParams{
		OwnerKind: s.Kind, OwnerID: owner, ID: id, Audience: s.audience(ctx),
	})
	if err != nil {
		return fmt.Errorf("delete note: %w", err)
	}
	if gone == 0 {
		return s.missing(id)
	}
	return nil
}

// DeleteAll deletes all notes and links of a record that is deleted.
func (s *Store) DeleteAll(ctx context.Context, owner uuid.UUID) error {
	if err := s.queries(ctx).DeleteNotesOf(ctx, notedb.DeleteNotesOfParams{OwnerKind: s.Kind, OwnerID: owner}); err != nil {
		return fmt.Errorf("delete notes: %w", err)
	}
	if err := s.queries(ctx).DeleteLinksOf(ctx, notedb.DeleteLinksOfParams{OwnerKind: s.Kind, OwnerID: owner}); err != nil {
		return fmt.Errorf("delete links: %w", err)
	}
	return nil
}

// AddLink adds a link, whose fields have their stored form.
func (s *Store) AddLink(ctx context.Context, owner uuid.UUID, l NewLink) (Link, error) {
	q := s.queries(ctx)
	held, err := q.CountLinks(ctx, notedb.CountLinksParams{OwnerKind: s.Kind, OwnerID: owner})
	if err != nil {
		return Link{}, fmt.Errorf("count links: %w", err)
	}
	if held >= MaxLinks {
		return Link{}, problem.Errorf(
			problem.Conflict, "The %s has %d links, which is the most it can have. Remove one first.", s.Noun, MaxLinks,
		)
	}
	rows, err := q.CreateLink(ctx, notedb.CreateLinkParams{
		ID: store.NewID(), OwnerKind: s.Kind, OwnerID: owner, Label: l.Label, Url: l.URL, Visibility: string(l.Visibility),
	})
	if err != nil {
		return Link{}, fmt.Errorf("add link: %w", err)
	}
	if len(rows) == 0 {
		return Link{}, problem.Errorf(problem.Conflict, "The %s has a link to %s already.", s.Noun, l.URL)
	}
	return linkOf(rows[0]), nil
}

// Links returns the links of records that the principal of ctx may see, oldest first.
func (s *Store) Links(ctx context.Context, owners ...uuid.UUID) (map[uuid.UUID][]Link, error) {
	rows, err := s.queries(ctx).LinksOf(ctx, notedb.LinksOfParams{OwnerKind: s.Kind, OwnerIds: owners, Audience: s.audience(ctx)})
	if err != nil {
		return nil, fmt.Errorf("list links: %w", err)
	}
	links := map[uuid.UUID][]Link{}
	for _, row := range rows {
		links[row.OwnerID] = append(links[row.OwnerID], linkOf(row))
	}
	return links, nil
}

// RemoveLink deletes a link. A second call finds none.
func (s *Store) RemoveLink(ctx context.Context, owner, id uuid.UUID) error {
	gone, err := s.queries(ctx).DeleteLink(ctx, notedb.DeleteLinkParams{
		OwnerKind: s.Kind, OwnerID: owner, ID: id, Audience: s.audience(ctx),
	})
	if err != nil {
		return fmt.Errorf("remove link: %w", err)
	}
	if gone == 0 {
		return problem.Errorf(problem.NotFound, "The %s has no link with the id %s. Read the %s to see its links.", s.Noun, id, s.Noun)
	}
	return nil
}

func linkOf(r notedb.NoteLink) Link {
	return Link{ID: r.ID, Label: r.Label, URL: r.Url, Visibility: Visibility(r.Visibility), CreatedAt: r.CreatedAt}
}

func (s *Store) missing(id uuid.UUID) error {
	return problem.Errorf(problem.NotFound, "The %s has no update with the id %s. List its updates to see what exists.", s.Noun, id)
}

func (s *Store) one(ctx context.Context, row notedb.Note) (Note, error) {
	list, err := s.assemble(ctx, row)
	if err != nil {
		return Note{}, err
	}
	return list[0], nil
}

// assemble adds names and, for those who manage the record, the histories of edits.
func (s *Store) assemble(ctx context.Context, rows ...notedb.Note) ([]Note, error) {
	list, people := make([]Note, len(rows)), []uuid.UUID{}
	at, edited := map[uuid.UUID]*Note{}, []uuid.UUID{}
	for i, r := range rows {
		list[i] = Note{
			ID: r.ID, Message: r.Message, StatusChange: r.StatusChange, Visibility: Visibility(r.Visibility), AuthorID: r.AuthorID,
			CreatedAt: r.CreatedAt, EditedAt: r.EditedAt,
		}
		at[r.ID], people = &list[i], append(people, r.AuthorID)
		if r.EditedAt != nil {
			edited = append(edited, r.ID)
		}
	}
	if len(edited) > 0 && principal.FromContext(ctx).Has(s.Manage) {
		edits, err := s.queries(ctx).EditsOfNotes(ctx, edited)
		if err != nil {
			return nil, fmt.Errorf("list edits: %w", err)
		}
		for _, e := range edits {
			at[e.NoteID].Edits = append(at[e.NoteID].Edits, Edit{
				Message: e.Message, Visibility: Visibility(e.Visibility), EditorID: e.EditorID, EditedAt: e.EditedAt,
			})
			people = append(people, e.EditorID)
		}
	}
	names, err := s.namesOf(ctx, people)
	if err != nil {
		return nil, err
	}
	for i := range list {
		list[i].AuthorName = names[list[i].AuthorID]
		for n := range list[i].Edits {
			list[i].Edits[n].EditorName = names[list[i].Edits[n].EditorID]
		}
	}
	return list, nil
}

func (s *Store) namesOf(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	store.SortIDs(ids)
	if ids = slices.Compact(ids); len(ids) == 0 {
		return nil, nil
	}
	names, err := s.Names.Names(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("look authors up: %w", err)
	}
	return names, nil
}
