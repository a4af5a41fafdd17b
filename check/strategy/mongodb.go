package strategy

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"countersign/check"
	"countersign/internal/problem"
)

// mongoConfig configures the connection to a MongoDB server.
type mongoConfig struct {
	Host         string `json:"host" jsonschema:"minLength=1,maxLength=253" jsonschema_description:"Host name or address of one server, also of a replica set: the check asks that one alone" check:"template,label=Host"`
	Port         int    `json:"port,omitempty" jsonschema:"minimum=1,maximum=65535,default=27017" jsonschema_description:"Port of the server" check:"label=Port"`
	Username     string `json:"username,omitempty" jsonschema:"maxLength=200" jsonschema_description:"Who logs in; nobody when empty. ping and hello need no login." check:"template,label=User"`
	Password     string `json:"password,omitempty" jsonschema:"maxLength=4096" jsonschema_description:"Password of the user" check:"secret,label=Password"`
	AuthDatabase string `json:"authDatabase,omitempty" jsonschema:"maxLength=63,default=admin" jsonschema_description:"Database that the user belongs to" check:"template,label=Database of the user"`
	TLS          bool   `json:"tls,omitempty" jsonschema_description:"Connect with TLS" check:"label=TLS"`
	Encryption
	check.Deadline
	check.Tries
	check.Addressing
}

// Check implements check.Checker.
func (c *mongoConfig) Check() []problem.Issue {
	issues := c.issues()
	if !c.TLS {
		issues = append(issues, c.without("set tls")...)
	}
	return issues
}

// mongoCommandConfig is a command that only reads.
type mongoCommandConfig struct {
	Command  string `json:"command,omitempty" jsonschema:"enum=ping,enum=hello,enum=buildInfo,enum=serverStatus,enum=replSetGetStatus,enum=dbStats,enum=connectionStatus,default=ping" jsonschema_description:"A command that only reads. serverStatus and replSetGetStatus need the role clusterMonitor." check:"label=Command"`
	Database string `json:"database,omitempty" jsonschema:"maxLength=63,default=admin" jsonschema_description:"Database that the command is for, such as that of dbStats" check:"template,label=Database"`
}

// mongoResult is the answer to a command.
type mongoResult struct {
	Success        bool    `json:"success" jsonschema_description:"Whether the server carried the command out" check:"label=Success"`
	Response       string  `json:"response" jsonschema_description:"The answer as JSON (Extended JSON, relaxed), for a JSONPath such as $.connections.current" check:"jsonpath,label=Response"`
	Role           string  `json:"role" jsonschema_description:"What the server is: primary, secondary, arbiter, standalone, mongos or other" check:"label=Role"`
	ReplicaSet     string  `json:"replicaSet,omitempty" jsonschema_description:"Name of the replica set" check:"label=Replica set"`
	ConnectTimeMs  float64 `json:"connectTimeMs" jsonschema_description:"Until the session stood: connection, TLS and login" check:"chart=line,unit=ms,label=Connect time"`
	ResponseTimeMs float64 `json:"responseTimeMs" jsonschema_description:"From the command until the answer" check:"chart=line,unit=ms,label=Response time,keep"`
	CertificateDays
}

// mongoSession is a session with one server.
type mongoSession struct {
	client  *mongo.Client
	dials   *mongoDials
	address string
	secured bool
	took    time.Duration
	hello   mongoHello
}

// mongoHello is what a server says of itself.
type mongoHello struct {
	SetName           string `bson:"setName"`
	IsWritablePrimary bool   `bson:"isWritablePrimary"`
	Secondary         bool   `bson:"secondary"`
	ArbiterOnly       bool   `bson:"arbiterOnly"`
	Msg               string `bson:"msg"`
}

func (h mongoHello) role() string {
	switch {
	case h.Msg == "isdbgrid":
		return "mongos"
	case h.SetName == "" && h.IsWritablePrimary:
		return "standalone"
	case h.IsWritablePrimary:
		return "primary"
	case h.Secondary:
		return "secondary"
	case h.ArbiterOnly:
		return "arbiter"
	default:
		return "other"
	}
}

func mongoStrategy() check.Strategy {
	return check.NewStrategy(
		check.Kind{
			ID: "healthcheck-mongodb.mongodb", Name: "MongoDB", Category: "Databases",
			Description: "Logs in to a MongoDB server and asks it something, by commands that only read.",
		},
		openMongo, (*mongoSession).close,
		check.NewCollector(check.Kind{
			ID: "healthcheck-mongodb.command", Name: "MongoDB command", Category: "Databases",
			Description: "The answer to one command, such as ping or serverStatus, and whether the server is primary or secondary.",
			Unjudged: &check.Unjudged{
				Finds: "the answer", Example: check.Assertion{Field: "role", Operator: "equals", Value: json.RawMessage(`"primary"`)},
				Member: "command", Alive: []string{"ping"},
			},
		}, mongoCommand),
	)
}

