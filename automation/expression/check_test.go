package expression_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/automation/expression"
)

func known() expression.Types {
	created := expression.FromSchema(
		json.RawMessage(`{"type":"object","additionalProperties":false,"required":["incidentId","severity","systems"],
		"properties":{"incidentId":{"type":"string"},"severity":{"type":"string","enum":["minor","major","critical"]},"latencyMs":{"type":["number","null"]},
		"count":{"type":"integer"},"systems":{"type":"array","items":{"$ref":"#/$defs/system"}},"labels":{"type":"object","additionalProperties":{"type":"string"}}},
		"$defs":{"system":{"type":"object","required":["id","up"],"properties":{"id":{"type":"string"},"up":{"type":"boolean"}}}}}`),
	)
	resolved := expression.FromSchema(json.RawMessage(`{"type":"object","required":["incidentId","resolvedAt"],
		"properties":{"incidentId":{"type":"string"},"resolvedAt":{"type":"string","format":"date-time"}}}`))
	text := expression.Of(expression.KindText)
	return expression.Types{
		Roots: map[string]expression.Type{
			"trigger": expression.Object(map[string]expression.Type{"event": text, "id": text, "subject": text, "time": text}),
			"artifacts": expression.Object(
				map[string]expression.Type{"create": expression.Object(map[string]expression.Type{"incident": resolved})},
			),
			"var": expression.Object(map[string]expression.Type{"n": expression.Of(expression.KindNumber), "any": {}}),
			"now": expression.Of(expression.KindTime),
		},
		Absent: map[string]string{"repeat": "repeat exists in loops only."},
		Variants: []expression.Variant{
			{ID: "a", Event: "incident.created", Payload: created},
			{ID: "b", Event: "incident.resolved", Payload: resolved},
		},
	}
}

func TestTypesOfExpressions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]expression.Kind{
		`trigger.payload.incidentId`: "text",
		`trigger.event == "incident.created" && trigger.payload.severity == "major"`:                "bool",
		`trigger.event == "incident.resolved" || trigger.payload.severity == "major"`:               "bool",
		`trigger.event != "incident.created" ? 0 : size(trigger.payload.systems)`:                   "number",
		`has(trigger.payload.severity) && trigger.payload.severity in ["major", "minor"]`:           "bool",
		`!has(trigger.payload.severity) || trigger.payload.severity == "major"`:                     "bool",
		`has(trigger.payload.latencyMs) && trigger.payload.latencyMs > 5`:                           "bool",
		`trigger.id == "a" ? trigger.payload.systems.map(s, s.id) : []`:                             "list",
		`trigger.id in ["a"] && trigger.payload.systems.exists(s, s.up && s.id == trigger.subject)`: "bool",
		`has(trigger.payload.labels.team) ? trigger.payload.labels.team : ""`:                       "text",
		`now - timestamp(trigger.time) > duration("5m")`:                                            "bool",
		`now + duration("5m")`:                          "time",
		`var.n / 2 + math.round(1.5)`:                   "number",
		`artifacts.create.incident.resolvedAt`:          "text",
		`var.any.deep[3].x`:                             "any",
		`{"a": 1}.a + 1`:                                "number",
		`"a,b".split(",").filter(x, x != "").join("-")`: "text",
		`now.getHours("Europe/Berlin")`:                 "number",
		`[1, 2].all(x, x > 0)`:                          "bool",
	} {
		of, problems := expression.Check(text, known())
		require.Empty(t, problems, text)
		require.Equal(t, want, cmpKind(of.Kind), text)
	}
}

func cmpKind(k expression.Kind) expression.Kind {
	if k == "" {
		return expression.KindAny
	}
	return k
}

