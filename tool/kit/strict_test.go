package kit_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
	"countersign/tool/kit"
)

// A reader of the arguments and the tool must not see different ones.
func TestArgumentsThatCanBeReadInTwoWaysAreRefused(t *testing.T) {
	t.Parallel()
	type input struct {
		Name string         `json:"name"`
		More map[string]any `json:"more,omitempty"`
	}
	schema := kit.SchemaOf[input]()
	for arguments, says := range map[string]string{
		`{"name":"a","name":"b"}`:                `"name" stands twice`,
		`{"name":"a","more":{"x":1,"\u0078":2}}`: `"x" stands twice`,
		`{"name":"\ud800"}`:                      "surrogate",
		`{"name":"a","more":{"\udfff":1}}`:       "surrogate",
		"{\"name\":\"\xc3\x28\"}":                "UTF-8",
		`{"name":"a"} {"name":"b"}`:              "text after",
	} {
		err := schema.Validate(t.Context(), json.RawMessage(arguments))
		require.True(t, problem.Is(err, problem.Invalid), "%s: %v", arguments, err)
		require.Contains(t, problem.As(err).Detail, says)
	}
	require.NoError(t, schema.Validate(t.Context(), json.RawMessage(`{"name":"\ud83d\ude00","more":{"x":1,"X":2}}`)))
}
