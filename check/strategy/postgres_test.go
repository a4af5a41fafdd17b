package strategy_test

import (
	"crypto/tls"
	"encoding/binary"
	"io"
	"net"
	"os"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/internal/store/storetest"
)

// postgresProbe is a check of a database of the test's own, on the server that all tests share.
func postgresProbe(t *testing.T) probe {
	storetest.New(t)
	server, err := pgconn.ParseConfig(os.Getenv("COUNTERSIGN_TEST_DATABASE_URL"))
	require.NoError(t, err)
	p := probe{
		strategy: "healthcheck-postgres.postgres", collector: "healthcheck-postgres.query",
		config: object{"host": server.Host, "port": int(server.Port), "database": server.Database, "user": server.User},
	}
	if server.Password != "" {
		p.config["password"] = "${{ secrets.PASSWORD }}"
		p.secrets = map[string]string{"PASSWORD": server.Password}
	}
	return p
}

type answered struct {
	Success                        bool
	RowCount                       int
	Value, Row, ServerVersion      string
	Number                         *float64
	Truncated                      bool
	ConnectTimeMs, ExecutionTimeMs float64
}

func TestPostgres(t *testing.T) {
	t.Parallel()
	p := postgresProbe(t)
	var found answered
	p.passes(t, &found)
	require.True(t, found.Success)
	require.Equal(t, "1", found.Value)
	require.InDelta(t, 1, *found.Number, 0)
	require.Equal(t, 1, found.RowCount)
	require.Positive(t, found.ExecutionTimeMs)
	require.NotEmpty(t, found.ServerVersion)

	// Numbers have all of their digits, in assertions and in the report.
	large := p.asking(object{"query": "SELECT 9007199254740993"})
	large.asserting("number", "", "equals", "9007199254740993").passes(t, nil)
	large.asserting("number", "", "equals", "9007199254740992").
		fails(t, check.AssertionFailed, "Expected number = 9007199254740992, got 9007199254740993.")

	p.asking(
		object{"query": `SELECT 'Ada' AS name, 3.50 AS price, true AS paid, NULL AS note, '{"a":[1]}'::jsonb AS data FROM generate_series(1, 3)`},
	).passes(
		t,
		&found,
	)
	require.Equal(t, "Ada", found.Value)
	require.Equal(t, 3, found.RowCount)
	require.JSONEq(t, `{"name":"Ada","price":3.50,"paid":true,"note":null,"data":{"a":[1]}}`, found.Row)
	p.asking(object{"query": "SELECT 1 WHERE false"}).passes(t, &found)
	require.Zero(t, found.RowCount)
	p.asking(object{"query": "SELECT generate_series(1, 200000)"}).passes(t, &found)
	require.Equal(t, 10_000, found.RowCount)
	require.True(t, found.Truncated)
}

func TestPostgresTellsWhatIsWrong(t *testing.T) {
	t.Parallel()
	p := postgresProbe(t)
	p.with(object{"database": "no_such_database"}).fails(t, check.WrongAnswer, "does not exist")
	p.with(object{"user": "no_such_user"}).fails(t, check.NotAdmitted, "did not let the user in")
	p.asking(object{"query": "SELEC 1"}).fails(t, check.WrongAnswer, "syntax error")
	p.asking(object{"query": "SELECT 1; SELECT 2"}).fails(t, check.WrongAnswer, "multiple commands")
	p.asking(object{"query": "SELECT pg_sleep(60)", "timeout": 100}).fails(t, check.TimedOut, "took too long")
	p.with(object{"timeout": 1000}).asking(object{"query": "SELECT pg_sleep(60)"}).fails(t, check.TimedOut, "took too long")
	p.asking(
		object{"query": "CREATE TABLE x (a int)"},
	).fails(
		t,
		check.WrongAnswer,
		"read-only transaction. Statements of checks only read, unless allowWrites is set.",
	)
	p.asking(object{"query": "CREATE TEMPORARY TABLE x (a int)", "allowWrites": true}).passes(t, nil)
	p.asking(object{"query": "SELECT repeat('x', 5000000)"}).fails(t, check.WrongAnswer, "larger than a check takes")
}

