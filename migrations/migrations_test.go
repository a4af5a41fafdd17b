package migrations_test

import (
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/require"

	"countersign/internal/store"
	"countersign/internal/store/storetest"
	"countersign/migrations"
)

// older is the last migration from before these rules. Those up to it stay as they are.
const older = 160

// A migration runs while the version before serves: it must not read or write a table that has grown while it keeps others from it.
func TestNewMigrationsKeepNobodyWaiting(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(migrations.FS, "*.sql")
	require.NoError(t, err)
	checked := 0
	for _, name := range names {
		number, err := strconv.Atoi(name[:5])
		require.NoError(t, err, "%s begins with its number", name)
		if number <= older {
			continue
		}
		text, err := migrations.FS.ReadFile(name)
		require.NoError(t, err)
		require.Empty(t, judge(string(text)), name)
		checked++
	}
	require.Positive(t, checked)
}

func TestWhatKeepsOthersWaitingIsFound(t *testing.T) {
	t.Parallel()
	const (
		beside = "-- +goose NO TRANSACTION\n-- +goose Up\n"
		in     = "-- +goose Up\n"
	)
	for sql, want := range map[string]string{
		in + "CREATE INDEX a ON ai_turns (model);":                                                        "CONCURRENTLY",
		in + "create unique index if not exists a on ai_turns (model);":                                   "CONCURRENTLY",
		in + "CREATE TABLE n (a int); CREATE INDEX b ON n (a);":                                           "",
		in + "CREATE INDEX ON ai_turns (model);":                                                          "CONCURRENTLY",
		in + "CREATE INDEX a ON roles (name);":                                                            "",
		beside + "DROP INDEX CONCURRENTLY IF EXISTS a; CREATE INDEX CONCURRENTLY a ON ai_turns (model);":  "",
		beside + "CREATE INDEX CONCURRENTLY a ON ai_turns (model);":                                       "DROP INDEX CONCURRENTLY",
		in + "ALTER TABLE ai_turns ADD COLUMN a text;":                                                    "",
		in + "ALTER TABLE ai_turns ADD COLUMN a text NOT NULL DEFAULT 'x'; -- CHECK (a)":                  "",
		in + "ALTER TABLE ai_turns ADD COLUMN a text CHECK (a <> '');":                                    "NOT VALID",
		in + "ALTER TABLE ai_turns ADD COLUMN a uuid REFERENCES users;":                                   "NOT VALID",
		in + "ALTER TABLE ai_turns ADD CONSTRAINT c CHECK (claim > 0);":                                   "NOT VALID",
		in + "ALTER TABLE ai_turns ADD CONSTRAINT c CHECK (claim > 0) NOT VALID;":                         "",
		in + "ALTER TABLE ai_turns ADD CONSTRAINT c CHECK (a) NOT VALID, ADD CHECK (b);":                  "NOT VALID",
		in + "ALTER TABLE ai_turns VALIDATE CONSTRAINT c;":                                                "NO TRANSACTION",
		beside + "ALTER TABLE ai_turns VALIDATE CONSTRAINT c; ALTER TABLE ai_turns ALTER a SET NOT NULL;": "",
		in + "ALTER TABLE ai_turns ALTER COLUMN model SET NOT NULL;":                                      "SET NOT NULL",
		in + "ALTER TABLE ai_turns ALTER COLUMN claim TYPE bigint;":                                       "TYPE",
		in + "ALTER TABLE ai_turns ADD UNIQUE (model);":                                                   "USING INDEX",
		in + "ALTER TABLE ai_turns ADD CONSTRAINT u UNIQUE USING INDEX i;":                                "",
		in + "UPDATE ai_turns SET model = 'a;b';":                                                         "at a time",
		in + "DELETE FROM ai_spend;":                                                                      "at a time",
		in + "WITH x AS (SELECT 1) UPDATE ai_turns SET model = '';":                                       "at a time",
		in + "UPDATE roles SET name = '';":                                                                "",
		in + "VACUUM FULL ai_turns;":                                                                      "written anew",
		in + "-- +goose StatementBegin\nCREATE FUNCTION f() RETURNS void LANGUAGE sql AS $$ UPDATE ai_turns SET model = '' $$;\n-- +goose StatementEnd": "",
		in + "SELECT 1;\n-- +goose Down\nUPDATE ai_turns SET model = '';":                                                                               "",
	} {
		found := strings.Join(judge(sql), "; ")
		if want == "" {
			require.Empty(t, found, sql)
		} else {
			require.Contains(t, found, want, sql)
		}
	}
}

