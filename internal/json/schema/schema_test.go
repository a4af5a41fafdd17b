package schema_test

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	generate "github.com/invopop/jsonschema"
	"github.com/stretchr/testify/require"

	"countersign/internal/json/schema"
)

type address struct {
	Host  string            `json:"host" jsonschema:"minLength=1"`
	Ports []int             `json:"ports,omitempty"`
	Tags  map[string]string `json:"tags,omitempty"`
}

func TestASchemaOfAStructIsClosedAndValidates(t *testing.T) {
	t.Parallel()
	d := schema.Of(reflect.TypeFor[address](), func(reflect.Type) *generate.Schema { return nil })
	require.NotContains(t, string(d.JSON()), "$schema")
	require.Equal(t, []string{"array"}, d.Root().Property("ports").Types())
	require.Nil(t, d.Root().Property("other"))
	for text, want := range map[string]string{
		`{"host":"a","ports":[1,2],"tags":{"a b":"c"}}`: ``,
		`{}`:                            `host: is required`,
		`{"host":""}`:                   `host: must not be empty`,
		`{"host":null}`:                 `host: must be a text, not null; leave it out`,
		`{"host":"a","hots":"a"}`:       `hots: is not known here. Did you mean host? Known are host, ports, tags`,
		`{"host":"a","tags":{"a b":1}}`: `tags["a b"]: must be a text, not 1`,
		`{"host":"a","ports":[1,90071992547409930]}`: `ports[1]: is too large`,
		`{"host":"a","ports":[1,1e999]}`:             `ports[1]: must be a whole number, not 1e999`,
		`{"host":"a\u0000","tags":{"b\u0000":"c"}}`:  `host: has a NUL character; tags: has a member with a NUL character in its name`,
	} {
		require.Equal(t, want, said(d.Check(value(t, text))), text)
	}
}

func said(issues []schema.Issue) string {
	lines := make([]string, len(issues))
	for i, issue := range issues {
		lines[i] = issue.Path + ": " + issue.Message
	}
	return strings.Join(lines, "; ")
}

func TestAStructWithoutMembersHasProperties(t *testing.T) {
	t.Parallel()
	d := schema.Of(
		reflect.TypeFor[struct{}](),
		func(reflect.Type) *generate.Schema { return nil },
		func(s *generate.Schema) { s.Title = "Nothing" },
	)
	require.JSONEq(t, `{"type": "object", "properties": {}, "additionalProperties": false, "title": "Nothing"}`, string(d.JSON()))
	require.Equal(t, "a: is not known here. There are no members", said(d.Check(map[string]any{"a": nil})))
}

func TestLimitsOnExemptTextsAreSkipped(t *testing.T) {
	t.Parallel()
	d := schema.Of(reflect.TypeFor[struct {
		Kind string            `json:"kind" jsonschema:"enum=a,enum=b"`
		Tags map[string]string `json:"tags,omitempty" jsonschema:"maxProperties=1"`
	}](), func(reflect.Type) *generate.Schema { return nil })
	exempt := func(_ *schema.Node, text string) bool { return text == "{{ x }}" }
	require.Empty(t, d.CheckExcept(value(t, `{"kind":"{{ x }}"}`), exempt))
	require.Equal(t, "kind: must be one of a, b", said(d.CheckExcept(value(t, `{"kind":"c"}`), exempt)))
	require.Equal(t, "kind: must be a text, not 5", said(d.CheckExcept(value(t, `{"kind":5}`), exempt)))
}

func TestNotesDefaultsAndTextsOfASchema(t *testing.T) {
	t.Parallel()
	d := document(
		t,
		`{"type":"object","properties":{"a":{"default":{"b":[1]}},"list":{"x-secret":true,"x-unit":"ms","items":{"type":"string"}},
		"map":{"x-secret":true,"additionalProperties":{"properties":{"c":{"default":"d"}}}}}}`,
	)
	d.Inherit("x-secret")
	require.True(t, d.Root().Property("list").Has("x-secret"))
	require.False(t, d.Root().Property("a").Has("x-secret"))
	require.Equal(t, "ms", d.Root().Property("list").Note("x-unit"))
	in := value(t, `{"list":["x"],"map":{"k l":{}}}`)
	d.SetDefaults(in)
	require.Equal(t, value(t, `{"list":["x"],"map":{"k l":{"c":"d"}},"a":{"b":[1]}}`), in)
	secret := map[string]bool{}
	out := d.Texts(in, func(path string, n *schema.Node, text string) string {
		secret[path] = n.Has("x-secret")
		return text + "!"
	})
	require.Equal(t, map[string]bool{"list[0]": true, `map["k l"].c`: false}, secret)
	require.Equal(t, value(t, `{"list":["x!"],"map":{"k l":{"c":"d!"}},"a":{"b":[1]}}`), out)
	var places []string
	d.Each(func(path string, _ *schema.Node) { places = append(places, path) })
	require.ElementsMatch(t, []string{"", "a", "list", "list[]", "map", "map.*", "map.*.c"}, places)
}

