package event

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	generate "github.com/invopop/jsonschema"

	"countersign/internal/principal"
	"countersign/internal/problem"
)

// Bounds of an event.
const (
	MaxPayloadBytes = 16 << 10
	maxKeyBytes     = 200
)

// Type is a type of events: its names for people and automations, its payload schema, and its access rule.
type Type struct {
	// ID is stable, such as healthcheck.system_degraded.
	ID string
	// Name and Description are for people and models.
	Name, Description string
	// Rule is the access rule to see such an event.
	Rule string
	// Subject is the kind of the subject, which is this, a colon and a UUID.
	Subject string
	// See checks whether the principal of the context may see the subject, beyond Rule.
	See See
	// Opposites are the types of events about the same subject that end the state which this one announces, such as
	// healthcheck.system_healthy for healthcheck.system_degraded. The type itself is one where each event announces another state.
	// Without any, nothing can wait for the state to last.
	Opposites []string
	// Schema is the closed JSON schema of the payload.
	Schema json.RawMessage

	payload reflect.Type
	redact  redactor
}

// redactor returns payloads as the principal of the context may see them, nil for those that it may not see at all.
type redactor func(ctx context.Context, payloads []json.RawMessage) ([]json.RawMessage, error)

// See returns problem.NotFound for a subject that the principal of the context may not see.
type See func(ctx context.Context, subject uuid.UUID) error

// SeeAll is for subjects that everybody with the rule of the type may see.
func SeeAll(context.Context, uuid.UUID) error { return nil }

// checker is a payload with rules beyond its types.
type checker interface{ Check() error }

// Define makes a type whose payload is a P. It panics when P has no schema, which a test over all types would show.
func Define[P any](t Type) Type {
	t.payload = reflect.TypeFor[P]()
	if t.payload.Kind() != reflect.Struct {
		panic(fmt.Sprintf("the payload of %s is no struct", t.ID))
	}
	reflector := generate.Reflector{Anonymous: true, DoNotReference: true, ExpandedStruct: true, Mapper: describeType}
	described := reflector.ReflectFromType(t.payload)
	described.Version = ""
	schema, err := json.Marshal(described)
	if err != nil {
		panic(fmt.Sprintf("schema of %s: %v", t.ID, err))
	}
	t.Schema = schema
	return t
}

// WithRedaction returns a type, defined with a P, whose payload names more than the subject. redact returns each payload as the
// principal of the context may see it: without what it names that the principal may not see, nil when nothing is left. Readers get
// no payload that it has not returned.
func WithRedaction[P any](t Type, redact func(ctx context.Context, payloads []P) ([]*P, error)) Type {
	t.redact = func(ctx context.Context, raw []json.RawMessage) ([]json.RawMessage, error) {
		payloads, redacted := make([]P, len(raw)), make([]json.RawMessage, len(raw))
		for i := range raw {
			if err := json.Unmarshal(raw[i], &payloads[i]); err != nil {
				return nil, fmt.Errorf("read payload of %s: %w", t.ID, err)
			}
		}
		shown, err := redact(ctx, payloads)
		if err != nil {
			return nil, err
		}
		for i, p := range shown {
			if p == nil {
				continue
			}
			if redacted[i], err = json.Marshal(p); err != nil {
				return nil, fmt.Errorf("write payload of %s: %w", t.ID, err)
			}
		}
		return redacted, nil
	}
	return t
}

func describeType(t reflect.Type) *generate.Schema {
	switch t {
	case reflect.TypeFor[uuid.UUID]():
		return &generate.Schema{Type: "string", Format: "uuid"}
	case reflect.TypeFor[time.Time]():
		return &generate.Schema{Type: "string", Format: "date-time"}
	default:
		return nil
	}
}

// Registry is a list of types.
type Registry struct {
	types []Type
	byID  map[string]Type
}

// NewRegistry makes a list.
func NewRegistry(types ...Type) (*Registry, error) {
	r := &Registry{byID: map[string]Type{}}
	return r, r.Declare(types...)
}

// Declare adds types, while the product is put together.
func (r *Registry) Declare(types ...Type) error {
	var failed []error
	for _, t := range types {
		if t.ID == "" || t.Name == "" || t.Description == "" || t.Rule == "" || t.Subject == "" || t.See == nil || t.payload == nil {
			const message = "event type %q lacks a name, a description, a rule, a subject, its check or a payload"
			failed = append(failed, fmt.Errorf(message, t.ID))
		}
		if _, twice := r.byID[t.ID]; twice {
			failed = append(failed, fmt.Errorf("event type %q is there twice", t.ID))
		}
		r.types, r.byID[t.ID] = append(r.types, t), t
	}
	for _, t := range types {
		failed = append(failed, r.checkOpposites(t))
	}
	return errors.Join(failed...)
}

