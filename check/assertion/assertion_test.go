package assertion_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/check/assertion"
)

type result struct {
	Code   int      `json:"statusCode"`
	Time   float64  `json:"responseTimeMs"`
	Text   string   `json:"body"`
	Names  []string `json:"names"`
	Ports  []int    `json:"ports"`
	Title  *string  `json:"title"`
	Days   *int     `json:"days"`
	Good   bool     `json:"success"`
	Extras map[string]any
	Size   int64
	Exact  *assertion.Exact
}

func fields() []assertion.Field {
	return []assertion.Field{
		{Name: "statusCode", Type: assertion.Number, Index: []int{0}},
		{Name: "responseTimeMs", Type: assertion.Number, Unit: "ms", Index: []int{1}},
		{Name: "body", Type: assertion.String, JSONPath: true, Index: []int{2}},
		{Name: "names", Type: assertion.Array, Index: []int{3}},
		{Name: "ports", Type: assertion.Array, Index: []int{4}},
		{Name: "title", Type: assertion.String, Index: []int{5}},
		{Name: "days", Type: assertion.Number, Index: []int{6}},
		{Name: "success", Type: assertion.Boolean, Index: []int{7}},
		{Name: "extras", Type: assertion.Other, Index: []int{8}},
		{Name: "size", Type: assertion.Number, Index: []int{9}},
		{Name: "number", Type: assertion.Number, Index: []int{10}},
	}
}

// parse reads "field operator value" or "field@path operator value".
func parse(text string) assertion.Assertion {
	parts := strings.SplitN(text, " ", 3)
	var a assertion.Assertion
	a.Field, a.JSONPath, _ = strings.Cut(parts[0], "@")
	a.Operator = parts[1]
	if len(parts) == 3 {
		a.Value = json.RawMessage(parts[2])
	}
	return a
}

func compile(t testing.TB, text string) *assertion.Compiled {
	t.Helper()
	c, issues := assertion.Compile(parse(text), fields())
	require.Empty(t, issues, text)
	return c
}

func TestTheOperatorsOfEachType(t *testing.T) {
	t.Parallel()
	ids := func(operators []assertion.Operator) string {
		var all []string
		for _, o := range operators {
			all = append(all, o.ID)
		}
		return strings.Join(all, " ")
	}
	table := assertion.Table()
	require.Equal(
		t,
		"equals notEquals oneOf notOneOf lessThan lessThanOrEqual greaterThan greaterThanOrEqual between",
		ids(table[assertion.Number]),
	)
	require.Equal(
		t,
		"equals notEquals oneOf notOneOf contains notContains startsWith endsWith matches notMatches isEmpty lengthEquals lengthGreaterThan "+
			"lengthLessThan",
		ids(table[assertion.String]),
	)
	require.Equal(t, "isTrue isFalse", ids(table[assertion.Boolean]))
	require.Equal(
		t,
		"includes notIncludes lengthEquals lengthGreaterThan lengthLessThan isEmpty isNotEmpty exists notExists",
		ids(table[assertion.Array]),
	)
	require.Equal(t, "lessThan lessThanOrEqual", ids(table[assertion.Threshold]))
	require.Equal(
		t,
		"equals notEquals oneOf notOneOf contains notContains startsWith endsWith matches notMatches exists notExists lessThan "+
			"lessThanOrEqual greaterThan greaterThanOrEqual between lengthEquals lengthGreaterThan lengthLessThan",
		ids(table[assertion.Path]),
	)
	table[assertion.Number][0].ID = "changed"
	require.Equal(t, "equals", assertion.Table()[assertion.Number][0].ID, "the table is nobody's to change")
}

