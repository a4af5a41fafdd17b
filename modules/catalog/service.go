// Package catalog is what the organisation runs: systems, the groups that put them together, the environments they run
// in, and for each system its owner teams, contacts and links.
//
// Everything is reached through the REST API that Routes declares; the tools go through it as the person who asks, so
// there is one set of checks. The service below the routes validates, decides access in one place (sight: rules of
// roles, grants on single records, the private marker) and writes each change in one transaction, joining one that the
// request already has. A record has a revision that rises with every change of what it shows of itself; a caller may
// name the revision a change is based on, and is refused when there is a newer one. Names are unique whatever their
// case, and a name that is taken is a conflict that names the other record to those who may see it.
//
// Teams, grants and users belong to others; the package meets them through the interfaces Grants and Directory.
package catalog

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"unicode/utf8"

	"github.com/google/uuid"

	"countersign/access"
	"countersign/modules/catalog/catalogdb"
	"countersign/problem"
	"countersign/store"
)

// Person is a user as a contact shows them.
type Person struct {
	Name  string
	Email string
}

// Directory knows the users of the product.
type Directory interface {
	// People looks users up; those who do not exist are missing from the answer.
	People(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]Person, error)
}

// Module is the catalog: its operations, its tools and its access rules.
type Module struct {
	service *service
}

// New makes the catalog on a database. removals is nil when nobody keeps anything about systems.
func New(db *store.DB, grants Grants, directory Directory, removals Removals) *Module {
	return &Module{service: &service{db: db, grants: grants, directory: directory, removals: removals}}
}

type service struct {
	db        *store.DB
	grants    Grants
	directory Directory
	removals  Removals
}

func (s *service) queries(ctx context.Context) *catalogdb.Queries {
	return catalogdb.New(s.db.Conn(ctx))
}

// nameTaken is the conflict about a name; other is the record that has it, if the caller may see it.
func nameTaken(k access.Kind, name string, other *Reference) error {
	if other == nil {
		return problem.Errorf(problem.Conflict, "The %s name %s is taken. Choose another name.", k.Noun, name)
	}
	return problem.Errorf(problem.Conflict, "A %s named %s exists already (id %s). Choose another name or update that one.", k.Noun, other.Name, other.ID)
}

// takenBy finds out who has a name that an insert or a rename could not get.
func (v sight) takenBy(name string, id uuid.UUID, existing string, err error) error {
	if store.NoRows(err) || (err == nil && v.of(id) == access.None) {
		return nameTaken(v.kind, name, nil)
	}
	if err != nil {
		return fmt.Errorf("look up the name: %w", err)
	}
	return nameTaken(v.kind, name, &Reference{ID: id, Name: existing})
}

// Page bounds a list. Limit 0 means the default.
type Page struct {
	Limit  int
	Cursor string
}

// Limits of a page.
const (
	defaultPage = 200
	maxPage     = 500
)

// start is the name key after which the page begins, and how many rows to read: one more than the page holds, which
// tells whether there is another page.
func (p Page) start() (after string, rows int32, err error) {
	key, err := base64.RawURLEncoding.DecodeString(p.Cursor)
	if err != nil || !utf8.Valid(key) || bytes.ContainsRune(key, 0) {
		return "", 0, problem.UnknownCursor()
	}
	return string(key), int32(p.limit()) + 1, nil
}

func (p Page) limit() int {
	if p.Limit < 1 {
		return defaultPage
	}
	return min(p.Limit, maxPage)
}

// cut shortens rows to the page and returns the cursor of the next one, if there is any.
func cut[Row any](p Page, rows []Row, key func(Row) string) ([]Row, string) {
	limit := p.limit()
	if len(rows) <= limit {
		return rows, ""
	}
	rows = rows[:limit]
	return rows, base64.RawURLEncoding.EncodeToString([]byte(key(rows[limit-1])))
}

func newID() (uuid.UUID, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return uuid.UUID{}, fmt.Errorf("make an id: %w", err)
	}
	return id, nil
}
