package check

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/google/uuid"
	generate "github.com/invopop/jsonschema"

	"countersign/check/assertion"
	"countersign/internal/json/schema"
)

// Schema is the closed JSON schema of a config or of a result, with what forms, charts and templates have to know in members
// x-secret, x-template, x-editor, x-unit, x-chart, x-label, x-keep, x-ephemeral, x-jsonpath, x-lowernames, made of the struct tag check:
//
//	Password string `json:"password,omitempty" jsonschema:"description=..." check:"secret"`
//	Query    string `json:"query" check:"editor=sql,template"`
//	DaysLeft int    `json:"daysRemaining" check:"chart=line,unit=days,label=Days left,keep"`
//
// A member without omitempty is required. One with a default (jsonschema:"default=443", with omitempty) has it when it is left out.
// On a list or an object of texts, secret and template are about each of its texts. A secret field holds references to secrets, such as
// ${{ secrets.NAME }}; one that is literal too may hold other texts, such as the value of a header. Elsewhere literal says that braces
// mean nothing, as in a script.
type Schema struct {
	document *schema.Document
	of       reflect.Type
	fields   []Field
}

// Field is a top-level member of a result, for assertions.
type Field struct {
	assertion.Field
	// Label is for people; Chart is the chart type, if any: line, bar, gauge, text.
	Label, Chart string
	// Keep stores the values for charts by default.
	Keep bool
	// Ephemeral fields are omitted from reports.
	Ephemeral bool
}

// annotations are the tag parts without a value, with their schema member.
var annotations = map[string]string{
	"secret": xSecret, "literal": xLiteral, "template": xTemplate, "keep": xKeep, "ephemeral": xEphemeral, "jsonpath": xJSONPath,
	"lowernames": xLowerNames,
}

// valued are the tag parts with a value.
var valued = map[string]string{"editor": xEditor, "unit": xUnit, "chart": xChart, "label": xLabel}

// maxProperties is a tag part that the generator ignores.
var maxProperties = regexp.MustCompile(`maxProperties=[0-9]+`)

const (
	xSecret     = "x-secret"
	xLiteral    = "x-literal"
	xTemplate   = "x-template"
	xKeep       = "x-keep"
	xEphemeral  = "x-ephemeral"
	xJSONPath   = "x-jsonpath"
	xLowerNames = "x-lowernames"
	xEditor     = "x-editor"
	xUnit       = "x-unit"
	xChart      = "x-chart"
	xLabel      = "x-label"
)

// ConfigSchema describes the config C, a struct. It panics when C cannot be described, which a test over all kinds would show.
func ConfigSchema[C any]() *Schema { return once(&configSchemas, reflect.TypeFor[C](), schemaOf) }

// ResultSchema describes the result R, a struct.
func ResultSchema[R any]() *Schema {
	return once(&resultSchemas, reflect.TypeFor[R](), func(t reflect.Type) *Schema {
		s := schemaOf(t)
		s.fields = s.resultFields()
		return s
	})
}

// configSchemas and resultSchemas are made once in a process, by type.
var configSchemas, resultSchemas sync.Map

func once(known *sync.Map, t reflect.Type, create func(reflect.Type) *Schema) *Schema {
	if found, ok := known.Load(t); ok {
		s, _ := found.(*Schema)
		return s
	}
	s := create(t)
	known.Store(t, s)
	return s
}

func schemaOf(t reflect.Type) *Schema {
	if t.Kind() != reflect.Struct {
		panic(fmt.Sprintf("schema of %s: it is no struct", t))
	}
	s := &Schema{of: t, document: schema.Of(t, describeType, func(made *generate.Schema) { annotate(t, made, t.String()) })}
	s.document.Inherit(xSecret, xLiteral, xTemplate)
	return s
}

// describeType corrects types that the generator would describe by their Go representation.
func describeType(t reflect.Type) *generate.Schema {
	switch t {
	case reflect.TypeFor[uuid.UUID]():
		return &generate.Schema{Type: "string", Format: "uuid"}
	case reflect.TypeFor[assertion.Exact]():
		return &generate.Schema{Type: "number"}
	default:
		return nil
	}
}

// annotate adds the parts of the tags to a schema.
func annotate(t reflect.Type, s *generate.Schema, path string) {
	switch t.Kind() {
	case reflect.Pointer:
		annotate(t.Elem(), s, path)
	case reflect.Slice, reflect.Array:
		if s.Items != nil {
			annotate(t.Elem(), s.Items, path)
		}
	case reflect.Map:
		if s.AdditionalProperties != nil {
			annotate(t.Elem(), s.AdditionalProperties, path)
		}
	case reflect.Struct:
		if s.Properties == nil {
			return
		}
		for _, f := range reflect.VisibleFields(t) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			property, ok := s.Properties.Get(name)
			if !ok {
				continue
			}
			tag(f.Tag.Get("check"), property, path+"."+name)
			if most, ok := strings.CutPrefix(maxProperties.FindString(f.Tag.Get("jsonschema")), "maxProperties="); ok {
				n, _ := strconv.ParseUint(most, 10, 32)
				property.MaxProperties = &n
			}
			annotate(f.Type, property, path+"."+name)
		}
	}
}

func tag(text string, s *generate.Schema, path string) {
	if text == "" {
		return
	}
	s.Extras = map[string]any{}
	for part := range strings.SplitSeq(text, ",") {
		name, value, hasValue := strings.Cut(part, "=")
		switch {
		case !hasValue && annotations[name] != "":
			s.Extras[annotations[name]] = true
		case hasValue && valued[name] != "" && value != "":
			s.Extras[valued[name]] = value
		default:
			panic(fmt.Sprintf("schema of %s: the tag check does not know %q", path, part))
		}
	}
	if s.Extras[xSecret] != nil && s.Extras[xTemplate] != nil {
		panic(fmt.Sprintf("schema of %s: a field cannot hold secrets and be a template", path))
	}
}

// resultFields lists the top-level members of a result, in the order of the struct.
func (s *Schema) resultFields() []Field {
	var fields []Field
	for _, f := range reflect.VisibleFields(s.of) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		p := s.document.Root().Property(name)
		if p == nil || name == "" {
			continue
		}
		fields = append(fields, Field{
			Field: assertion.Field{
				Name: name, Type: assertion.TypeOf(p.Types()...), Unit: p.Note(xUnit), JSONPath: p.Has(xJSONPath),
				LowerNames: p.Has(xLowerNames), Index: f.Index,
			},
			Label: p.Note(xLabel), Chart: p.Note(xChart), Keep: p.Has(xKeep), Ephemeral: p.Has(xEphemeral),
		})
	}
	return fields
}

// Editors returns the languages of the top-level members that are source code, such as typescript, by the name of the member.
func (s *Schema) Editors() map[string]string {
	languages := map[string]string{}
	for _, f := range reflect.VisibleFields(s.of) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if p := s.document.Root().Property(name); p != nil && p.Note(xEditor) != "" {
			languages[name] = p.Note(xEditor)
		}
	}
	return languages
}

// JSON returns the schema for clients.
func (s *Schema) JSON() json.RawMessage { return s.document.JSON() }

// Fields returns the members of a result for assertions, in order; none for a config.
func (s *Schema) Fields() []Field { return s.fields }

// Field returns the result's field with this name, nil without one.
func (s *Schema) Field(name string) *Field {
	i := slices.IndexFunc(s.fields, func(f Field) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return &s.fields[i]
}

// Operators returns the operators for assertions about a field.
func (f Field) Operators() []assertion.Operator { return assertion.Operators(f.Field, false) }
