package kit_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
	"countersign/tool"
	"countersign/tool/kit"
)

type address struct {
	Email string `json:"email" jsonschema:"minLength=3,maxLength=40"`
	Rank  int    `json:"rank,omitempty" jsonschema:"minimum=1,maximum=5"`
}

type example struct {
	ID       uuid.UUID         `json:"id" jsonschema:"description=The id"`
	Name     string            `json:"name" jsonschema:"minLength=1,maxLength=8"`
	Parent   *uuid.UUID        `json:"parent,omitempty"`
	Kind     string            `json:"kind,omitempty" jsonschema:"enum=a,enum=b"`
	Ratio    *float64          `json:"ratio,omitempty"`
	On       *bool             `json:"on,omitempty"`
	Metadata map[string]any    `json:"metadata,omitempty"`
	Labels   map[string]string `json:"labels,omitempty"`
	Contacts []address         `json:"contacts,omitempty" jsonschema:"maxItems=2"`
}

const anID = "0199aa00-0000-7000-8000-000000000001"

func paths(t *testing.T, err error) []string {
	t.Helper()
	require.True(t, problem.Is(err, problem.Invalid), "%v", err)
	var list []string
	for _, issue := range problem.As(err).Issues {
		require.NotEmpty(t, issue.Message)
		list = append(list, issue.Path)
	}
	return list
}

func TestASchemaIsClosedAtEveryLevelAndNeedsWhatIsNotOptional(t *testing.T) {
	t.Parallel()
	var schema struct {
		Schema               string   `json:"$schema"`
		Type                 string   `json:"type"`
		AdditionalProperties *bool    `json:"additionalProperties"`
		Required             []string `json:"required"`
		Properties           map[string]struct {
			Type   string `json:"type"`
			Format string `json:"format"`
			Items  struct {
				AdditionalProperties *bool `json:"additionalProperties"`
			} `json:"items"`
		} `json:"properties"`
	}
	require.NoError(t, json.Unmarshal(kit.SchemaOf[example]().JSON(), &schema))
	require.Equal(t, "object", schema.Type)
	require.Empty(t, schema.Schema, "providers take a plain object schema")
	require.False(t, *schema.AdditionalProperties)
	require.False(t, *schema.Properties["contacts"].Items.AdditionalProperties)
	require.Equal(t, []string{"id", "name"}, schema.Required)
	require.Equal(t, "string", schema.Properties["id"].Type)
	require.Equal(t, "uuid", schema.Properties["parent"].Format)
}

func TestAnEmptyInputStillHasAPropertiesMember(t *testing.T) {
	t.Parallel()
	require.JSONEq(t, `{"type":"object","properties":{},"additionalProperties":false}`, string(kit.SchemaOf[noInput]().JSON()))
}

func TestIssuesNameTheirPlace(t *testing.T) {
	t.Parallel()
	schema := kit.SchemaOf[example]()
	for _, c := range []struct {
		name, input string
		want        []string
	}{
		{"missing", `{}`, []string{"id", "name"}},
		{"missing inside", `{"id":"` + anID + `","name":"a","contacts":[{}]}`, []string{"contacts[0].email"}},
		{"unknown", `{"id":"` + anID + `","name":"a","nmae":1}`, []string{"nmae"}},
		{"unknown inside", `{"id":"` + anID + `","name":"a","contacts":[{"email":"a@b.c","x.y":1}]}`, []string{`contacts[0]["x.y"]`}},
		{"other case", `{"id":"` + anID + `","name":"a","NAME":"b"}`, []string{"NAME"}},
		{"too long", `{"id":"` + anID + `","name":"123456789"}`, []string{"name"}},
		{"null", `{"id":"` + anID + `","name":null}`, []string{"name"}},
		{"no id", `{"id":"../users","name":"a"}`, []string{"id"}},
		{"other spelling of an id", `{"id":"urn:uuid:` + anID + `","name":"a"}`, []string{"id"}},
		{"enum", `{"id":"` + anID + `","name":"a","kind":"c"}`, []string{"kind"}},
		{"fraction", `{"id":"` + anID + `","name":"a","contacts":[{"email":"a@b.c","rank":1.5}]}`, []string{"contacts[0].rank"}},
		{"over the maximum", `{"id":"` + anID + `","name":"a","contacts":[{"email":"a@b.c","rank":6}]}`, []string{"contacts[0].rank"}},
		{"too many", `{"id":"` + anID + `","name":"a","contacts":[{"email":"a@b.c"},{"email":"a@b.c"},{"email":"a@b.c"}]}`, []string{"contacts"}},
		{"no object", `{"id":"` + anID + `","name":"a","metadata":[1]}`, []string{"metadata"}},
		{"wrong value type", `{"id":"` + anID + `","name":"a","labels":{"k":1}}`, []string{"labels.k"}},
		{"NUL in a value", `{"id":"` + anID + `","name":"a\u0000"}`, []string{"name"}},
		{"NUL deep in free values", `{"id":"` + anID + `","name":"a","metadata":{"k":[{"l":"\u0000"}]}}`, []string{"metadata.k[0].l"}},
		{"NUL in a free name", `{"id":"` + anID + `","name":"a","metadata":{"k\u0000":1}}`, []string{"metadata"}},
		{"several, in path order", `{"name":"","kind":"c","contacts":[{"email":"x"}]}`, []string{"contacts[0].email", "id", "kind", "name"}},
	} {
		require.Equal(t, c.want, paths(t, schema.Validate(t.Context(), json.RawMessage(c.input))), c.name)
	}
}

