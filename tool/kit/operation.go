package kit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/tool"
)

// operationOf finds the operation of a request by making the request for an input of placeholders.
func operationOf[In any](request func(in In) tool.Request) tool.Operation {
	var in In
	names := map[string]string{}
	value := reflect.ValueOf(&in).Elem()
	for name, field := range jsonFields(value) {
		switch {
		case field.Type() == reflect.TypeFor[uuid.UUID]():
			id := uuid.NewSHA1(uuid.NameSpaceOID, []byte(name))
			field.Set(reflect.ValueOf(id))
			names[id.String()] = name
		case field.Kind() == reflect.String:
			field.SetString("placeholder-" + name)
			names["placeholder-"+name] = name
		}
	}
	r := request(in)
	path, _, _ := strings.Cut(r.Path, "?")
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if name, ok := names[part]; ok {
			parts[i] = "{" + name + "}"
		}
	}
	return tool.Operation{Method: r.Method, Path: strings.Join(parts, "/")}
}

// jsonFields returns the fields of a struct by JSON name, including embedded structs.
func jsonFields(value reflect.Value) map[string]reflect.Value {
	fields := map[string]reflect.Value{}
	for _, f := range reflect.VisibleFields(value.Type()) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); f.IsExported() && name != "" && name != "-" {
			fields[name] = value.FieldByIndex(f.Index)
		}
	}
	return fields
}

// inputOf converts a request to the input of the tool: the members of its body, and the path parameters, which take
// precedence. The operation refuses members that the input does not know.
func inputOf[In any](o tool.Operation, values []string, body []byte) (json.RawMessage, error) {
	names := o.Parameters()
	if len(values) != len(names) {
		return nil, fmt.Errorf("%s: %d parameters instead of %d", o, len(values), len(names))
	}
	var in In
	if len(bytes.TrimSpace(body)) > 0 {
		read := json.Unmarshal
		if o.Method == http.MethodPatch {
			read = func(data []byte, into any) error {
				_, err := rest.DecodePatch(data, into)
				return err
			}
		}
		if err := read(body, &in); err != nil {
			return nil, problem.InvalidInput("The request body does not fit the operation. Send one JSON object with the members that it knows.")
		}
	}
	fields := jsonFields(reflect.ValueOf(&in).Elem())
	for _, field := range fields {
		// A cleared list is sent empty: null is no list.
		if field.Kind() == reflect.Pointer && !field.IsNil() && field.Elem().Kind() == reflect.Slice && field.Elem().IsNil() {
			field.Elem().Set(reflect.MakeSlice(field.Elem().Type(), 0, 0))
		}
	}
	for i, name := range names {
		switch field := fields[name]; {
		case !field.IsValid():
			return nil, fmt.Errorf("%s: the input has no %s", o, name)
		case field.Kind() == reflect.String:
			text, err := url.PathUnescape(values[i])
			if err != nil {
				return nil, problem.InvalidInput("The address is not valid.", problem.Issue{Path: name, Message: "is not valid"})
			}
			field.SetString(text)
		default:
			id, err := uuid.Parse(values[i])
			if err != nil || field.Type() != reflect.TypeFor[uuid.UUID]() {
				return nil, problem.InvalidInput(
					"An id looks like 0199aa00-0000-7000-8000-000000000001.",
					problem.Issue{Path: name, Message: "is not an id"},
				)
			}
			field.Set(reflect.ValueOf(id))
		}
	}
	return tool.Canonical(in)
}