func TestWhetherAnAssertionHolds(t *testing.T) {
	t.Parallel()
	title, days := "Shop", 12
	of := result{
		Code:  200,
		Time:  99.5,
		Names: []string{"a", "b"},
		Ports: []int{80, 443},
		Title: &title,
		Days:  &days,
		Good:  true,
		Text:  `{"state":"ok","count":"12","size":7.0,"none":null,"on":true,"tags":["prod","eu"],"items":[{"v":1},{"v":2}],"version":"1.10","rate":1.10,"o":{"x":1},"big":12345678901234567890}`,
	}
	for text, holds := range map[string]bool{
		"statusCode equals 200": true, "statusCode equals 200.0": true, "statusCode equals 2e2": true, "statusCode equals 201": false,
		"statusCode notEquals 200": false, "statusCode notEquals 500": true,
		"statusCode lessThan 200": false, "statusCode lessThanOrEqual 200": true, "statusCode greaterThan 199": true, "statusCode greaterThanOrEqual 201": false,
		"responseTimeMs lessThan 100": true, "responseTimeMs lessThanOrEqual 99": false,
		`title equals "Shop"`: true, `title equals "shop"`: false, `title notEquals "shop"`: true, `title contains "ho"`: true,
		`title notContains "ho"`: false, `title notContains "x"`: true, `title notMatches "^S"`: false, `title notMatches "^o"`: true,
		`title startsWith "S"`: true, `title endsWith "S"`: false, `title matches "^S.{2}p$"`: true, `title matches "^o"`: false, "title isEmpty": false,
		"days greaterThan 11": true, "success isTrue": true, "success isFalse": false,
		`names includes "a"`: true, `names includes "c"`: false, `names notIncludes "c"`: true, "names includes 1": false,
		"ports includes 443": true, `ports includes "443"`: true, "ports includes 8080": false,
		"names lengthEquals 2": true, "names lengthGreaterThan 2": false, "names lengthLessThan 3": true,
		"names isEmpty": false, "names isNotEmpty": true, "names exists": true, "names notExists": false,

		`body@$.state equals "ok"`: true, `body@$.state notEquals "ok"`: false, `body@$.state contains "k"`: true, `body@$.state startsWith "o"`: true,
		`body@$.state endsWith "o"`: false, `body@$.state matches "o.?"`: true, "body@$.state exists": true, "body@$.state notExists": false,
		"body@$.gone exists": false, "body@$.gone notExists": true, `body@$.gone equals "x"`: false, `body@$.gone notEquals "x"`: false,
		// What a path finds is compared as the value of the assertion asks for it.
		"body@$.count equals 12": true, `body@$.count equals "12"`: true, "body@$.count lessThan 13": true, `body@$.count greaterThan "11.5"`: true,
		"body@$.size equals 7": true, `body@$.size equals "7"`: true, "body@$.state lessThan 5": false,
		`body@$.version equals "1.1"`: false, `body@$.version notEquals "1.1"`: true, `body@$.version equals "1.10"`: true,
		"body@$.version equals 1.1": true, `body@$.rate equals "1.1"`: true, "body@$.rate equals 1.1": true,
		`body@$.version oneOf ["1.1","2"]`: false, `body@$.version notOneOf ["1.1","2"]`: true, "body@$.version oneOf [1.1]": true,
		`body@$.state notOneOf ["ok","down"]`: false, `body@$.gone notOneOf ["ok"]`: false, `body@$.size notIn [7]`: false,
		"statusCode notOneOf [200, 204]": false, "statusCode notOneOf [404, 500]": true, "statusCode notIn [404]": true,
		`title notOneOf ["Shop"]`: false, `title notOneOf ["shop"]`: true, `title oneOf ["shop", "Shop"]`: true,
		"body@$.none equals null": true, "body@$.none exists": true, "body@$.on equals true": true, `body@$.on equals "true"`: true,
		`body@$.tags contains "eu"`: true, `body@$.tags contains "e"`: false, `body@$.tags notContains "eu"`: false,
		`body@$.tags notContains "e"`: true, `body@$.state notContains "k"`: false, `body@$.state notMatches "^k"`: true, `body@$.gone notContains "x"`: false, `body@$.o equals "{\"x\":1}"`: true,
		// Of several values each has to fit.
		"body@$.items[*].v greaterThan 0": true, "body@$.items[*].v greaterThan 1": false, "body@$.items[?@.v>1].v equals 2": true,
		"body@$.big equals 12345678901234567890": true,
	} {
		c := compile(t, text)
		subject := assertion.NewSubject(&of)
		require.Equal(t, holds, c.Held(&subject), text)
		require.Equal(t, holds, c.Judge(&subject).Held, text)
	}
}

