package assistant_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/chat/assistant"
)

func TestClampCharsFollowTheWindow(t *testing.T) {
	t.Parallel()
	for window, want := range map[int]int{
		0: 12_000, -1: 12_000, 1: 4_000, 8_192: 4_000, 40_000: 4_000, 100_000: 10_000, 128_000: 12_800, 480_000: 48_000, 1_000_000: 48_000,
	} {
		require.Equal(t, want, assistant.ClampChars(window), "window of %d tokens", window)
	}
}

func TestAResultThatFitsIsLeftAlone(t *testing.T) {
	t.Parallel()
	for _, result := range []string{`{}`, `[]`, `null`, `"text"`, `{"items":[1,2,3]}`, `{"path":"C:\\u0000"}`} {
		require.Equal(t, result, string(assistant.Clamp(json.RawMessage(result), 100)))
	}
}

// result is a list of n elements of about 100 characters, as a tool returns it.
func result(n int) string {
	element := `{"id":"0199aa00-0000-7000-8000-%012d","name":"` + strings.Repeat("x", 40) + `"}`
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(element, i)
	}
	return "[" + strings.Join(list, ",") + "]"
}

func TestTheLongestListOfAnObjectLosesItsEnd(t *testing.T) {
	t.Parallel()
	clamped := assistant.Clamp(json.RawMessage(`{"total":50,"systems":`+result(50)+`,"teams":`+result(2)+`}`), 4_000)
	var got struct {
		Total     int                  `json:"total"`
		Systems   []map[string]any     `json:"systems"`
		Teams     []map[string]any     `json:"teams"`
		Truncated assistant.Truncation `json:"_truncated"`
	}
	require.NoError(t, json.Unmarshal(clamped, &got))
	require.LessOrEqual(t, len(clamped), 4_000)
	require.Equal(t, 50, got.Total)
	require.Len(t, got.Teams, 2, "a short list stays whole")
	require.NotEmpty(t, got.Systems)
	require.Equal(t, "0199aa00-0000-7000-8000-000000000000", got.Systems[0]["id"], "the beginning is kept")
	require.Equal(
		t,
		[]assistant.TruncatedField{{Field: "systems", Kept: len(got.Systems), Omitted: 50 - len(got.Systems)}},
		got.Truncated.Fields,
	)
	require.NotEmpty(t, got.Truncated.Hint)
}

func TestABareListSaysWhatItLacks(t *testing.T) {
	t.Parallel()
	clamped := assistant.Clamp(json.RawMessage(result(100)), 4_000)
	var got struct {
		Items     []any                `json:"items"`
		Truncated assistant.Truncation `json:"_truncated"`
	}
	require.NoError(t, json.Unmarshal(clamped, &got))
	require.LessOrEqual(t, len(clamped), 4_000)
	require.Equal(t, 100, got.Truncated.Fields[0].Kept+got.Truncated.Fields[0].Omitted)
	require.Len(t, got.Items, got.Truncated.Fields[0].Kept)
}

// The longest text gives way first, wherever it stands, and what is said of a record beside it stays.
func TestTheLongestTextsLoseTheirEnd(t *testing.T) {
	t.Parallel()
	clamped := assistant.Clamp(
		json.RawMessage(`{"title":"Limits","more":true,"pages":[{"name":"short","body":"`+strings.Repeat("é", 900)+`"},{"name":"long","body":"`+
			strings.Repeat("<", 9_000)+`"}]}`),
		4_000,
		"offset",
		"section",
	)
	var got struct {
		Title     string                        `json:"title"`
		More      bool                          `json:"more"`
		Pages     []struct{ Name, Body string } `json:"pages"`
		Truncated assistant.Truncation          `json:"_truncated"`
	}
	require.NoError(t, json.Unmarshal(clamped, &got))
	require.LessOrEqual(t, len(clamped), 4_000)
	require.True(t, got.More)
	require.Equal(t, "Limits", got.Title)
	require.Len(t, got.Pages, 2)
	require.Equal(t, "long", got.Pages[1].Name)
	require.Len(t, got.Truncated.Texts, 1, "a text that is short enough is left alone")
	cut := got.Truncated.Texts[0]
	require.Equal(t, "pages[1].body", cut.Field)
	require.Equal(t, 9_000, cut.Kept+cut.Omitted)
	require.Equal(t, strings.Repeat("<", cut.Kept)+"…", got.Pages[1].Body)
	require.Greater(t, cut.Kept, 1_500, "and none is cut more than it has to be")
	require.Contains(t, got.Truncated.Hint, "another offset or section")
}

