package temporal_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/sdk/client"

	"countersign/dev/stack/postgres"
	"countersign/dev/stack/temporal"
)

// newDatabase starts a PostgreSQL server for the test and describes an empty
// database on it.
func newDatabase(t *testing.T) (temporal.Database, *pgx.Conn) {
	t.Helper()
	if len(postgres.DefaultSearch().Find(t.Context())) == 0 {
		t.Skip("there is no PostgreSQL on this machine")
	}
	data, err := os.MkdirTemp("", "devstack-test-")
	require.NoError(t, err)
	require.NoError(t, os.Chmod(data, 0o711))
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(data)) })
	cluster, err := postgres.Start(t.Context(), postgres.Config{
		Data: data, Log: logFile(t, data, "postgres"), Progress: func(string, ...any) {},
	})
	require.NoError(t, err)
	t.Cleanup(cluster.Stop)
	_, err = cluster.CreateDatabase(t.Context(), "product")
	require.NoError(t, err)
	connection, err := pgx.Connect(t.Context(), cluster.URL("product"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = connection.Close(context.Background()) })
	return temporal.Database{
		Address: cluster.Address(), Name: "product", User: postgres.Superuser, Password: cluster.Password(),
	}, connection
}

func logFile(t *testing.T, dir, name string) *os.File {
	t.Helper()
	file, err := os.OpenFile(filepath.Join(dir, name+".log"), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	require.NoError(t, err)
	t.Cleanup(func() { _ = file.Close() })
	return file
}

func start(t *testing.T, database temporal.Database, attributes ...string) *temporal.Server {
	t.Helper()
	server, err := temporal.Start(t.Context(), temporal.Config{
		Database: database, SearchAttributes: attributes, Log: logFile(t, t.TempDir(), "temporal"),
	})
	require.NoError(t, err)
	return server
}

func TestTablesStayInSchemasOfTheirOwn(t *testing.T) {
	t.Parallel()
	database, db := newDatabase(t)
	start(t, database).Stop()

	rows, err := db.Query(t.Context(), `select schemaname, count(*) from pg_tables
		where schemaname not in ('pg_catalog', 'information_schema') group by 1 order by 1`)
	require.NoError(t, err)
	schemas, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (name string, err error) {
		var tables int
		return name, row.Scan(&name, &tables)
	})
	require.NoError(t, err)
	require.Equal(t, []string{"temporal", "temporal_visibility"}, schemas)
}

func TestSetUpThatWasInterruptedStartsOver(t *testing.T) {
	t.Parallel()
	database, db := newDatabase(t)
	_, err := db.Exec(t.Context(), `
		create schema temporal;
		create table temporal.schema_version (curr_version text);
		create table temporal.namespaces (half text);
		create schema temporal_visibility`)
	require.NoError(t, err)

	start(t, database).Stop()
}

func TestNewSearchAttributeReachesAnExistingNamespace(t *testing.T) {
	t.Parallel()
	database, _ := newDatabase(t)
	start(t, database, "First").Stop()

	server := start(t, database, "First", "Second")
	defer server.Stop()

	c, err := client.DialContext(t.Context(), client.Options{HostPort: server.Address()})
	require.NoError(t, err)
	defer c.Close()
	answer, err := c.OperatorService().ListSearchAttributes(
		t.Context(),
		&operatorservice.ListSearchAttributesRequest{Namespace: temporal.Namespace},
	)
	require.NoError(t, err)
	require.Contains(t, answer.GetCustomAttributes(), "First")
	require.Contains(t, answer.GetCustomAttributes(), "Second")
}

func TestWebUIAnswersUntilStopped(t *testing.T) {
	t.Parallel()
	database, _ := newDatabase(t)
	server := start(t, database)
	defer server.Stop()

	ui, err := temporal.StartUI(t.Context(), temporal.UIConfig{Server: server})
	require.NoError(t, err)
	for _, path := range []string{"/", "/api/v1/namespaces/" + temporal.Namespace} {
		response, err := http.Get(ui.URL() + path)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, http.StatusOK, response.StatusCode, path)
	}

	ui.Stop()
	response, err := http.Get(ui.URL())
	if err == nil {
		_ = response.Body.Close()
	}
	require.Error(t, err)
}
