package schema_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/json/schema"
)

// The generator splits its tag at commas, and drops what it does not know of the parts.
func TestATagThatWouldBeCutIsRefused(t *testing.T) {
	t.Parallel()
	for tag, cut := range map[string]string{
		"": "",
		"minLength=1,maxLength=36,description=It": "",
		`description=One\, two`:                   "",
		"required,nullable,enum=a,enum=b":         "",
		"description=The number, or draft":        " or draft",
		"pattern=^[a-z]{1,36}$,minLength=1":       "36}$",
		"default=a,b":                             "b",
		"description=async (args, ctx) => 1":      " ctx) => 1",
		"minLenght=1":                             "minLenght=1",
	} {
		require.Equal(t, cut, schema.CutTag(tag), tag)
	}
	type inner struct {
		Text string `json:"text" jsonschema:"description=One, two"`
	}
	type outer struct {
		Lists map[string][]*inner `json:"lists"`
	}
	require.PanicsWithValue(t, `schema of schema_test.outer: the tag jsonschema of schema_test.inner.Text is cut before " two": `+
		`put a text with a comma into a tag jsonschema_description`, func() {
		schema.Of(reflect.TypeFor[outer](), nil)
	})
	type whole struct {
		Text string `json:"text" jsonschema:"minLength=1" jsonschema_description:"One, two"`
	}
	require.Contains(t, string(schema.Of(reflect.TypeFor[whole](), nil).JSON()), `"description":"One, two"`)
}
