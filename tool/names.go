package tool

import (
	"encoding/json"
	"maps"
	"strings"
	"sync"

	"github.com/google/uuid"
)

// maxLabels bounds the named ids of a proposal.
const maxLabels = 500

// names collects the names of records that a caller has read individually. Names inside of a record are not used: users
// write them.
type names struct {
	mu   sync.Mutex
	byID map[string]string
}

// noting returns a client that collects the names of the records it reads; nil for no client.
func (c *Client) noting(n *names) *Client {
	if c == nil {
		return nil
	}
	noting := *c
	noting.names = n
	return &noting
}

// note keeps the name of the record at path, if the answer is a record.
func (n *names) note(path string, answer []byte) {
	if n == nil {
		return
	}
	path, _, _ = strings.Cut(path, "?")
	id, ok := canonicalID(path[strings.LastIndexByte(path, '/')+1:])
	var record struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	}
	if !ok || json.Unmarshal(answer, &record) != nil || record.ID != id || record.Name == "" {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.byID == nil {
		n.byID = map[string]string{}
	}
	n.byID[id] = record.Name
}

// label adds the names of ids in payload and diff to labels. Labels of the tool itself take precedence.
func (n *names) label(labels map[string]string, payload json.RawMessage, diff []Change) map[string]string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.byID) == 0 {
		return labels
	}
	var tree any
	if json.Unmarshal(payload, &tree) != nil {
		return labels
	}
	all := map[string]string{}
	add := func(id string) {
		if name, ok := n.byID[id]; ok && len(all) < maxLabels {
			all[id] = name
		}
	}
	eachText(tree, add)
	for _, change := range diff {
		eachText(change.Before, add)
		eachText(change.After, add)
	}
	maps.Copy(all, labels)
	if len(all) == 0 {
		return nil
	}
	return all
}

// eachText visits the texts of a JSON value except member names.
func eachText(value any, visit func(string)) {
	switch v := value.(type) {
	case string:
		visit(v)
	case []any:
		for _, element := range v {
			eachText(element, visit)
		}
	case map[string]any:
		for _, member := range v {
			eachText(member, visit)
		}
	}
}

// canonicalID reports whether a text is an id in the API's spelling.
func canonicalID(text string) (string, bool) {
	id, err := uuid.Parse(text)
	return text, err == nil && id.String() == text
}
