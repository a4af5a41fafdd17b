package strategy_test

import (
	"context"
	"crypto/tls"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	vitess "github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
	"github.com/dolthub/vitess/go/vt/sqlparser"
	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/internal/egress/porttest"
)

// shop answers the statements of the tests, by the protocol of a real server.
type shop struct{ over <-chan struct{} }

func (shop) NewConnection(*vitess.Conn)                   {}
func (shop) ConnectionClosed(*vitess.Conn)                {}
func (shop) ConnectionAborted(*vitess.Conn, string) error { return nil }
func (shop) WarningCount(*vitess.Conn) uint16             { return 0 }
func (shop) ComResetConnection(*vitess.Conn) error        { return nil }
func (shop) ComInitDB(_ *vitess.Conn, schema string) error {
	if schema != "" && schema != "shop" {
		return vitess.NewSQLError(1049, "42000", "Unknown database '%s'", schema)
	}
	return nil
}

func (shop) ParserOptionsForConnection(*vitess.Conn) (sqlparser.ParserOptions, error) {
	return sqlparser.ParserOptions{}, nil
}

func (shop) ComPrepare(context.Context, *vitess.Conn, string, *vitess.PrepareData) ([]*querypb.Field, error) {
	return nil, vitess.NewSQLError(1295, "HY000", "not supported")
}

func (shop) ComStmtExecute(context.Context, *vitess.Conn, *vitess.PrepareData, func(*sqltypes.Result) error) error {
	return vitess.NewSQLError(1295, "HY000", "not supported")
}

func (s shop) ComMultiQuery(ctx context.Context, c *vitess.Conn, query string, answer vitess.ResultSpoolFn) (string, error) {
	return "", s.ComQuery(ctx, c, query, answer)
}

func (s shop) ComQuery(_ context.Context, _ *vitess.Conn, query string, answer vitess.ResultSpoolFn) error {
	number := &querypb.Field{Name: "n", Type: sqltypes.Int64}
	switch {
	case strings.HasPrefix(query, "SET SESSION max_execution_time"):
		return vitess.NewSQLError(1193, "HY000", "Unknown system variable 'max_execution_time'")
	case strings.HasPrefix(query, "SET"), strings.HasPrefix(query, "START"), query == "COMMIT", query == "ROLLBACK":
		return answer(&sqltypes.Result{}, false)
	case query == "SELECT 1":
		return answer(&sqltypes.Result{Fields: []*querypb.Field{number}, Rows: [][]sqltypes.Value{{sqltypes.NewInt64(1)}}}, false)
	case query == "SELECT name, n FROM orders":
		return answer(&sqltypes.Result{
			Fields: []*querypb.Field{{Name: "name", Type: sqltypes.VarChar}, number},
			Rows:   [][]sqltypes.Value{{sqltypes.NewVarChar("Ada"), sqltypes.NULL}, {sqltypes.NewVarChar("Bob"), sqltypes.NewInt64(2)}},
		}, false)
	case query == "SELECT secret FROM vault":
		return vitess.NewSQLError(1142, "42000", "SELECT command denied to user 'watcher' for table 'vault'")
	case query == "SELECT SLEEP(60)":
		return vitess.NewSQLError(1969, "70100", "Query execution was interrupted (max_statement_time exceeded)")
	case strings.HasPrefix(query, "DELETE"):
		return vitess.NewSQLError(1792, "25006", "Cannot execute statement in a READ ONLY transaction.")
	case strings.HasPrefix(query, "HANG"):
		<-s.over
		return answer(&sqltypes.Result{}, false)
	default:
		return vitess.NewSQLError(1064, "42000", "You have an error in your SQL syntax")
	}
}

// clearText is a server that wants the password as it is.
type clearText struct{ *vitess.AuthServerStatic }

func (c clearText) AuthMethods() []vitess.AuthMethod {
	return []vitess.AuthMethod{vitess.NewMysqlClearAuthMethod(c.AuthServerStatic, c.AuthServerStatic)}
}

func mysqlServer(t testing.TB, certificate *tls.Certificate, inTheClear bool) int {
	var users vitess.AuthServer = vitess.NewAuthServerStatic("", `{"watcher":[{"Password":"`+password+`"}]}`, 0)
	if static, ok := users.(*vitess.AuthServerStatic); ok && inTheClear {
		users = clearText{static}
	}
	listener := listen(t)
	server, err := vitess.NewFromListener(listener, users, shop{t.Context().Done()}, 0, 0)
	require.NoError(t, err)
	server.AllowClearTextWithoutTLS.Set(true)
	if certificate != nil {
		server.TLSConfig = &tls.Config{Certificates: []tls.Certificate{*certificate}, MinVersion: tls.VersionTLS12}
	}
	go server.Accept()
	t.Cleanup(server.Close)
	return port(listener.Addr())
}

