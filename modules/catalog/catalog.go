// Package catalog is what the organisation runs: systems, the groups that put them together, the environments they run
// in, and for each system its owner teams, contacts and links.
//
// Everything is reached through the REST API that Routes declares; the tools go through it as the person who asks, so
// there is one set of checks. The service below the routes validates, leaves access to package access (rules of roles,
// grants on single records, the private marker) and writes each change in one transaction, joining one that the
// request already has. A record has a revision that rises with every change of what it shows of itself; a caller may
// name the revision a change is based on, and is refused when there is a newer one. Names are unique whatever their
// case, and a name that is taken is a conflict that names the other record to those who may see it.
//
// Teams, grants and users belong to others; the package meets them through the interfaces Grants and Directory.
package catalog

import (
	"context"

	"github.com/google/uuid"

	"countersign/access"
	"countersign/modules/catalog/catalogdb"
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

// Grants are what teams, people and applications hold on single records, beside the rules of their roles.
type Grants interface {
	// Owners lists the teams that own each of the objects.
	Owners(ctx context.Context, objectType string, ids []uuid.UUID) (map[uuid.UUID][]Owner, error)
	// SetOwner makes a team the only owning team of an object; uuid.Nil takes the owner away. A team that does not
	// exist is problem.Invalid.
	SetOwner(ctx context.Context, objectType string, id, teamID uuid.UUID) error
	// Remove deletes everything that is kept about an object.
	Remove(ctx context.Context, objectType string, id uuid.UUID) error
}

var (
	systemKind      = access.Kind{Noun: "system", Plural: "systems", ObjectType: "catalog.system", Read: SystemRead, Manage: SystemManage}
	groupKind       = access.Kind{Noun: "group", Plural: "groups", ObjectType: "catalog.group", Read: GroupRead, Manage: GroupManage}
	environmentKind = access.Kind{Noun: "environment", Plural: "environments", Read: EnvironmentRead, Manage: EnvironmentManage}
)

// Module is the catalog: its operations, its tools and its access rules.
type Module struct {
	service *service
}

// Options are what a Module works with.
type Options struct {
	DB        *store.DB
	Grants    Grants
	Directory Directory
	// Followers store data about systems; nil when nothing does.
	Followers Followers
}

// New makes the catalog.
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
