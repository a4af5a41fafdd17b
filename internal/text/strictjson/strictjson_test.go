package strictjson_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/text/strictjson"
)

func TestWhatEverybodyReadsAlikePasses(t *testing.T) {
	t.Parallel()
	for _, good := range []string{
		`{}`, `[]`, ` {"a":1,"A":2,"b":{"a":1},"c":[{"a":1},{"a":2}]} `, `"\ud83d\ude00"`, `"\\ud800"`, `"😀"`, `null`, `1e400`,
		`"\\\\ud800 \u005cud800"`, strings.Repeat("[", 100) + strings.Repeat("]", 100),
	} {
		require.NoError(t, strictjson.Check([]byte(good)), good)
	}
}

func TestWhatMayBeReadDifferentlyIsRefused(t *testing.T) {
	t.Parallel()
	for bad, says := range map[string]string{
		`{"a":1,"a":2}`:                        `"a" stands twice`,
		`{"x":[{"role":"a","r\u006fle":"b"}]}`: `"role" stands twice`,
		`{"":1,"":1}`:                          `"" stands twice`,
		`"\ud800"`:                             "surrogate",
		`"\udc00"`:                             "surrogate",
		`"\ud800\ud800\udc00"`:                 "surrogate",
		`"\ud800x\udc00"`:                      "surrogate",
		`"\ud83d\\ude00"`:                      "surrogate",
		`"\\\ud800"`:                           "surrogate",
		`{"\uD800":1}`:                         "surrogate",
		`{"a":1} {}`:                           "text after",
		`{"a":1`:                               "too soon",
		``:                                     "too soon",
		"\"\xff\"":                             "UTF-8",
		`{a:1}`:                                "invalid",
		strings.Repeat("[", 300) + strings.Repeat("]", 300): "nested",
	} {
		err := strictjson.Check([]byte(bad))
		require.ErrorContains(t, err, says, bad)
	}
	require.LessOrEqual(
		t,
		len(strictjson.Check([]byte(`{"`+strings.Repeat("n", 9_000)+`":1,"`+strings.Repeat("n", 9_000)+`":1}`)).Error()),
		150,
	)
}

// A Go struct takes a member in any case.
func TestMembersThatDifferInCaseAreOneForAStruct(t *testing.T) {
	t.Parallel()
	require.ErrorContains(t, strictjson.CheckFolded([]byte(`{"messageId":"a","MESSAGEID":"b"}`)), "stands twice")
	require.ErrorContains(t, strictjson.CheckFolded([]byte(`{"kind":1,"\u212Aind":2}`)), "stands twice", "K, the sign of kelvin")
	require.NoError(t, strictjson.CheckFolded([]byte(`{"a":{"a":1},"b":1}`)))
}

func FuzzCheck(f *testing.F) {
	for _, seed := range []string{`{"a":[1,{"b":"\ud83d\ude00"}]}`, `{"a":1,"a":2}`, `"\ud800"`, `[`, `"\\`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		err := strictjson.Check(data)
		if err != nil {
			return
		}
		require.True(t, json.Valid(data))
		// What has passed keeps its meaning when it is written anew.
		first := tree(t, data)
		again, err := json.Marshal(first)
		require.NoError(t, err)
		require.NoError(t, strictjson.Check(again))
		require.Equal(t, first, tree(t, again))
	})
}

func tree(t *testing.T, data []byte) (value any) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	require.NoError(t, decoder.Decode(&value))
	return value
}
