package arguments_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/script/arguments"
	"countersign/tool/kit"
)

func parse(t testing.TB, raw string) arguments.Schema {
	s, issues := arguments.Parse([]byte(raw))
	require.Empty(t, issues, raw)
	return s
}

func TestASchemaBecomesATypeOfTypeScript(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`{}`:                `any`,
		`{"type":"object"}`: `{ [key: string]: any }`,
		`{"type":"object","additionalProperties":false}`:                                                                                   `{ }`,
		`{"properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`:                                             `{ "a": string; }`,
		`{"properties":{"a":{"type":["integer","null"]}},"additionalProperties":false}`:                                                    `{ "a"?: (number | null); }`,
		`{"properties":{"a":{"enum":["x",1,null,true]}},"additionalProperties":false}`:                                                     `{ "a"?: ("x" | 1 | null | true); }`,
		`{"properties":{"a":{"const":{"k":[1]}}},"additionalProperties":false}`:                                                            `{ "a"?: { "k": [1]; }; }`,
		`{"properties":{"a":{"type":"array","items":{"type":"string"}}},"additionalProperties":false}`:                                     `{ "a"?: Array<string>; }`,
		`{"properties":{"a":{"type":"array","items":{"type":"string"},"minItems":1}},"additionalProperties":false}`:                        `{ "a"?: [string, ...Array<string>]; }`,
		`{"properties":{"a":{"items":[{"type":"string"},{"type":"null"}],"minItems":1}},"additionalProperties":false}`:                     `{ "a"?: [string, (null)?, ...Array<any>]; }`,
		`{"properties":{"a":{"prefixItems":[{"type":"string"},{"type":"null"}],"minItems":1,"items":false}},"additionalProperties":false}`: `{ "a"?: [string, (null)?]; }`,
		`{"properties":{"a":{"prefixItems":[{"type":"string"}],"items":{"type":"number"}}},"additionalProperties":false}`:                  `{ "a"?: [(string)?, ...Array<number>]; }`,
		`{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"number"}]}},"additionalProperties":false}`:                                `{ "a"?: (string | number); }`,
		`{"properties":{"a":{"allOf":[{"type":"string"},{"minLength":1}]}},"additionalProperties":false}`:                                  `{ "a"?: string; }`,
		`{"type":"object","additionalProperties":{"type":"number"}}`:                                                                       `{ [key: string]: number }`,
		`{"properties":{"a":{}},"required":["b"]}`:                                                                                         `({ "a"?: any; "b": any; } & { [key: string]: any })`,
		`{"properties":{"a":true,"b":false},"additionalProperties":false}`:                                                                 `{ "a"?: any; "b"?: never; }`,
	} {
		require.Equal(t, "type ArgsSchema = "+want+";\n", parse(t, raw).Types(arguments.Any), raw)
	}
	recursive := parse(t, `{"type":"object","properties":{"tree":{"$ref":"#/$defs/tree"}},"additionalProperties":false,
		"$defs":{"tree":{"type":"object","properties":{"left":{"$ref":"#/$defs/tree"},"right":{"$ref":"#/$defs/tree"}},"additionalProperties":false}}}`)
	require.Equal(
		t,
		"type Definition1 = { \"left\"?: Definition1; \"right\"?: Definition1; };\ntype ArgsSchema = { \"tree\"?: Definition1; };\n",
		recursive.Types(arguments.Any),
	)
	require.Equal(t, "type ArgsSchema = unknown;\n", parse(t, "{}").Types(arguments.Unknown))
}

