package kit_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/tool"
	"countersign/tool/kit"
)

func changes(t *testing.T, before, after string) string {
	t.Helper()
	list, err := kit.Diff(json.RawMessage(before), json.RawMessage(after))
	require.NoError(t, err)
	text, err := json.Marshal(list)
	require.NoError(t, err)
	return string(text)
}

func TestADiffListsLeavesByPath(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, before, after, want string }{
		{"equal", `{"a":1,"b":[1,{"c":null}]}`, `{"b":[1.0,{}],"a":1e0}`, `null`},
		{"changed", `{"a":1,"b":"x"}`, `{"a":2,"b":"x"}`, `[{"path":"a","before":1,"after":2}]`},
		{"new and gone", `{"a":1}`, `{"b":2}`, `[{"path":"a","before":1,"after":null},{"path":"b","before":null,"after":2}]`},
		{"inside", `{"a":{"b":{"c":1}}}`, `{"a":{"b":{"c":2}}}`, `[{"path":"a.b.c","before":1,"after":2}]`},
		{"elements", `{"a":[1,2]}`, `{"a":[1,3,4]}`, `[{"path":"a[1]","before":2,"after":3},{"path":"a[2]","before":null,"after":4}]`},
		{"in an element", `[{"x":1}]`, `[{"x":2}]`, `[{"path":"[0].x","before":1,"after":2}]`},
		{"other kind", `{"a":[1]}`, `{"a":{"b":1}}`, `[{"path":"a","before":[1],"after":{"b":1}}]`},
		{"scalar to object", `{"a":1}`, `{"a":{}}`, `[{"path":"a","before":1,"after":{}}]`},
		{"root", `1`, `"1"`, `[{"path":"(root)","before":1,"after":"1"}]`},
		{"keys that are no words", `{"a.b":1,"a":{"b":1}}`, `{"a.b":2,"a":{"b":3}}`, `[{"path":"a.b","before":1,"after":3},{"path":"[\"a.b\"]","before":1,"after":2}]`},
		{"big integers", `{"n":9007199254740992}`, `{"n":9007199254740993}`, `[{"path":"n","before":9007199254740992,"after":9007199254740993}]`},
	} {
		require.Equal(t, c.want, changes(t, c.before, c.after), c.name)
	}
}

func TestADiffComparesGoValuesInTheirJSONForm(t *testing.T) {
	t.Parallel()
	type record struct {
		Name string   `json:"name"`
		Tags []string `json:"tags"`
	}
	list, err := kit.Diff(record{Name: "a", Tags: []string{"x"}}, map[string]any{"name": "b", "tags": []any{"x"}})
	require.NoError(t, err)
	require.Equal(t, []tool.Change{{Path: "name", Before: "a", After: "b"}}, list)

	_, err = kit.Diff(math.NaN(), 1)
	require.Error(t, err)
	_, err = kit.Diff(1, math.NaN())
	require.Error(t, err)
}

func FuzzADiffIsEmptyForEqualsAndMirrorsWhenSwapped(f *testing.F) {
	f.Add(`{"a":[1,{"b":null}],"c.d":"x"}`, `{"a":[1,2,3],"c":{"d":"y"}}`)
	f.Add(`null`, `[]`)
	f.Add(`{}`, `0`)
	f.Add(`{"":1}`, `{"":{"":2}}`)
	f.Fuzz(func(t *testing.T, before, after string) {
		if !json.Valid([]byte(before)) || !json.Valid([]byte(after)) {
			return
		}
		require.Equal(t, `null`, changes(t, before, before))
		there, err := kit.Diff(json.RawMessage(before), json.RawMessage(after))
		require.NoError(t, err)
		back, err := kit.Diff(json.RawMessage(after), json.RawMessage(before))
		require.NoError(t, err)
		require.Len(t, back, len(there))
		seen := map[string]bool{}
		for i, change := range there {
			require.Equal(t, tool.Change{Path: change.Path, Before: change.After, After: change.Before}, back[i])
			require.NotEqual(t, change.Before, change.After)
			require.False(t, seen[change.Path], "two places have the path %s", change.Path)
			seen[change.Path] = true
		}
	})
}