func TestWrongExpressionsAreFoundBeforeTheyRun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, message, nearest string
		column                 int
	}{
		{`trigger.payload.incidentIdd == "x"`, "does not exist", "incidentId", 17},
		{`trigger.paylod.incidentId`, "trigger.paylod", "payload", 9},
		{`triger.payload.incidentId`, "not known", "trigger", 1},
		{`vars.n`, "not known", "var", 1},
		{`artifacts.creat.incident.incidentId`, "does not exist", "create", 11},
		{`artifacts.create.incident.sevrity`, "does not exist", "", 27},
		{`var.m`, "There is any, n", "", 5},
		{`trigger.payload.severity == "major"`, "is no member of the events incident.resolved: ask has(trigger.payload.severity) first", "", 17},
		{`trigger.payload["severity"] == "major"`, "ask has(", "", 17},
		{`trigger.event == "incident.created" || trigger.payload.severity == "major"`, "does not exist in incident.resolved", "", 56},
		{`trigger.event == "incident.created" && trigger.payload.latencyMs > 5`, "can be missing", "", 56},
		{`has(trigger.payload.severty)`, "does not exist", "severity", 21},
		{`repeat.index > 1`, "repeat exists in loops only", "", 1},
		{`var.n == "3"`, "== does not go with a number and a text", "", 7},
		{`var.n + "x"`, "string(value)", "", 7},
		{`now > trigger.time`, "timestamp(text)", "", 5},
		{`now > 5`, "does not go", "", 5},
		{`trigger.subject && true`, "true or false", "", 1},
		{`!trigger.subject`, "! needs true or false", "", 2},
		{`trigger.id == "a" && trigger.payload.severity == "mayor"`, "never `mayor`", "major", 47},
		{`trigger.id == "a" && trigger.payload.systems.id == "x"`, "is a list and has no members", "", 46},
		{`trigger.id == "a" && trigger.payload.systems.exists(s, s.idd == "x")`, "does not exist", "id", 58},
		{`trigger.subject.contain("x")`, "no function", "contains", 24},
		{`trigger.subject.contains(1)`, "text.contains(part) needs a text", "", 26},
		{`size(1)`, "needs a text", "", 6},
		{`size()`, "is called as size(value)", "", 5},
		{`"x".matches("(")`, "regular expression", "", 13},
		{`duration("5 minutes") > duration("1m")`, "no duration", "", 10},
		{`timestamp("yesterday") < now`, "no time", "", 11},
		{`now.getHours("Berlin") > 3`, "no time zone", "", 14},
		{`"a" in trigger.subject`, "contains", "", 8},
		{`"ä" == trigger.subject && triger.x == 1`, "not known", "trigger", 27},
		{"var.n > 1 &&\n  var.m > 1", "There is", "", 7},
		{`{{ var.n }}`, "without {{ and }}", "", 1},
		{`var.n = 1`, "write ==", "", 7},
		{`var.n >`, "not complete", "", 8},
		{`Foo{a: 1}`, "", "", 0},
		{`b"x" == b"y"`, "Bytes", "", 1},
	} {
		_, problems := expression.Check(c.text, known())
		require.NotEmpty(t, problems, c.text)
		p := problems[0]
		require.Contains(t, p.Message, c.message, c.text)
		require.Equal(t, c.nearest, p.Nearest, "%s: %s", c.text, p.Message)
		if c.column > 0 {
			require.Equal(t, c.column, p.Column, "%s: %s", c.text, p.Message)
		}
	}
	_, problems := expression.Check(`trigger.payload.a == var.b || repeat.index == triger.c`, known())
	require.Len(t, problems, 4, "all errors are found at once")
	_, problems = expression.CheckKind(`var.n`, known(), expression.KindBool)
	require.Contains(t, problems[0].Message, "has to give true or false, and gives a number")
}

func TestFactsOfABranchHoldInIt(t *testing.T) {
	t.Parallel()
	types := known()
	types.Known = expression.FactsOf(`trigger.event == "incident.created" && has(trigger.payload.latencyMs)`, types, true)
	_, problems := expression.Check(`trigger.payload.latencyMs > 3 && trigger.payload.severity == "major"`, types)
	require.Empty(t, problems)
	types.Known = expression.FactsOf(`trigger.event == "incident.resolved"`, types, false)
	_, problems = expression.Check(`trigger.payload.severity == "major"`, types)
	require.Empty(t, problems)
}

func TestTemplatesAreChecked(t *testing.T) {
	t.Parallel()
	of, templated, problems := expression.CheckTemplate(`{{ var.n }}`, known())
	require.Equal(t, expression.KindNumber, of.Kind)
	require.True(t, templated)
	require.Empty(t, problems)
	of, templated, problems = expression.CheckTemplate(`ä {{ var.n }} and {{ var.m }} ${{ secrets.KEY }}`, known())
	require.Equal(t, expression.KindText, of.Kind)
	require.True(t, templated)
	require.Len(t, problems, 1)
	require.Equal(t, 26, problems[0].Column)
	_, templated, problems = expression.CheckTemplate(`${{ secrets.KEY }}`, known())
	require.False(t, templated)
	require.Empty(t, problems)
	_, _, problems = expression.CheckTemplate(`{{ var.n `, known())
	require.Contains(t, problems[0].Message, "has no }}")
}

func FuzzCheck(f *testing.F) {
	for _, seed := range []string{`trigger.payload.x == 1 || has(a.b[0].c)`, `[1].map(x, {"a": x})[0].a`, `math.least(1, "x")`, `a.b.c(1)`, `x ? y : z`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		of, problems := expression.Check(text, known())
		for _, p := range problems {
			if p.Message == "" || p.Offset < 0 || p.Offset > len(text) || p.Line < 1 || p.Column < 1 {
				t.Fatalf("%+v", p)
			}
		}
		if len(problems) > 0 {
			return
		}
		// An expression without a problem has a value of its type, or an error that only values could show.
		if v, err := expression.Value(t.Context(), text, scope()); err == nil && of.Kind == expression.KindNumber {
			if _, ok, err := expression.Number(t.Context(), text, scope()); !ok || err != nil {
				t.Fatal(fmt.Sprint(text, string(v), err))
			}
		}
	})
}
