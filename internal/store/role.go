package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// AssumeRole makes all new connections use a role with fewer rights than the login. refusal explains why that is
// impossible: the role does not exist, the login is no member, or the role has no rights in this database. Migrations
// need the rights of the login and run before it.
func (db *DB) AssumeRole(ctx context.Context, role string) (refusal string, err error) {
	var exists, member, granted bool
	// The inner query keeps a role that does not exist out of the functions, which would fail.
	err = db.pool.QueryRow(ctx, `
		SELECT r.oid IS NOT NULL, coalesce(pg_has_role(session_user, r.oid, 'MEMBER'), false),
		       coalesce(has_table_privilege(r.oid, to_regclass('public.ai_tool_calls'), 'INSERT'), false)
		FROM (SELECT $1::name AS name) wanted LEFT JOIN pg_roles r ON r.rolname = wanted.name`, role).Scan(&exists, &member, &granted)
	switch {
	case err != nil:
		return "", fmt.Errorf("look up database role: %w", err)
	case !exists:
		return "it does not exist", nil
	case !member:
		return "the login is not a member of it", nil
	case !granted:
		return "it has no rights in this database; as the owner of the tables, SELECT countersign_grant('" + role + "')", nil
	}
	db.role.Store(&role)
	// Busy connections are closed on release.
	db.pool.Reset()
	return "", nil
}

func (db *DB) setRole(ctx context.Context, conn *pgconn.PgConn) error {
	role := db.role.Load()
	if role == nil {
		return nil
	}
	if err := conn.Exec(ctx, "SET ROLE "+pgx.Identifier{*role}.Sanitize()).Close(); err != nil {
		return fmt.Errorf("set database role: %w", err)
	}
	return nil
}
