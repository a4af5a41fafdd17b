package endpoint

import (
	"encoding/json"
	"sync"
)

// plainSchemas are schemas of the product's tools as objects wrote them, by their text. Those that people write come and go, so
// there is a most.
var plainSchemas struct {
	sync.Mutex

	byText map[string]json.RawMessage
}

const maxPlainSchemas = 4_096

// objects is a schema in which true and false stand for no schema of a member: older revisions take objects only. What the schema says
// stays the same.
func objects(schema json.RawMessage) json.RawMessage {
	plainSchemas.Lock()
	defer plainSchemas.Unlock()
	if known, ok := plainSchemas.byText[string(schema)]; ok {
		return known
	}
	if plainSchemas.byText == nil || len(plainSchemas.byText) >= maxPlainSchemas {
		plainSchemas.byText = map[string]json.RawMessage{}
	}
	plain := schema
	var document any
	if json.Unmarshal(schema, &document) == nil {
		if written, err := json.Marshal(withObjects(document)); err == nil {
			plain = written
		}
	}
	plainSchemas.byText[string(schema)] = plain
	return plain
}

// withObjects is a schema with objects in place of true and false where its members, elements and alternatives stand.
func withObjects(schema any) any {
	s, ok := schema.(map[string]any)
	if !ok {
		return schema
	}
	for keyword, value := range s {
		switch keyword {
		case "properties", "$defs", "definitions", "patternProperties":
			if members, ok := value.(map[string]any); ok {
				for name, member := range members {
					members[name] = object(member)
				}
			}
		case "items", "not", "if", "then", "else", "contains":
			s[keyword] = object(value)
		case "anyOf", "oneOf", "allOf", "prefixItems":
			if list, ok := value.([]any); ok {
				for i, one := range list {
					list[i] = object(one)
				}
			}
		case "additionalProperties":
			s[keyword] = withObjects(value)
		}
	}
	return s
}

func object(schema any) any {
	switch schema {
	case true:
		return map[string]any{}
	case false:
		return map[string]any{"not": map[string]any{}}
	}
	return withObjects(schema)
}
