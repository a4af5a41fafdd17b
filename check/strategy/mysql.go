package strategy

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"database/sql/driver"
	"errors"
	"net"
	"strconv"
	"time"

	"github.com/go-sql-driver/mysql"

	"countersign/check"
	"countersign/internal/problem"
)

// mysqlConfig configures the connection to a MySQL or MariaDB server.
type mysqlConfig struct {
	Host     string `json:"host" jsonschema:"minLength=1,maxLength=253" jsonschema_description:"Host name or address of the server" check:"template,label=Host"`
	Port     int    `json:"port,omitempty" jsonschema:"minimum=1,maximum=65535,default=3306" jsonschema_description:"Port of the server" check:"label=Port"`
	Database string `json:"database,omitempty" jsonschema:"maxLength=64" jsonschema_description:"Name of the database; none when empty" check:"template,label=Database"`
	User     string `json:"user" jsonschema:"minLength=1,maxLength=80" jsonschema_description:"Who logs in. One that may only read is enough." check:"template,label=User"`
	Password string `json:"password,omitempty" jsonschema:"maxLength=4096" jsonschema_description:"Password of the user" check:"secret,label=Password"`
	SSLMode  string `json:"sslMode,omitempty" jsonschema:"enum=disable,enum=require,enum=verify-ca,enum=verify-full,default=disable" jsonschema_description:"disable: no TLS; require: TLS with any certificate that has not expired; verify-ca: one of a trusted authority; verify-full: that, for this host" check:"label=TLS"`
	CA       string `json:"ca,omitempty" jsonschema:"maxLength=65536" jsonschema_description:"Certificates in PEM to trust instead of the public authorities" check:"editor=text,label=Certificate authority"`
	CertificateTerm
	check.Deadline
	check.Tries
	check.Addressing
}

// Check implements check.Checker.
func (c *mysqlConfig) Check() []problem.Issue {
	if c.secured() {
		return nil
	}
	return c.without("set sslMode")
}

// mysqlSession is a session with a server.
type mysqlSession struct {
	db   *sql.DB
	conn *sql.Conn
	wire *wire
	took time.Duration

	certificate lifetime
}

func mysqlStrategy() check.Strategy {
	return check.NewStrategy(
		check.Kind{
			ID: "healthcheck-mysql.mysql", Name: "MySQL", Category: "Databases",
			Description: "Logs in to a MySQL or MariaDB server and asks it something. Statements run in a transaction that only reads.",
		},
		openMySQL, (*mysqlSession).close,
		check.NewCollector(check.Kind{
			ID: "healthcheck-mysql.query", Name: "MySQL query", Category: "Databases",
			Description: "The answer to one SQL statement: its first row, how many rows there are, and how long it took.",
			Unjudged:    unjudgedQuery(),
		}, mysqlQuery),
	)
}

func (c *mysqlConfig) secured() bool { return c.SSLMode != "" && c.SSLMode != "disable" }

func openMySQL(ctx context.Context, run check.Run, c *mysqlConfig) (*mysqlSession, error) {
	began := time.Now()
	w, err := reach(ctx, run, c.Host, c.Port)
	if err != nil {
		return nil, err
	}
	// A packet begins with its length, its number 0 and the version of the protocol, or an error.
	if head, err := w.peek(5); err != nil || head[3] != 0 || head[4] != 10 && head[4] != 0xff {
		_ = w.Close()
		if err != nil {
			return nil, check.Classify(ctx, "log in to "+w.address, err)
		}
		return nil, misspoken(w.address, "MySQL")
	}
	var secure *tls.Config
	var sent []*x509.Certificate
	expected := trust{
		name: c.Host, roots: authorities(c.CA), unchecked: c.SSLMode == "require", anyName: c.SSLMode == "verify-ca",
		least: c.MinDaysUntilExpiry, sent: &sent,
	}
	if c.secured() {
		secure = expected.config()
	}
	o := mysql.NewConfig()
	o.User, o.Passwd, o.DBName, o.Net, o.Addr = c.User, c.Password, c.Database, "tcp", w.address
	o.TLS, o.Logger, o.MaxAllowedPacket, o.CheckConnLiveness = secure, &mysql.NopLogger{}, 1<<20, false
	o.DialFunc = func(context.Context, string, string) (net.Conn, error) { return w, nil }
	connector, err := mysql.NewConnector(o)
	if err != nil {
		_ = w.Close()
		return nil, check.Fail(check.NotRunnable, "The settings of this check do not fit a MySQL server.")
	}
	made, err := connector.Connect(ctx)
	if err != nil {
		_ = w.Close()
		if errors.As(err, new(*tls.CertificateVerificationError)) {
			return nil, expected.failure(ctx, w.address, run.Now(), err)
		}
		return nil, c.failure(ctx, w, err)
	}
	s := &mysqlSession{db: sql.OpenDB(&only{made: made, by: connector.Driver()}), wire: w}
	if s.conn, err = s.db.Conn(ctx); err != nil {
		_ = s.db.Close()
		_ = w.Close()
		return nil, check.Classify(ctx, "log in to "+w.address, err)
	}
	s.took, s.certificate = time.Since(began), expected.lifetime(w.address, sent, run.Now())
	return s, nil
}

// only is a connector with one connection: a broken one is not replaced during a run.
type only struct {
	made driver.Conn
	by   driver.Driver
}

// Connect implements driver.Connector.
func (o *only) Connect(context.Context) (driver.Conn, error) {
	if o.made == nil {
		return nil, mysql.ErrInvalidConn
	}
	made := o.made
	o.made = nil
	return made, nil
}

// Driver implements driver.Connector.
func (o *only) Driver() driver.Driver { return o.by }

