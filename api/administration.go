package api

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"countersign/internal/rest"
	"countersign/tool"
	"countersign/tool/kit"
)

// administration makes the hidden tools of the operations that declare an identity (rest.Tool), so that policies can name them.
func administration(document *huma.OpenAPI, sealer kit.Sealer) ([]tool.Tool, error) {
	made := map[string]tool.Tool{}
	var err error
	eachOperation(document, func(op *huma.Operation) {
		identity, ok := rest.IdentityOf(op)
		if !ok || err != nil {
			return
		}
		operation := tool.Operation{Method: op.Method, Path: op.Path}
		t, there := made[identity.Tool]
		switch {
		case !there:
			if t, err = administer(document, op, identity, sealer); err != nil {
				err = fmt.Errorf("operation %s: %w", op.OperationID, err)
				return
			}
		case !identity.Direct || t.Operations.Write.Method != "":
			err = fmt.Errorf("operation %s: the tool %s is that of another one", op.OperationID, identity.Tool)
		default:
			t.Operations.RelatedOperations = append(t.Operations.RelatedOperations, operation)
		}
		made[identity.Tool] = t
	})
	tools := make([]tool.Tool, 0, len(made))
	for _, name := range slices.Sorted(maps.Keys(made)) {
		tools = append(tools, made[name])
	}
	return tools, err
}

// administer is the tool of one operation.
func administer(document *huma.OpenAPI, op *huma.Operation, identity rest.Identity, sealer kit.Sealer) (tool.Tool, error) {
	operation := tool.Operation{Method: op.Method, Path: op.Path}
	title := cmp.Or(identity.Title, op.Summary)
	a := kit.Administration{
		Definition: tool.Definition{
			Name: identity.Tool, Identity: tool.Identity{Title: title}, Description: cmp.Or(identity.Title, op.Description, title),
			Effect: tool.Effect(identity.Effect), Rules: rest.RulesOf(op),
			Operations: tool.Operations{Write: operation}, Impact: tool.Impact{External: identity.External},
			Policy: tool.Policy{ByHand: identity.ByHand, Loosens: identity.Loosens},
		},
		Parameters: operation.Parameters(), Body: op.RequestBody != nil, Revised: identity.Revised, Sealer: sealer,
	}
	a.Schema.SealedInput = identity.Secrets
	if len(a.Rules) == 0 {
		a.Rules = identity.Rules
	}
	if a.Effect == tool.Destructive {
		a.Consequence, _, _ = strings.Cut(op.Description, " Needs ")
	}
	if identity.Direct {
		a.Operations.Write, a.Operations.RelatedOperations = tool.Operation{}, []tool.Operation{operation}
	}
	a.Record = recordOf(document, op.Path)
	a.Replaces = a.Record == op.Path && (op.Method == http.MethodPatch || op.Method == http.MethodPut)
	if a.Record != "" && !strings.HasSuffix(a.Record, "}") {
		a.Subject = recordOf(document, a.Record[:strings.LastIndex(a.Record, "/")])
	}
	raw, err := inputSchema(document, op, a.Parameters)
	if err != nil {
		return tool.Tool{}, err
	}
	if a.Input, err = kit.ParseSchema(raw); err != nil {
		return tool.Tool{}, err
	}
	return kit.NewAdministration(a), nil
}

// recordOf is the longest beginning of a path that names one record and can be read, or the path itself; "" when there is none.
func recordOf(document *huma.OpenAPI, path string) string {
	for at := path; strings.Count(at, "/") > 1; at = at[:strings.LastIndex(at, "/")] {
		item := document.Paths[at]
		if item != nil && item.Get != nil && (strings.HasSuffix(at, "}") || at == path && item.Put != nil) {
			return at
		}
	}
	return ""
}

// inputSchema is the schema of the input of an operation: its parameters, and the members of its body without references.
func inputSchema(document *huma.OpenAPI, op *huma.Operation, parameters []string) (json.RawMessage, error) {
	members, required := map[string]any{}, slices.Clone(parameters)
	for _, name := range parameters {
		members[name] = map[string]any{"type": "string", "maxLength": 400}
	}
	if op.RequestBody != nil {
		content := op.RequestBody.Content["application/json"]
		if content == nil {
			return nil, errors.New("the body is not JSON")
		}
		body, err := plainSchema(document, content.Schema, 0)
		if err != nil {
			return nil, err
		}
		properties, _ := body["properties"].(map[string]any)
		for name, schema := range properties {
			if _, taken := members[name]; taken {
				return nil, fmt.Errorf("%s is a parameter of the path and a member of the body", name)
			}
			members[name] = schema
		}
		if names, ok := body["required"].([]any); ok {
			for _, name := range names {
				if text, ok := name.(string); ok {
					required = append(required, text)
				}
			}
		}
	}
	delete(members, "$schema")
	schema := map[string]any{"type": "object", "properties": members, "additionalProperties": false}
	if len(required) > 0 {
		schema["required"] = required
	}
	raw, err := json.Marshal(schema)
	if err != nil {
		return nil, fmt.Errorf("write the schema of an input: %w", err)
	}
	return raw, nil
}

// deepest is how many objects of a body lie within each other in a schema; what lies deeper is described as anything.
const deepest = 6

// keptInSchemas are the keywords of the document's schemas that say what fits an input.
var keptInSchemas = []string{
	"type", "enum", "properties", "items", "required", "minLength", "maxLength", "minimum",
	"maximum", "minItems", "maxItems", "description", "format",
}

// plainSchema is a schema of the document as one without references.
func plainSchema(document *huma.OpenAPI, s *huma.Schema, depth int) (map[string]any, error) {
	for s != nil && s.Ref != "" {
		s = document.Components.Schemas.SchemaFromRef(s.Ref)
	}
	if s == nil || depth > deepest {
		return map[string]any{}, nil
	}
	raw, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("read a schema of the document: %w", err)
	}
	var all map[string]any
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, fmt.Errorf("read a schema of the document: %w", err)
	}
	plain := map[string]any{}
	for _, keyword := range keptInSchemas {
		if value, there := all[keyword]; there {
			plain[keyword] = value
		}
	}
	if len(s.Properties) > 0 {
		properties := map[string]any{}
		for name, property := range s.Properties {
			if properties[name], err = plainSchema(document, property, depth+1); err != nil {
				return nil, err
			}
		}
		plain["properties"] = properties
	}
	if s.Items != nil {
		if plain["items"], err = plainSchema(document, s.Items, depth+1); err != nil {
			return nil, err
		}
	}
	return plain, nil
}
