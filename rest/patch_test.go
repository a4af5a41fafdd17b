package rest_test

import (
	"encoding/json"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/require"

	"countersign/problem"
	"countersign/rest"
)

type change struct {
	Name *string   `json:"name,omitempty"`
	Note *string   `json:"note,omitempty" nullable:"true"`
	Tags *[]string `json:"tags,omitempty" nullable:"true"`
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

func TestADocumentSaysWhichMembersNullClears(t *testing.T) {
	t.Parallel()
	registry := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	body := rest.Patch[change]{}.Schema(registry)
	raw, err := json.Marshal(registry.SchemaFromRef(body.Ref).Properties)
	require.NoError(t, err)
	require.JSONEq(t, `{
		"name": {"type": "string"},
		"note": {"type": ["string", "null"]},
		"tags": {"type": ["array", "null"], "items": {"type": "string"}}
	}`, string(raw))
}
