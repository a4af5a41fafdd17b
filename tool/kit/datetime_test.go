package kit_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	generate "github.com/invopop/jsonschema"
	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
	"countersign/internal/text/rfc3339"
	"countersign/tool"
	"countersign/tool/kit"
)

// momentOrNull and momentOrText have schemas with alternatives.
type momentOrNull struct{ json.RawMessage }

func (momentOrNull) JSONSchema() *generate.Schema {
	return &generate.Schema{AnyOf: []*generate.Schema{{Type: "string", Format: "date-time"}, {Type: "null"}}}
}

type momentOrText struct{ json.RawMessage }

func (momentOrText) JSONSchema() *generate.Schema {
	return &generate.Schema{AnyOf: []*generate.Schema{{Type: "string", Format: "date-time"}, {Type: "string", MaxLength: new(uint64(5))}}}
}

type slot struct {
	Start time.Time `json:"start"`
}

type schedule struct {
	At     time.Time            `json:"at"`
	Until  *time.Time           `json:"until,omitempty"`
	Stamps []time.Time          `json:"stamps,omitempty"`
	Slots  []slot               `json:"slots,omitempty"`
	ByName map[string]time.Time `json:"byName,omitempty"`
	Text   string               `json:"text,omitempty" jsonschema:"format=date-time"`
	Maybe  *momentOrNull        `json:"maybe,omitempty"`
	Either *momentOrText        `json:"either,omitempty"`
	Big    any                  `json:"big,omitempty"`
	Note   string               `json:"note,omitempty"`
}

func TestMomentsAreCheckedWhereverTheyStand(t *testing.T) {
	t.Parallel()
	schema := kit.SchemaOf[schedule]()
	const good = `"2026-07-14T09:30:00+02:00"`
	for input, want := range map[string][]string{
		`{"at":"2026-07-14T09:30:00"}`:                                {"at"},
		`{"at":"2026-07-14"}`:                                         {"at"},
		`{"at":"2026-07-14T09:30:00+24:00"}`:                          {"at"},
		`{"at":"2026-07-14T9:30:00Z"}`:                                {"at"},
		`{"at":"2026-07-14T09:30:00,5Z"}`:                             {"at"},
		`{"at":"2026-02-30T09:30:00Z"}`:                               {"at"},
		`{"at":` + good + `,"until":"tomorrow"}`:                      {"until"},
		`{"at":` + good + `,"stamps":[` + good + `,"2026"]}`:          {"stamps[1]"},
		`{"at":` + good + `,"slots":[{"start":"2026-07-14"}]}`:        {"slots[0].start"},
		`{"at":` + good + `,"byName":{"a b":"2026-07-14 09:30:00Z"}}`: {`byName["a b"]`},
		`{"at":` + good + `,"text":"2026-07-14T09:30:00+23:60"}`:      {"text"},
		`{"at":` + good + `,"maybe":"2026-07-14T09:30:60Z"}`:          {"maybe"},
	} {
		got := paths(t, schema.Validate(t.Context(), json.RawMessage(input)))
		require.Subset(t, got, want, input)
		for _, path := range got {
			require.Contains(t, append(want, ""), path, input)
		}
	}
	for _, input := range []string{
		`{"at":` + good + `}`, `{"at":"2026-07-14t09:30:00z"}`, `{"at":"2016-12-31T23:59:60Z"}`, `{"at":` + good + `,"maybe":null}`,
		`{"at":` + good + `,"maybe":` + good + `,"either":"soon"}`, `{"at":` + good + `,"either":` + good + `,"note":"2026-07-14"}`,
	} {
		require.NoError(t, schema.Validate(t.Context(), json.RawMessage(input)), input)
	}
}

func TestARefusedMomentIsNamedWithWhatToWrite(t *testing.T) {
	t.Parallel()
	err := kit.SchemaOf[schedule]().Validate(t.Context(), json.RawMessage(`{"at":"2026-07-14T09:30:00"}`))
	require.Equal(
		t,
		[]problem.Issue{{Path: "at", Message: "has no offset from UTC; write date, time and offset as in 2026-07-14T09:30:00Z"}},
		problem.As(err).Issues,
	)
	err = kit.SchemaOf[schedule]().Validate(t.Context(), json.RawMessage(`{"at":"2026-07-14"}`))
	require.Equal(
		t,
		"is a date without a time and an offset from UTC; write date, time and offset as in 2026-07-14T00:00:00Z",
		problem.As(err).Issues[0].Message,
	)
}

func TestAToolGetsTheMomentThatWasMeant(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"2026-07-14t09:30:00.5z": "2026-07-14T09:30:00.5Z", "2016-12-31T23:59:60Z": "2017-01-01T00:00:00Z", "2026-07-14t09:30:00+05:45": "2026-07-14T03:45:00Z",
	} {
		var got schedule
		read := kit.NewRead(tool.Definition{Name: "plan.look", Description: "x", Effect: tool.Read, Rules: []string{"x"}},
			func(_ context.Context, _ tool.Caller, in schedule) (string, error) { got = in; return "", nil })
		_, err := read.Run(
			t.Context(),
			tool.Caller{},
			json.RawMessage(`{"at":"`+in+`","slots":[{"start":"`+in+`"}],"text":"`+in+`","maybe":"`+in+`","big":12345678901234567890,"note":"<a>"}`),
		)
		require.NoError(t, err, in)
		require.Equal(t, want, got.At.UTC().Format(time.RFC3339Nano))
		require.True(t, got.Slots[0].Start.Equal(got.At))
		require.NotContains(t, got.Text, "z")
		require.Equal(t, json.Number("12345678901234567890"), got.Big)
		require.Equal(t, "<a>", got.Note)
	}
}

func FuzzMoments(f *testing.F) {
	for _, seed := range []string{"2026-07-14T09:30:00Z", "2026-07-14t09:30:00z", "2016-12-31T23:59:60Z", "2026-07-14", "x\x00"} {
		f.Add(seed)
	}
	read := kit.NewRead(tool.Definition{Name: "plan.look", Description: "x", Effect: tool.Read, Rules: []string{"x"}},
		func(_ context.Context, _ tool.Caller, in schedule) (time.Time, error) { return in.At, nil })
	f.Fuzz(func(t *testing.T, text string) {
		raw, err := json.Marshal(map[string]any{"at": text, "stamps": []string{text}})
		require.NoError(t, err)
		got, err := read.Run(t.Context(), tool.Caller{}, raw)
		want, wrong := rfc3339.Parse(string([]rune(text)))
		if wrong != nil {
			require.True(t, problem.Is(err, problem.Invalid), "%q: %v", text, err)
			return
		}
		require.NoError(t, err, text)
		require.True(t, want.Equal(got.(time.Time)), text)
	})
}
