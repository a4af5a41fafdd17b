package kit

import (
	"container/list"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"sync"

	"countersign/internal/json/schema"
	"countersign/internal/problem"
	"countersign/internal/text/strictjson"
)

// maxWrittenSchemas bounds the cache of compiled user-defined schemas in a process.
const maxWrittenSchemas = 512

// written caches compiled schemas by the hash of their text.
var written = struct {
	sync.Mutex

	byHash map[[sha256.Size]byte]*list.Element
	order  *list.List
}{byHash: map[[sha256.Size]byte]*list.Element{}, order: list.New()}

type writtenSchema struct {
	hash   [sha256.Size]byte
	schema *Schema
	err    error
}

// ParseSchema parses a user-defined schema of inputs, such as the arguments of a custom tool: any JSON schema that
// package internal/json/schema accepts and that an object can satisfy. The error is a *problem.Error. JSON returns a form that
// every model provider accepts as function parameters: an object at the top, without alternatives there. Validate is as
// strict as the original.
func ParseSchema(raw json.RawMessage) (*Schema, error) {
	hash := sha256.Sum256(raw)
	written.Lock()
	defer written.Unlock()
	if known, ok := written.byHash[hash]; ok {
		written.order.MoveToFront(known)
		kept, _ := known.Value.(writtenSchema)
		return kept.schema, kept.err
	}
	made, err := parseSchema(raw)
	written.byHash[hash] = written.order.PushFront(writtenSchema{hash, made, err})
	if oldest := written.order.Back(); written.order.Len() > maxWrittenSchemas {
		gone, _ := written.order.Remove(oldest).(writtenSchema)
		delete(written.byHash, gone.hash)
	}
	return made, err
}

func parseSchema(raw json.RawMessage) (*Schema, error) {
	document, err := schema.Parse(raw)
	if flaw, ok := errors.AsType[*schema.DocumentError](err); ok {
		return nil, problem.InvalidInput(
			"The arguments have no valid JSON schema: "+flaw.Error()+".",
			problem.Issue{Path: flaw.Path, Message: flaw.Message},
		)
	}
	if err != nil {
		return nil, err
	}
	var root map[string]any
	if err := strictjson.DecodeNumbers(raw, &root); err != nil {
		return nil, err
	}
	p := &parameters{root: root}
	if !p.object(root) {
		return nil, problem.InvalidInput(
			"A tool is called with a JSON object, and the schema of its arguments allows none.",
			problem.Issue{Path: "type", Message: "must allow objects"},
		)
	}
	shown, err := p.plain()
	if err != nil {
		return nil, err
	}
	return &Schema{raw: shown, document: document}, nil
}
