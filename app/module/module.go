// Package module defines the optional interfaces of modules, and the one list of modules. The list finds the interfaces
// of each module by reflection; no other code names the module.
package module

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/prometheus/client_golang/prometheus"

	"countersign/api"
	"countersign/audit"
	"countersign/auth"
	"countersign/automation/action"
	"countersign/chat/conversation"
	"countersign/check/health"
	"countersign/event"
	"countersign/internal/durable"
	"countersign/internal/notice"
	"countersign/internal/principal"
	"countersign/internal/process"
	"countersign/internal/secret"
	"countersign/internal/store"
	"countersign/internal/store/chore"
	"countersign/tool"
)

// Interfaces that a module can implement.
type (
	// Rules declares access rules.
	Rules interface{ Rules() []principal.Rule }
	// Routes declares operations of the REST API.
	Routes = api.Routes
	// Streams serves event streams of the REST API.
	Streams = api.Streams
	// Tools has tools, for the assistant and for programs.
	Tools interface{ Tools() []tool.Tool }
	// Playbooks has sections of the system prompt about its tools.
	Playbooks interface{ Playbooks() []tool.Playbook }
	// Sources has tools that are added and removed at run time, such as user-made ones.
	Sources interface{ Sources() []tool.Source }
	// Chores has periodic jobs, which run once in the installation.
	Chores interface{ Chores() []chore.Chore }
	// Loops has background work, which each process of a role does for its whole life.
	Loops interface{ Loops() []process.Loop }
	// Subscriptions receives notifications of PostgreSQL, in each process.
	Subscriptions interface{ Subscriptions() store.Subscriptions }
	// Metrics has metrics, which each process serves.
	Metrics interface{ Collectors() []prometheus.Collector }
	// Sealed has sealed values, which `countersign secrets rotate` seals with the newest key.
	Sealed interface{ Sealed() []secret.Sealed }
	// Workflows has workflows, each with its steps and its task queue.
	Workflows interface{ Workflows() []durable.Registration }
	// EventTypes has event types: payload schema, subject kind, and who may see a subject.
	EventTypes interface{ EventTypes() []event.Type }
	// Consumers has event consumers.
	Consumers interface{ Consumers() []event.Consumer }
	// Actions has what automations can do.
	Actions interface{ Actions() []action.Action }
	// Health has sources of overrides, which make systems worse than their checks say (Services.Health).
	Health interface{ Health() []health.Source }
	// Notices has kinds of records that people are notified about (Services.Notices tells them).
	Notices interface{ Notices() []notice.Subject }
	// Mutes mutes systems: notices about them wait.
	Mutes = notice.Mutes
	// Erases stores personal data, which a privacy request deletes.
	Erases = conversation.Eraser
	// Objects has records with grants.
	Objects = auth.Objects
	// Audited has audited objects, and checks who can see one.
	Audited interface{ Audited() []audit.Kind }
	// SecretUsers has records that refer to secrets by name.
	SecretUsers interface {
		// SecretUsers returns them as far as the principal of the context may see them.
		SecretUsers(ctx context.Context, name string) ([]secret.User, error)
	}
	// Protocol serves MCP clients more than tools, records and skills, with the protocol's library.
	Protocol interface{ Protocol(server *mcp.Server) }
	// OnRemoved stores data about records of other modules. It is called in the transaction that deletes a record with
	// grants, a model connection, a conversation, a memory, a skill, a secret, a user, an application, a team or a role; an
	// error rolls that back. The kind is the record's type in the audit log, such as catalog.system, or access.SignIns for a
	// user whose sessions end.
	OnRemoved interface {
		OnRemoved(ctx context.Context, kind string, id uuid.UUID) error
	}
	// OnSystemsChanged follows systems. The catalog calls it in the transaction that changes names, metadata or
	// environments of systems, or the definitions of these environments; an error rolls that back.
	OnSystemsChanged interface {
		OnSystemsChanged(ctx context.Context, systems []uuid.UUID) error
	}
)

