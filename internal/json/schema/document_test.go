package schema_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/internal/json/schema"
)

func document(t testing.TB, text string) *schema.Document {
	t.Helper()
	d, err := schema.Parse(json.RawMessage(text))
	require.NoError(t, err, text)
	return d
}

func value(t testing.TB, text string) any {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var v any
	require.NoError(t, decoder.Decode(&v), text)
	return v
}

func TestAWrittenSchemaSaysWhereAValueDoesNotFit(t *testing.T) {
	t.Parallel()
	const address = `{"$defs":{"port":{"type":"integer","minimum":1,"maximum":65535}},"type":"object","required":["host"],"additionalProperties":false,
		"properties":{"host":{"type":"string","minLength":1},"ports":{"type":"array","items":{"$ref":"#/$defs/port"},"uniqueItems":true,"maxItems":3},
		"mode":{"enum":["fast","slow"]},"a b":{"type":["string","null"]}}}`
	for _, c := range []struct{ schema, value, want string }{
		{address, `{"host":"a","ports":[80,443],"mode":"fast","a b":null}`, ``},
		{address, `{}`, `host: is required`},
		{address, `{"host":""}`, `host: must not be empty`},
		{address, `{"host":"a","ports":[80,0]}`, `ports[1]: must be at least 1, not 0`},
		{address, `{"host":"a","ports":[80,8.0e1]}`, `ports[1]: is there twice`},
		{address, `{"host":"a","ports":[1,2,3,4]}`, `ports: must have at most 3 items, not 4`},
		{address, `{"host":"a","ports":[1.5]}`, `ports[0]: must be a whole number, not 1.5`},
		{address, `{"host":"a","mode":"other"}`, `mode: must be one of fast, slow`},
		{address, `{"host":"a","a b":1}`, `["a b"]: must be a text or null, not 1`},
		{address, `{"host":"a","hots":1}`, `hots: is not known here. Did you mean host? Known are a b, host, mode, ports`},
		{`{"anyOf":[{"type":"string"},{"type":"object","required":["x"]}]}`, `{}`, `x: is required`},
		{`{"anyOf":[{"type":"string"},{"type":"null"}]}`, `1`, `: fits none of the 2 alternatives`},
		{`{"oneOf":[{"minimum":1},{"minimum":2}]}`, `3`, `: fits 2 of the 2 alternatives, and must fit exactly one`},
		{`{"not":{"type":"string"}}`, `"x"`, `: is what the schema excludes`},
		{`{"if":{"properties":{"a":{"const":1}},"required":["a"]},"then":{"required":["b"]},"else":{"required":["c"]}}`, `{"a":1.0}`, `b: is required`},
		{`{"if":{"required":["a"]},"then":{"required":["b"]},"else":{"required":["c"]}}`, `{}`, `c: is required`},
		{`{"allOf":[{"required":["a"]},{"required":["b"]}]}`, `{}`, `a: is required; b: is required`},
		{`{"patternProperties":{"^x-":{"type":"integer"}},"additionalProperties":{"type":"string"}}`, `{"x-a":1,"b":2}`, `b: must be a text, not 2`},
		{`{"propertyNames":{"maxLength":2}}`, `{"abc":1}`, `abc: has a name that is not allowed`},
		{`{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, `b: is required beside a`},
		{`{"dependencies":{"a":{"required":["c"]},"b":["d"]}}`, `{"a":1,"b":2}`, `c: is required; d: is required beside b`},
		{`{"items":[{"type":"string"},{"type":"integer"}],"additionalItems":false}`, `["a",1,2]`, `[2]: is not allowed`},
		{`{"prefixItems":[{"type":"string"}],"items":{"type":"null"}}`, `["a",1]`, `[1]: must be null, not 1`},
		{`{"contains":{"type":"string"},"minContains":2}`, `["a",1]`, `: has 1 items of the kind that it must contain`},
		{`{"multipleOf":0.1}`, `0.3`, ``},
		{`{"multipleOf":0.1}`, `0.35`, `: must be a multiple of 0.1, not 0.35`},
		{`{"exclusiveMaximum":9007199254740993}`, `9007199254740992`, ``},
		{`{"exclusiveMaximum":9007199254740993}`, `9007199254740993`, `: must be less than 9007199254740993, not 9007199254740993`},
		{`{"const":{"a":[1,2]}}`, `{"a":[1.0,2]}`, ``},
		{`{"pattern":"^a+$"}`, `"ab"`, `: does not fit the pattern ^a+$`},
		{`{"format":"date-time"}`, `"2026-07-14"`, `: is a date without a time and an offset from UTC; write date, time and offset as in 2026-07-14T00:00:00Z`},
		{`{"format":"uuid"}`, `"x"`, `: is not an id; ids look like 0199aa00-0000-7000-8000-000000000001`},
		{`{"format":"whatever"}`, `"x"`, ``},
		{`{"minLength":2,"maxLength":2}`, `"äö"`, ``},
		{`{"minProperties":1,"maxProperties":1}`, `{}`, `: must have at least 1 member, not 0`},
		{`{"$ref":"#/definitions/a~1b","definitions":{"a/b":{"type":"null"}}}`, `1`, `: must be null, not 1`},
		{`{"$ref":"#here","$defs":{"x":{"$anchor":"here","type":"null"}}}`, `1`, `: must be null, not 1`},
		{`{"properties":{"child":{"$ref":"#"},"n":{"type":"integer"}}}`, `{"child":{"child":{"n":"x"}}}`, `child.child.n: must be a whole number, not a text`},
		{`{}`, `{"anything":[1,"x",null]}`, ``},
	} {
		var said []string
		for _, i := range document(t, c.schema).Check(value(t, c.value)) {
			said = append(said, i.Path+": "+i.Message)
		}
		require.Equal(t, c.want, strings.Join(said, "; "), "%s of %s", c.value, c.schema)
	}
}

func TestASchemaThatCannotBeUsedIsRefusedWithThePlace(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"not":`, 70) + `{}` + strings.Repeat(`}`, 70)
	for text, want := range map[string]string{
		`[]`:                         "the schema must be a JSON object",
		`{"type":"strin"}`:           "the schema at /type must be one of object, array",
		`{"requierd":["a"]}`:         `the schema has a keyword that is not known: "requierd"`,
		`{"properties":{"a":1}}`:     "the schema at /properties/a must be an object, true or false",
		`{"minLength":-1}`:           "the schema at /minLength must be a whole number",
		`{"minLength":1.5}`:          "the schema at /minLength must be a whole number",
		`{"multipleOf":0}`:           "the schema at /multipleOf must be a number above 0",
		`{"pattern":"(?=a)"}`:        "the schema at /pattern has a pattern that cannot be used",
		`{"$ref":"https://x.test/"}`: "the schema at /$ref refers to another document",
		`{"$ref":"#/$defs/none"}`:    "where nothing is",
		`{"$ref":"#none"}`:           "is no $anchor",
		`{"$ref":"#"}`:               "refers to itself",
		`{"$ref":"#/$defs/a","$defs":{"a":{"allOf":[{"$ref":"#/$defs/a"}]}}}`: "refers to itself",
		`{"unevaluatedProperties":false}`:                                     "keyword that is not known",
		`{"$dynamicRef":"#a"}`:                                                "keyword that is not known",
		`{"required":["a","a"]}`:                                              "each once",
		`{"enum":[]}`:                                                         "one value at least",
		`{"const":1,"enum":[2]}`:                                              "does not have the value of const",
		`{"$schema":"http://x.test"}`:                                         "names a dialect",
		`{"properties":{"a":{"$id":"x"}}}`:                                    "only be a text at the top",
		`{"a":1,"a":2}`:                                                       "not valid JSON",
		`{"anyOf":[]}`:                                                        "one at least",
		`{"maximum":1e999999999}`:                                             "must be a number",
		deep:                                                                  "nested more than",
		`{"enum":["` + strings.Repeat("x", schema.MaxDocument) + `"]}`: "bytes",
	} {
		_, err := schema.Parse(json.RawMessage(text))
		require.ErrorContains(t, err, want, "%.200s", text)
	}
	for _, text := range []string{`{"x-note":1}`, `{"$schema":"http://json-schema.org/draft-07/schema#","$id":"https://x.test/a"}`, `{"title":"A","default":1,"examples":[1]}`} {
		document(t, text)
	}
}

// Schemas that ask the same again and again end, whatever their author had in mind.
func TestAHostileSchemaEnds(t *testing.T) {
	t.Parallel()
	var doubling strings.Builder
	doubling.WriteString(`{"$ref":"#/$defs/s0","$defs":{`)
	for i := range 40 {
		fmt.Fprintf(&doubling, `"s%d":{"allOf":[{"$ref":"#/$defs/s%d"},{"$ref":"#/$defs/s%d"}]},`, i, i+1, i+1)
	}
	doubling.WriteString(`"s40":{"type":"object"}}}`)
	const again = `{"allOf":[{"properties":{"a":{"$ref":"#"}}},{"properties":{"a":{"$ref":"#"}}}]}`
	begun := time.Now()
	require.Equal(t, "takes too much work to check against this schema", document(t, doubling.String()).Check(value(t, `{}`))[0].Message)
	require.Equal(t, "takes too much work to check against this schema",
		document(t, again).Check(value(t, strings.Repeat(`{"a":`, 60)+`{}`+strings.Repeat(`}`, 60)))[0].Message)
	require.Less(t, time.Since(begun), time.Minute)
	require.NotEmpty(t, document(t, `{"minimum":0}`).Check(value(t, `1e999999999`)))
}

func FuzzASchemaIsRefusedOrChecks(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"$ref":"#"}}}`, `{"a":{"a":1}}`)
	f.Add(`{"$defs":{"a":{"$anchor":"x","oneOf":[{},false]}},"$ref":"#x"}`, `[1,{"b":null}]`)
	f.Add(`{"patternProperties":{"^a":{"contains":{"const":1}}},"dependencies":{"b":["c"]}}`, `{"ab":[2],"b":1}`)
	f.Fuzz(func(t *testing.T, text, input string) {
		d, err := schema.Parse(json.RawMessage(text))
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		decoder := json.NewDecoder(strings.NewReader(input))
		decoder.UseNumber()
		var v any
		if decoder.Decode(&v) == nil {
			require.LessOrEqual(t, len(d.Check(v)), 50)
		}
	})
}