func TestPostgresIsNotReached(t *testing.T) {
	t.Parallel()
	p := probe{
		strategy: "healthcheck-postgres.postgres", collector: "healthcheck-postgres.query",
		config: object{"host": "known.test", "port": 5432, "database": "shop", "user": "watcher", "password": "${{ secrets.PASSWORD }}"},
	}
	unreachable(t, p, "PostgreSQL")
	certificates(t, p.with(object{"sslMode": "verify-full"}), newAuthority(t), func(t *testing.T, c tls.Certificate) int {
		return postgresServer(t, &c, &pgproto3.AuthenticationOk{})
	})
}

// TestPostgresKeepsThePassword has servers that want the password in the clear: without TLS none gets it.
func TestPostgresKeepsThePassword(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	p := probe{
		strategy: "healthcheck-postgres.postgres", collector: "healthcheck-postgres.query",
		config: object{"host": "known.test", "database": "shop", "user": "watcher", "password": "${{ secrets.PASSWORD }}"},
	}
	wants := &pgproto3.AuthenticationCleartextPassword{}
	p.with(object{"port": postgresServer(t, nil, wants)}).fails(t, check.NotAdmitted, "wants the password in clear text")
	certificate := ca.issue(t, "elsewhere.test", 1e12)
	secured := postgresServer(t, &certificate, wants)
	p.with(object{"port": secured, "sslMode": "require"}).passes(t, nil)
	p.with(object{"port": secured, "sslMode": "verify-ca", "ca": ca.pem}).passes(t, nil)
	p.with(object{"port": secured, "sslMode": "verify-ca", "ca": newAuthority(t).pem}).fails(t, check.BadCertificate, "authority")
	p.with(object{"port": postgresServer(t, nil, wants), "sslMode": "require"}).fails(t, check.BadProtocol, "does not offer TLS")
	certificateTerms(t, p.with(object{"sslMode": "verify-full"}), ca, object{"sslMode": "require"},
		atPort(func(t *testing.T, c tls.Certificate) int { return postgresServer(t, &c, wants) }))
	p.secrets = map[string]string{"PASSWORD": "another-password"}
	p.with(object{"port": secured, "sslMode": "require"}).fails(t, check.NotAdmitted, "password authentication failed")
}

// postgresServer speaks the protocol as far as a check goes: it asks for the password and answers every statement with nothing.
func postgresServer(t testing.TB, certificate *tls.Certificate, login pgproto3.BackendMessage) int {
	return serve(t, func(conn net.Conn) {
		var head [8]byte
		if _, err := io.ReadFull(conn, head[:]); err != nil {
			return
		}
		const secure = 80877103
		if binary.BigEndian.Uint32(head[4:]) == secure {
			if certificate == nil {
				_, _ = conn.Write([]byte("N"))
				return
			}
			_, _ = conn.Write([]byte("S"))
			conn = tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{*certificate}, MinVersion: tls.VersionTLS12})
			if _, err := io.ReadFull(conn, head[:]); err != nil {
				return
			}
		}
		_, _ = io.CopyN(io.Discard, conn, int64(binary.BigEndian.Uint32(head[:4]))-8)
		backend := pgproto3.NewBackend(conn, conn)
		backend.Send(login)
		_ = backend.Flush()
		if _, asks := login.(*pgproto3.AuthenticationCleartextPassword); asks {
			_ = backend.SetAuthType(pgproto3.AuthTypeCleartextPassword)
			said, err := backend.Receive()
			if err != nil {
				return
			}
			if m, ok := said.(*pgproto3.PasswordMessage); !ok || m.Password != password {
				backend.Send(
					&pgproto3.ErrorResponse{
						Severity: "FATAL",
						Code:     "28P01",
						Message:  "password authentication failed for user " + strconv.Quote("watcher"),
					},
				)
				_ = backend.Flush()
				return
			}
			backend.Send(&pgproto3.AuthenticationOk{})
		}
		backend.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
		_ = backend.Flush()
		for {
			said, err := backend.Receive()
			if err != nil {
				return
			}
			switch said.(type) {
			case *pgproto3.Query:
				backend.Send(&pgproto3.CommandComplete{CommandTag: []byte("OK")})
				backend.Send(&pgproto3.ReadyForQuery{TxStatus: 'T'})
			case *pgproto3.Execute:
				backend.Send(&pgproto3.ParseComplete{})
				backend.Send(&pgproto3.BindComplete{})
				backend.Send(&pgproto3.NoData{})
				backend.Send(&pgproto3.CommandComplete{CommandTag: []byte("SELECT 0")})
			case *pgproto3.Sync:
				backend.Send(&pgproto3.ReadyForQuery{TxStatus: 'T'})
			}
			_ = backend.Flush()
		}
	})
}
