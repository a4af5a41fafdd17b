package app_test

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
)

// moment matches names that are given to points in time.
var moment = regexp.MustCompile(`(At|Since|Until)$|^(at|since|until)$`)

// A time field without its format would take any text: the check of date-times goes by the schema alone.
func TestTheTimesOfEveryToolHaveTheirFormat(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	var list struct {
		Tools []struct {
			Name         string          `json:"name"`
			InputSchema  json.RawMessage `json:"inputSchema"`
			OutputSchema json.RawMessage `json:"outputSchema"`
		} `json:"tools"`
	}
	p.Admin.Get(t, "/api/ai/tools", &list)
	require.NotEmpty(t, list.Tools)
	seen := 0
	var walk func(path string, schema any)
	walk = func(path string, schema any) {
		switch s := schema.(type) {
		case []any:
			for _, e := range s {
				walk(path, e)
			}
		case map[string]any:
			properties, _ := s["properties"].(map[string]any)
			for name, property := range properties {
				node, ok := property.(map[string]any)
				if ok && moment.MatchString(name) && node["type"] == "string" {
					seen++
					require.Equal(t, "date-time", node["format"], "%s.%s", path, name)
				}
			}
			for name, inner := range s {
				walk(path+"."+name, inner)
			}
		}
	}
	for _, tool := range list.Tools {
		for _, raw := range []json.RawMessage{tool.InputSchema, tool.OutputSchema} {
			var schema any
			decode(t, string(raw), &schema)
			walk(tool.Name, schema)
		}
	}
	require.Positive(t, seen, "some tools tell times")
}
