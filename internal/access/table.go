package access

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/internal/problem"
	"countersign/internal/store"
)

// Table has the queries that find, lock and change the records of a kind: the generated queries of their module, as
// method expressions such as (*catalogdb.Queries).LockSystem.
type Table[Q, Row any] struct {
	Kind    Kind
	DB      *store.DB
	Queries func(ctx context.Context) Q
	Find    func(Q, context.Context, uuid.UUID) (Row, error)
	// Lock finds a record and locks it until the transaction ends. Bump raises its revision.
	Lock func(Q, context.Context, uuid.UUID) (Row, error)
	Bump func(Q, context.Context, uuid.UUID) error
	// Named finds a record by the key of its name.
	Named func(Q, context.Context, string) (Row, error)
	Head  func(Row) Head
	// Guesses limits how often a caller finds out that the name of an invisible record is taken; nil counts nothing.
	Guesses *Guesses
}

// Head is the part of a record that access and revisions depend on.
type Head struct {
	ID       uuid.UUID
	Name     string
	Revision int64
}

// See returns a record that the caller of ctx may see.
func (t Table[Q, Row]) See(ctx context.Context, id uuid.UUID) (Row, error) {
	row, err := t.Find(t.Queries(ctx), ctx, id)
	return row, t.Kind.Sight(ctx).Permit(ctx, t.DB, id, t.Head(row).Name, err, View)
}

// Hold locks a record for a change until the transaction ends, and checks the caller's access after that: a change that
// waited for an access change is decided by its result.
func (t Table[Q, Row]) Hold(ctx context.Context, id uuid.UUID, want Level, based *int64) (Row, error) {
	row, err := t.Lock(t.Queries(ctx), ctx, id)
	head := t.Head(row)
	if err := t.Kind.Sight(ctx).Permit(ctx, t.DB, id, head.Name, err, want); err != nil {
		return row, err
	}
	return row, problem.CheckRevision(t.Kind.Noun+" "+head.Name, head.Revision, based)
}

// Change locks a record and runs do on it. When do reports that it did something, the revision rises.
func (t Table[Q, Row]) Change(
	ctx context.Context,
	id uuid.UUID,
	want Level,
	based *int64,
	do func(ctx context.Context, row Row) (bool, error),
) error {
	return t.DB.InTx(ctx, func(ctx context.Context) error {
		row, err := t.Hold(ctx, id, want, based)
		if err != nil {
			return err
		}
		changed, err := do(ctx, row)
		if err != nil || !changed {
			return err
		}
		return t.bump(ctx, id)
	})
}

// Touch raises the revision of a record without checking rights, and locks it.
func (t Table[Q, Row]) Touch(ctx context.Context, id uuid.UUID) (Head, error) {
	row, err := t.Lock(t.Queries(ctx), ctx, id)
	if store.NoRows(err) {
		return Head{}, t.Kind.Missing(id)
	}
	if err != nil {
		return Head{}, fmt.Errorf("lock %s: %w", t.Kind.Noun, err)
	}
	return t.Head(row), t.bump(ctx, id)
}

func (t Table[Q, Row]) bump(ctx context.Context, id uuid.UUID) error {
	if err := t.Bump(t.Queries(ctx), ctx, id); err != nil {
		return fmt.Errorf("raise the revision of a %s: %w", t.Kind.Noun, err)
	}
	return nil
}

// Free returns nil unless a record other than except has the name with this key. The conflict names that record to
// callers who may see it.
func (t Table[Q, Row]) Free(ctx context.Context, name, key string, except uuid.UUID) error {
	row, err := t.Named(t.Queries(ctx), ctx, key)
	head := t.Head(row)
	switch {
	case store.NoRows(err):
		return t.Guesses.check(ctx)
	case err == nil && head.ID == except:
		return nil
	case err != nil:
		return fmt.Errorf("look up the name: %w", err)
	}
	levels, err := t.Kind.Sight(ctx).Levels(ctx, t.DB, head.ID)
	if err != nil {
		return err
	}
	if levels[head.ID] == None {
		if err := t.Guesses.found(ctx, t.Kind.Noun); err != nil {
			return err
		}
		return t.Kind.Taken(name)
	}
	return problem.Errorf(
		problem.Conflict,
		"%s %s named %s exists already (id %s). Choose another name or update that one.",
		t.Kind.article(),
		t.Kind.Noun,
		head.Name,
		head.ID,
	)
}

// Taken is the conflict for a name whose record the caller may not see.
func (k Kind) Taken(name string) error {
	return problem.Errorf(problem.Conflict, "The %s name %s is taken. Choose another name.", k.Noun, name)
}

// Created returns the error of an insert that skips a taken name, from its row count or err.
func (t Table[Q, Row]) Created(ctx context.Context, rows int64, err error, name, key string) error {
	switch {
	case err != nil:
		return fmt.Errorf("create %s: %w", t.Kind.Noun, err)
	case rows > 0:
		return t.Guesses.check(ctx)
	}
	if err := t.Free(ctx, name, key, uuid.Nil); err != nil {
		return err
	}
	// The other record is gone again.
	return t.Kind.Taken(name)
}

// Updated returns the error of an update: a name that a concurrent request has taken violates the constraint.
func (k Kind) Updated(err error, name, constraint string) error {
	switch {
	case store.Violates(err, constraint):
		return k.Taken(name)
	case err != nil:
		return fmt.Errorf("update %s: %w", k.Noun, err)
	}
	return nil
}

// Record is a record as other modules see it.
type Record struct {
	Name  string
	Level Level
}
