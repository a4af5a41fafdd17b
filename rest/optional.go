package rest

import (
	"bytes"
	"encoding/json"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"countersign/problem"
)

// Optional is a member of a PATCH body: absent keeps the value, null clears it, anything else replaces it.
type Optional[T any] struct {
	sent  bool
	null  bool
	value T
}

// UnmarshalJSON is not called for an absent member.
func (o *Optional[T]) UnmarshalJSON(data []byte) error {
	o.sent = true
	if bytes.Equal(bytes.TrimSpace(data), []byte("null")) {
		o.null = true
		return nil
	}
	return json.Unmarshal(data, &o.value)
}

// Schema describes the member in the OpenAPI document as its nullable value.
func (Optional[T]) Schema(r huma.Registry) *huma.Schema {
	s := *huma.SchemaFromType(r, reflect.TypeFor[T]())
	s.Nullable = true
	return &s
}

// OrZero is what replaces the value: nil to keep it, the zero value to clear it.
func (o Optional[T]) OrZero() *T {
	if !o.sent {
		return nil
	}
	return &o.value
}

// Required refuses null for a member that cannot be cleared; path names it.
func (o Optional[T]) Required(path string) (*T, error) {
	if o.null {
		return nil, problem.InvalidInput("The "+path+" cannot be cleared. Leave it out to keep it.", problem.Issue{Path: path, Message: "must not be null"})
	}
	return o.OrZero(), nil
}
