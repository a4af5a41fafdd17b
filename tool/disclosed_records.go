package tool

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/google/uuid"
)

// DisclosedRecords collects the records that answers of the REST API have disclosed to a caller. A record counts as disclosed where
// an object of an answer names it, as {"id": ...} or {"teamId": ...}; a bare id in a list comes without any text.
type DisclosedRecords struct {
	mu    sync.Mutex
	ids   []uuid.UUID
	names map[uuid.UUID]string
}

// Note adds the records of a JSON document; other text adds none.
func (t *DisclosedRecords) Note(document json.RawMessage) {
	if t == nil || len(document) == 0 {
		return
	}
	var value any
	if json.Unmarshal(document, &value) != nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.names == nil {
		t.names = map[uuid.UUID]string{}
	}
	t.walk(value)
}

func (t *DisclosedRecords) walk(value any) {
	switch v := value.(type) {
	case []any:
		for _, element := range v {
			t.walk(element)
		}
	case map[string]any:
		for member, inner := range v {
			text, isText := inner.(string)
			if !isText {
				t.walk(inner)
				continue
			}
			if id, err := uuid.Parse(text); err == nil && len(text) == len(uuid.Nil.String()) {
				t.add(id, nameBeside(v, member))
			}
		}
	}
}

func (t *DisclosedRecords) add(id uuid.UUID, name string) {
	known, seen := t.names[id]
	if !seen {
		t.ids = append(t.ids, id)
	}
	if known == "" {
		t.names[id] = name
	}
}

// nameBeside returns the name of the record that a member of an object references, "" where there is none.
func nameBeside(object map[string]any, member string) string {
	name, _ := object[strings.TrimSuffix(strings.TrimSuffix(member, "id"), "Id")+"Name"].(string)
	if member == "id" {
		name, _ = object["name"].(string)
	}
	return name
}

// IDs returns the disclosed records in no particular order.
func (t *DisclosedRecords) IDs() []uuid.UUID {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.ids)
}

// Name returns the name of a record as disclosed to the caller, "" when none was.
func (t *DisclosedRecords) Name(id uuid.UUID) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.names[id]
}