func TestAFittingInputHasNoIssues(t *testing.T) {
	t.Parallel()
	schema := kit.SchemaOf[example]()
	for _, input := range []string{
		`{"id":"` + anID + `","name":"ünïcödé"}`,
		`{"id":"` + anID + `","name":"a","kind":"b","ratio":0.25,"on":false,"parent":"` + anID + `"}`,
		`{"id":"` + anID + `","name":"a","contacts":[{"email":"a@b.c","rank":5}],"metadata":{"any":{"thing":[1,null,true]}},"labels":{"k":"v"}}`,
		`{"id":"` + anID + `","name":"a","ratio":3}`,
	} {
		require.NoError(t, schema.Validate(t.Context(), json.RawMessage(input)), input)
	}
}

func TestAnInputOverTheSizeLimitIsRefusedUnread(t *testing.T) {
	t.Parallel()
	huge := json.RawMessage(`{"name":"` + strings.Repeat("a", kit.MaxInputBytes) + `"}`)
	require.True(t, problem.Is(kit.SchemaOf[example]().Validate(t.Context(), huge), problem.TooLarge))
}

func TestALongListOfIssuesIsSummedUpInTheDetailAndCompleteInIssues(t *testing.T) {
	t.Parallel()
	err := kit.SchemaOf[example]().Validate(t.Context(), json.RawMessage(`{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1}`))
	require.Len(t, paths(t, err), 9)
	require.Contains(t, problem.As(err).Detail, "and 4 more")
}

func TestOneSchemaServesManyCallersAtOnce(t *testing.T) {
	t.Parallel()
	var wg sync.WaitGroup
	schema := kit.SchemaOf[example]()
	for range 8 {
		wg.Go(func() {
			_ = kit.SchemaOf[example]()
			for range 50 {
				if err := schema.Validate(t.Context(), json.RawMessage(`{"id":"`+anID+`","name":"a","contacts":[{"email":"a@b.c"}]}`)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

func FuzzASchemaJudgesAnythingWithoutPanic(f *testing.F) {
	for _, seed := range []string{`{}`, `[]`, `{"id":1}`, `{"id":"` + anID + `","name":"a","metadata":{"a":[1e999]}}`, `{"contacts":[[]]}`, "\x00", `{"a":{"a":{"a":null}}}`} {
		f.Add(seed)
	}
	schema := kit.SchemaOf[example]()
	echo := kit.NewRead(tool.Definition{Name: "note.echo", Description: "x", Effect: tool.Read, Rules: []string{"x"}},
		func(_ context.Context, _ tool.Caller, in example) (example, error) { return in, nil })
	f.Fuzz(func(t *testing.T, input string) {
		if schema.Validate(t.Context(), json.RawMessage(input)) != nil {
			return
		}
		_, err := echo.Run(t.Context(), tool.Caller{}, json.RawMessage(input))
		require.True(t, err == nil || problem.Is(err, problem.Invalid), "what the schema accepts can be read, or is refused as invalid: %v", err)
	})
}

// What models are not told of is valid all the same, and nothing else that they are not told of is.
func TestUntoldMembersAreValid(t *testing.T) {
	t.Parallel()
	type input struct {
		Name  string   `json:"name"`
		Parts []string `json:"parts,omitempty" jsonschema:"maxItems=1"`
	}
	d := kit.Define(fstest.MapFS{"tool_make_thing.md": {Data: []byte("Make a thing.")}}, "things.makeThing", tool.Mutate, "things.manage")
	d.Schema.HiddenInput = []string{"parts"}
	made := kit.NewWriteFunc(d, func(_ context.Context, _ tool.Caller, in input) (kit.Preview[input], error) {
		return kit.Preview[input]{Summary: "Make", Payload: in}, nil
	}, func(context.Context, tool.Caller, input) (kit.Deleted, error) { return kit.Deleted{}, nil })
	require.NotContains(t, string(made.Input.JSON()), "parts")
	require.NoError(t, made.Input.Validate(t.Context(), json.RawMessage(`{"name":"a","parts":["b"]}`)))
	for _, wrong := range []string{`{"name":"a","parts":["b","c"]}`, `{"name":"a","other":1}`, `{"parts":["b"]}`} {
		require.Error(t, made.Input.Validate(t.Context(), json.RawMessage(wrong)), wrong)
	}
}