// Numbers that a float64 would round are compared with all of their digits.
func TestNumbersAreComparedExactly(t *testing.T) {
	t.Parallel()
	for number, holds := range map[string]map[string]bool{
		"9007199254740993": {
			"equals 9007199254740993": true, "equals 9007199254740992": false, "notEquals 9007199254740992": true,
			"greaterThan 9007199254740992": true, "lessThan 9007199254740994": true, "lessThanOrEqual 9007199254740992": false,
			"oneOf [9007199254740992, 9007199254740994]": false, "notOneOf [9007199254740992]": true,
			"between [9007199254740993, 9007199254740993]": true, "between [9007199254740994, 9007199254740999]": false,
		},
		"-18446744073709551615.000000001": {"lessThan -18446744073709551615": true, "equals -18446744073709551615": false},
		"0.30":                            {"equals 0.3": true, "equals 3e-1": true, "greaterThan 0.29999999999999999999": true},
		"1e400":                           {"greaterThan 1e300": true, "equals 1e300": false},
		"12":                              {"equals 12.0": true, "greaterThan 11": true, "lessThan 12": false},
	} {
		for condition, held := range holds {
			subject := assertion.NewSubject(&result{Exact: assertion.NewExact(number)})
			require.Equal(t, held, compile(t, "number "+condition).Held(&subject), "%s %s", number, condition)
		}
	}
	whole := assertion.NewSubject(&result{Size: 9007199254740993})
	require.True(t, compile(t, "size equals 9007199254740993").Held(&whole))
	require.False(t, compile(t, "size equals 9007199254740992").Held(&whole))
	require.True(t, compile(t, "size notEquals 9007199254740992").Held(&whole))
	observed := assertion.NewSubject(&result{Exact: assertion.NewExact("9007199254740993")})
	shown, err := json.Marshal(compile(t, "number equals 1").Judge(&observed).Observed)
	require.NoError(t, err)
	require.Equal(t, "9007199254740993", string(shown))
	none := assertion.NewSubject(&result{})
	require.False(t, compile(t, "number notEquals 1").Held(&none))
	for text, want := range map[string]string{"+5": "5", ".5": "0.5", "007": "7", "1e3": "1e3", strings.Repeat("9", 2000): "", "abc": "", "Inf": "", "": ""} {
		got := assertion.NewExact(text)
		require.Equal(t, want == "", got == nil, text)
		if got != nil {
			require.Equal(t, want, string(*got))
		}
	}
}

func TestWhatAResultDoesNotHaveHoldsNothing(t *testing.T) {
	t.Parallel()
	for text, problem := range map[string]string{
		`title equals ""`:       "the result has no title this time",
		`title notEquals "x"`:   "the result has no title this time",
		"days lessThan 5":       "the result has no days this time",
		`names notIncludes "a"`: "the result has no names this time",
		"names isEmpty":         "the result has no names this time",
		"names exists":          "",
		`body@$.a equals "x"`:   "body is empty",
		"body@$.a notExists":    "body is empty",
	} {
		c := compile(t, text)
		subject := assertion.NewSubject(&result{})
		j := c.Judge(&subject)
		require.False(t, j.Held, text)
		require.Equal(t, problem, j.Problem, text)
	}
	counts := assertion.NewSubject(&result{Text: `{"count":12}`})
	require.Equal(t, "$.count finds 12, which has no length", compile(t, "body@$.count lengthLessThan 3").Judge(&counts).Problem)
	none := assertion.NewSubject(nil)
	require.False(t, compile(t, "statusCode equals 0").Held(&none))
	empty := assertion.NewSubject(&result{})
	require.True(t, compile(t, "names notExists").Held(&empty))
}

func TestADocumentThatPathsCannotBeUsedOn(t *testing.T) {
	t.Parallel()
	for body, problem := range map[string]string{
		"<html>":                               "body is not JSON",
		`{"a":1} {"a":2}`:                      "body is not one JSON value",
		strings.Repeat("[", 500):               "body is nested too deep for a path",
		`"` + strings.Repeat("a", 1<<20) + `"`: "body is too large for a path",
		`{"b":1}`:                              "$.a finds nothing",
	} {
		subject := assertion.NewSubject(&result{Text: body})
		require.Equal(t, problem, compile(t, "body@$.a equals 1").Judge(&subject).Problem)
	}
	subject := assertion.NewSubject(&result{Text: "[" + strings.Repeat("1,", 5_000) + "1]"})
	require.Equal(
		t,
		"$[?count($..*)>1] looks at too much of body: write it more exactly",
		compile(t, "body@$[?count($..*)>1] exists").Judge(&subject).Problem,
	)
}

