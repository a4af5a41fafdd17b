package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/problem"
	"countersign/internal/rest"
)

// Operation is the one write of the REST API that a tool makes. A policy of the tool applies to all callers and
// transports.
type Operation struct {
	Method string
	// Path is a template whose parameters are named like the fields of the tool's input, such as
	// /api/catalog/systems/{systemId}/links/{linkId}. The API may name them differently: positions count.
	Path string
}

func (o Operation) String() string { return o.Method + " " + o.Path }

// key is equal for operations that differ only in parameter names.
func (o Operation) key() string {
	parts := strings.Split(o.Path, "/")
	for i, part := range parts {
		if isParameter(part) {
			parts[i] = "{}"
		}
	}
	return o.Method + " " + strings.Join(parts, "/")
}

// Parameters returns the names in braces, in order.
func (o Operation) Parameters() []string {
	var names []string
	for part := range strings.SplitSeq(o.Path, "/") {
		if isParameter(part) {
			names = append(names, part[1:len(part)-1])
		}
	}
	return names
}

func isParameter(part string) bool {
	return strings.HasPrefix(part, "{") && strings.HasSuffix(part, "}")
}

// operationOf finds the operation of a request by making the request for an input of placeholders.
func operationOf[In any](request func(in In) Request) Operation {
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
	return Operation{Method: r.Method, Path: strings.Join(parts, "/")}
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
func inputOf[In any](o Operation, values []string, body []byte) (json.RawMessage, error) {
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
	return Canonical(in)
}

// InputOf converts a request to the tool's input: values are the path parameters in order. An error that is no problem
// is a bug in the tool.
func (t Tool) InputOf(values []string, body []byte) (json.RawMessage, error) {
	if t.inputOf == nil {
		return nil, fmt.Errorf("%s makes no request", t.Name)
	}
	return t.inputOf(values, body)
}

// RequestOf returns the request that applies this input. ok is false for tools whose request is only in their code.
func (t Tool) RequestOf(input json.RawMessage) (r Request, ok bool, err error) {
	if t.requestOf == nil {
		return Request{}, false, nil
	}
	r, err = t.requestOf(input)
	return r, true, err
}

type carriedKey struct{}

// Carry marks ctx as the apply of a decided proposal of the tool. The mark is a context value, so no request can set
// it.
func Carry(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, carriedKey{}, name)
}

// PreviewsBy reports whether an operation is one of the tool's previews.
func (d Definition) PreviewsBy(o Operation) bool {
	return slices.ContainsFunc(d.Operations.PreviewOperations, func(look Operation) bool { return look.key() == o.key() })
}

// Carried returns the tool whose decided proposal is being applied, "" when none is.
func Carried(ctx context.Context) string {
	name, _ := ctx.Value(carriedKey{}).(string)
	return name
}
