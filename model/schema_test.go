package model_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/model"
)

func TestSchemasInPlainWords(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ from, want string }{
		"no parameters": {`{"type":"object","properties":{},"additionalProperties":false}`, ``},
		"no object":     {`{"type":"string"}`, ``},
		"formats and bounds": {
			`{"type":"object","properties":{"id":{"type":"string","format":"uuid","description":"Which."},"at":{"type":"string","format":"date-time"},"n":{"type":"integer","minimum":1,"maximum":9,"format":"int64"}},"required":["id","gone"]}`,
			`{"type":"object","properties":{"id":{"type":"string","description":"Which. Format: uuid."},"at":{"type":"string","format":"date-time"},"n":{"type":"integer","description":"Format: int64. At least 1. At most 9."}},"required":["id"]}`,
		},
		"type lists": {
			`{"type":"object","properties":{"a":{"type":["string","null"]},"b":{"type":["string","integer"]}}}`,
			`{"type":"object","properties":{"a":{"type":"string","nullable":true},"b":{"anyOf":[{"type":"string"},{"type":"integer"}]}}}`,
		},
		"enums": {
			`{"type":"object","properties":{"a":{"type":"string","enum":["x","","y"]},"b":{"type":"integer","enum":[1,2]},"c":{"const":"z"}}}`,
			`{"type":"object","properties":{"a":{"type":"string","enum":["x","y"]},"b":{"type":"integer","description":"One of [1,2]."},"c":{"type":"string","enum":["z"]}}}`,
		},
		"references": {
			`{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"type":"object","properties":{"x":{"type":"string"}},"additionalProperties":false}}}`,
			`{"type":"object","properties":{"a":{"type":"object","properties":{"x":{"type":"string"}}}}}`,
		},
		"all of, and null as one of": {
			`{"type":"object","properties":{"a":{"oneOf":[{"type":"null"},{"type":"array","items":{"type":"number"}}]}},"allOf":[{"properties":{"b":{"type":"boolean"}},"required":["b"]}]}`,
			`{"type":"object","properties":{"a":{"type":"array","nullable":true,"items":{"type":"number"}},"b":{"type":"boolean"}},"required":["b"]}`,
		},
		"members of any name": {
			`{"type":"object","properties":{"tags":{"type":"object","additionalProperties":{"type":"string"}},"list":{"type":"array"}}}`,
			`{"type":"object","properties":{"tags":{"type":"object","description":"The members may have any names.","properties":{"name":{"type":"string"}}},"list":{"type":"array","items":{"type":"string","description":"JSON."}}}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := model.PlainSchema(json.RawMessage(test.from))
			if test.want == "" {
				require.Empty(t, got)
				return
			}
			require.JSONEq(t, test.want, string(got))
			require.Equal(t, string(got), string(model.PlainSchema(json.RawMessage(test.from))))
		})
	}
}

// Whatever a schema says, what Gemini is told has only what Gemini takes.
func FuzzPlainSchema(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"$ref":"#"},"b":{"anyOf":[{"$ref":"#/properties/b"},{"type":["null"]}]}}}`)
	f.Add(`{"type":"object","allOf":[{"$ref":"#"},{"allOf":[{"$ref":"#/allOf/1"}]}],"properties":{"":{"enum":[null,1,{}]}}}`)
	f.Fuzz(func(t *testing.T, from string) {
		if !json.Valid([]byte(from)) || len(from) > 1000 {
			return
		}
		made := model.PlainSchema(json.RawMessage(from))
		if len(made) == 0 {
			return
		}
		var node map[string]any
		require.NoError(t, json.Unmarshal(made, &node))
		isPlainSchema(t, node)
	})
}

func isPlainSchema(t *testing.T, node map[string]any) {
	t.Helper()
	if options, ok := node["anyOf"].([]any); ok {
		require.Len(t, node, 1)
		for _, o := range options {
			isPlainSchema(t, o.(map[string]any))
		}
		return
	}
	require.IsType(t, "", node["type"])
	for key := range node {
		require.Contains(t, []string{"type", "nullable", "description", "format", "enum", "properties", "required", "items"}, key)
	}
	properties, _ := node["properties"].(map[string]any)
	require.Equal(t, node["type"] == "object", len(properties) > 0)
	for _, p := range properties {
		isPlainSchema(t, p.(map[string]any))
	}
	if node["type"] == "array" {
		isPlainSchema(t, node["items"].(map[string]any))
	}
}
