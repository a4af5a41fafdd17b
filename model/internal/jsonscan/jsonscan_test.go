package jsonscan_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/model/internal/jsonscan"
)

func TestScannerReadsWhatIsAskedForAndSkipsTheRest(t *testing.T) {
	t.Parallel()
	s := jsonscan.New([]byte(` {"a": [1, -2, "x", 1.5], "skip": {"deep": [{"]": "}"}]}, "b": true, "c": {"d": "e\n"}, "n": null} `))
	var numbers []int
	var text string
	var flag bool
	s.Object(func(key []byte) {
		switch string(key) {
		case "a":
			s.Array(func(int) {
				if n, ok := s.Integer(); ok {
					numbers = append(numbers, n)
				}
			})
		case "b":
			flag = s.Bool()
		case "c":
			s.Object(func([]byte) { text = string(s.AppendString(nil)) })
		default:
			s.Skip()
		}
	})
	require.False(t, s.Bad())
	require.True(t, s.AtEnd())
	require.Equal(t, []int{1, -2}, numbers)
	require.True(t, flag)
	require.Equal(t, "e\n", text)
}

func TestScannerNoticesBrokenJSON(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		``, `{`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{a:1}`, `{"a" 1}`, `{"a":x}`, `{"a":[1,]}`, `{"a":"x}`, `{"a":}`, `{"a":[1}`,
	} {
		s := jsonscan.New([]byte(text))
		s.Object(func([]byte) { s.Array(func(int) { s.Skip() }) })
		require.True(t, s.Bad() || !s.AtEnd(), text)
	}
}

// Strings read as encoding/json reads them, less NUL.
func FuzzString(f *testing.F) {
	for _, seed := range []string{`"a"`, `"\ud83d\ude00\ud83d\u00e9"`, `"\"\\\/\b\f\n\r\t"`, "\"\xff\"", `"\u0000"`, `"\`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := jsonscan.New(data)
		got := string(s.AppendString(nil))
		var want string
		if json.Unmarshal(data, &want) != nil {
			return
		}
		require.False(t, s.Bad())
		require.True(t, s.AtEnd())
		require.Equal(t, strings.ReplaceAll(want, "\x00", ""), got)
	})
}

// What AppendQuoted writes, encoding/json reads.
func FuzzQuoted(f *testing.F) {
	for _, seed := range []string{"", "a\"\\\n\x00\x7f", "é😀\xff\xc3", "</script>\u2028"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var got string
		require.NoError(t, json.Unmarshal(jsonscan.AppendQuoted(nil, text), &got))
		var want strings.Builder
		for _, r := range text {
			want.WriteRune(r)
		}
		require.Equal(t, want.String(), got)
	})
}