// offers lists the interfaces.
func offers() []reflect.Type {
	return []reflect.Type{
		reflect.TypeFor[Rules](),
		reflect.TypeFor[Routes](),
		reflect.TypeFor[Streams](),
		reflect.TypeFor[Tools](),
		reflect.TypeFor[Playbooks](),
		reflect.TypeFor[Sources](),
		reflect.TypeFor[Chores](),
		reflect.TypeFor[Loops](),
		reflect.TypeFor[Subscriptions](),
		reflect.TypeFor[Metrics](),
		reflect.TypeFor[Sealed](),
		reflect.TypeFor[Workflows](),
		reflect.TypeFor[EventTypes](),
		reflect.TypeFor[Consumers](),
		reflect.TypeFor[Actions](),
		reflect.TypeFor[Health](),
		reflect.TypeFor[Notices](),
		reflect.TypeFor[Mutes](),
		reflect.TypeFor[Erases](),
		reflect.TypeFor[Objects](),
		reflect.TypeFor[Audited](),
		reflect.TypeFor[Protocol](),
		reflect.TypeFor[OnRemoved](),
		reflect.TypeFor[SecretUsers](),
		reflect.TypeFor[OnSystemsChanged](),
	}
}

// List is the list of modules in the order of their addition.
type List struct {
	parts []any
}

// Add appends modules. It refuses a module without any of the interfaces, and one whose method has the name but not the
// signature of an interface: it would silently be ignored.
func (l *List) Add(parts ...any) error {
	var failed []error
	for _, part := range parts {
		failed = append(failed, check(part))
		l.parts = append(l.parts, part)
	}
	return errors.Join(failed...)
}

func check(part any) error {
	t := reflect.TypeOf(part)
	if t == nil {
		return errors.New("a part is nil")
	}
	offered := false
	var failed []error
	for _, offer := range offers() {
		if t.Implements(offer) {
			offered = true
			continue
		}
		// Interfaces with several methods share method names with other types; a single method is meant as the
		// interface.
		if method := offer.Method(0); offer.NumMethod() == 1 {
			if other, ok := t.MethodByName(method.Name); ok {
				const message = "%v: %s is %v and not %v, so it would not be used"
				failed = append(failed, fmt.Errorf(message, t, method.Name, other.Type, method.Type))
			}
		}
	}
	if !offered && len(failed) == 0 {
		return fmt.Errorf("%v offers nothing", t)
	}
	return errors.Join(failed...)
}

// having returns the modules that implement an interface.
func having[Offer any](l *List) []Offer {
	var found []Offer
	for _, part := range l.parts {
		if o, ok := part.(Offer); ok {
			found = append(found, o)
		}
	}
	return found
}

// all collects the items that modules offer by an interface.
func all[Offer, Item any](l *List, items func(Offer) []Item) []Item {
	var found []Item
	for _, o := range having[Offer](l) {
		found = append(found, items(o)...)
	}
	return found
}

// Rules returns the access rules of all modules.
func (l *List) Rules() []principal.Rule { return all(l, Rules.Rules) }

// Tools returns the tools of all modules.
func (l *List) Tools() []tool.Tool { return all(l, Tools.Tools) }

// Playbooks returns the playbooks of all modules.
func (l *List) Playbooks() []tool.Playbook { return all(l, Playbooks.Playbooks) }

// Sources returns the tool sources of all modules.
func (l *List) Sources() []tool.Source { return all(l, Sources.Sources) }

// Chores returns the chores of all modules.
func (l *List) Chores() []chore.Chore { return all(l, Chores.Chores) }

// Loops returns the background work of all modules.
func (l *List) Loops() []process.Loop { return all(l, Loops.Loops) }

// Subscriptions returns the subscriptions of each module.
func (l *List) Subscriptions() []store.Subscriptions {
	var found []store.Subscriptions
	for _, o := range having[Subscriptions](l) {
		found = append(found, o.Subscriptions())
	}
	return found
}

// RegisterMetrics adds the metrics of all modules to the registry of a process. A name that is taken is an error that
// names both parts.
func (l *List) RegisterMetrics(registry prometheus.Registerer) error {
	var held []metricsOf
	for _, part := range having[Metrics](l) {
		its := metricsOf{part, prometheus.NewRegistry()}
		held = append(held, its)
		for _, c := range part.Collectors() {
			if err := registry.Register(c); err != nil {
				return fmt.Errorf("%s and %T have a metric of the same name: %w", holder(held, c), part, err)
			}
			its.MustRegister(c)
		}
	}
	return nil
}

