package store_test

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

func currentUser(ctx context.Context, t *testing.T, db *store.DB) (name string) {
	t.Helper()
	require.NoError(t, db.Conn(ctx).QueryRow(ctx, `SELECT current_user`).Scan(&name))
	return name
}

// cleanUp runs statements when the context of the test has ended.
func cleanUp(t *testing.T, db *store.DB, statements ...string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	for _, sql := range statements {
		_, err := db.Conn(ctx).Exec(ctx, sql)
		require.NoError(t, err)
	}
}

func TestConnectionsActAsTheRole(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	owner := currentUser(t.Context(), t, db)
	require.NoError(t, db.InTx(t.Context(), func(ctx context.Context) error {
		refusal, err := db.AssumeRole(t.Context(), storetest.AppRole)
		require.NoError(t, err)
		require.Empty(t, refusal)
		require.Equal(t, owner, currentUser(ctx, t, db), "a transaction ends as it began")
		return nil
	}))
	require.Equal(t, storetest.AppRole, currentUser(t.Context(), t, db))
	require.NoError(t, db.InTx(t.Context(), func(ctx context.Context) error {
		require.Equal(t, storetest.AppRole, currentUser(ctx, t, db))
		return nil
	}))
	heard := listen(t, db)
	notify(t, db, "news", "a")
	require.Equal(t, "a", <-heard)
}

func TestARoleThatCannotBeUsedIsRefusedWithItsReason(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	for role, reason := range map[string]string{
		"nobody_here":      "it does not exist",
		"pg_read_all_data": "it has no rights in this database",
	} {
		refusal, err := db.AssumeRole(t.Context(), role)
		require.NoError(t, err)
		require.Contains(t, refusal, reason)
		require.NotEqual(t, role, currentUser(t.Context(), t, db))
	}
}

// In a strict installation the processes have a login of their own that owns nothing, and migrations another.
func TestALoginThatOwnsNothingIsEnough(t *testing.T) {
	t.Parallel()
	address := storetest.URL(t)
	owner := open(t, address)
	login := "login_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	exec(t, owner, `CREATE ROLE `+login+` LOGIN PASSWORD 'secret'`)
	t.Cleanup(func() { cleanUp(t, owner, `DROP ROLE `+login) })
	u, err := url.Parse(address)
	require.NoError(t, err)
	u.User = url.UserPassword(login, "secret")
	limited := open(t, u.String())
	refusal, err := limited.AssumeRole(t.Context(), storetest.AppRole)
	require.NoError(t, err)
	require.Contains(t, refusal, "not a member")

	exec(t, owner, `GRANT countersign_app TO `+login)
	n, err := limited.Migrate(t.Context())
	require.NoError(t, err)
	require.Zero(t, n)
	refusal, err = limited.AssumeRole(t.Context(), storetest.AppRole)
	require.NoError(t, err)
	require.Empty(t, refusal)
	exec(t, limited, `INSERT INTO ai_tool_calls (id, principal_kind, principal_id, transport, tool_name, effect, args_hash, status)
		VALUES (gen_random_uuid(), 'user', gen_random_uuid(), 'api', 'a.b', 'read', '', 'running')`)
	_, err = limited.Conn(t.Context()).Exec(t.Context(), `SET ROLE NONE`)
	require.NoError(t, err)
	_, err = limited.Conn(t.Context()).Exec(t.Context(), `DELETE FROM ai_tool_calls`)
	require.ErrorContains(t, err, "permission denied")
}

// A server where the login may not make roles is migrated all the same, without the restriction.
func TestMigrationsNeedNoRightToMakeRoles(t *testing.T) {
	t.Parallel()
	address := storetest.URL(t)
	admin := open(t, address)
	require.NoError(t, admin.MigrateDown(t.Context()))
	login := "owner_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	exec(t, admin, `DROP TABLE goose_db_version`)
	exec(t, admin, `CREATE ROLE `+login+` LOGIN PASSWORD 'secret'`)
	exec(t, admin, `GRANT ALL ON SCHEMA public TO `+login)
	t.Cleanup(func() { cleanUp(t, admin, `DROP OWNED BY `+login, `DROP ROLE `+login) })
	u, err := url.Parse(address)
	require.NoError(t, err)
	u.User = url.UserPassword(login, "secret")
	plain := open(t, u.String())
	n, err := plain.Migrate(t.Context())
	require.NoError(t, err)
	require.Positive(t, n)
	refusal, err := plain.AssumeRole(t.Context(), storetest.AppRole)
	require.NoError(t, err)
	require.Contains(t, refusal, "not a member")

	// What the notice says to do.
	exec(t, admin, `GRANT countersign_app TO `+login)
	refusal, err = plain.AssumeRole(t.Context(), storetest.AppRole)
	require.NoError(t, err)
	require.Contains(t, refusal, "no rights")
	exec(t, plain, `SELECT countersign_grant('countersign_app')`)
	refusal, err = plain.AssumeRole(t.Context(), storetest.AppRole)
	require.NoError(t, err)
	require.Empty(t, refusal)
}
