package definition

import (
	"encoding/json"
	"maps"
	"slices"

	"countersign/automation/expression"
	"countersign/internal/text/strictjson"
)

// Untemplated returns a config without the strings that hold templates, and their paths, as action.Action.Validate takes them.
func Untemplated(config json.RawMessage) (json.RawMessage, []string) {
	var tree any
	if strictjson.DecodeNumbers(config, &tree) != nil {
		return config, nil
	}
	var paths []string
	return raw(withoutTemplates(tree, "", &paths)), paths
}

func withoutTemplates(tree any, path string, paths *[]string) any {
	switch v := tree.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			at := join(path, name)
			if s, ok := v[name].(string); ok && expression.HasTemplate(s) {
				*paths = append(*paths, at)
				delete(v, name)
				continue
			}
			v[name] = withoutTemplates(v[name], at, paths)
		}
	case []any:
		kept := []any{}
		for i, e := range v {
			at := element(path, i)
			if s, ok := e.(string); ok && expression.HasTemplate(s) {
				*paths = append(*paths, at)
				continue
			}
			kept = append(kept, withoutTemplates(e, at, paths))
		}
		return kept
	}
	return tree
}
