package rest_test

import (
	"encoding/json"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
	"countersign/internal/rest"
)

type limit struct {
	Most int `json:"most"`
}

type change struct {
	Name *string   `json:"name,omitempty"`
	Note *string   `json:"note,omitempty" nullable:"true"`
	Tags *[]string `json:"tags,omitempty" nullable:"true"`
	Cap  *limit    `json:"cap,omitempty" clears:"true" doc:"null removes it"`
	Kept *limit    `json:"kept,omitempty"`
}

func patch(t *testing.T, body string) rest.Patch[change] {
	t.Helper()
	var p rest.Patch[change]
	require.NoError(t, json.Unmarshal([]byte(body), &p))
	return p
}

func TestAPatchKeepsWhatIsAbsentAndClearsWhatIsNull(t *testing.T) {
	t.Parallel()
	p := patch(t, `{"note": null, "tags": ["a"]}`)
	require.NoError(t, p.Err())
	require.Equal(t, change{Note: new(string), Tags: &[]string{"a"}}, p.Change)
	require.Equal(t, change{}, patch(t, `{}`).Change)
}

func TestAPatchRefusesNullForWhatCannotBeCleared(t *testing.T) {
	t.Parallel()
	p := patch(t, `{"name":null}`)
	e := problem.As(p.Err())
	require.Equal(t, problem.Invalid, e.Code)
	require.Equal(t, "The name cannot be cleared. Leave it out to keep it.", e.Detail)
	require.Equal(t, []problem.Issue{{Path: "name", Message: "must not be null"}}, e.Issues)
}

// A member that is found whatever its case is cleared and refused whatever its case, and the last one counts.
func TestAPatchKnowsItsMembersInAnyCase(t *testing.T) {
	t.Parallel()
	require.Equal(t, change{Note: new(string)}, patch(t, `{"NOTE":null}`).Change)
	for _, body := range []string{`{"Name":null}`, `{"name":"x","NAME":null}`} {
		p := patch(t, body)
		require.Error(t, p.Err(), body)
	}
	text := "x"
	for _, body := range []string{`{"note":null,"NOTE":"x"}`, `{"NOTE":null,"note":"x"}`, `{"note":null,"note":"x"}`} {
		require.Equal(t, change{Note: &text}, patch(t, body).Change, body)
	}
	require.Equal(t, change{Note: new(string)}, patch(t, `{"NOTE":"x","note":null}`).Change)
}

func TestADocumentSaysWhichMembersNullClears(t *testing.T) {
	t.Parallel()
	registry := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	body := rest.Patch[change]{}.Schema(registry)
	raw, err := json.Marshal(registry.SchemaFromRef(body.Ref).Properties)
	require.NoError(t, err)
	require.JSONEq(t, `{
		"name": {"type": "string"},
		"note": {"type": ["string", "null"]},
		"tags": {"type": ["array", "null"], "items": {"type": "string"}},
		"cap": {"type": ["object", "null"], "description": "null removes it", "additionalProperties": false, "required": ["most"], "properties": {"most": {"type": "integer", "format": "int64"}}},
		"kept": {"$ref": "#/components/schemas/Limit"}
	}`, string(raw))
}