// metricsOf are those of one module.
type metricsOf struct {
	part Metrics
	*prometheus.Registry
}

// holder is the part that has the name of a metric.
func holder(held []metricsOf, c prometheus.Collector) string {
	for _, its := range held {
		if its.Register(c) != nil {
			return fmt.Sprintf("%T", its.part)
		}
	}
	return "the process"
}

// Sealed returns the sealed values of all modules.
func (l *List) Sealed() []secret.Sealed { return all(l, Sealed.Sealed) }

// Workflows returns the workflows of all modules.
func (l *List) Workflows() []durable.Registration { return all(l, Workflows.Workflows) }

// WorkflowsOn returns those of a task queue.
func (l *List) WorkflowsOn(q durable.Queue) []durable.Registration {
	return slices.DeleteFunc(l.Workflows(), func(r durable.Registration) bool { return r.Queue != q })
}

// EventTypes returns the event types of all modules.
func (l *List) EventTypes() []event.Type { return all(l, EventTypes.EventTypes) }

// Consumers returns the event consumers of all modules.
func (l *List) Consumers() []event.Consumer { return all(l, Consumers.Consumers) }

// Actions returns the actions of all modules.
func (l *List) Actions() []action.Action { return all(l, Actions.Actions) }

// CheckActions checks the actions of all modules, alone and among each other. An error names the modules.
func (l *List) CheckActions() error {
	var set action.Set
	var failed []error
	for _, part := range having[Actions](l) {
		failed = append(failed, set.Add(fmt.Sprintf("%T", part), part.Actions()...))
	}
	return errors.Join(failed...)
}

// Health returns the health sources of all modules.
func (l *List) Health() []health.Source { return all(l, Health.Health) }

// Notices returns the kinds of records that people are notified about.
func (l *List) Notices() []notice.Subject { return all(l, Notices.Notices) }

// Muted implements notice.Mutes: it asks all modules.
func (l *List) Muted(ctx context.Context, systems []uuid.UUID) ([]notice.Mute, error) {
	var muted []notice.Mute
	for _, o := range having[Mutes](l) {
		found, err := o.Muted(ctx, systems)
		if err != nil {
			return nil, fmt.Errorf("%T: %w", o, err)
		}
		muted = append(muted, found...)
	}
	return muted, nil
}

// Routes returns the modules with operations.
func (l *List) Routes() []Routes { return having[Routes](l) }

// Streams returns the modules with event streams.
func (l *List) Streams() []Streams { return having[Streams](l) }

// Objects returns the modules with granted records.
func (l *List) Objects() []Objects { return having[Objects](l) }

// Audited returns the audited object types of all modules.
func (l *List) Audited() []audit.Kind { return all(l, Audited.Audited) }

// Protocols returns the modules with MCP extensions.
func (l *List) Protocols() []Protocol { return having[Protocol](l) }

// Erasers implements conversation.Erasers.
func (l *List) Erasers() []conversation.Eraser { return having[Erases](l) }

// SecretUsers implements vault.Referrers.
func (l *List) SecretUsers(ctx context.Context, name string) ([]secret.User, error) {
	var users []secret.User
	for _, o := range having[SecretUsers](l) {
		found, err := o.SecretUsers(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("%T: %w", o, err)
		}
		users = append(users, found...)
	}
	return users, nil
}

// OnRemoved calls every module that stores data about records of others.
func (l *List) OnRemoved(ctx context.Context, kind string, id uuid.UUID) error {
	for _, o := range having[OnRemoved](l) {
		if err := o.OnRemoved(ctx, kind, id); err != nil {
			return fmt.Errorf("%T: %w", o, err)
		}
	}
	return nil
}

// OnSystemsChanged implements catalog.Followers.
func (l *List) OnSystemsChanged(ctx context.Context, systems []uuid.UUID) error {
	for _, o := range having[OnSystemsChanged](l) {
		if err := o.OnSystemsChanged(ctx, systems); err != nil {
			return fmt.Errorf("%T: %w", o, err)
		}
	}
	return nil
}
