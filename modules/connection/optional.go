package connection

import (
	"bytes"
	"encoding/json"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
)

// optional is a member of a PATCH body that can be absent, null or a value.
type optional[T any] struct {
	sent  bool
	value T
}

// UnmarshalJSON is not called for an absent member.
func (o *optional[T]) UnmarshalJSON(data []byte) error {
	o.sent = true
	if bytes.Equal(bytes.TrimSpace(data), []byte("null")) {
		return nil
	}
	return json.Unmarshal(data, &o.value)
}

// Schema describes the member as its nullable value.
func (optional[T]) Schema(r huma.Registry) *huma.Schema {
	s := *huma.SchemaFromType(r, reflect.TypeFor[T]())
	s.Nullable = true
	return &s
}

// orZero is nil to keep what is there, and the zero value to clear it.
func (o optional[T]) orZero() *T {
	if !o.sent {
		return nil
	}
	return &o.value
}
