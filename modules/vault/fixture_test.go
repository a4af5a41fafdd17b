package vault_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/principal"
	"countersign/internal/secret"
	"countersign/modules/vault"
)

const path = "/api/secrets"

type object = map[string]any

// app is the API with the vault.
type app struct {
	*vault.Module
	*apitest.Server
	keys   *secret.Keyset
	places []secret.User
}

func newApp(t testing.TB) *app {
	t.Helper()
	keys, err := secret.New()
	require.NoError(t, err)
	a := &app{Server: apitest.New(t), keys: keys}
	a.Module = a.moduleWith(t, keys)
	a.Mount(t, a.Module)
	a.Person("root", principal.Admin)
	a.Person("keeper", vault.Read, vault.Manage)
	a.Person("reader", vault.Read)
	a.Person("nobody")
	return a
}

func (a *app) moduleWith(t testing.TB, keys *secret.Keyset) *vault.Module {
	t.Helper()
	service, err := vault.New(vault.Options{DB: a.DB, Sealer: keys, Names: a, Referrers: a})
	require.NoError(t, err)
	return service
}

func (a *app) SecretUsers(_ context.Context, name string) ([]secret.User, error) {
	if name == "API_TOKEN" {
		return a.places, nil
	}
	return nil, nil
}

func (a *app) create(t testing.TB, name, value string) vault.Secret {
	t.Helper()
	return apitest.Decode[vault.Secret](t, a.Do(t, "keeper", http.MethodPost, path, object{"name": name, "value": value}))
}

func (a *app) uses(t testing.TB, name string) vault.SecretHistory {
	t.Helper()
	return apitest.Decode[vault.SecretHistory](t, a.Do(t, "reader", http.MethodGet, path+"/"+name+"/uses", nil))
}

// dump is every row of every table as text.
func (a *app) dump(t testing.TB) string {
	t.Helper()
	ctx := t.Context()
	rows, err := a.DB.Conn(
		ctx,
	).Query(
		ctx,
		"SELECT c.relname FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'",
	)
	require.NoError(t, err)
	var tables []string
	for rows.Next() {
		var name string
		require.NoError(t, rows.Scan(&name))
		tables = append(tables, name)
	}
	require.NoError(t, rows.Err())
	require.Contains(t, tables, "vault_secrets")
	var all strings.Builder
	for _, table := range tables {
		rows, err := a.DB.Conn(ctx).Query(ctx, `SELECT row_to_json(t)::text FROM "`+table+`" t`)
		require.NoError(t, err)
		for rows.Next() {
			var text string
			require.NoError(t, rows.Scan(&text))
			all.WriteString(text + "\n")
		}
		require.NoError(t, rows.Err())
	}
	return all.String()
}