// mongoDials makes the connections of the driver, which would follow a replica set otherwise: all go to the address of the check,
// and the first failure of one ends the attempts of the driver.
type mongoDials struct {
	run      check.Run
	ctx      context.Context //nolint:containedctx // the run's, which the driver's dials do not have
	give     context.CancelCauseFunc
	config   *mongoConfig
	expected trust
	secured  bool

	mu          sync.Mutex
	conns       []*mongoConn
	failed      error
	closed      bool
	certificate lifetime
}

// mostMongoDials bounds the connections of one run: the driver opens one for its monitor, and one for commands.
const mostMongoDials = 4

// DialContext implements options.ContextDialer. The address of the driver is that of the check, or one that the server named.
func (d *mongoDials) DialContext(context.Context, string, string) (net.Conn, error) {
	d.mu.Lock()
	if d.closed || len(d.conns) >= mostMongoDials {
		d.mu.Unlock()
		return nil, net.ErrClosed
	}
	d.mu.Unlock()
	w, err := reach(d.ctx, d.run, d.config.Host, otherwise(d.config.Port, 27017))
	if err != nil {
		return nil, d.fail(err)
	}
	c := &mongoConn{Conn: w, wire: w, dials: d}
	if d.secured {
		encrypted, err := encrypt(d.ctx, w, d.expected)
		if err != nil {
			_ = w.Close()
			return nil, d.fail(err)
		}
		c.Conn = encrypted
		d.mu.Lock()
		d.certificate = d.expected.lifetime(w.address, encrypted.ConnectionState().PeerCertificates, d.run.Now())
		d.mu.Unlock()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		_ = c.Close()
		return nil, net.ErrClosed
	}
	d.conns = append(d.conns, c)
	return c, nil
}

// fail records the first failure and ends the attempts of the driver.
func (d *mongoDials) fail(err error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.failed == nil && !d.closed {
		d.failed = err
		d.give(err)
	}
	return err
}

func (d *mongoDials) failure() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.failed
}

func (d *mongoDials) close() {
	d.mu.Lock()
	conns := d.conns
	d.closed = true
	d.mu.Unlock()
	d.give(net.ErrClosed)
	for _, c := range conns {
		_ = c.Close()
	}
}

// mongoConn reads whole messages before the driver sees them. The driver makes room for as many bytes as a message claims to
// have, and computes as many rounds of SCRAM as a server asks for.
type mongoConn struct {
	net.Conn
	wire  *wire
	dials *mongoDials
	ahead []byte
}

const (
	mostMongoMessage = 1 << 20
	// mostRounds bounds the rounds of SCRAM. Servers ask for 10,000 to 15,000; RFC 7677 for at least 4,096.
	mostRounds = 1_000_000
)

var (
	errNoMongo  = errors.New("no message of MongoDB")
	errRounds   = errors.New("too many rounds of SCRAM")
	scramRounds = regexp.MustCompile(`,i=([0-9]+)`)
)

// Read implements net.Conn.
func (c *mongoConn) Read(p []byte) (int, error) {
	if len(c.ahead) == 0 {
		if err := c.message(); err != nil {
			return 0, c.dials.fail(err)
		}
	}
	n := copy(p, c.ahead)
	c.ahead = c.ahead[n:]
	return n, nil
}

// message reads the next message.
func (c *mongoConn) message() error {
	head := make([]byte, 16)
	if _, err := io.ReadFull(c.Conn, head); err != nil {
		return err
	}
	size, code := binary.LittleEndian.Uint32(head), binary.LittleEndian.Uint32(head[12:])
	switch {
	case size < 16 || code != 1 && code != 2013: // OP_REPLY, OP_MSG; a check offers no compression, which would hide the size
		return errNoMongo
	case size > mostMongoMessage:
		return check.ErrTooMuch
	}
	message := make([]byte, size)
	copy(message, head)
	if _, err := io.ReadFull(c.Conn, message[16:]); err != nil {
		return err
	}
	for _, m := range scramRounds.FindAllSubmatch(message, 8) {
		if n, err := strconv.Atoi(string(m[1])); c.dials.config.Username != "" && (err != nil || n > mostRounds) {
			return errRounds
		}
	}
	c.ahead = message
	return nil
}

// Close implements net.Conn.
func (c *mongoConn) Close() error {
	_ = c.Conn.Close()
	return c.wire.Close()
}