// failure explains why no session was opened.
func (c *mysqlConfig) failure(ctx context.Context, w *wire, err error) error {
	said, spoke := errors.AsType[*mysql.MySQLError](err)
	switch {
	case spoke && refusesUser(said.Number):
		return check.Fail(check.NotAdmitted, "The server did not let the user in: "+brief(said.Message)+".")
	case spoke:
		return check.Fail(check.WrongAnswer, "The server let nobody in: "+brief(said.Message)+".")
	case ctx.Err() != nil:
		return check.Classify(ctx, "log in to "+w.address, ctx.Err())
	case errors.Is(err, mysql.ErrNoTLS):
		return check.Fail(check.BadProtocol, "The server at "+w.address+" does not offer TLS.")
	case errors.Is(err, mysql.ErrCleartextPassword), errors.Is(err, mysql.ErrOldPassword), errors.Is(err, mysql.ErrUnknownPlugin):
		return check.Fail(
			check.NotAdmitted,
			"The server wants to be told the password in a way that checks do not use: in clear text, or by an unknown plugin.",
		)
	case errors.Is(err, mysql.ErrOldProtocol):
		return misspoken(w.address, "MySQL")
	default:
		return check.Classify(ctx, "log in to "+w.address, err)
	}
}

// refusesUser reports whether an error number is about authentication or privileges.
func refusesUser(number uint16) bool {
	switch number {
	case 1044, 1045, 1130, 1142, 1143, 1227, 1370, 1698, 1820, 1862, 3118, 3955:
		return true
	}
	return false
}

func (s *mysqlSession) close() {
	_ = s.conn.Close() // the run is over, whatever the server says to that
	_ = s.db.Close()
	_ = s.wire.Close()
}

func mysqlQuery(ctx context.Context, run check.Run, s *mysqlSession, c *queryConfig) (*queryResult, error) {
	r := &queryResult{ConnectTimeMs: milliseconds(s.took), CertificateDays: s.certificate.days}
	err := s.limit(ctx, statementTimeout(ctx, c.Timeout))
	began := time.Now()
	if err == nil {
		err = s.within(ctx, c, r)
	}
	r.ExecutionTimeMs = milliseconds(time.Since(began))
	if err == nil {
		r.Success = true
		return r, s.certificate.failure(run)
	}
	said, spoke := errors.AsType[*mysql.MySQLError](err)
	switch {
	case spoke && (said.Number == 3024 || said.Number == 1969 || said.Number == 1317):
		return r, refused(check.TimedOut, "it took too long and was given up")
	case spoke && refusesUser(said.Number):
		return r, refused(check.NotAdmitted, said.Message)
	case spoke && said.Number == 1792:
		return r, refused(check.WrongAnswer, said.Message+" Statements of checks only read, unless allowWrites is set")
	case spoke:
		return r, refused(check.WrongAnswer, said.Message)
	case s.wire.full():
		return r, refused(check.WrongAnswer, "the answer is larger than a check takes; ask for less")
	default:
		return r, check.Classify(ctx, "run the query", err)
	}
}

// limit sets the statement timeout of the session. MySQL and MariaDB have different variables; with neither, only the
// timeout of the run applies.
func (s *mysqlSession) limit(ctx context.Context, most time.Duration) error {
	if most == 0 {
		return nil
	}
	_, err := s.conn.ExecContext(ctx, "SET SESSION max_execution_time = "+strconv.FormatInt(most.Milliseconds(), 10))
	if said, spoke := errors.AsType[*mysql.MySQLError](err); spoke && said.Number == 1193 {
		_, err = s.conn.ExecContext(ctx, "SET SESSION max_statement_time = "+strconv.FormatFloat(most.Seconds(), 'f', 3, 64))
	}
	if _, spoke := errors.AsType[*mysql.MySQLError](err); spoke {
		return nil
	}
	return err
}

func (s *mysqlSession) within(ctx context.Context, c *queryConfig, r *queryResult) error {
	tx, err := s.conn.BeginTx(ctx, &sql.TxOptions{ReadOnly: !c.AllowWrites})
	if err != nil {
		return err
	}
	if err := s.ask(ctx, tx, c.Query, r); err != nil {
		_ = tx.Rollback() // what went wrong is known
		return err
	}
	return tx.Commit()
}

func (s *mysqlSession) ask(ctx context.Context, tx *sql.Tx, query string, r *queryResult) error {
	rows, err := tx.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	types, err := rows.ColumnTypes()
	if err != nil {
		return err
	}
	values, targets := make([]sql.RawBytes, len(types)), make([]any, len(types))
	for i := range values {
		targets[i] = &values[i]
	}
	for rows.Next() {
		if r.RowCount == mostRows {
			r.truncate()
			break
		}
		if r.RowCount++; r.RowCount > 1 {
			continue
		}
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		r.take(mysqlRow(types, values))
	}
	return rows.Err()
}

func mysqlRow(types []*sql.ColumnType, values []sql.RawBytes) []column {
	row := make([]column, len(values))
	for i, value := range values {
		row[i] = column{name: types[i].Name(), text: string(value), null: value == nil}
		switch types[i].DatabaseTypeName() {
		case "TINYINT", "SMALLINT", "MEDIUMINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL", "YEAR", "JSON",
			"UNSIGNED TINYINT", "UNSIGNED SMALLINT", "UNSIGNED MEDIUMINT", "UNSIGNED INT", "UNSIGNED BIGINT":
			row[i].bare = true
		}
	}
	return row
}

// Sends implements check.Sender.
func (c *mysqlConfig) Sends() check.Sending {
	line := loginLine("MySQL", c.Host, otherwise(c.Port, 3306), c.User, c.Password, c.Database)
	return unlessLines(check.Sending{Reads: true, Lines: []string{line}}, c.Host, c.User, c.Database)
}