// The database itself says when it writes a table anew, which no reader of the text can always tell.
func TestNewMigrationsWriteNoTableAnew(t *testing.T) {
	t.Parallel()
	db, conn := empty(t)
	provider, err := goose.NewProvider(goose.DialectPostgres, stdlib.OpenDB(*conn), migrations.FS)
	require.NoError(t, err)
	t.Cleanup(func() { _ = provider.Close() })
	_, err = provider.UpTo(t.Context(), older)
	require.NoError(t, err)
	exec(t, db, `CREATE TABLE known AS SELECT oid FROM pg_class WHERE relkind = 'r'`)
	exec(t, db, `CREATE FUNCTION refuse() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
		IF EXISTS (SELECT FROM public.known WHERE oid = pg_event_trigger_table_rewrite_oid()) THEN
			RAISE EXCEPTION 'writes % anew', pg_event_trigger_table_rewrite_oid()::regclass;
		END IF; END $$`)
	exec(t, db, `CREATE EVENT TRIGGER refuse ON table_rewrite EXECUTE FUNCTION refuse()`)
	_, err = db.Conn(t.Context()).Exec(t.Context(), `ALTER TABLE ai_turns ADD COLUMN at timestamptz DEFAULT clock_timestamp()`)
	require.ErrorContains(t, err, "writes ai_turns anew", "the trigger works")
	_, err = provider.Up(t.Context())
	require.NoError(t, err)
}

// empty is a database without tables.
func empty(t *testing.T) (*store.DB, *pgx.ConnConfig) {
	t.Helper()
	url := storetest.URL(t)
	db, err := store.Open(t.Context(), url, store.Options{MaxConns: 2})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	require.NoError(t, db.MigrateDown(t.Context()))
	config, err := pgx.ParseConfig(url)
	require.NoError(t, err)
	return db, config
}

func exec(t *testing.T, db *store.DB, sql string) {
	t.Helper()
	_, err := db.Conn(t.Context()).Exec(t.Context(), sql)
	require.NoError(t, err)
}

// small are tables that people fill by hand or that hold a row for a part of the product: whatever is done to them takes a moment.
func small(table string) bool {
	return slices.Contains([]string{
		"access_rules", "agents", "ai_connections", "ai_retention", "ai_skill", "ai_tool_policies", "applications", "auth_identities",
		"check_retention", "chore_runs", "event_consumers", "event_cursors", "leases", "mcp_policy", "mcp_servers", "mcp_trusted_programs",
		"oauth_clients", "oauth_registration", "payload_keys", "roles", "script_policy", "sweeps", "teams", "users", "vault_secrets",
	}, table)
}

// judge says what a migration does on its way up that would keep others waiting.
func judge(text string) []string {
	_, up, _ := strings.Cut(text, "-- +goose Up")
	up, _, _ = strings.Cut(up, "-- +goose Down")
	beside := strings.Contains(text, "-- +goose NO TRANSACTION")
	r := review{beside: beside, made: map[string]bool{}, dropped: map[string]bool{}, validated: map[string]bool{}}
	for _, s := range statements(up) {
		r.look(s)
	}
	return r.found
}

func (r *review) report(format string, args ...any) {
	r.found = append(r.found, fmt.Sprintf(format, args...))
}