func TestMySQL(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	p := probe{
		strategy:  "healthcheck-mysql.mysql",
		collector: "healthcheck-mysql.query",
		config: object{
			"host":     "known.test",
			"port":     mysqlServer(t, nil, false),
			"user":     "watcher",
			"password": "${{ secrets.PASSWORD }}",
			"database": "shop",
		},
	}
	unreachable(t, p, "MySQL")
	secured := func(t *testing.T, c tls.Certificate) int { return mysqlServer(t, &c, false) }
	certificates(t, p.with(object{"sslMode": "verify-full"}), ca, secured)
	certificateTerms(t, p.with(object{"sslMode": "verify-full"}), ca, object{"sslMode": "require"}, atPort(secured))

	var found answered
	p.passes(t, &found)
	require.Equal(t, "1", found.Value)
	require.True(t, found.Success)
	require.Positive(t, found.ConnectTimeMs)
	p.asking(object{"query": "SELECT name, n FROM orders"}).passes(t, &found)
	require.Equal(t, "Ada", found.Value)
	require.Equal(t, 2, found.RowCount)
	require.JSONEq(t, `{"name":"Ada","n":null}`, found.Row)

	p.asking(object{"query": "SELEC"}).fails(t, check.WrongAnswer, "error in your SQL syntax")
	p.asking(object{"query": "SELECT secret FROM vault"}).fails(t, check.NotAdmitted, "command denied")
	p.asking(object{"query": "SELECT SLEEP(60)"}).fails(t, check.TimedOut, "took too long")
	p.asking(object{"query": "DELETE FROM orders"}).fails(t, check.WrongAnswer, "only read, unless allowWrites is set")
	p.with(object{"timeout": 300}).asking(object{"query": "HANG"}).fails(t, check.TimedOut, "")
	p.with(object{"database": "elsewhere"}).fails(t, check.WrongAnswer, "Unknown database")
	p.with(object{"user": "nobody"}).fails(t, check.NotAdmitted, "did not let the user in")
	p.with(object{"sslMode": "require"}).fails(t, check.BadProtocol, "does not offer TLS")
	elsewhere := secured(t, ca.issue(t, "elsewhere.test", 1e12))
	p.with(object{"port": elsewhere, "sslMode": "verify-ca", "ca": ca.pem}).passes(t, nil)
	p.with(object{"port": elsewhere, "sslMode": "require"}).passes(t, nil)
	p.with(object{"port": mysqlServer(t, nil, true)}).fails(t, check.NotAdmitted, "in clear text")
	p.secrets = map[string]string{"PASSWORD": "another-password"}
	p.fails(t, check.NotAdmitted, "Access denied")
}

// TestMariaDB is about a real server, where this machine has one.
func TestMariaDB(t *testing.T) {
	t.Parallel()
	server, err := exec.LookPath("mariadbd")
	install, missing := exec.LookPath("mariadb-install-db")
	if err != nil || missing != nil {
		t.Skip("there is no mariadbd")
	}
	data, at := t.TempDir(), porttest.Free(t)
	out, err := exec.CommandContext(
		t.Context(),
		install,
		"--no-defaults",
		"--datadir="+data,
		"--auth-root-authentication-method=normal",
		"--skip-test-db",
	).CombinedOutput()
	require.NoError(t, err, string(out))
	setup := data + "/setup.sql"
	require.NoError(t, os.WriteFile(setup, []byte(strings.Join([]string{
		"CREATE DATABASE shop;", "CREATE TABLE shop.orders (name varchar(20), n int);", "INSERT INTO shop.orders VALUES ('Ada', 3);",
		"CREATE USER watcher@'127.0.0.1' IDENTIFIED BY '" + password + "';", "GRANT SELECT, DELETE ON shop.* TO watcher@'127.0.0.1';", "",
	}, "\n")), 0o600))
	run := exec.CommandContext(
		t.Context(),
		server,
		"--no-defaults",
		"--user=root",
		"--datadir="+data,
		"--socket="+data+"/s",
		"--bind-address=127.0.0.1",
		"--port="+strconv.Itoa(at),
		"--init-file="+setup,
		"--innodb-buffer-pool-size=8M",
		"--skip-name-resolve",
	)
	require.NoError(t, run.Start())
	t.Cleanup(func() { _ = run.Process.Kill(); _ = run.Wait() })

	p := probe{
		strategy: "healthcheck-mysql.mysql", collector: "healthcheck-mysql.query", about: object{"query": "SELECT * FROM orders"},
		config: object{"host": "known.test", "port": at, "user": "watcher", "password": "${{ secrets.PASSWORD }}", "database": "shop"},
	}
	require.Eventually(t, func() bool {
		outcome, _ := p.run(t, nil)
		return outcome.Verdict == check.Passed
	}, time.Minute, 100*time.Millisecond)
	var found answered
	p.passes(t, &found)
	require.JSONEq(t, `{"name":"Ada","n":3}`, found.Row)
	p.asking(object{"query": "SELECT SLEEP(60)", "timeout": 200}).fails(t, check.TimedOut, "took too long")
	p.asking(object{"query": "DELETE FROM orders"}).fails(t, check.WrongAnswer, "only read, unless allowWrites is set")
	p.asking(object{"query": "LOAD DATA LOCAL INFILE '/etc/hosts' INTO TABLE orders", "allowWrites": true}).run(t, nil)
	p.asking(object{"query": "SELECT 1; SELECT 2"}).fails(t, check.WrongAnswer, "SQL syntax")
	p.asking(object{"query": "DELETE FROM orders", "allowWrites": true}).passes(t, nil)
	p.with(object{"database": "elsewhere"}).fails(t, check.NotAdmitted, "did not let the user in")
	p.secrets = map[string]string{"PASSWORD": "another-password"}
	p.fails(t, check.NotAdmitted, "Access denied")
}
