package event

import (
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
	// Rule is the access rule to see such an event. For grants on single objects, the module that owns the subject also
	// checks the reader's right to see it.
	Rule string
	// Subject is the kind of the subject, which is this, a colon and a UUID.
	Subject string
	// Schema is the closed JSON schema of the payload.
	Schema json.RawMessage

	payload reflect.Type
}

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
	byID  map[string]*Type
}

// NewRegistry makes a list.
func NewRegistry(types ...Type) (*Registry, error) {
	r := &Registry{types: types, byID: map[string]*Type{}}
	var failed []error
	for i := range types {
		t := &types[i]
		if t.ID == "" || t.Name == "" || t.Description == "" || t.Rule == "" || t.Subject == "" || t.payload == nil {
			failed = append(failed, fmt.Errorf("event type %q lacks a name, a description, a rule, a subject or a payload", t.ID))
		}
		if r.byID[t.ID] != nil {
			failed = append(failed, fmt.Errorf("event type %q is there twice", t.ID))
		}
		r.byID[t.ID] = t
	}
	return r, errors.Join(failed...)
}

// Types returns all types, in their order.
func (r *Registry) Types() []Type { return slices.Clone(r.types) }

// Type is the one with the id.
func (r *Registry) Type(id string) (Type, bool) {
	t, ok := r.byID[id]
	if !ok {
		return Type{}, false
	}
	return *t, true
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
