package audit

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/audit/auditdb"
	"countersign/internal/principal"
	"countersign/internal/store"
)

// Wrote records the acting principal of the transaction of ctx as an author of a part of an object. It is for texts
// with readers of their own within an object, such as the tools of one revision of an agent; authors of whole objects
// follow from the log.
func Wrote(ctx context.Context, db *store.DB, objectType string, id uuid.UUID, part string) error {
	p, err := paramsOf(ctx, Event{Action: Changed, Object: Object(objectType, id, "")})
	if err != nil || p.PrincipalKind == string(principal.Service) {
		return err
	}
	err = auditdb.New(db.Conn(ctx)).AddAuthor(ctx, auditdb.AddAuthorParams{
		ObjectID: id, ObjectType: objectType, Part: part, AuthorKind: p.PrincipalKind, AuthorID: p.PrincipalID,
	})
	if err != nil {
		return fmt.Errorf("note an author: %w", err)
	}
	return nil
}

// CopyAuthors copies the authors of an object to its copy, part for part.
func CopyAuthors(ctx context.Context, db *store.DB, objectType string, from, to uuid.UUID) error {
	if err := auditdb.New(
		db.Conn(ctx),
	).CopyAuthors(
		ctx,
		auditdb.CopyAuthorsParams{ObjectType: objectType, Source: from, Copy: to},
	); err != nil {
		return fmt.Errorf("copy authors: %w", err)
	}
	return nil
}

// KeepAuthors deletes the authors of all parts of an object except these.
func KeepAuthors(ctx context.Context, db *store.DB, objectType string, id uuid.UUID, parts ...string) error {
	if err := auditdb.New(
		db.Conn(ctx),
	).KeepAuthors(
		ctx,
		auditdb.KeepAuthorsParams{ObjectType: objectType, ObjectID: id, Parts: append([]string{}, parts...)},
	); err != nil {
		return fmt.Errorf("forget authors: %w", err)
	}
	return nil
}
