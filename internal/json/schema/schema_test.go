package schema_test

import (
	"encoding/json"
	"reflect"
	"testing"

	generate "github.com/invopop/jsonschema"
	"github.com/stretchr/testify/require"

	"countersign/internal/json/schema"
)

// outline is as much of a schema as the test looks at.
type outline struct {
	schema.Members[outline]
}

type address struct {
	Host  string            `json:"host" jsonschema:"minLength=1"`
	Ports []int             `json:"ports,omitempty"`
	Tags  map[string]string `json:"tags,omitempty"`
}

func TestASchemaOfAStructIsClosedAndValidates(t *testing.T) {
	t.Parallel()
	var o outline
	raw, compiled := schema.Of(reflect.TypeFor[address](), func(reflect.Type) *generate.Schema { return nil }, &o)
	require.NotContains(t, string(raw), "$schema")
	require.Equal(t, []string{"host"}, o.Required)
	closed, values, err := o.Rest()
	require.NoError(t, err)
	require.True(t, closed)
	require.Nil(t, values)
	types, err := o.Properties["ports"].Items.Types()
	require.NoError(t, err)
	require.Equal(t, []string{"integer"}, types)
	closed, values, err = o.Properties["tags"].Rest()
	require.NoError(t, err)
	require.False(t, closed)
	types, err = values.Types()
	require.NoError(t, err)
	require.Equal(t, []string{"string"}, types)

	require.Empty(t, *compiled.Validate(t.Context(), map[string]any{"host": "a"}).Errs)
	require.NotEmpty(t, *compiled.Validate(t.Context(), map[string]any{"host": ""}).Errs)
	require.NotEmpty(t, *compiled.Validate(t.Context(), map[string]any{"host": "a", "other": 1.0}).Errs)
}

func TestAStructWithoutMembersHasProperties(t *testing.T) {
	t.Parallel()
	var o outline
	raw, _ := schema.Of(
		reflect.TypeFor[struct{}](),
		func(reflect.Type) *generate.Schema { return nil },
		&o,
		func(s *generate.Schema) { s.Title = "Nothing" },
	)
	require.JSONEq(t, `{"type": "object", "properties": {}, "additionalProperties": false, "title": "Nothing"}`, string(raw))
}

func TestTypesMayBeSeveral(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{`{}`: nil, `{"type": "null"}`: {"null"}, `{"type": ["string", "null"]}`: {"string", "null"}} {
		var o outline
		require.NoError(t, json.Unmarshal([]byte(text), &o))
		types, err := o.Types()
		require.NoError(t, err)
		require.Equal(t, want, types, text)
	}
	_, err := outline{schema.Members[outline]{Type: json.RawMessage(`1`)}}.Types()
	require.Error(t, err)
}

func TestPointersAreWrittenWithDots(t *testing.T) {
	t.Parallel()
	for pointer, want := range map[string]string{"": "", "/": "", "/a": "a", "/contacts/0/email": "contacts[0].email", "/a~1b/~0c": "a/b.~c", "/0": "[0]"} {
		require.Equal(t, want, schema.Dotted(pointer), pointer)
	}
}

func TestNamesStandInPointersAndComeBack(t *testing.T) {
	t.Parallel()
	for name, part := range map[string]string{"": "", "a": "a", "a/b": "a~1b", "~1": "~01", "~0/": "~00~1"} {
		require.Equal(t, part, schema.Escaped(name))
		require.Equal(t, name, schema.Unescaped(part))
	}
}

func TestAReferenceLeadsToAPlace(t *testing.T) {
	t.Parallel()
	tree := map[string]any{"a/b": []any{"x", map[string]any{"": "y"}}}
	for reference, want := range map[string]any{"#": tree, "#/a~1b/0": "x", "#/a~1b/1/": "y"} {
		found, ok := schema.At(tree, reference)
		require.True(t, ok, reference)
		require.Equal(t, want, found, reference)
	}
	for _, reference := range []string{"", "a", "#a", "#/a", "#/a~1b/2", "#/a~1b/-1", "#/a~1b/0/0", "other#/a~1b"} {
		found, ok := schema.At(tree, reference)
		require.False(t, ok, reference)
		require.Nil(t, found)
	}
}

func TestNumbersAreReplacedInACopy(t *testing.T) {
	t.Parallel()
	tree := map[string]any{"a": []any{json.Number("1.50"), "x", nil}, "b": json.Number("1e999")}
	require.Equal(t, map[string]any{"a": []any{1.5, "x", nil}, "b": "1e999"}, schema.Numbers(tree, schema.Float))
	require.Equal(t, json.Number("1.50"), tree["a"].([]any)[0])
}
