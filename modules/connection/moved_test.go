package connection_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/rest"
	"countersign/model"
	"countersign/modules/connection"
)

// What a server has refused stays withheld until requests go elsewhere or differ; other edits keep what was learned, too.
func TestOnlyChangesOfRequestsAreOfAnotherProvider(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	n := valid("first")
	n.ExtraHeaders = []connection.ExtraHeader{{Name: "X-Gateway", Value: new("g")}}
	made, err := a.Create(t.Context(), n)
	require.NoError(t, err)
	_, err = a.Learn(t.Context(), made, "m", model.Figures{WindowTokens: 8_192})
	require.NoError(t, err)
	for name, c := range map[string]struct {
		change connection.Change
		moves  bool
	}{
		"name":          {connection.Change{Name: new("renamed")}, false},
		"same headers":  {connection.Change{ExtraHeaders: &[]connection.ExtraHeader{{Name: "x-gateway"}}}, false},
		"switched off":  {connection.Change{Enabled: new(false)}, false},
		"limits":        {connection.Change{SmallCallSeconds: new(20)}, false},
		"key":           {connection.Change{APIKey: new("sk-other")}, true},
		"other headers": {connection.Change{ExtraHeaders: &[]connection.ExtraHeader{{Name: "X-Gateway", Value: new("h")}}}, true},
		"members":       {connection.Change{ExtraBody: &rest.Object{"top_p": 0.5}}, true},
		"path":          {connection.Change{BaseURL: new(n.BaseURL + "/other")}, true},
	} {
		before, err := a.Get(manager(t), made.ID)
		require.NoError(t, err)
		after, err := a.Update(manager(t), made.ID, c.change, nil)
		require.NoError(t, err, name)
		require.Greater(t, after.Revision, before.Revision)
		want := before.ProviderRevision()
		if c.moves {
			want = after.Revision
		} else {
			require.Equal(t, before.LearnedFigures, after.LearnedFigures, name)
		}
		require.Equal(t, want, after.ProviderRevision(), name)
	}
}

// A version that knows no extra headers moves a connection: what was given for the old server does not reach the new one.
func TestAnEarlierVersionMovesNoHeadersToAnotherServer(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	for address, moved := range map[string]bool{
		"https://elsewhere.example.com/v1": true, "http://models.example.com/v1": true, "https://MODELS.example.com/v2": false,
		"https://models.example.com:8443/v1": true,
	} {
		n := valid(address)
		n.BaseURL = "https://models.example.com/v1"
		n.ExtraHeaders = []connection.ExtraHeader{{Name: "X-Gateway", Value: new("g")}}
		made, err := a.Create(t.Context(), n)
		require.NoError(t, err)
		_, err = a.Learn(t.Context(), made, "m", model.Figures{WindowTokens: 8_192})
		require.NoError(t, err)
		_, err = a.DB.Conn(t.Context()).Exec(t.Context(),
			`UPDATE ai_connections SET base_url = $2, revision = revision + 1 WHERE id = $1`, made.ID, address)
		require.NoError(t, err)
		after, err := a.Get(manager(t), made.ID)
		require.NoError(t, err)
		headers, err := a.OpenHeaders(after)
		require.NoError(t, err)
		require.Empty(t, after.LearnedFigures)
		require.Equal(t, after.Revision, after.ProviderRevision())
		if moved {
			require.Empty(t, headers)
			require.Empty(t, after.ExtraHeaderNames)
		} else {
			require.Equal(t, "g", headers.Get("X-Gateway"))
		}
	}
}
