// Package storetest gives each test a migrated database of its own on the PostgreSQL server of the test stack.
//
// The server's address comes in COUNTERSIGN_TEST_DATABASE_URL, which `make test` sets (`devstack exec -- <command>`
// sets it for any command). Without it, database tests are skipped; `make test` never runs without it. A database is
// a copy of a template that is migrated once for each schema version, so a new one takes tens of milliseconds.
package storetest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"countersign/internal/store"
	"countersign/migrations"
)

// EnvURL names the variable with the URL of the test server's maintenance database.
const EnvURL = "COUNTERSIGN_TEST_DATABASE_URL"

// New makes a database for this test alone and opens it; both end with the test.
func New(t testing.TB) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), URL(t), store.Options{MaxConns: 10})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	return db
}

// Restricted is New for tests of database rights: app acts as the database role of the processes, owner is the login that
// migrates. New itself opens the database as the owner.
func Restricted(t testing.TB) (app, owner *store.DB) {
	t.Helper()
	address := URL(t)
	open := func() *store.DB {
		db, err := store.Open(t.Context(), address, store.Options{MaxConns: 10})
		require.NoError(t, err)
		t.Cleanup(db.Close)
		return db
	}
	app, owner = open(), open()
	refusal, err := app.AssumeRole(t.Context(), AppRole)
	require.NoError(t, err)
	require.Empty(t, refusal)
	return app, owner
}

// AppRole is the database role of the product's processes.
const AppRole = "countersign_app"

// URL makes a database for this test alone and returns its URL.
func URL(t testing.TB) string {
	t.Helper()
	server := os.Getenv(EnvURL)
	if server == "" {
		t.Skipf("%s is not set: run `make test`, or `bin/devstack exec -- go test ./...`", EnvURL)
	}
	name := "test_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	administer(t, func(ctx context.Context, admin *pgx.Conn) {
		if template == "" {
			template = ensureTemplate(t, admin, server)
		}
		_, err := admin.Exec(ctx, "CREATE DATABASE "+name+" TEMPLATE "+template+" STRATEGY FILE_COPY")
		require.NoError(t, err)
	})
	t.Cleanup(func() {
		administer(t, func(ctx context.Context, admin *pgx.Conn) {
			_, _ = admin.Exec(ctx, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)")
		})
	})
	return withDatabase(t, server, name)
}

// The tests of a process share one connection to the maintenance database. A new server process reads the catalog and the
// descriptors of all buffers for its first database, which takes four times as long as to copy and to drop it. The lock guards
// the use of the connection and the name of the template.
var (
	administering sync.Mutex
	administrator *pgx.Conn
	template      string
)

// administer runs f with the connection to the maintenance database, also when the context of the test has ended.
func administer(t testing.TB, f func(ctx context.Context, admin *pgx.Conn)) {
	t.Helper()
	administering.Lock()
	defer administering.Unlock()
	ctx := context.WithoutCancel(t.Context())
	if administrator == nil || administrator.IsClosed() {
		var err error
		administrator, err = pgx.Connect(ctx, os.Getenv(EnvURL))
		require.NoError(t, err)
	}
	f(ctx, administrator)
}

func ensureTemplate(t testing.TB, admin *pgx.Conn, server string) string {
	t.Helper()
	ctx := t.Context()
	name := "template_" + schemaVersion(t)
	// Test packages run as processes side by side: one of them migrates, the others wait for it.
	_, err := admin.Exec(ctx, "SELECT pg_advisory_lock(hashtextextended($1, 0))", name)
	require.NoError(t, err)
	defer func() { _, _ = admin.Exec(ctx, "SELECT pg_advisory_unlock(hashtextextended($1, 0))", name) }()

	var exists bool
	require.NoError(t, admin.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = $1)", name).Scan(&exists))
	if exists {
		return name
	}
	building := name + "_building"
	_, err = admin.Exec(ctx, "DROP DATABASE IF EXISTS "+building+" WITH (FORCE)")
	require.NoError(t, err)
	_, err = admin.Exec(ctx, "CREATE DATABASE "+building)
	require.NoError(t, err)
	db, err := store.Open(ctx, withDatabase(t, server, building), store.Options{MaxConns: 2})
	require.NoError(t, err)
	_, err = db.Migrate(ctx)
	db.Close()
	require.NoError(t, err)
	_, err = admin.Exec(ctx, "ALTER DATABASE "+building+" RENAME TO "+name)
	require.NoError(t, err)
	return name
}

func schemaVersion(t testing.TB) string {
	t.Helper()
	sum := sha256.New()
	err := fs.WalkDir(migrations.FS, ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".sql") {
			return err
		}
		data, err := migrations.FS.ReadFile(path)
		_, _ = sum.Write(data)
		return err
	})
	require.NoError(t, err)
	return hex.EncodeToString(sum.Sum(nil))[:16]
}

func withDatabase(t testing.TB, server, name string) string {
	t.Helper()
	u, err := url.Parse(server)
	require.NoError(t, err)
	u.Path = "/" + name
	return u.String()
}