func (r *Registry) checkOpposites(t Type) error {
	for _, id := range t.Opposites {
		switch opposite, ok := r.byID[id]; {
		case !ok:
			return fmt.Errorf("event type %q ends with %q, which does not exist", t.ID, id)
		case opposite.Subject != t.Subject:
			const message = "event type %q ends with %q, which is about another kind of subject: %s and not %s"
			return fmt.Errorf(message, t.ID, id, opposite.Subject, t.Subject)
		}
	}
	return nil
}

// Types returns all types, in their order.
func (r *Registry) Types() []Type { return slices.Clone(r.types) }

// Type is the one with the id.
func (r *Registry) Type(id string) (Type, bool) {
	t, ok := r.byID[id]
	return t, ok
}

// Readable returns those of the named types that p may see by rule; of all types, when none is named.
func (r *Registry) Readable(p principal.Principal, types ...string) []string {
	readable := []string{}
	for _, t := range r.types {
		if p.Has(t.Rule) && (len(types) == 0 || slices.Contains(types, t.ID)) {
			readable = append(readable, t.ID)
		}
	}
	return readable
}

// visible keeps the events about subjects that the reader may see.
func (r *Registry) visible(ctx context.Context, reader principal.Principal, events []Event) ([]Event, error) {
	ctx = principal.NewContext(ctx, reader)
	seen := map[[2]string]bool{}
	kept := []Event{}
	for _, e := range events {
		key := [2]string{e.Type, e.Subject}
		sees, known := seen[key]
		if !known {
			_, id, _ := strings.Cut(e.Subject, ":")
			subject, err := uuid.Parse(id)
			if err == nil {
				err = r.byID[e.Type].See(ctx, subject)
			}
			if err != nil && !problem.Is(err, problem.NotFound) {
				return nil, fmt.Errorf("look who may see %s: %w", e.Subject, err)
			}
			sees = err == nil
			seen[key] = sees
		}
		if sees {
			kept = append(kept, e)
		}
	}
	return kept, nil
}

// Shown returns an event with the payload that the reader may see; false for one that it may not see at all.
func (r *Registry) Shown(ctx context.Context, reader principal.Principal, e Event) (Event, bool, error) {
	if t, known := r.byID[e.Type]; !known || !reader.Has(t.Rule) {
		return Event{}, false, nil
	}
	shown, err := r.visible(ctx, reader, []Event{e})
	if err == nil {
		shown, err = r.redacted(ctx, reader, shown)
	}
	if err != nil || len(shown) == 0 {
		return Event{}, false, err
	}
	return shown[0], true, nil
}

// redacted returns events with the payloads that the reader may see, without those of which nothing is left.
func (r *Registry) redacted(ctx context.Context, reader principal.Principal, events []Event) ([]Event, error) {
	ctx = principal.NewContext(ctx, reader)
	byType := map[string][]int{}
	for i, e := range events {
		if r.byID[e.Type].redact != nil {
			byType[e.Type] = append(byType[e.Type], i)
		}
	}
	for id, places := range byType {
		payloads := make([]json.RawMessage, len(places))
		for n, i := range places {
			payloads[n] = events[i].Payload
		}
		shown, err := r.byID[id].redact(ctx, payloads)
		if err != nil {
			return nil, fmt.Errorf("redact payloads of %s: %w", id, err)
		}
		for n, i := range places {
			events[i].Payload = shown[n]
		}
	}
	return slices.DeleteFunc(events, func(e Event) bool { return e.Payload == nil }), nil
}

// encode validates and encodes the payload of an event. A mistake is that of the calling code, so it is a server fault.
func (r *Registry) encode(n New) (json.RawMessage, error) {
	t, ok := r.byID[n.Type]
	if !ok {
		return nil, fmt.Errorf("there is no type of events %q", n.Type)
	}
	if got := reflect.TypeOf(n.Payload); got != t.payload {
		return nil, fmt.Errorf("the payload of %s is a %v and not a %v", n.Type, t.payload, got)
	}
	if c, ok := n.Payload.(checker); ok {
		if err := c.Check(); err != nil {
			return nil, fmt.Errorf("payload of %s: %w", n.Type, err)
		}
	}
	kind, id, _ := strings.Cut(n.Subject, ":")
	if _, err := uuid.Parse(id); err != nil || kind != t.Subject {
		return nil, fmt.Errorf("the subject of %s is %s:<uuid> and not %q", n.Type, t.Subject, n.Subject)
	}
	if len(n.ContextKey) > maxKeyBytes {
		return nil, fmt.Errorf("the context key of %s has %d bytes, the limit is %d", n.Type, len(n.ContextKey), maxKeyBytes)
	}
	payload, err := json.Marshal(n.Payload)
	if err != nil {
		return nil, fmt.Errorf("write payload of %s: %w", n.Type, err)
	}
	if len(payload) > MaxPayloadBytes {
		return nil, fmt.Errorf("the payload of %s has %d bytes, the limit is %d", n.Type, len(payload), MaxPayloadBytes)
	}
	return payload, nil
}
