package strategy

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgtype"

	"countersign/check"
	"countersign/internal/problem"
)

// postgresConfig configures the connection to a PostgreSQL server.
type postgresConfig struct {
	Host     string `json:"host" jsonschema:"minLength=1,maxLength=253" jsonschema_description:"Host name or address of the server" check:"template,label=Host"`
	Port     int    `json:"port,omitempty" jsonschema:"minimum=1,maximum=65535,default=5432" jsonschema_description:"Port of the server" check:"label=Port"`
	Database string `json:"database" jsonschema:"minLength=1,maxLength=63" jsonschema_description:"Name of the database" check:"template,label=Database"`
	User     string `json:"user" jsonschema:"minLength=1,maxLength=63" jsonschema_description:"Who logs in. One that may only read is enough." check:"template,label=User"`
	Password string `json:"password,omitempty" jsonschema:"maxLength=4096" jsonschema_description:"Password of the user" check:"secret,label=Password"`
	SSLMode  string `json:"sslMode,omitempty" jsonschema:"enum=disable,enum=require,enum=verify-ca,enum=verify-full,default=disable" jsonschema_description:"disable: no TLS; require: TLS with any certificate that has not expired; verify-ca: one of a trusted authority; verify-full: that, for this host" check:"label=TLS"`
	CA       string `json:"ca,omitempty" jsonschema:"maxLength=65536" jsonschema_description:"Certificates in PEM to trust instead of the public authorities" check:"editor=text,label=Certificate authority"`
	CertificateTerm
	check.Deadline
	check.Tries
	check.Addressing
}

// Check implements check.Checker.
func (c *postgresConfig) Check() []problem.Issue {
	if c.secured() {
		return nil
	}
	return c.without("set sslMode")
}

// postgresSession is a session with a server.
type postgresSession struct {
	conn *pgconn.PgConn
	wire *wire
	took time.Duration

	certificate lifetime
}

func postgresStrategy() check.Strategy {
	return check.NewStrategy(
		check.Kind{
			ID: "healthcheck-postgres.postgres", Name: "PostgreSQL", Category: "Databases",
			Description: "Logs in to a PostgreSQL server and asks it something. Statements run in a transaction that only reads.",
		},
		openPostgres, (*postgresSession).close,
		check.NewCollector(check.Kind{
			ID: "healthcheck-postgres.query", Name: "PostgreSQL query", Category: "Databases",
			Description: "The answer to one SQL statement: its first row, how many rows there are, and how long it took.",
			Unjudged:    unjudgedQuery(),
		}, postgresQuery),
	)
}

// plainPostgres is a config of the library without defaults from this machine: neither environment variables nor files
// of the user.
var plainPostgres = sync.OnceValues(func() (*pgconn.Config, error) {
	return pgconn.ParseConfig(
		"host=localhost port=5432 user=nobody password=none dbname=none sslmode=disable passfile='' sslcert='' sslkey='' sslrootcert=''",
	)
})

func openPostgres(ctx context.Context, run check.Run, c *postgresConfig) (*postgresSession, error) {
	began := time.Now()
	w, err := reach(ctx, run, c.Host, c.Port)
	if err != nil {
		return nil, err
	}
	plain, err := plainPostgres()
	if err != nil {
		_ = w.Close()
		return nil, err
	}
	o := plain.Copy()
	o.Host, o.Port, o.Database, o.User, o.Password = c.Host, uint16(c.Port), c.Database, c.User, c.Password
	o.Fallbacks, o.ConnectTimeout, o.KerberosSrvName, o.KerberosSpn = nil, 0, "", ""
	o.ValidateConnect, o.AfterConnect, o.OAuthTokenProvider, o.SSLCertMode, o.SSLNegotiation = nil, nil, nil, "disable", "postgres"
	o.RuntimeParams = map[string]string{"application_name": "countersign", "client_encoding": "UTF8"}
	o.ChannelBinding, o.RequireAuth, o.MaxProtocolMessageBodyLen = "prefer", "", mostReceived
	o.LookupFunc = func(context.Context, string) ([]string, error) { return []string{"192.0.2.1"}, nil } // the wire is there
	o.DialFunc = func(context.Context, string, string) (net.Conn, error) { return w, nil }
	var sent []*x509.Certificate
	expected := c.trust(&sent)
	if c.secured() {
		o.TLSConfig = expected.config()
	} else {
		o.RequireAuth = "!password" // nobody on the way is to read it
	}
	conn, err := pgconn.ConnectConfig(ctx, o)
	if err != nil {
		_ = w.Close()
		return nil, c.failure(ctx, w, expected, err)
	}
	return &postgresSession{
		conn: conn, wire: w, took: time.Since(began), certificate: expected.lifetime(w.address, sent, run.Now()),
	}, nil
}

func (c *postgresConfig) trust(sent *[]*x509.Certificate) trust {
	return trust{
		name: c.Host, roots: authorities(c.CA), unchecked: c.SSLMode == "require", anyName: c.SSLMode == "verify-ca",
		least: c.MinDaysUntilExpiry, sent: sent,
	}
}

