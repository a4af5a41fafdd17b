// Package healthcheck manages health checks, their assignments to systems, system health, and the authoring of checks and scripts.
//
// A check is a record with access, revisions and history like those of the catalog. Its configuration uses the
// kinds of package check, whose validator serves form, REST, tools and import. A check runs once it is assigned to a system: rows
// of check_targets, one per environment, are planned in each transaction that changes checks, assignments, systems or environments
// (plan.go). Package check/engine runs them.
package healthcheck

import (
	"context"
	"embed"

	"github.com/google/uuid"

	"countersign/check"
	"countersign/check/health"
	"countersign/internal/access"
	"countersign/internal/store"
	"countersign/modules/healthcheck/healthcheckdb"
	"countersign/script"
	"countersign/script/sdk"
)

//go:embed tool_*.md
var texts embed.FS

// ObjectType is the object type of grants on single checks.
const ObjectType = "healthcheck.healthcheck"

var (
	checkKind = access.Kind{Noun: "health check", Plural: "checks", ObjectType: ObjectType, Read: Read, Manage: Manage}
	// statusKind is the access kind for the names and statuses of checks.
	statusKind = access.Kind{Noun: "health check", Plural: "checks", ObjectType: ObjectType, Read: StatusRead, Manage: Manage}
)

// Systems is the catalog, with the rights of the principal of the context.
type Systems interface {
	Sight(ctx context.Context) access.Sight
	// Lookup finds systems; missing and invisible ones are omitted.
	Lookup(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]access.Record, error)
	// Hold locks a visible system until the transaction ends; problem.NotFound without one.
	Hold(ctx context.Context, id uuid.UUID) (access.Record, error)
	// Browse lists systems by name, from the one after a name key, and reports whether there are more than the limit.
	Browse(ctx context.Context, selection Selection, after string, limit int) (systems []Named, more bool, err error)
	// GroupsOf returns the groups of systems that the caller may see, by name, and the ids of those of each system.
	GroupsOf(ctx context.Context, ids []uuid.UUID) (groups []BoardGroup, of map[uuid.UUID][]uuid.UUID, err error)
	// SeesEnvironments reports whether the caller may see names of environments.
	SeesEnvironments(ctx context.Context) bool
	// Find finds a visible system by name, whatever the case; nil without one.
	Find(ctx context.Context, name string) (*uuid.UUID, error)
	// Create creates a system, in the environments with these names.
	Create(ctx context.Context, name string, environments []string) (uuid.UUID, error)
	// Describe finds systems regardless of the caller; missing ones are omitted.
	Describe(ctx context.Context, ids []uuid.UUID) ([]System, error)
}

// Named is a system in a list.
type Named struct {
	ID   uuid.UUID
	Name string
	Tags []string
}

// System is the data of a system in checks, with its environments.
type System struct {
	Scope        check.SystemScope
	Environments []check.EnvironmentScope
}

// Grants are the grants on single checks.
type Grants interface {
	// Remove deletes all grants on an object.
	Remove(ctx context.Context, objectType string, id uuid.UUID) error
}

// StatusRecomputer updates the health of systems.
type StatusRecomputer interface {
	// Recompute updates the health of systems whose targets have changed, in the transaction of ctx. at is in milliseconds.
	Recompute(ctx context.Context, systems []uuid.UUID, at int64) error
	// SettleLocated updates targets that run from several locations, and their systems, in the transaction of ctx.
	SettleLocated(ctx context.Context, targets []int32, at int64) error
}

// Secrets is the vault, with the rights of the principal in the context.
type Secrets interface {
	// Exist returns nil when all these secrets exist, and also for a caller who may not know.
	Exist(ctx context.Context, names []string) error
}

// ScriptChecker checks sources of scripts.
type ScriptChecker interface {
	// CheckSource returns what is wrong with a source in typescript or shell, "" for nothing.
	CheckSource(ctx context.Context, language, source string) (string, error)
}

// Options configure a Module.
type Options struct {
	DB      *store.DB
	Kinds   Kinds
	Systems Systems
	Grants  Grants
	Secrets Secrets
	Tester  script.Tester
	// Scripts checks sources of scripts before they are saved; nil accepts all, for tests of other things.
	Scripts ScriptChecker
	// Shards is the number of shards of the check engine.
	Shards int
	// Runs requests immediate runs.
	Runner Runner
	// History queries stored results.
	History History
	// Draft holds the dependencies and limits of draft runs.
	Draft Drafting
	// Settler updates the health of systems.
	Settler StatusRecomputer
	// Sources are the declared sources of overrides.
	Sources *health.Sources
	// Planned tells of planned work on systems; nil for none.
	Planned Planned
	// Keeper applies the retention of check history.
	Keeper Keeper
	// Heartbeats receives reports of jobs at URL, the public URL of the product without a trailing slash. Address
	// derives the rate-limit key of a client from its connection's address and the header X-Forwarded-For.
	Heartbeats Heartbeats
	URL        string
	Address    func(remoteAddr, forwardedFor string) string
}

// Module is the health checks module: operations, tools and access rules.
type Module struct {
	script.Authoring

	service *service
}

// New makes the module.
func New(o Options) *Module {
	s := &service{Options: o}
	type queries = *healthcheckdb.Queries
	s.checks = access.Table[queries, healthcheckdb.HealthCheck]{
		Kind: checkKind, DB: o.DB, Queries: s.queries, Find: queries.Check, Lock: queries.LockCheck, Bump: queries.BumpCheck,
		Named: queries.CheckByNameKey, Guesses: &access.Guesses{DB: o.DB, Record: recordGuess},
		Head: func(r healthcheckdb.HealthCheck) access.Head {
			return access.Head{ID: r.ID, Name: r.Name, Revision: r.Revision}
		},
	}
	return &Module{
		Authoring: script.Authoring{
			Module: "healthcheck", Rule: Manage, Contexts: Contexts(), Tester: o.Tester, Once: o.Draft.Once, Texts: texts,
			Config: "The configuration that the check is told in context.config. TypeScript only.",
		},
		service: s,
	}
}

// Contexts returns the script contexts of health checks.
func Contexts() []sdk.Context { return []sdk.Context{sdk.HealthCheckScript, sdk.HealthCheckShell} }

type service struct {
	Options

	checks access.Table[*healthcheckdb.Queries, healthcheckdb.HealthCheck]
}

func (s *service) queries(ctx context.Context) *healthcheckdb.Queries {
	return healthcheckdb.New(s.DB.Conn(ctx))
}
