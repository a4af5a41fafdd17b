package strictjson_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/text/strictjson"
)

func TestHowDeepATextIsNested(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		``: 0, `7`: 0, `"[{"`: 0, `{}`: 1, `[]`: 1, `[[],[]]`: 2, `{"a":{"b":[]},"c":[]}`: 3,
		`["\"[[[["]`: 1, `["\\",[]]`: 2, `{"[[":"]]}"}`: 1,
		`]]]]`: 0, `[[[`: 3, `"\`: 0,
		strings.Repeat("[", 500) + strings.Repeat("]", 500): 500,
	} {
		require.Equal(t, want, strictjson.Depth(text), text)
		require.Equal(t, want, strictjson.Depth(json.RawMessage(text)), text)
	}
}

// What a decoder makes of a text is exactly as deep as it was said to be.
func FuzzDepth(f *testing.F) {
	for _, seed := range []string{`{"a":[1,{"b":"\ud83d\ude00"}]}`, `["\"[",[]]`, `"\\"`, `[{}]`, `1`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var value any
		if strictjson.Unmarshal([]byte(text), &value) != nil {
			return // of members with one name, the decoder keeps the last
		}
		require.Equal(t, depthOf(value), strictjson.Depth(text))
	})
}

func depthOf(value any) int {
	deepest := 0
	switch v := value.(type) {
	case map[string]any:
		for _, member := range v {
			deepest = max(deepest, depthOf(member))
		}
	case []any:
		for _, element := range v {
			deepest = max(deepest, depthOf(element))
		}
	default:
		return 0
	}
	return deepest + 1
}