func TestASchemaThatCannotBeUsedSaysWhereAndWhy(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		``:                             "|it is not JSON",
		`{`:                            "|it is not JSON",
		`{} 1`:                         "|there is something else after it",
		`true`:                         "|The schema must be an object",
		`[]`:                           "|The schema must be an object",
		`{"type":"string"}`:            "/type|The arguments of a tool are an object",
		`{"type":"objekt"}`:            "/type|There is no type \"objekt\"",
		`{"type":["object","object"]}`: "/type|type must be a type or a list of types",
		`{"properties":[]}`:            "/properties|properties must be an object",
		`{"properties":{"a":5}}`:       "/properties/a|A schema is an object",
		`{"properties":{"a/b":{"minLength":-1}}}`:        "/properties/a~1b/minLength|minLength must be a whole number",
		`{"properties":{"a":{"minLength":1.5}}}`:         "/properties/a/minLength|minLength must be a whole number",
		`{"properties":{"a":{"pattern":"(?=x)"}}}`:       "/properties/a/pattern|This pattern cannot be used",
		`{"properties":{"a":{"enum":[]}}}`:               "/properties/a/enum|enum must be a list",
		`{"required":"a"}`:                               "/required|required must be a list",
		`{"required":["a","a"]}`:                         "/required|required must be a list",
		`{"anyOf":[]}`:                                   "/anyOf|anyOf must be a list of schemas",
		`{"$ref":"https://example.com/schema.json"}`:     "/$ref|Nothing is loaded from",
		`{"$ref":"other.json#/a"}`:                       "/$ref|Nothing is loaded from",
		`{"properties":{"a":{"$ref":"#/properties/b"}}}`: "/properties/a/$ref|A reference to",
		`{"properties":{"a":{"$ref":"#/$defs/b"}}}`:      "/properties/a/$ref|There is no definition",
		`{"$ref":"#"}`:                                   "|This schema refers to itself without",
		`{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"anyOf":[{"$ref":"#/$defs/a"}]}},"properties":{"x":{"$ref":"#/$defs/a"}}}`: "|refers to itself without",
		`{"$id":"https://example.com"}`:     "/$id|$id is not allowed",
		`{"$anchor":"a"}`:                   "/$anchor|$anchor is not allowed",
		`{"properties":{"a":{"$defs":{}}}}`: "/properties/a/$defs|Definitions belong at the top",
		`{"multipleOf":0}`:                  "/multipleOf|multipleOf must be a number above 0",
		`{"uniqueItems":1}`:                 "/uniqueItems|uniqueItems must be true or false",
		`{"properties":{"n":{"$ref":"#/$defs/n"}},"$defs":{"n":{"anyOf":[{"properties":{"next":{"$ref":"#/$defs/n"}}},{"properties":{"next":{"$ref":"#/$defs/n"}}}]}}}`: "|refers to itself twice",
		doubling(20): "|References multiply",
		strings.Repeat(`{"not":`, 40) + "{}" + strings.Repeat("}", 40):   "|too large",
		strings.Repeat(`{"not":`, 40_000):                                "|has 280000 bytes",
		strings.Repeat(`{"not":`, 5_000):                                 "|nested too deeply",
		`{"$comment":"` + strings.Repeat("x", arguments.MaxBytes) + `"}`: "|at most 65536 are allowed",
	} {
		_, issues := arguments.Parse([]byte(raw))
		require.NotEmpty(t, issues, raw)
		pointer, message, _ := strings.Cut(want, "|")
		require.False(t, issues[0].Warning)
		require.Contains(t, issues[0].Message, message, raw)
		if pointer != "" {
			require.Equal(t, pointer, issues[0].Pointer, raw)
		}
	}
}

// doubling has definitions of which each refers to the next one twice.
func doubling(n int) string {
	var b strings.Builder
	b.WriteString(`{"properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{`)
	for i := range n {
		next := string(rune('a' + i + 1))
		b.WriteString(
			`"` + map[bool]string{true: "d0", false: string(rune('a' + i))}[i == 0] + `":{"allOf":[{"$ref":"#/$defs/` + next + `"},{"$ref":"#/$defs/` + next + `"}]},`,
		)
	}
	return b.String() + `"` + string(rune('a'+n)) + `":{}}}`
}

// Whoever writes a schema whose references lead everywhere waits no longer for the answer than others.
func TestManyReferencesAreNotFollowedForLong(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(`{"properties":{"q":{"$ref":"#/$defs/big"}},"$defs":{"big":{"allOf":[{}`)
	for i := range 40 {
		b.WriteString(`,{"properties":{"a":{}`)
		for k := range 10 {
			fmt.Fprintf(&b, `,"%d_%d":{"$ref":"#"}`, i, k)
		}
		b.WriteString(`}}`)
	}
	b.WriteString(`]}`)
	for j := range 900 {
		fmt.Fprintf(&b, `,"n%d":{"allOf":[{"$ref":"#/$defs/big"}]}`, j)
	}
	b.WriteString(`}}`)
	begun := time.Now()
	_, issues := arguments.Parse([]byte(b.String()))
	require.Less(t, time.Since(begun), time.Minute)
	require.Len(t, issues, 1)
	require.Contains(t, issues[0].Message, "too many references")
}