func TestNamesStandInPointersAndComeBack(t *testing.T) {
	t.Parallel()
	for name, part := range map[string]string{"": "", "a": "a", "a/b": "a~1b", "~1": "~01", "~0/": "~00~1"} {
		require.Equal(t, part, schema.Escaped(name))
		require.Equal(t, name, schema.Unescaped(part))
	}
}

func TestAReferenceLeadsToAPlace(t *testing.T) {
	t.Parallel()
	tree := map[string]any{"a/b": []any{"x", map[string]any{"": "y"}}}
	for reference, want := range map[string]any{"#": tree, "#/a~1b/0": "x", "#/a~1b/1/": "y"} {
		found, ok := schema.At(tree, reference)
		require.True(t, ok, reference)
		require.Equal(t, want, found, reference)
	}
	for _, reference := range []string{"", "a", "#a", "#/a", "#/a~1b/2", "#/a~1b/-1", "#/a~1b/0/0", "other#/a~1b"} {
		found, ok := schema.At(tree, reference)
		require.False(t, ok, reference)
		require.Nil(t, found)
	}
}

func TestNumbersAreReplacedInACopy(t *testing.T) {
	t.Parallel()
	tree := map[string]any{"a": []any{json.Number("1.50"), "x", nil}, "b": json.Number("1e999")}
	require.Equal(
		t,
		map[string]any{"a": []any{1.5, "x", nil}, "b": math.Inf(1)},
		schema.Numbers(tree, func(n json.Number) any { f, _ := n.Float64(); return f }),
	)
	require.Equal(t, json.Number("1.50"), tree["a"].([]any)[0])
}

type everything struct {
	ID     uuid.UUID          `json:"id"`
	At     *time.Time         `json:"at,omitempty"`
	Kind   string             `json:"kind,omitempty" jsonschema:"enum=a,enum=b"`
	Name   string             `json:"name,omitempty" jsonschema:"minLength=1,maxLength=3,pattern=^[a-zé]*$"`
	Rank   int                `json:"rank,omitempty" jsonschema:"minimum=1,maximum=5"`
	Ratio  float64            `json:"ratio,omitempty" jsonschema:"exclusiveMinimum=0,exclusiveMaximum=1"`
	Step   float64            `json:"step,omitempty" jsonschema:"multipleOf=2,minimum=-1000,maximum=1000"`
	On     bool               `json:"on,omitempty"`
	Tags   []string           `json:"tags,omitempty" jsonschema:"minItems=1,maxItems=2,uniqueItems=true"`
	Labels map[string]string  `json:"labels,omitempty"`
	Hosts  []address          `json:"hosts,omitempty"`
	Any    any                `json:"any,omitempty"`
	Free   map[string]float64 `json:"free,omitempty"`
}

// FuzzTheAdapterSaysWhatTheLibraryFinds: an error of the library that the adapter does not know would be worded badly, and
// an input that both accept can be decoded.
func FuzzTheAdapterSaysWhatTheLibraryFinds(f *testing.F) {
	const id = `"id":"0199aa00-0000-7000-8000-000000000001"`
	for _, seed := range []string{
		`{` + id + `}`, `{"id":"x"}`, `{` + id + `,"at":"2026-07-14t09:30:00z","kind":"c","name":"é1","rank":6}`, `{` + id + `,"rank":1.5,"ratio":1e0}`,
		`{` + id + `,"tags":[],"labels":{"a b":1},"hosts":[{"host":""},{"ports":[1.0]}]}`, `{` + id + `,"tags":["a","a"],"on":"true","step":3}`,
		`{` + id + `,"any":[1e999,{"a":null}],"free":{"a":-1E400}}`, `{` + id + `,"at":null,"name":"abcd","step":1e300}`, `[]`, `null`, `{"a~/b":0}`,
	} {
		f.Add(seed)
	}
	d := schema.Of(reflect.TypeFor[everything](), func(t reflect.Type) *generate.Schema {
		switch t {
		case reflect.TypeFor[uuid.UUID]():
			return &generate.Schema{Type: "string", Format: "uuid"}
		case reflect.TypeFor[time.Time]():
			return &generate.Schema{Type: "string", Format: "date-time"}
		}
		return nil
	})
	f.Fuzz(func(t *testing.T, text string) {
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		var v any
		if decoder.Decode(&v) != nil {
			return
		}
		issues := d.Check(v)
		for _, issue := range issues {
			require.NotContains(t, issue.Message, "does not fit the schema", "%s of %s", issue.Path, text)
		}
		if v, _ = d.Normalize(v); len(issues) > 0 {
			return
		}
		raw, err := json.Marshal(schema.Numbers(v, func(n json.Number) any {
			if f, err := n.Float64(); err == nil && f == math.Trunc(f) && math.Abs(f) <= schema.MaxWhole {
				return int64(f)
			}
			return n
		}))
		require.NoError(t, err)
		decoder = json.NewDecoder(strings.NewReader(string(raw)))
		decoder.UseNumber()
		require.NoError(t, decoder.Decode(&everything{}), "%s", raw)
	})
}
