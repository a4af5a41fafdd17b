package rest

import (
	"bytes"
	"encoding/json"

	"github.com/danielgtaylor/huma/v2"
)

// Object is a free JSON object, as a member of a resource and as a column. Numbers keep their digits.
type Object map[string]any

// UnmarshalJSON reads an object without rounding its numbers to floats.
func (o *Object) UnmarshalJSON(data []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var members map[string]any
	if err := decoder.Decode(&members); err != nil {
		return err
	}
	*o = members
	return nil
}

// MarshalJSON encodes nil as the empty object.
func (o Object) MarshalJSON() ([]byte, error) {
	if o == nil {
		return []byte("{}"), nil
	}
	return json.Marshal(map[string]any(o))
}

// Schema describes an Object in the OpenAPI document.
func (Object) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true, Description: "A free JSON object of at most 16 KB."}
}
