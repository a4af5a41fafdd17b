// Package module says what a part of the product may offer, and keeps the one list of all parts. What offers something is
// asked for it; nothing else has to know that it exists.
package module

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"countersign/api"
	"countersign/auth"
	"countersign/chat/conversation"
	"countersign/event"
	"countersign/principal"
	"countersign/store/chore"
	"countersign/tool"
	"countersign/tool/audit"
)

// A part offers any of these.
type (
	// Rules declares access rules.
	Rules interface{ Rules() []principal.Rule }
	// Routes declares operations of the REST API.
	Routes = api.Routes
	// Streams serves event streams of the REST API.
	Streams = api.Streams
	// Tools has tools, for the assistant and for programs.
	Tools interface{ Tools() []tool.Tool }
	// Sources has tools that come and go while the product runs, such as those that people make.
	Sources interface{ Sources() []tool.Source }
	// Chores has to be done now and then, once in the installation.
	Chores interface{ Chores() []chore.Chore }
	// Consumers follows events.
	Consumers interface{ Consumers() []event.Consumer }
	// Erases keeps something of a person, which a privacy request deletes.
	Erases = conversation.Eraser
	// Objects has records on which grants can be held.
	Objects = auth.Objects
	// Audited has objects that the audit log tells about, and says who may see one.
	Audited interface{ Audited() []audit.Kind }
	// Protocol serves MCP clients something that is no tool, no record and no skill, on the library of the protocol.
	Protocol interface{ Protocol(server *mcp.Server) }
	// OnSystemRemoved keeps something about systems. It is told in the transaction in which the catalog deletes one; an
	// error takes everything back.
	OnSystemRemoved interface {
		OnSystemRemoved(ctx context.Context, system uuid.UUID) error
	}
	// OnSystemsChanged keeps what follows systems. It is told in the transaction in which the catalog changes names,
	// metadata or environments of systems, or what these environments are; an error takes everything back.
	OnSystemsChanged interface {
		OnSystemsChanged(ctx context.Context, systems []uuid.UUID) error
	}
)

// offers are all of them.
func offers() []reflect.Type {
	return []reflect.Type{
		reflect.TypeFor[Rules](),
		reflect.TypeFor[Routes](),
		reflect.TypeFor[Streams](),
		reflect.TypeFor[Tools](),
		reflect.TypeFor[Sources](),
		reflect.TypeFor[Chores](),
		reflect.TypeFor[Consumers](),
		reflect.TypeFor[Erases](),
		reflect.TypeFor[Objects](),
		reflect.TypeFor[Audited](),
		reflect.TypeFor[Protocol](),
		reflect.TypeFor[OnSystemRemoved](),
		reflect.TypeFor[OnSystemsChanged](),
	}
}

// List is the parts of the product in the order in which they were added.
type List struct {
	parts []any
}

// Add puts parts at the end of the list. One that offers nothing is an error, and so is one with a method that is named as
// in an offer but is another: nobody would ask for it.
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
	for _, offer := range offers() {
		if t.Implements(offer) {
			offered = true
			continue
		}
		// An offer of several methods shares their names with other things; one of a single method is meant by it.
		if method := offer.Method(0); offer.NumMethod() == 1 {
			if other, ok := t.MethodByName(method.Name); ok {
				return fmt.Errorf("%v: %s is %v and not %v, so it would not be used", t, method.Name, other.Type, method.Type)
			}
		}
	}
	if !offered {
		return fmt.Errorf("%v offers nothing", t)
	}
	return nil
}

// having are the parts that offer something.
func having[Offer any](l *List) []Offer {
	var found []Offer
	for _, part := range l.parts {
		if o, ok := part.(Offer); ok {
			found = append(found, o)
		}
	}
	return found
}

// all is what every part offers of one sort.
func all[Offer, Item any](l *List, items func(Offer) []Item) []Item {
	var found []Item
	for _, o := range having[Offer](l) {
		found = append(found, items(o)...)
	}
	return found
}

// Rules are the access rules of all parts.
func (l *List) Rules() []principal.Rule { return all(l, Rules.Rules) }

// Tools are the tools of all parts.
func (l *List) Tools() []tool.Tool { return all(l, Tools.Tools) }

// Sources are the sources of tools of all parts.
func (l *List) Sources() []tool.Source { return all(l, Sources.Sources) }

// Chores are the chores of all parts.
func (l *List) Chores() []chore.Chore { return all(l, Chores.Chores) }

// Consumers are the consumers of events of all parts.
func (l *List) Consumers() []event.Consumer { return all(l, Consumers.Consumers) }

// Routes are the parts with operations.
func (l *List) Routes() []Routes { return having[Routes](l) }

// Streams are the parts with event streams.
func (l *List) Streams() []Streams { return having[Streams](l) }

// Objects are the parts with records on which grants can be held.
func (l *List) Objects() []Objects { return having[Objects](l) }

// Audited are the kinds of objects of all parts that the audit log tells about.
func (l *List) Audited() []audit.Kind { return all(l, Audited.Audited) }

// Protocols are the parts that speak one of their own.
func (l *List) Protocols() []Protocol { return having[Protocol](l) }

// Erasers implements conversation.Erasers.
func (l *List) Erasers() []conversation.Eraser { return having[Erases](l) }

// OnSystemRemoved tells every part that keeps something about systems. With OnSystemsChanged it implements catalog.Followers.
func (l *List) OnSystemRemoved(ctx context.Context, system uuid.UUID) error {
	for _, o := range having[OnSystemRemoved](l) {
		if err := o.OnSystemRemoved(ctx, system); err != nil {
			return fmt.Errorf("%T: %w", o, err)
		}
	}
	return nil
}

// OnSystemsChanged tells every part that follows systems.
func (l *List) OnSystemsChanged(ctx context.Context, systems []uuid.UUID) error {
	for _, o := range having[OnSystemsChanged](l) {
		if err := o.OnSystemsChanged(ctx, systems); err != nil {
			return fmt.Errorf("%T: %w", o, err)
		}
	}
	return nil
}
