package kit_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/tool/kit"
)

func TestWhatALossIs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, before, after string
		lost                []string
	}{
		{"another text", `{"description":"a"}`, `{"description":"b"}`, nil},
		{"a text is emptied", `{"description":"a"}`, `{"description":" "}`, []string{"description"}},
		{"an entry more", `{"tags":["a"]}`, `{"tags":["a","b"]}`, nil},
		{"an entry more, in front", `{"tags":["b"]}`, `{"tags":["a","b"]}`, nil},
		{"another order", `{"tags":["a","b","c"]}`, `{"tags":["c","a","b"]}`, nil},
		{"an entry less", `{"tags":["a","b"]}`, `{"tags":["b"]}`, []string{"tags"}},
		{"other entries in their place", `{"tags":["a","b"]}`, `{"tags":["x","y"]}`, []string{"tags"}},
		{"one of them, among more", `{"tags":["a","b"]}`, `{"tags":["a","x","y","z"]}`, []string{"tags"}},
		{"numbers", `{"metadata":{"ports":[1,2]}}`, `{"metadata":{"ports":[1,3]}}`, []string{"ports"}},
		{"an object more, in front", `{"metadata":{"owners":[{"n":"a"}]}}`, `{"metadata":{"owners":[{"n":"b"},{"n":"a"}]}}`, nil},
		{"a list more, in front", `{"metadata":{"rows":[["a"]]}}`, `{"metadata":{"rows":[["b"],["a"]]}}`, nil},
		{"another object in its place", `{"metadata":{"owners":[{"n":"a"}]}}`, `{"metadata":{"owners":[{"n":"b"}]}}`, []string{"owners"}},
		{"an object becomes a text", `{"metadata":{"owners":[{"n":"a"}]}}`, `{"metadata":{"owners":["a"]}}`, []string{"owners"}},
		{"a field of the same entry, new", `{"metadata":{"owners":[{"n":"a"}]}}`, `{"metadata":{"owners":[{"n":"a","since":1}]}}`, nil},
	} {
		diff, err := kit.Diff(json.RawMessage(c.before), json.RawMessage(c.after))
		require.NoError(t, err)
		require.Equal(t, c.lost, kit.Lost(diff), c.name)
	}
}
