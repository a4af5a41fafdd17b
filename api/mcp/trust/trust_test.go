package trust_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/api/mcp/trust"
	"countersign/internal/principal"
	"countersign/internal/problem"
)

func TestTheTrustConforms(t *testing.T) {
	t.Parallel()
	server := apitest.New(t)
	module := trust.New(server.DB)
	server.Mount(t, module)
	apitest.Conform(t, apitest.Subject{Server: server, Module: module})
}

// A program is trusted from one moment to another, by its id as a client, and not after it was forgotten.
func TestAProgramIsTrustedUntilItIsNot(t *testing.T) {
	t.Parallel()
	server := apitest.New(t)
	policies := trust.New(server.DB)
	ctx := principal.NewContext(t.Context(), principal.Principal{Kind: principal.User, ID: uuid.New(), Rules: []string{principal.Admin}})
	id := uuid.New()
	_, err := server.DB.Conn(ctx).Exec(ctx, `INSERT INTO oauth_clients (id, client_id, kind, name, redirect_uris)
		VALUES ($1, 'https://editor.example.com/client.json', 'document', 'Editor', ARRAY['http://127.0.0.1/'])`, id)
	require.NoError(t, err)
	trusts := func(client string) bool {
		trusted, err := policies.Trusts(ctx, principal.Client{ID: client})
		require.NoError(t, err)
		return trusted
	}
	const client = "https://editor.example.com/client.json"
	require.False(t, trusts(client))

	first, err := policies.Set(ctx, trust.Choice{Trusted: []uuid.UUID{id, id}}, nil)
	require.NoError(t, err)
	require.Equal(t, []trust.Program{{ID: id, Name: "Editor", Origin: "editor.example.com"}}, first.Trusted)
	require.True(t, trusts(client))
	require.False(t, trusts(id.String()), "by the id of its row")
	again, err := policies.Set(ctx, trust.Choice{Trusted: []uuid.UUID{id}}, &first.Revision)
	require.NoError(t, err)
	require.Equal(t, first.Revision, again.Revision, "nothing has changed")

	_, err = policies.Set(ctx, trust.Choice{Trusted: []uuid.UUID{}}, new(first.Revision+1))
	require.True(t, problem.Is(err, problem.Precondition))
	_, err = policies.Set(ctx, trust.Choice{Trusted: []uuid.UUID{id, uuid.New()}}, nil)
	require.True(t, problem.Is(err, problem.Invalid))
	require.Equal(t, "trusted[1]", problem.As(err).Issues[0].Path)
	_, err = server.DB.Conn(ctx).Exec(ctx, `DELETE FROM oauth_clients WHERE id = $1`, id)
	require.NoError(t, err)
	require.False(t, trusts(client))
	now, err := policies.Get(ctx)
	require.NoError(t, err)
	require.Empty(t, now.Trusted)
}
