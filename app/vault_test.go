package app_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
	"countersign/modules/scriptpolicy"
	"countersign/modules/vault"
)

func TestSecretsAndTheScriptPolicyAreServedAndTheKeyRotates(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	const value, providerKey = "vault-canary-51c7a9", "sk-canary-provider-08f3"
	var created vault.Secret
	p.Admin.Post(t, "/api/secrets", map[string]any{"name": "API_TOKEN", "value": value}, &created)
	p.Admin.Post(
		t,
		"/api/ai/connections",
		map[string]any{"name": "Sealed", "baseUrl": "https://models.example.org/v1", "apiKey": providerKey, "defaultModel": "m"},
		nil,
	)
	var history vault.SecretHistory
	p.Admin.Get(t, "/api/secrets/API_TOKEN/uses", &history)
	require.NotEmpty(t, history.Uses[0].ActorName)

	person := p.Person(t)
	require.Equal(t, []string{vault.Read}, person.Refused(t, problem.Forbidden, http.MethodGet, "/api/secrets", nil).MissingRules)
	require.Equal(
		t,
		[]string{scriptpolicy.Manage},
		person.Refused(t, problem.Forbidden, http.MethodGet, "/api/script-policy", nil).MissingRules,
	)
	var policy scriptpolicy.Stored
	p.Admin.Get(t, "/api/script-policy", &policy)
	require.Equal(t, scriptpolicy.Off, policy.Network)
	require.False(t, policy.Downgraded)

	sealed := func() (all []byte) {
		var key []byte
		require.NoError(t, p.DB.Conn(t.Context()).QueryRow(t.Context(), "SELECT value_sealed FROM vault_secrets").Scan(&all))
		require.NoError(
			t,
			p.DB.Conn(t.Context()).QueryRow(t.Context(), "SELECT api_key_sealed FROM ai_connections WHERE name = 'Sealed'").Scan(&key),
		)
		return append(all, key...)
	}
	before := sealed()
	status, printed := p.Command(t, "secrets", "rotate")
	require.Zero(t, status, printed)
	require.Contains(t, printed, "0 API keys of connections, 0 secrets, ")
	require.Equal(t, before, sealed())

	status, printed = p.Command(t, "secrets", "add-key")
	require.Zero(t, status, printed)
	require.Contains(t, printed, "restart every process")
	status, printed = p.Command(t, "secrets", "rotate")
	require.Zero(t, status, printed)
	require.Contains(t, printed, "1 API keys of connections, 1 secrets, ")
	require.NotEqual(t, before, sealed())
	_, printed = p.Command(t, "secrets", "rotate")
	require.Contains(t, printed, "0 API keys of connections, 0 secrets, ")
	for _, args := range [][]string{{"secrets"}, {"secrets", "odd"}} {
		status, _ = p.Command(t, args...)
		require.Equal(t, 1, status)
	}
	require.NotContains(t, p.Log.String(), value)
	require.NotContains(t, p.Log.String(), providerKey)
}
