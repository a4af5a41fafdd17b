// Package automation runs automations: definitions that people write, which act in the name of an application when
// something happens. A definition is a revision that never changes; a run is a workflow that interprets one (package run);
// rows say what has been done. It also has the tools with which the scripts of automations are written.
package automation

import (
	"context"
	"embed"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/google/uuid"

	"countersign/automation/action"
	"countersign/automation/definition"
	"countersign/check/health"
	"countersign/event"
	"countersign/internal/access"
	"countersign/internal/durable"
	"countersign/internal/json/schema"
	"countersign/internal/principal"
	"countersign/internal/store"
	"countersign/internal/store/exactlyonce"
	"countersign/modules/automation/automationdb"
	"countersign/script"
	"countersign/script/sdk"
	"countersign/tool"
	"countersign/tool/kit"
)

//go:embed tool_*.md
var texts embed.FS

//go:embed playbook.md
var playbook string

// Applications are those that automations act as.
type Applications interface {
	// Application finds one with its current rules; problem.NotFound for one that is gone. active is false for a disabled one.
	Application(ctx context.Context, id uuid.UUID) (name string, active bool, rules []string, err error)
	Names(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error)
	// All lists them by name.
	All(ctx context.Context) ([]Named, error)
	// Holds refuses an actor who lacks any right of the application.
	Holds(ctx context.Context, actor principal.Principal, id uuid.UUID, purpose string) error
}

// Runs lets applications act in runs, without a token.
type Runs interface {
	// Begin is idempotent. An application that may not act, or a revoked revision, is problem.Forbidden.
	Begin(ctx context.Context, a Acting) error
	// Principal is problem.Unauthorized once the application may not act in the run any more.
	Principal(ctx context.Context, run uuid.UUID) (principal.Principal, error)
	End(ctx context.Context, run uuid.UUID) error
}

// Acting says who acts in a run, by which definition, and who has written that.
type Acting struct {
	Run, Application, Author uuid.UUID
	Definition               principal.Definition
}

// Health reads the health of systems.
type Health interface {
	// Systems returns what expressions see of systems, by id. Those that the principal of ctx may not see are missing like unknown
	// ones.
	Systems(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]SystemHealth, error)
}

// SystemHealth is what expressions see of a system.
type SystemHealth struct {
	ID            uuid.UUID `json:"id"`
	Name          string    `json:"name"`
	Status        string    `json:"status"`
	InStatusForMs int64     `json:"in_status_for_ms"`
	InMaintenance bool      `json:"in_maintenance"`
}

// Options are the dependencies of a Module.
type Options struct {
	DB  *store.DB
	Log *slog.Logger

	Tester script.Tester
	Once   *exactlyonce.Ledger

	Engine       durable.Engine
	Events       event.Appender
	Runs         Runs
	Applications Applications
	Health       Health
	// Types are the event types of the product, and Actions what its parts can do. They know all after the list of modules is
	// complete.
	Types   func() *event.Registry
	Actions func() []action.Action
	// Caller makes the client of an application that acts in a run.
	Caller func(p principal.Principal) tool.Caller
	// Zone is the time zone of schedules that name none; "" refuses them.
	Zone string
	// Names are those of people.
	Names interface {
		Names(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error)
	}
	Removed access.OnRemoved
	// Poll is the fallback polling interval of the loops; a second when zero.
	Poll time.Duration
}

// Module has the operations, tools, workflow and access rules of automations.
type Module struct {
	script.Authoring

	service *service
}

// New makes the module.
func New(o Options) *Module {
	if o.Poll == 0 {
		o.Poll = time.Second
	}
	s := &service{Options: o, db: o.DB, notifier: event.NewNotifier(), revisions: newRevisions()}
	s.catalog, s.configs = sync.OnceValue(s.readCatalog), sync.OnceValue(s.readConfigs)
	return &Module{service: s, Authoring: script.Authoring{
		Module: "automation", Rule: Manage, Contexts: Contexts(), Tester: o.Tester, Once: o.Once, Texts: texts,
		Config: "Left out: actions have no configuration of their own. Use sampleContext.",
	}}
}

// Contexts are the contexts in which automation scripts live.
func Contexts() []sdk.Context { return []sdk.Context{sdk.ActionScript, sdk.ActionShell} }

// Playbooks are the sections of the system prompt about automations.
func (*Module) Playbooks() []tool.Playbook {
	return []tool.Playbook{kit.NewPlaybook("automation", playbook, "automation.propose")}
}

type service struct {
	Options

	db        *store.DB
	notifier  *event.Notifier
	index     index
	revisions *revisions
	// catalog is what definitions may name, and configs are the schemas of configs by action: both are the same for the life of
	// the process, and known after its start.
	catalog func() definition.Catalog
	configs func() map[string]*schema.Document
	// checked is the run up to which reconcile has looked.
	checked uuid.UUID
}

func (s *service) queries(ctx context.Context) *automationdb.Queries {
	return automationdb.New(s.db.Conn(ctx))
}

func (s *service) readCatalog() definition.Catalog {
	c := definition.Catalog{
		Events: map[string]definition.Event{}, Actions: map[string]action.Action{}, DefaultZone: s.Zone,
		Health: action.Config[SystemHealth](),
	}
	for _, t := range s.Types().Types() {
		c.Events[t.ID] = definition.Event{Schema: t.Schema, Subject: subjectOf(t), Opposites: t.Opposites}
	}
	maps.Copy(c.Events, builtIn())
	for _, a := range s.Actions() {
		c.Actions[a.ID] = a
	}
	return c
}

func (s *service) readConfigs() map[string]*schema.Document {
	configs := map[string]*schema.Document{}
	for id, a := range s.catalog().Actions {
		// The list of modules has checked the schemas at the start.
		if document, err := schema.Parse(a.Config); err == nil {
			configs[id] = document
		}
	}
	return configs
}

// subjectOf is the kind of record that events of a type are about, as definitions call it.
func subjectOf(t event.Type) string {
	if t.Subject == health.SubjectSystem {
		return "catalog.system"
	}
	return t.Subject
}
