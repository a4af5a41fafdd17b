package auth

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"countersign/auth/authdb"
	"countersign/internal/principal"
	"countersign/internal/store"
	"countersign/tool/disposition"
)

// Connection finds authors of a model connection with fewer rights than its user, by the comparison of LessPrivileged. Every
// application but the user itself counts. An administrator who confirms the connection becomes its only author.
func (a Authors) Connection(ctx context.Context, user principal.Principal, ids ...uuid.UUID) ([]disposition.Written, error) {
	written, err := a.LessPrivileged(ctx, user, ids)
	if err != nil {
		return nil, err
	}
	rows, err := authdb.New(a.db.Conn(ctx)).ApplicationAuthors(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("find applications among authors: %w", err)
	}
	for _, row := range rows {
		known := slices.ContainsFunc(written, func(w disposition.Written) bool {
			return w.ID == row.ObjectID &&
				w.AuthorID == row.AuthorID
		})
		if !known && row.AuthorID != user.ID {
			written = append(written, disposition.Written{
				Type: "ai.connection", ID: row.ObjectID,
				AuthorID: row.AuthorID, Author: row.Name, At: row.WrittenAt,
			})
		}
	}
	return written, nil
}

// Unconfirmed implements connection.Authors.
func (a Authors) Unconfirmed(ctx context.Context, connections []uuid.UUID) (map[uuid.UUID][]string, error) {
	administrator := principal.Principal{Kind: principal.User, Rules: []string{principal.Admin}}
	written, err := a.Connection(ctx, administrator, connections...)
	names := map[uuid.UUID][]string{}
	for _, w := range written {
		names[w.ID] = append(names[w.ID], w.Author)
	}
	return names, err
}

// Authors finds the authors of record texts.
type Authors struct{ db *store.DB }

// NewAuthors creates Authors.
func NewAuthors(db *store.DB) Authors { return Authors{db} }

// LessPrivileged finds record texts of less-privileged authors: those who lack any of the reader's rules, memberships and
// grants, by the same comparison as for setting a password. Such text could make a model that acts for the reader
// exceed its author's rights (prompt injection). The reader's own text and that of administrators are excluded.
func (a Authors) LessPrivileged(ctx context.Context, reader principal.Principal, records []uuid.UUID) ([]disposition.Written, error) {
	teams := reader.TeamIDs
	if teams == nil {
		teams = []uuid.UUID{}
	}
	rows, err := authdb.New(a.db.Conn(ctx)).LesserAuthors(ctx, authdb.LesserAuthorsParams{
		ObjectIds:     records,
		ReaderKind:    string(reader.Kind),
		ReaderID:      reader.ID,
		ReaderRules:   reader.Rules,
		ReaderTeamIds: teams,
		DefaultRole:   UsersRole,
	})
	if err != nil {
		return nil, fmt.Errorf("find authors: %w", err)
	}
	written := make([]disposition.Written, len(rows))
	for i, row := range rows {
		written[i] = disposition.Written{Type: row.ObjectType, ID: row.ObjectID, AuthorID: row.AuthorID, Author: row.Name, At: row.WrittenAt}
	}
	return written, nil
}
