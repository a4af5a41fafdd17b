package schema

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// tagKeywords are what parts of a tag jsonschema begin with, tagFlags its parts without a value. The generator ignores
// every other part. It does not read maxProperties either, which package check adds.
var (
	tagKeywords = []string{
		"title", "description", "type", "anchor", "oneof_required", "anyof_required", "oneof_ref", "oneof_type", "anyof_ref", "anyof_type",
		"minLength", "maxLength", "pattern", "format", "readOnly", "writeOnly", "default", "example", "enum", "multipleOf", "minimum",
		"maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems", "uniqueItems", "maxProperties",
	}
	tagFlags = []string{"required", "nullable", "-"}
)

// CutTag is the part of a jsonschema tag that its generator drops silently, "" for none: the text after a comma.
func CutTag(tag string) string {
	const escaped = "\x00"
	for part := range strings.SplitSeq(strings.ReplaceAll(tag, `\,`, escaped), ",") {
		name, _, valued := strings.Cut(part, "=")
		if part != "" && (!valued || !slices.Contains(tagKeywords, name)) && !slices.Contains(tagFlags, part) {
			return strings.ReplaceAll(part, escaped, ",")
		}
	}
	return ""
}

// checkTags looks for a part that is cut in the tags of a type and of those in it.
func checkTags(t reflect.Type, seen map[reflect.Type]bool) error {
	if seen[t] {
		return nil
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return checkTags(t.Elem(), seen)
	case reflect.Struct:
	default:
		return nil
	}
	for field := range t.Fields() {
		if cut := CutTag(field.Tag.Get("jsonschema")); cut != "" {
			return fmt.Errorf("the tag jsonschema of %s.%s is cut before %q: put a text with a comma into a tag "+
				"jsonschema_description", t, field.Name, cut)
		}
		if field.IsExported() || field.Anonymous {
			if err := checkTags(field.Type, seen); err != nil {
				return err
			}
		}
	}
	return nil
}