func TestAnAssertionInWords(t *testing.T) {
	t.Parallel()
	for text, words := range map[string]string{
		"statusCode equals 200":            "statusCode equals 200",
		"responseTimeMs lessThan 500":      "responseTimeMs is less than 500",
		`body matches "^ok"`:               `body matches "^ok"`,
		"success isTrue":                   "success is true",
		"names lengthGreaterThan 2":        "names has a length greater than 2",
		`body@$.state notEquals "down"`:    `body at $.state does not equal "down"`,
		"body@$.items[0].v greaterThan 10": "body at $.items[0].v is greater than 10",
	} {
		require.Equal(t, words, assertion.Words(parse(text)))
	}
}

func TestAnExpectationUsesSymbols(t *testing.T) {
	t.Parallel()
	for text, expectation := range map[string]string{
		"statusCode equals 200":            "statusCode = 200",
		"responseTimeMs lessThan 500":      "responseTimeMs < 500",
		`body contains "ok"`:               `body to contain "ok"`,
		"success isTrue":                   "success to be true",
		"names lengthGreaterThan 2":        "names length > 2",
		"names isNotEmpty":                 "names not to be empty",
		`body@$.state notEquals "down"`:    `body at $.state != "down"`,
		"body@$.items[0].v greaterThan 10": "body at $.items[0].v > 10",
	} {
		require.Equal(t, expectation, assertion.Expectation(parse(text)))
	}
	for _, operators := range assertion.Table() {
		for _, o := range operators {
			expectation := assertion.Expectation(assertion.Assertion{Field: "f", Operator: o.ID})
			require.Greater(t, len(expectation), len("f "), o.ID)
		}
	}
}

func TestTheWorkOfAnAssertionIsBounded(t *testing.T) {
	t.Parallel()
	for text, says := range map[string]string{
		`body matches "` + strings.Repeat("a", 1_001) + `"`: "has more than 1000 characters",
		`body equals "` + strings.Repeat("a", 4_000) + `"`:  "has more than 4000 bytes",
		`body matches "(a{900}){900}"`:                      "is not a regular expression (RE2): invalid repeat count: `{900}`",
		"body@$" + strings.Repeat(".a", 200) + " exists":    "has more than 300 characters",
		"extras equals 1":  "is of type object, for which there are no operators",
		"body equals {}":   `must be a text, such as "ok"`,
		"body equals nope": "is not valid JSON",
	} {
		_, issues := assertion.Compile(parse(text), fields())
		require.Len(t, issues, 1, text)
		require.Equal(t, says, issues[0].Message)
	}
}

func FuzzAssertion(f *testing.F) {
	f.Add("body", "$.a[?@.b>1]", "equals", `"x"`, `{"a":[{"b":2}]}`)
	f.Add("statusCode", "", "lessThan", "5", "")
	f.Add("names", "", "includes", "null", "")
	f.Fuzz(func(t *testing.T, field, path, operator, value, body string) {
		a := assertion.Assertion{Field: field, JSONPath: path, Operator: operator, Value: json.RawMessage(value)}
		assertion.Words(a)
		c, issues := assertion.Compile(a, fields())
		require.Equal(t, c == nil, len(issues) > 0)
		if c == nil {
			return
		}
		subject := assertion.NewSubject(&result{Text: body, Names: []string{body}})
		held := c.Held(&subject)
		j := c.Judge(&subject)
		require.Equal(t, held, j.Held)
		require.False(t, held && j.Problem != "")
		_, err := json.Marshal(j.Observed)
		require.NoError(t, err)
	})
}

func BenchmarkThreeAssertions(b *testing.B) {
	all := []*assertion.Compiled{
		compile(b, "statusCode equals 200"),
		compile(b, "responseTimeMs lessThan 500"),
		compile(b, `body contains "ok"`),
	}
	of := &result{Code: 200, Time: 12, Text: "all is ok"}
	b.ReportAllocs()
	for b.Loop() {
		subject := assertion.NewSubject(of)
		for _, a := range all {
			if !a.Held(&subject) {
				b.Fatal("it does not hold")
			}
		}
	}
}

func BenchmarkAPath(b *testing.B) {
	a := compile(b, `body@$.items[3].state equals "ok"`)
	of := &result{Text: `{"items":[` + strings.Repeat(`{"id":17,"state":"ok","name":"a service of the shop"},`, 19) + `{"id":1}]}`}
	b.SetBytes(int64(len(of.Text)))
	b.ReportAllocs()
	for b.Loop() {
		subject := assertion.NewSubject(of)
		if !a.Held(&subject) {
			b.Fatal("it does not hold")
		}
	}
}