// What an author writes and calls could not be checked by is refused with what to write instead.
func TestAKeywordThatNobodyCouldCheckIsRefusedWithWhatToWrite(t *testing.T) {
	t.Parallel()
	for raw, hint := range map[string]string{
		`{"propertes":{}}`:                              `Did you mean "properties"?`,
		`{"properties":{"a":{"minlength":1}}}`:          `Did you mean "minLength"?`,
		`{"properties":{"a":{"nullable":true}}}`:        `Write "type": ["string", "null"].`,
		`{"definitions":{}}`:                            `Write "$defs".`,
		`{"dependencies":{"a":["b"]}}`:                  `Write "dependentRequired" or "dependentSchemas".`,
		`{"unevaluatedProperties":false}`:               `Write "additionalProperties" where the properties are.`,
		`{"properties":{"a":{"unevaluatedItems":{}}}}`:  `Write "items" beside "prefixItems".`,
		`{"properties":{"a":{"contentSchema":{}}}}`:     `What a text holds is not checked: say it in "description".`,
		`{"discriminator":{"propertyName":"kind"}}`:     `Write "oneOf", and "const" in each alternative.`,
		`{"properties":{"a":{"divisibleBy":2}}}`:        `Write "multipleOf".`,
		`{"properties":{"a":{"optional":true}}}`:        `A property is optional unless "required" of its object names it.`,
		`{"extends":{}}`:                                `Write "allOf".`,
		`{"properties":{"a":{"$dynamicRef":"#a"}}}`:     `Refer to definitions with {"$ref": "#/$defs/name"}.`,
		`{"properties":{"a":{"$anchor":"a"}}}`:          `Refer to definitions with {"$ref": "#/$defs/name"}.`,
		`{"properties":{"a":{"quite_another_word":1}}}`: `Leave it out, or begin its name with "x-" if it is a note.`,
	} {
		_, issues := arguments.Parse([]byte(raw))
		require.Len(t, issues, 1, raw)
		require.False(t, issues[0].Warning, raw)
		require.Equal(t, hint, issues[0].Hint)
	}
	_, issues := arguments.Parse([]byte(`{"x-order": 1, "description": "d", "$schema": "https://json-schema.org/draft/2019-09/schema"}`))
	require.Empty(t, issues)
	_, issues = arguments.Parse([]byte(`{"properties":{"a":{"example":1}}}`))
	require.Equal(
		t,
		[]arguments.Issue{
			{Pointer: "/properties/a/example", Message: `"example" has no effect.`, Hint: `Write "examples" with a list.`, Warning: true},
		},
		issues,
	)
}

// What is well-formed by the keywords, and nothing to check calls by all the same, is refused too.
func TestWhatTheCheckOfCallsRefusesIsRefused(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`{"properties":{"a":{"const":1,"enum":[2]}}}`:                                         "/properties/a/enum|The schema does not have the value of const.",
		`{"$schema":"http://json-schema.org/draft-04/schema#"}`:                               "/$schema|names a dialect that is not known; leave it out",
		`{"properties":{"a":{"prefixItems":[{}],"items":[{}]}}}`:                              "/properties/a/items|cannot be a list beside prefixItems",
		`{"properties":{"a":{"minimum":1e401}}}`:                                              "/properties/a/minimum|must be a number",
		`{"properties":{"a":{"type":"string","type":"number"}}}`:                              "|is not valid JSON",
		`{"properties":{"a":{"patternProperties":{"` + strings.Repeat("a", 1001) + `":{}}}}}`: "/properties/a/patternProperties|longer than 1000 bytes",
	} {
		_, issues := arguments.Parse([]byte(raw))
		require.NotEmpty(t, issues, raw)
		pointer, message, _ := strings.Cut(want, "|")
		require.False(t, issues[0].Warning, raw)
		require.Equal(t, pointer, issues[0].Pointer, raw)
		require.Contains(t, issues[0].Message, message, raw)
	}
}

func FuzzAnySchemaIsReadOrExplained(f *testing.F) {
	for _, raw := range []string{
		`{}`, `{"type":"object","properties":{"a":{"type":["string","null"],"enum":["x"]}},"required":["a"]}`, doubling(3), `{"$ref":"#"}`,
		`{"items":[{}],"minItems":9e9}`, `{"properties":{"":{"$ref":"#/$defs/~1"}},"$defs":{"/":{"const":1e999}}}`, `{"oneOf":[true,false]}`, `[`, `{"type":5}`,
		`{"unevaluatedProperties":false}`, `{"properties":{"a":{"prefixItems":[{}],"items":false}},"$schema":"x"}`, `{"const":{},"enum":[{"a":1,"a":2}]}`,
		`{"patternProperties":{"(":{}}}`, `{"dependentSchemas":{"a":{"not":{}}},"if":{},"then":{},"else":{}}`,
	} {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, issues := arguments.Parse(raw)
		usable := true
		for _, i := range issues {
			require.NotEmpty(t, i.Message)
			require.True(t, i.Pointer == "" || strings.HasPrefix(i.Pointer, "/"))
			usable = usable && i.Warning
		}
		// What can be written can be offered.
		if usable {
			_, err := kit.ParseSchema(raw)
			require.NoError(t, err)
		}
		require.Contains(t, s.Types(arguments.Any), "type ArgsSchema = ")
		require.Contains(t, s.Types(arguments.Unknown), "type ArgsSchema = ")
	})
}
