package endpoint

import (
	"encoding/json"
	"sync"
)

// plainSchemas caches the converted schemas of tools by their text. Tools that users write come and go, so the cache
// is bounded.
var plainSchemas struct {
	sync.Mutex

	byText map[string]json.RawMessage
}

const maxPlainSchemas = 4_096

// objectSchemas replaces the boolean schemas true and false by equivalent objects, which older revisions require.
func objectSchemas(schema json.RawMessage) json.RawMessage {
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
		if written, err := json.Marshal(withObjectSchemas(document)); err == nil {
			plain = written
		}
	}
	plainSchemas.byText[string(schema)] = plain
	return plain
}

// withObjectSchemas replaces boolean schemas in members, elements and alternatives.
func withObjectSchemas(schema any) any {
	s, ok := schema.(map[string]any)
	if !ok {
		return schema
	}
	for keyword, value := range s {
		switch keyword {
		case "properties", "$defs", "definitions", "patternProperties":
			if members, ok := value.(map[string]any); ok {
				for name, member := range members {
					members[name] = objectSchema(member)
				}
			}
		case "items", "not", "if", "then", "else", "contains":
			s[keyword] = objectSchema(value)
		case "anyOf", "oneOf", "allOf", "prefixItems":
			if list, ok := value.([]any); ok {
				for i, one := range list {
					list[i] = objectSchema(one)
				}
			}
		case "additionalProperties":
			s[keyword] = withObjectSchemas(value)
		}
	}
	return s
}

func objectSchema(schema any) any {
	switch schema {
	case true:
		return map[string]any{}
	case false:
		return map[string]any{"not": map[string]any{}}
	}
	return withObjectSchemas(schema)
}
