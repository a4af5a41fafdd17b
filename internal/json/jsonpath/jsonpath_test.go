package jsonpath_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/internal/json/jsonpath"
)

// The suite of the standard's authors, unchanged (testdata/LICENSE).
func TestTheComplianceSuiteOfTheStandard(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/cts.json")
	require.NoError(t, err)
	var suite struct {
		Tests []struct {
			Name     string            `json:"name"`
			Selector string            `json:"selector"`
			Document any               `json:"document"`
			Result   json.RawMessage   `json:"result"`
			Results  []json.RawMessage `json:"results"`
			Invalid  bool              `json:"invalid_selector"`
		} `json:"tests"`
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	require.NoError(t, decoder.Decode(&suite))
	require.Greater(t, len(suite.Tests), 700)
	for _, c := range suite.Tests {
		path, err := jsonpath.Parse(c.Selector)
		if c.Invalid {
			require.Error(t, err, "%s: %s", c.Name, c.Selector)
			continue
		}
		require.NoError(t, err, "%s: %s", c.Name, c.Selector)
		found, err := path.Select(c.Document, 10_000)
		require.NoError(t, err, c.Name)
		if found == nil {
			found = []any{}
		}
		got, err := json.Marshal(found)
		require.NoError(t, err)
		if len(c.Results) == 0 {
			require.JSONEq(t, string(c.Result), string(got), "%s: %s", c.Name, c.Selector)
			continue
		}
		fits := false
		for _, r := range c.Results {
			var wanted, have any
			require.NoError(t, json.Unmarshal(r, &wanted))
			require.NoError(t, json.Unmarshal(got, &have))
			fits = fits || equal(wanted, have)
		}
		require.True(t, fits, "%s: %s gives %s", c.Name, c.Selector, got)
	}
}

func equal(a, b any) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return bytes.Equal(x, y)
}

func TestASlipIsSaidWithItsPlace(t *testing.T) {
	t.Parallel()
	for text, message := range map[string]string{
		"items[0]":         "a path begins with $, not with what stands at character 1",
		"$.items[0":        "] is missing at character 10",
		"$.":               "a name or * is missing after the dot at character 3",
		"$.items[x]":       "a name in quotes, a number, * or a filter is missing at character 9",
		"$[?@.a]]":         "unexpected text at character 8",
		"$[?length(@.a)]":  "a value is no condition: compare it, which is not done at character 4",
		"$[?@.*==1]":       "a comparison needs one value on each side, which this is not, at character 4",
		"$[?size(@.a)==1]": "there is no such function, or it has another number of arguments, at character 4",
	} {
		_, err := jsonpath.Parse(text)
		require.EqualError(t, err, message, text)
	}
}

func TestTheWorkOfAQueryIsBounded(t *testing.T) {
	t.Parallel()
	var deep any = "x"
	for range 60 {
		deep = []any{deep, deep}
	}
	wide := make([]any, 2_000)
	for i := range wide {
		wide[i] = strings.Repeat("a", 50)
	}
	for _, c := range []struct {
		text     string
		document any
	}{
		{"$..*", deep},
		{"$[?count($..*)>1]", wide},
		{"$[?count($[*])==count($[*])]", wide},
		{"$" + strings.Repeat("[*,*,*,*,*,*,*,*]", 40), deep},
		{"$[?match(@,$[0])]", wide},
		{"$..[?@..[?@..[?@..*]]]", deep},
	} {
		path, err := jsonpath.Parse(c.text)
		require.NoError(t, err)
		started := time.Now()
		_, err = path.Select(c.document, 1_000_000)
		require.ErrorIs(t, err, jsonpath.ErrWork, c.text)
		require.Less(t, time.Since(started), 20*time.Second, c.text)
	}
	_, err := jsonpath.Parse("$" + strings.Repeat("[?@", 50) + strings.Repeat("]", 50))
	require.ErrorContains(t, err, "nested too deep")
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"$.a[0]", `$..['a',"b"][?@.x>1 && !(@.y=='z')]`, "$[1:-1:2]", "$[?match(@.a,'a.b')||count(@.*)==2]", `$["\u263a"]`} {
		f.Add(seed, `{"a":[1,{"x":2,"y":"z"},null],"b":true}`)
	}
	f.Fuzz(func(t *testing.T, text, raw string) {
		path, err := jsonpath.Parse(text)
		if err != nil {
			require.ErrorAs(t, err, new(*jsonpath.SyntaxError))
			return
		}
		var document any
		if json.Unmarshal([]byte(raw), &document) != nil {
			return
		}
		if _, err := path.Select(document, 50_000); err != nil {
			require.ErrorIs(t, err, jsonpath.ErrWork)
		}
	})
}
