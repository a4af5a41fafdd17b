package kit

import (
	"fmt"
	"reflect"
	"strings"

	"countersign/internal/problem"
	"countersign/tool"
)

// Update is the preview of a change to a record: what differs between the fields that it has and those that it is to
// get, as a diff and in one sentence. Where nothing differs it refuses.
//
// The fields of in that are pointers say what changes; those that are not nil become, in the payload, what after has in
// the field of the same name and type, which is the form in which the value is stored. A value that a card shows
// differently from the payload, such as a sealed password, is a field of before and after with another name.
func Update[T, In, Fields any](live Live[T], in In, before, after Fields) (Preview[In], error) {
	diff, err := Differing(fieldsOf(before), fieldsOf(after), "the %s %s is like this already.", live.Kind.Noun, live.Name)
	if err != nil {
		return Preview[In]{}, err
	}
	adopt(reflect.ValueOf(&in).Elem(), reflect.ValueOf(after))
	return Preview[In]{Summary: describeUpdate(live.Kind.Noun, live.Name, diff), Payload: in, Diff: diff, Revision: live.Revision}, nil
}

// Remove previews the deletion of a record, with its name beside its id.
func Remove[T, In any](live Live[T], in In, summary string) Preview[In] {
	return Preview[In]{Summary: summary, Payload: in, Revision: live.Revision, Labels: map[string]string{live.ID.String(): live.Name}}
}

// Differing is Diff for an update. It refuses one without differences with this sentence, as Unchanged does.
func Differing(before, after any, already string, args ...any) ([]tool.Change, error) {
	changes, err := Diff(before, after)
	if err == nil && len(changes) == 0 {
		err = Unchanged(already, args...)
	}
	return changes, err
}

// Unchanged refuses a call that would change nothing.
func Unchanged(format string, args ...any) error {
	detail := fmt.Sprintf(format, args...)
	return problem.InvalidInput("Nothing would change: "+detail, problem.Issue{Message: detail})
}

// fieldsOf returns the fields of a struct by JSON name, including those that omitempty would drop.
func fieldsOf(record any) map[string]any {
	fields := map[string]any{}
	value := reflect.ValueOf(record)
	for _, f := range reflect.VisibleFields(value.Type()) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); f.IsExported() && name != "" && name != "-" {
			fields[name] = value.FieldByIndex(f.Index).Interface()
		}
	}
	return fields
}

// adopt sets the given fields of in to their stored values.
func adopt(in, stored reflect.Value) {
	for _, f := range reflect.VisibleFields(in.Type()) {
		if f.Type.Kind() != reflect.Pointer || !f.IsExported() {
			continue
		}
		given, value := in.FieldByIndex(f.Index), stored.FieldByName(f.Name)
		if given.IsNil() || !value.IsValid() || value.Type() != f.Type.Elem() {
			continue
		}
		given.Set(reflect.New(value.Type()))
		given.Elem().Set(value)
	}
}

// describeUpdate summarises an update in one sentence.
func describeUpdate(noun, name string, changes []tool.Change) string {
	var fields []string
	renamed := ""
	for _, change := range changes {
		field, _, _ := strings.Cut(change.Path, ".")
		field, _, _ = strings.Cut(field, "[")
		switch {
		case field == "name":
			renamed, _ = change.After.(string)
		case len(fields) == 0 || fields[len(fields)-1] != field:
			fields = append(fields, field)
		}
	}
	what := "the " + strings.Join(fields, " and the ")
	switch {
	case renamed == "":
		return fmt.Sprintf("Change %s of the %s %s", what, noun, name)
	case len(fields) == 0:
		return fmt.Sprintf("Rename the %s %s to %s", noun, name, renamed)
	default:
		return fmt.Sprintf("Rename the %s %s to %s and change %s", noun, name, renamed, what)
	}
}
