package catalog

import (
	"bytes"
	"encoding/json"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"countersign/problem"
)

// field is a member of a PATCH body: absent keeps the value, null clears it, anything else replaces it.
type field[T any] struct {
	sent  bool
	null  bool
	value T
}

func (f *field[T]) UnmarshalJSON(data []byte) error {
	f.sent = true
	if bytes.Equal(bytes.TrimSpace(data), []byte("null")) {
		f.null = true
		return nil
	}
	return json.Unmarshal(data, &f.value)
}

// Schema describes the member in the OpenAPI document as its nullable value.
func (field[T]) Schema(r huma.Registry) *huma.Schema {
	s := *huma.SchemaFromType(r, reflect.TypeFor[T]())
	s.Nullable = true
	return &s
}

// orZero is what replaces the value: nil to keep it, the zero value to clear it.
func (f field[T]) orZero() *T {
	if !f.sent {
		return nil
	}
	return &f.value
}

// required refuses null for a member that cannot be cleared.
func (f field[T]) required(path string) (*T, error) {
	if f.null {
		return nil, problem.InvalidInput("The "+path+" cannot be cleared. Leave it out to keep it.", problem.Issue{Path: path, Message: "must not be null"})
	}
	return f.orZero(), nil
}