// failure explains why no session was opened.
func (c *postgresConfig) failure(ctx context.Context, w *wire, expected trust, err error) error {
	said, spoke := errors.AsType[*pgconn.PgError](err)
	head := w.began()
	switch {
	case errors.As(err, new(*tls.CertificateVerificationError)):
		return expected.failure(ctx, w.address, time.Now(), err)
	case spoke && admitted(said.Code):
		return check.Fail(check.WrongAnswer, "The server let nobody in: "+brief(said.Message)+".")
	case spoke:
		return check.Fail(check.NotAdmitted, "The server did not let the user in: "+brief(said.Message)+".")
	case ctx.Err() != nil:
		return check.Classify(ctx, "log in to "+w.address, ctx.Err())
	case c.secured() && len(head) == 1 && head[0] == 'N':
		return check.Fail(check.BadProtocol, "The server at "+w.address+" does not offer TLS.")
	case !c.secured() && strings.Contains(err.Error(), "require_auth"):
		return check.Fail(check.NotAdmitted, "The server wants the password in clear text. Set sslMode, so that nobody on the way can read it.")
	case len(head) > 0 && !strings.ContainsRune("RESN", rune(head[0])), c.secured() && len(head) > 1 && head[0] != 'S':
		return misspoken(w.address, "PostgreSQL")
	default:
		return check.Classify(ctx, "log in to "+w.address, err)
	}
}

func (c *postgresConfig) secured() bool { return c.SSLMode != "" && c.SSLMode != "disable" }

// admitted reports whether an SQLSTATE is not about authentication (class 28) or privileges.
func admitted(code string) bool { return !strings.HasPrefix(code, "28") && code != "42501" }

func (s *postgresSession) close() {
	// The result of closing the connection does not affect the run.
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = s.conn.Close(ctx)
}

func postgresQuery(ctx context.Context, run check.Run, s *postgresSession, c *queryConfig) (*queryResult, error) {
	r := &queryResult{
		ConnectTimeMs: milliseconds(s.took), ServerVersion: clip(s.conn.ParameterStatus("server_version"), 100),
		CertificateDays: s.certificate.days,
	}
	began := time.Now()
	err := s.within(ctx, c, func() error { return s.ask(ctx, c.Query, r) })
	r.ExecutionTimeMs = milliseconds(time.Since(began))
	if err == nil {
		r.Success = true
		return r, s.certificate.failure(run)
	}
	said, spoke := errors.AsType[*pgconn.PgError](err)
	switch {
	case spoke && said.Code == "57014":
		return r, refused(check.TimedOut, "it took too long and was given up")
	case spoke && !admitted(said.Code):
		return r, refused(check.NotAdmitted, said.Message)
	case spoke && said.Code == "25006":
		return r, refused(check.WrongAnswer, said.Message+". Statements of checks only read, unless allowWrites is set")
	case spoke:
		return r, refused(check.WrongAnswer, said.Message)
	case s.wire.full(), errors.As(err, new(*pgproto3.ExceededMaxBodyLenErr)):
		return r, refused(check.WrongAnswer, "the answer is larger than a check takes; ask for less")
	default:
		return r, check.Classify(ctx, "run the query", err)
	}
}

// within runs a statement in a transaction of its own, with its timeout.
func (s *postgresSession) within(ctx context.Context, c *queryConfig, do func() error) error {
	begin := "BEGIN READ ONLY"
	if c.AllowWrites {
		begin = "BEGIN"
	}
	if most := statementTimeout(ctx, c.Timeout); most > 0 {
		begin += "; SET LOCAL statement_timeout = " + strconv.FormatInt(most.Milliseconds(), 10)
	}
	if err := s.conn.Exec(ctx, begin).Close(); err != nil {
		return err
	}
	if err := do(); err != nil || s.conn.IsClosed() { // it is closed when there was more to come than is wanted
		return err
	}
	return s.conn.Exec(ctx, "COMMIT").Close()
}

// statementTimeout is the timeout of a statement on the server: that of the configuration, and slightly less than the remaining
// time of the run.
func statementTimeout(ctx context.Context, asked int) time.Duration {
	most := time.Duration(asked) * time.Millisecond
	if deadline, ok := ctx.Deadline(); ok {
		left := time.Until(deadline)
		left = max(left-left/20, time.Millisecond)
		if most == 0 || left < most {
			most = left
		}
	}
	return most
}

// ask runs one statement; the extended protocol accepts no second one.
func (s *postgresSession) ask(ctx context.Context, query string, r *queryResult) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	rows := s.conn.ExecParams(ctx, query, nil, nil, nil, nil)
	for rows.NextRow() {
		if r.RowCount++; r.RowCount == 1 {
			r.take(postgresRow(rows.FieldDescriptions(), rows.Values()))
		}
		if r.RowCount == mostRows {
			if rows.NextRow() {
				r.truncate()
			}
			break
		}
	}
	if r.Truncated {
		cancel() // the session ends with the run
		_, _ = rows.Close()
		return nil
	}
	_, err := rows.Close()
	return err
}

func postgresRow(fields []pgconn.FieldDescription, values [][]byte) []column {
	row := make([]column, len(values))
	for i, value := range values {
		row[i] = column{name: fields[i].Name, text: string(value), null: value == nil}
		switch fields[i].DataTypeOID {
		case pgtype.BoolOID:
			row[i].text, row[i].bare = strconv.FormatBool(string(value) == "t"), true
		case pgtype.Int2OID,
			pgtype.Int4OID,
			pgtype.Int8OID,
			pgtype.OIDOID,
			pgtype.Float4OID,
			pgtype.Float8OID,
			pgtype.NumericOID,
			pgtype.JSONOID,
			pgtype.JSONBOID:
			row[i].bare = true
		}
	}
	return row
}

// Sends implements check.Sender.
func (c *postgresConfig) Sends() check.Sending {
	line := loginLine("PostgreSQL", c.Host, otherwise(c.Port, 5432), c.User, c.Password, c.Database)
	return unlessLines(check.Sending{Reads: true, Lines: []string{line}}, c.Host, c.User, c.Database)
}
