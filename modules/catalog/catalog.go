// Package catalog manages the systems of the organisation, their groups and environments, and for each system its
// owner team, contacts and links.
//
// All access goes through the REST API that Routes declares; tools call it as the requesting person, so the checks
// exist once. The service validates, delegates access to package access (rules of roles, grants on single records,
// the private marker) and writes each change in one transaction, or joins the request's. Each record has a revision
// for optimistic concurrency: a change based on an older one is refused. Names are unique ignoring case; a conflict
// names the other record to callers who see it.
//
// Teams, grants and users belong to other modules, reached through the interfaces Grants and Directory.
package catalog

import (
	"context"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/internal/store"
	"countersign/modules/catalog/catalogdb"
)

// Person is a user in a contact.
type Person struct {
	Name  string
	Email string
}

// Directory looks up the users of the product.
type Directory interface {
	// People returns users by id; missing users are left out.
	People(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]Person, error)
}

// Grants manages the grants of teams, people and applications on single records.
type Grants interface {
	// Owners lists the teams that own each of the objects.
	Owners(ctx context.Context, objectType string, ids []uuid.UUID) (map[uuid.UUID][]Owner, error)
	// SetOwner makes a team the only owner team of an object; uuid.Nil removes the owner. A missing team is
	// problem.Invalid.
	SetOwner(ctx context.Context, objectType string, id, teamID uuid.UUID) error
	// Remove deletes all grants on an object.
	Remove(ctx context.Context, objectType string, id uuid.UUID) error
}

var (
	systemKind      = access.Kind{Noun: "system", Plural: "systems", ObjectType: "catalog.system", Read: SystemRead, Manage: SystemManage}
	groupKind       = access.Kind{Noun: "group", Plural: "groups", ObjectType: "catalog.group", Read: GroupRead, Manage: GroupManage}
	environmentKind = access.Kind{Noun: "environment", Plural: "environments", Read: EnvironmentRead, Manage: EnvironmentManage}
)

// Module provides the catalog's operations, tools and access rules.
type Module struct {
	service *service
}

// Options are the dependencies of a Module.
type Options struct {
	DB        *store.DB
	Grants    Grants
	Directory Directory
	// Followers store data about systems; nil when nothing does.
	Followers Followers
}

// New creates the catalog.
func New(o Options) *Module {
	db := o.DB
	s := &service{db: db, grants: o.Grants, directory: o.Directory, followers: o.Followers}
	guesses := &access.Guesses{DB: db, Record: recordGuess}
	type queries = *catalogdb.Queries
	s.systems = access.Table[queries, catalogdb.CatalogSystem]{
		Kind: systemKind, DB: db, Queries: s.queries, Find: queries.System, Lock: queries.LockSystem, Bump: queries.BumpSystem,
		Named: queries.SystemByNameKey, Guesses: guesses,
		Head: func(r catalogdb.CatalogSystem) access.Head {
			return access.Head{ID: r.ID, Name: r.Name, Revision: r.Revision}
		},
	}
	s.groups = access.Table[queries, catalogdb.CatalogGroup]{
		Kind: groupKind, DB: db, Queries: s.queries, Find: queries.Group, Lock: queries.LockGroup, Bump: queries.BumpGroup,
		Named: queries.GroupByNameKey, Guesses: guesses,
		Head: func(r catalogdb.CatalogGroup) access.Head {
			return access.Head{ID: r.ID, Name: r.Name, Revision: r.Revision}
		},
	}
	s.environments = access.Table[queries, catalogdb.CatalogEnvironment]{
		Kind:    environmentKind,
		DB:      db,
		Queries: s.queries,
		Find:    queries.Environment,
		Lock:    queries.LockEnvironment,
		Bump:    queries.BumpEnvironment,
		Named:   queries.EnvironmentByNameKey,
		Guesses: guesses,
		Head: func(r catalogdb.CatalogEnvironment) access.Head {
			return access.Head{ID: r.ID, Name: r.Name, Revision: r.Revision}
		},
	}
	return &Module{service: s}
}

type service struct {
	db           *store.DB
	grants       Grants
	directory    Directory
	followers    Followers
	systems      access.Table[*catalogdb.Queries, catalogdb.CatalogSystem]
	groups       access.Table[*catalogdb.Queries, catalogdb.CatalogGroup]
	environments access.Table[*catalogdb.Queries, catalogdb.CatalogEnvironment]
}

func (s *service) queries(ctx context.Context) *catalogdb.Queries {
	return catalogdb.New(s.db.Conn(ctx))
}
