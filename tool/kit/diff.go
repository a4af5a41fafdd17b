package kit

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"countersign/tool"
)

// Diff lists the leaves in which two values differ, in path order. A path is dotted, with [i] for array elements and
// ["..."] for a key that is no plain word; (root) is the value itself. Values are compared in their JSON form, numbers
// by value; a null member equals a missing one.
func Diff(before, after any) ([]tool.Change, error) {
	a, err := tool.Tree(before)
	if err != nil {
		return nil, fmt.Errorf("diff: %w", err)
	}
	b, err := tool.Tree(after)
	if err != nil {
		return nil, fmt.Errorf("diff: %w", err)
	}
	var changes []tool.Change
	diff("", a, b, &changes)
	return changes, nil
}

func diff(path string, before, after any, changes *[]tool.Change) {
	switch b := before.(type) {
	case map[string]any:
		if a, ok := after.(map[string]any); ok {
			for _, key := range keysOf(b, a) {
				diff(join(path, key), b[key], a[key], changes)
			}
			return
		}
	case []any:
		if a, ok := after.([]any); ok {
			for i := range max(len(a), len(b)) {
				diff(path+"["+strconv.Itoa(i)+"]", at(b, i), at(a, i), changes)
			}
			return
		}
	default:
		// A scalar never equals a container, whose type differs, so this never compares uncomparable values.
		if before == after {
			return
		}
	}
	if path == "" {
		path = "(root)"
	}
	*changes = append(*changes, tool.Change{Path: path, Before: before, After: after})
}

func keysOf(maps ...map[string]any) []string {
	var keys []string
	for _, m := range maps {
		for k := range m {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

var plainKey = regexp.MustCompile(`^[\p{L}\p{N}_-]+$`)

func join(path, key string) string {
	switch {
	case !plainKey.MatchString(key):
		quoted, err := json.Marshal(key)
		if err != nil {
			quoted = []byte(strconv.Quote(key))
		}
		return path + "[" + string(quoted) + "]"
	case path == "":
		return key
	default:
		return path + "." + key
	}
}

func at(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return nil
}