func openMongo(ctx context.Context, run check.Run, c *mongoConfig) (*mongoSession, error) {
	began := time.Now()
	expected, err := c.trust(c.Host)
	if err != nil {
		return nil, err
	}
	address := hostPort(c.Host, otherwise(c.Port, 27017))
	inner, give := context.WithCancelCause(ctx)
	d := &mongoDials{run: run, ctx: ctx, give: give, config: c, expected: expected, secured: c.TLS}
	left := check.MaxTimeout
	if end, ok := ctx.Deadline(); ok {
		left = max(time.Until(end), time.Millisecond)
	}
	o := options.Client().SetHosts([]string{"check.invalid:27017"}).SetDirect(true).SetDialer(d).SetAppName("countersign").
		SetConnectTimeout(left).SetServerSelectionTimeout(left).SetServerMonitoringMode("poll").SetHeartbeatInterval(check.MaxTimeout).
		SetMaxPoolSize(1).SetMaxConnecting(1).SetRetryReads(false).SetRetryWrites(false).SetMaxAdaptiveRetries(0)
	if c.Username != "" {
		o.SetAuth(options.Credential{
			Username: c.Username, Password: c.Password, PasswordSet: true, AuthSource: otherwise(c.AuthDatabase, "admin"),
		})
	}
	client, err := mongo.Connect(o)
	if err != nil {
		give(err)
		return nil, check.Fail(check.NotRunnable, "The user, the password and the database of this check do not fit together.")
	}
	s := &mongoSession{client: client, dials: d, address: address, secured: c.TLS}
	if err := client.Database("admin").RunCommand(inner, bson.D{{Key: "hello", Value: 1}}).Decode(&s.hello); err != nil {
		err = s.failure(ctx, "log in to "+address, err)
		s.close()
		return nil, err
	}
	s.took = time.Since(began)
	return s, nil
}

func (s *mongoSession) close() {
	s.dials.close() // a monitor that waits ends with its connection
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = s.client.Disconnect(ctx) // nothing is on its way
}

func mongoCommand(ctx context.Context, run check.Run, s *mongoSession, c *mongoCommandConfig) (*mongoResult, error) {
	s.dials.mu.Lock()
	certificate := s.dials.certificate
	s.dials.mu.Unlock()
	r := &mongoResult{
		Role: s.hello.role(), ReplicaSet: clip(s.hello.SetName, 200), ConnectTimeMs: milliseconds(s.took), CertificateDays: certificate.days,
	}
	began := time.Now()
	answer, err := s.client.Database(otherwise(c.Database, "admin")).
		RunCommand(ctx, bson.D{{Key: otherwise(c.Command, "ping"), Value: 1}}).Raw()
	r.ResponseTimeMs = milliseconds(time.Since(began))
	if err != nil {
		return r, s.failure(ctx, "ask "+s.address, err)
	}
	document, err := bson.MarshalExtJSON(answer, false, false)
	if err != nil {
		return r, misspoken(s.address, "MongoDB")
	}
	r.Success, r.Response = true, clip(string(document), mostMongoMessage)
	return r, certificate.failure(run)
}

// failure explains a missing answer.
func (s *mongoSession) failure(ctx context.Context, doing string, err error) error {
	below := s.dials.failure()
	var said mongo.CommandError
	answered := errors.As(err, &said) && !said.HasErrorLabel("NetworkError")
	switch {
	case answered && (said.Code == 13 || said.Code == 18 || said.Code == 8000):
		return check.Fail(check.NotAdmitted, "The server does not admit this check: "+brief(said.Message)+".")
	case answered:
		return check.Fail(check.WrongAnswer, "The server answered: "+brief(said.Message)+".")
	}
	switch {
	case errors.Is(below, errNoMongo):
		return misspoken(s.address, "MongoDB")
	case errors.Is(below, errRounds):
		return check.Fail(check.BadProtocol, "The server at "+s.address+" asks for more rounds of SCRAM than a check computes.")
	case errors.Is(below, check.ErrTooMuch):
		return check.Fail(check.WrongAnswer, "The answer of "+s.address+" is larger than a check takes.")
	case ctx.Err() != nil:
		return check.Classify(ctx, doing, ctx.Err())
	case below != nil && alertOf(below) != "":
		return unwanted(s.address)
	case below != nil:
		return check.Classify(ctx, doing, below)
	case strings.Contains(err.Error(), "auth error"):
		return check.Fail(check.NotAdmitted, "The server does not admit this check: the login failed.")
	case strings.Contains(err.Error(), "wire version"):
		return check.Fail(check.BadProtocol, "The server at "+s.address+" is too old for this check, which speaks with MongoDB 4.2 and later.")
	default:
		return misspoken(s.address, "MongoDB as this check expects it")
	}
}

// Sends implements check.Sender.
func (c *mongoConfig) Sends() check.Sending {
	line := "It connects to the MongoDB server at " + hostPort(c.Host, otherwise(c.Port, 27017)) + "."
	if c.Username != "" {
		line = loginLine("MongoDB", c.Host, otherwise(c.Port, 27017), c.Username, c.Password, otherwise(c.AuthDatabase, "admin"))
	}
	return unlessLines(check.Sending{Reads: true, Lines: []string{line}}, c.Host, c.Username, c.AuthDatabase)
}

// Sends implements check.Sender.
func (c *mongoCommandConfig) Sends() check.Sending {
	return unlessLines(check.Sending{
		Reads: true,
		Lines: []string{"It sends the command " + otherwise(c.Command, "ping") + " to the database " + otherwise(c.Database, "admin") + "."},
	}, c.Database)
}
