package audit

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Field is a changed field. From and To are set for fields with harmless values; of a list they are the removed and the
// added values.
type Field struct {
	Name string  `json:"field"`
	From *string `json:"from,omitempty"`
	To   *string `json:"to,omitempty"`
}

// Fields are the changed fields of one change.
type Fields []Field //nolint:recvcheck // a slice: what appends needs a pointer, what reads does not

// Compare adds a field if its value differs.
func (f *Fields) Compare(name string, from, to any) {
	if reflect.DeepEqual(from, to) {
		return
	}
	before, isList := from.([]string)
	after, both := to.([]string)
	if isList && both {
		went, came := without(before, after), without(after, before)
		if len(went)+len(came) == 0 {
			return
		}
		*f = append(*f, Field{Name: name, From: new(clip(strings.Join(went, ", "), maxValue)), To: new(clip(strings.Join(came, ", "), maxValue))})
		return
	}
	*f = append(*f, Field{Name: name, From: new(spell(from)), To: new(spell(to))})
}

// Mention adds the name of a changed field without its values.
func (f *Fields) Mention(name string, changed bool) {
	if changed {
		*f = append(*f, Field{Name: name})
	}
}

// of keeps the values that are harmless for objects of a type.
func (f Fields) of(objectType string) Fields {
	kept := make(Fields, 0, len(f))
	var harmless []string
	if t := types[objectType]; t != nil {
		harmless = t.Kept
	}
	for _, field := range f[:min(len(f), maxFields)] {
		if !slices.Contains(harmless, field.Name) {
			field.From, field.To = nil, nil
		}
		kept = append(kept, field)
	}
	return kept
}

// Names lists the fields for a sentence, "" when there are none.
func (f Fields) Names() string {
	names := make([]string, len(f))
	for i, field := range f {
		names[i] = field.Name
	}
	return strings.Join(names, ", ")
}

func without(list, others []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(others, s) })
}

// spell formats a value: a string unchanged, nil as "", anything else as JSON.
func spell(value any) string {
	v := reflect.ValueOf(value)
	if !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return ""
	}
	if s, ok := value.(string); ok {
		return clip(s, maxValue)
	}
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprintf("a %T", value)
	}
	return clip(strings.Trim(string(data), `"`), maxValue)
}