// A list of records whose texts are as short as is useful already loses records.
func TestListsLoseTheirEndWhenShortTextsDoNotHelp(t *testing.T) {
	t.Parallel()
	clamped := assistant.Clamp(json.RawMessage(`{"answer":{"systems":`+result(200)+`}}`), 4_000)
	require.LessOrEqual(t, len(clamped), 4_000)
	var got struct {
		Answer    struct{ Systems []any }
		Truncated assistant.Truncation `json:"_truncated"`
	}
	require.NoError(t, json.Unmarshal(clamped, &got))
	require.Greater(t, len(got.Answer.Systems), 25)
	require.Equal(t, "answer.systems", got.Truncated.Fields[0].Field)
	require.Contains(t, got.Truncated.Hint, "narrow the filters")
}

func TestWhatHasNeitherBecomesAPreview(t *testing.T) {
	t.Parallel()
	for name, big := range map[string]string{
		"a bare text":                    `"` + strings.Repeat("é", 10_000) + `"`,
		"quotes, which double":           `"` + strings.Repeat(`\"`, 10_000) + `"`,
		"a text with control characters": `"` + strings.Repeat(`\u0001`, 4_000) + `"`,
		"one long name":                  `{"` + strings.Repeat("k", 10_000) + `":1}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clamped := assistant.Clamp(json.RawMessage(big), 4_000)
			require.LessOrEqual(t, len(clamped), 4_000)
			var got struct {
				Preview   string               `json:"preview"`
				Truncated assistant.Truncation `json:"_truncated"`
			}
			require.NoError(t, json.Unmarshal(clamped, &got))
			require.NotEmpty(t, got.Preview)
			require.Positive(t, got.Truncated.OmittedChars)
		})
	}
}

func TestNULDoesNotReachTheDatabase(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		`{"a":"x\u0000y"}`:       `{"a":"xy"}`,
		`{"a":"\\u0000"}`:        `{"a":"\\u0000"}`,
		`{"a":"\\\u0000"}`:       `{"a":"\\"}`,
		`{"a":"\\\\u0000"}`:      `{"a":"\\\\u0000"}`,
		`{"a\u0000":["\u0000"]}`: `{"a":[""]}`,
	} {
		require.Equal(t, want, string(assistant.Clamp(json.RawMessage(given), 1_000)), given)
	}
}

// escapedNUL reports whether a decoded value holds a NUL.
func escapedNUL(v any) bool {
	switch v := v.(type) {
	case string:
		return strings.ContainsRune(v, 0)
	case []any:
		if slices.ContainsFunc(v, escapedNUL) {
			return true
		}
	case map[string]any:
		for name, e := range v {
			if strings.ContainsRune(name, 0) || escapedNUL(e) {
				return true
			}
		}
	}
	return false
}

// Whatever a tool returns, the model gets valid JSON within the limit, and the database can store it.
func FuzzClamp(f *testing.F) {
	f.Add(`{"total":50,"systems":`+result(50)+`,"teams":`+result(30)+`}`, 4_000)
	f.Add(result(100), 4_000)
	f.Add(`{"a":"\\u0000","b":"\u0000"}`, 4_000)
	f.Add(`{"_truncated":[`+strings.Repeat(`1,`, 3_000)+`1]}`, 4_000)
	f.Add(`{"`+strings.Repeat("k", 5_000)+`":[1]}`, 4_000)
	f.Add(`{"a":[`+strings.Repeat(`"<>&",`, 1_500)+`1]}`, 4_000)
	f.Add(`"`+strings.Repeat(`\u0001`, 2_000)+`"`, 4_000)
	f.Add(`{"a":"`+strings.Repeat("\u2028", 3_000)+`"}`, 4_000)
	f.Fuzz(func(t *testing.T, given string, limit int) {
		limit = 1_000 + max(limit, 0)%47_001
		if !json.Valid([]byte(given)) {
			t.Skip()
		}
		clamped := assistant.Clamp(json.RawMessage(given), limit)
		require.True(t, json.Valid(clamped), "%q became %q", given, clamped)
		require.LessOrEqual(t, len(clamped), limit)
		var v any
		require.NoError(t, json.Unmarshal(clamped, &v))
		require.False(t, escapedNUL(v), "%s", clamped)
	})
}
