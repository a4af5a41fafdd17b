package kit_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
	"countersign/tool/kit"
)

func written(t *testing.T, text string) *kit.Schema {
	t.Helper()
	s, err := kit.ParseSchema(json.RawMessage(text))
	require.NoError(t, err, text)
	return s
}

func TestAWrittenSchemaValidatesAsStrictlyAsItWasWritten(t *testing.T) {
	t.Parallel()
	s := written(
		t,
		`{"anyOf":[{"properties":{"id":{"type":"integer"}},"required":["id"],"additionalProperties":false},{"properties":{"name":{"type":"string","minLength":1}},"required":["name"],"additionalProperties":false}]}`,
	)
	require.NoError(t, s.Validate(t.Context(), json.RawMessage(`{"id":1}`)))
	require.NoError(t, s.Validate(t.Context(), json.RawMessage(`{"name":"a"}`)))
	for input, want := range map[string]string{
		`{"id":1,"name":"a"}`: "fits none of the 2 alternatives",
		`{"id":"x"}`:          "",
		`[]`:                  "must be a JSON object",
		`{"name":"\u0000"}`:   "NUL",
		`{"id":1,"id":2}`:     "not valid JSON",
	} {
		err := s.Validate(t.Context(), json.RawMessage(input))
		require.True(t, problem.Is(err, problem.Invalid), input)
		require.ErrorContains(t, err, want, input)
	}
	deep := written(t, `{"properties":{"list":{"items":{"properties":{"port":{"maximum":10}}}}}}`)
	e := problem.As(deep.Validate(t.Context(), json.RawMessage(`{"list":[{"port":1},{"port":11}]}`)))
	require.Equal(t, []problem.Issue{{Path: "list[1].port", Message: "must be at most 10, not 11"}}, e.Issues)
}

// What providers refuse in the parameters of a function is not sent to them, whatever somebody wrote.
func TestModelsAreSentParametersThatEveryProviderTakes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ schema, want string }{
		{`{}`, `{"type":"object","properties":{}}`},
		{`{"type":["object","null"],"properties":{"a":true,"b":false}}`, `{"type":"object","properties":{"a":{}}}`},
		{
			`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","required":["a"],"properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"type":"string","$comment":"x"}}}`,
			`{"type":"object","required":["a"],"properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"type":"string"}}}`,
		},
		{
			`{"oneOf":[{"properties":{"kind":{"const":"a"},"x":{"type":"integer"}},"required":["kind","x"]},{"properties":{"kind":{"const":"b"}},"required":["kind"]}]}`,
			`{"type":"object","required":["kind"],"properties":{"kind":{"const":"a"},"x":{"type":"integer"}}}`,
		},
		{
			`{"$ref":"#/$defs/args","$defs":{"args":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}}}`,
			`{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}},"$defs":{"args":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}}}`,
		},
		{
			`{"properties":{"a":{"type":"array"},"b":{"items":[{"type":"string"}]},"c":{"type":["array","null"],"prefixItems":[{"type":"integer"}]}}}`,
			`{"type":"object","properties":{"a":{"type":"array","items":{}},"b":{"items":{"anyOf":[{"type":"string"}]}},"c":{"type":["array","null"],"prefixItems":[{"type":"integer"}],"items":{"anyOf":[{"type":"integer"}]}}}}`,
		},
		{`{"properties":{"a":{"$ref":"#/properties/b"},"b":{"type":"null"}}}`, `{"type":"object","properties":{"a":{"type":"null"},"b":{"type":"null"}}}`},
	} {
		require.JSONEq(t, c.want, string(written(t, c.schema).JSON()), c.schema)
	}
	// A schema within itself has an end.
	var made map[string]any
	require.NoError(t, json.Unmarshal(written(t, `{"properties":{"child":{"$ref":"#"}}}`).JSON(), &made))
}

func TestASchemaThatNoCallFitsIsRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{`{"type":"string"}`: "allows none", `{"typo":1}`: `"typo"`, `x`: "not valid JSON"} {
		for range 2 {
			_, err := kit.ParseSchema(json.RawMessage(text))
			require.True(t, problem.Is(err, problem.Invalid))
			require.ErrorContains(t, err, want)
		}
	}
}

func TestManyWrittenSchemasAreCompiledAndForgotten(t *testing.T) {
	t.Parallel()
	first := written(t, `{"title":"first"}`)
	require.Same(t, first, written(t, `{"title":"first"}`), "it was compiled once")
	for i := range 1_000 {
		written(t, fmt.Sprintf(`{"title":"%d"}`, i))
	}
	require.NotSame(t, first, written(t, `{"title":"first"}`))
}

func FuzzWrittenSchemas(f *testing.F) {
	f.Add(`{"anyOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"type":"array"}}}`, `{"a":[1]}`)
	f.Add(`{"items":[{}],"allOf":[{"then":{"properties":{"a":false}}}]}`, `{}`)
	f.Fuzz(func(t *testing.T, text, input string) {
		s, err := kit.ParseSchema(json.RawMessage(text))
		if err != nil {
			return
		}
		var sent map[string]any
		require.NoError(t, json.Unmarshal(s.JSON(), &sent))
		require.Equal(t, "object", sent["type"])
		for _, word := range []string{"anyOf", "oneOf", "allOf", "not", "$ref", "enum"} {
			require.NotContains(t, sent, word)
		}
		_ = s.Validate(t.Context(), json.RawMessage(input))
	})
}
