package strictjson_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/text/strictjson"
)

func TestTextsWithOneValueAreTheSame(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{
		{`{"a":1,"b":[true,null]}`, ` { "b" : [ true , null ] , "a" : 1.0 } `}, {`"\u00e9"`, `"é"`}, {`[]`, `[ ]`}, {`null`, "null\n"}, {``, ``}, {`{`, `{`},
	} {
		require.True(t, strictjson.Same(pair[0], pair[1]), pair)
		require.True(t, strictjson.Same(json.RawMessage(pair[1]), pair[0]), pair)
	}
	for _, pair := range [][2]string{
		{`[1,2]`, `[2,1]`}, {`{"a":1}`, `{"a":1,"b":null}`}, {`null`, ``}, {`{}`, `[]`}, {`1`, `"1"`}, {`1`, `1 2`}, {`{`, `[`}, {`"a"`, `"A"`},
	} {
		require.False(t, strictjson.Same(pair[0], pair[1]), pair)
		require.False(t, strictjson.Same(pair[1], []byte(pair[0])), pair)
	}
}
