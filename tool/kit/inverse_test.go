package kit_test

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/tool"
	"countersign/tool/kit"
)

// For an update, whatever its fields are, what Revert gives is what there was before.
func TestRevertIsTheInverseOfDiff(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3_000) {
		r := rand.New(rand.NewPCG(seed, 1))
		before, after := map[string]any{}, map[string]any{}
		for _, field := range []string{"name", "tags", "metadata", "a b"} {
			switch r.IntN(3) {
			case 0:
				before[field], after[field] = word(r), word(r)
			case 1:
				before[field], after[field] = list(r, 2), list(r, 2)
			case 2:
				before[field], after[field] = object(r, 2), object(r, 2)
			}
		}
		diff, err := kit.Diff(before, after)
		require.NoError(t, err)
		raw, err := tool.Canonical(after)
		require.NoError(t, err)
		reverted, ok := kit.Revert(raw, diff)
		if len(diff) == 0 {
			require.False(t, ok)
			continue
		}
		require.True(t, ok, "seed %d: %s with %v", seed, raw, diff)
		want, err := tool.Canonical(before)
		require.NoError(t, err)
		require.Equal(t, string(want), string(reverted), "seed %d", seed)
	}
}

func word(r *rand.Rand) string { return []string{"", "a", "b.c", `["x"]`, "é"}[r.IntN(5)] }

func value(r *rand.Rand, depth int) any {
	if depth > 0 {
		switch r.IntN(4) {
		case 0:
			return list(r, depth-1)
		case 1:
			return object(r, depth-1)
		}
	}
	if r.IntN(2) == 0 {
		return r.IntN(3)
	}
	return word(r)
}

func list(r *rand.Rand, depth int) []any {
	made := make([]any, r.IntN(4))
	for i := range made {
		made[i] = value(r, depth)
	}
	return made
}

func object(r *rand.Rand, depth int) map[string]any {
	made := map[string]any{}
	for range r.IntN(4) {
		made[[]string{"k", "on call", `q"]`, "a.b", "0"}[r.IntN(5)]] = value(r, depth)
	}
	return made
}

// What is not the whole of a change is not taken back.
func TestRevertRefusesWhatItCannotKnow(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		after string
		diff  []tool.Change
	}{
		"a field that the payload does not hold": {`{"id":"x"}`, []tool.Change{{Path: "name", Before: "a", After: "b"}}},
		"another value":                          {`{"name":"c"}`, []tool.Change{{Path: "name", Before: "a", After: "b"}}},
		"names for ids":                          {`{"teamId":"1"}`, []tool.Change{{Path: "owners.Platform", Before: nil, After: true}}},
		"a number from nothing":                  {`{"n":1}`, []tool.Change{{Path: "n", Before: nil, After: 1}}},
		"the root":                               {`"a"`, []tool.Change{{Path: "(root)", Before: "b", After: "a"}}},
		"no difference":                          {`{"name":"c"}`, nil},
		"a place far beyond the end":             {`{"l":["a"]}`, []tool.Change{{Path: "l[7]", Before: "x", After: nil}}},
		"a broken path":                          {`{"l":["a"]}`, []tool.Change{{Path: `l["`, Before: "x", After: "a"}}},
	} {
		_, ok := kit.Revert(json.RawMessage(c.after), c.diff)
		require.False(t, ok, name)
	}
}

// A field that was nothing becomes empty, which an update takes as such.
func TestRevertEmptiesWhatWasNothing(t *testing.T) {
	t.Parallel()
	before, ok := kit.Revert(json.RawMessage(`{"id":"x","tags":["a"],"description":"d","metadata":{"k":1}}`), []tool.Change{
		{
			Path:   "tags",
			Before: nil,
			After:  []any{"a"},
		},
		{Path: "description", Before: nil, After: "d"},
		{Path: "metadata", Before: nil, After: map[string]any{"k": 1}},
	})
	require.True(t, ok)
	require.JSONEq(t, `{"id":"x","tags":[],"description":"","metadata":{}}`, string(before))
}

func FuzzRevert(f *testing.F) {
	f.Add(`{"a":[1,2],"b":{"c":"d"}}`, "a[1]", `3`, `2`)
	f.Add(`{"a":[1,2],"b":{"c":"d"}}`, `b["c"]`, `null`, `"d"`)
	f.Fuzz(func(t *testing.T, after, path, was, is string) {
		change := tool.Change{Path: path}
		if json.Unmarshal([]byte(was), &change.Before) != nil || json.Unmarshal([]byte(is), &change.After) != nil {
			return
		}
		if before, ok := kit.Revert(json.RawMessage(after), []tool.Change{change}); ok && !json.Valid(before) {
			t.Fatalf("not JSON: %s", before)
		}
	})
}
