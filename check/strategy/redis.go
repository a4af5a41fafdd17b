package strategy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"countersign/check"
	"countersign/check/assertion"
	"countersign/internal/problem"
)

// redisConfig configures the connection to a Redis server.
type redisConfig struct {
	Host       string `json:"host" jsonschema:"minLength=1,maxLength=253" jsonschema_description:"Host name or address of the server" check:"template,label=Host"`
	Port       int    `json:"port,omitempty" jsonschema:"minimum=1,maximum=65535,default=6379" jsonschema_description:"Port of the server" check:"label=Port"`
	Username   string `json:"username,omitempty" jsonschema:"maxLength=200" jsonschema_description:"Who logs in, where the server has users" check:"template,label=User"`
	Password   string `json:"password,omitempty" jsonschema:"maxLength=4096" jsonschema_description:"Password. Redis sends it as it is, so use TLS where others can listen." check:"secret,label=Password"`
	Database   int    `json:"database,omitempty" jsonschema:"minimum=0,maximum=65535" jsonschema_description:"Number of the database" check:"label=Database"`
	TLS        bool   `json:"tls,omitempty" jsonschema_description:"Connect with TLS" check:"label=TLS"`
	ServerName string `json:"serverName,omitempty" jsonschema:"maxLength=253" jsonschema_description:"The name that the certificate has to be for; the host when empty" check:"template,label=Server name"`
	CA         string `json:"ca,omitempty" jsonschema:"maxLength=65536" jsonschema_description:"Certificates in PEM to trust instead of the public authorities" check:"editor=text,label=Certificate authority"`
	SkipVerify bool   `json:"skipVerify,omitempty" jsonschema_description:"Take any certificate. An expired one fails all the same, unless an assertion is about certificateDaysRemaining." check:"label=Take any certificate"`
	CertificateTerm
	check.Deadline
	check.Tries
	check.Addressing
}

// Check implements check.Checker.
func (c *redisConfig) Check() []problem.Issue {
	if c.TLS {
		return nil
	}
	return c.without("set tls")
}

// redisCommandConfig is a command that only reads.
type redisCommandConfig struct {
	Command string   `json:"command,omitempty" jsonschema:"enum=PING,enum=INFO,enum=GET,enum=EXISTS,enum=TTL,enum=TYPE,enum=STRLEN,enum=LLEN,enum=SCARD,enum=ZCARD,enum=HLEN,enum=HGET,enum=XLEN,enum=DBSIZE,enum=TIME,enum=LASTSAVE,enum=ROLE,default=PING" jsonschema_description:"A command that only reads" check:"label=Command"`
	Args    []string `json:"args,omitempty" jsonschema:"maxItems=8" jsonschema_description:"Its arguments, such as a key; for INFO a section" check:"template,label=Arguments"`
}

// redisResult is the reply to a command.
type redisResult struct {
	Success        bool             `json:"success" jsonschema_description:"Whether the server carried the command out" check:"label=Success"`
	Response       string           `json:"response" jsonschema_description:"The answer as text; a list as JSON; empty for a key that is not there" check:"jsonpath,label=Response"`
	Found          bool             `json:"found" jsonschema_description:"Whether there is an answer: false for a key that is not there" check:"label=Found"`
	Number         *assertion.Exact `json:"number,omitempty" jsonschema_description:"The answer as a number, when it is one" check:"chart=line,label=Number"`
	Info           string           `json:"info,omitempty" jsonschema_description:"For INFO: the answer as a JSON object, for a JSONPath such as $.used_memory" check:"jsonpath,label=Info"`
	ConnectTimeMs  float64          `json:"connectTimeMs" jsonschema_description:"Until the connection stood, TLS included" check:"chart=line,unit=ms,label=Connect time"`
	ResponseTimeMs float64          `json:"responseTimeMs" jsonschema_description:"From the command until the answer" check:"chart=line,unit=ms,label=Response time,keep"`
	CertificateDays
	cutFields
}

// redisSession is a session with a server.
type redisSession struct {
	client  *redis.Client
	wire    *wire
	secured bool

	certificate lifetime
	took        time.Duration
}

func redisStrategy() check.Strategy {
	return check.NewStrategy(
		check.Kind{
			ID: "healthcheck-redis.redis", Name: "Redis", Category: "Databases",
			Description: "Logs in to a Redis or Valkey server and asks it something, by commands that only read.",
		},
		openRedis, (*redisSession).close,
		check.NewCollector(check.Kind{
			ID: "healthcheck-redis.command", Name: "Redis command", Category: "Databases",
			Description: "The answer to one command, such as PING, a section of INFO, or the length of a list.",
			Unjudged: &check.Unjudged{
				Finds: "the answer", Example: check.Assertion{Field: "number", Operator: "lessThan", Value: json.RawMessage("1000")},
				Member: "command", Alive: []string{"PING"},
			},
		}, redisCommand),
	)
}

func openRedis(ctx context.Context, run check.Run, c *redisConfig) (*redisSession, error) {
	began := time.Now()
	w, err := reach(ctx, run, c.Host, c.Port)
	if err != nil {
		return nil, err
	}
	var conn net.Conn = w
	var certificate lifetime
	if c.TLS {
		expected := trust{name: otherwise(c.ServerName, c.Host), roots: authorities(c.CA), unchecked: c.SkipVerify, least: c.MinDaysUntilExpiry}
		encrypted, err := encrypt(ctx, w, expected)
		if err != nil {
			_ = w.Close()
			return nil, err
		}
		conn, certificate = encrypted, expected.lifetime(w.address, encrypted.ConnectionState().PeerCertificates, run.Now())
	}
	var used atomic.Bool
	s := &redisSession{wire: w, secured: c.TLS, certificate: certificate, took: time.Since(began)}
	s.client = redis.NewClient(&redis.Options{
		Addr: w.address, Username: c.Username, Password: c.Password, DB: c.Database, Protocol: 2,
		Dialer: func(context.Context, string, string) (net.Conn, error) {
			if used.Swap(true) {
				return nil, net.ErrClosed
			}
			return conn, nil
		},
		MaxRetries: -1, DialerRetries: 1, PoolSize: 1, DisableIdentity: true, ContextTimeoutEnabled: true,
		ReadTimeout: -2, WriteTimeout: -2, // the wire ends with the run
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})
	return s, nil
}

func (s *redisSession) close() {
	_ = s.client.Close() // nothing is on its way
	_ = s.wire.Close()
}

func redisCommand(ctx context.Context, run check.Run, s *redisSession, c *redisCommandConfig) (*redisResult, error) {
	command := c.Command
	args := []any{command}
	for _, a := range c.Args {
		args = append(args, a)
	}
	began := time.Now()
	answer, err := s.client.Do(ctx, args...).Result()
	r := &redisResult{
		ConnectTimeMs: milliseconds(s.took), ResponseTimeMs: milliseconds(time.Since(began)), CertificateDays: s.certificate.days,
	}
	if err != nil && !errors.Is(err, redis.Nil) {
		return r, s.failure(ctx, err)
	}
	r.Found = err == nil
	if err == nil {
		r.read(command, answer)
		if all, isList := answer.([]any); isList && slices.EqualFunc(all, args, func(a, b any) bool { return fmt.Sprint(a) == fmt.Sprint(b) }) {
			return r, misspoken(s.wire.address, "Redis") // it sends back what it gets
		}
		if command == "PING" && len(args) == 1 && r.Response != "PONG" {
			return r, check.Fail(check.WrongAnswer, "The server answered PING with "+brief(r.Response)+", and not with PONG.")
		}
	}
	r.Success = true
	return r, s.certificate.failure(run)
}

// read converts the server's reply.
func (r *redisResult) read(command string, answer any) {
	switch v := answer.(type) {
	case string:
		r.Response = r.clip("response", v, mostRow)
	case int64:
		r.Response = strconv.FormatInt(v, 10)
	default:
		document, err := json.Marshal(v)
		if err != nil {
			document = []byte(fmt.Sprint(v))
		}
		r.Response = r.clip("response", string(document), mostRow)
	}
	r.Number = r.numberOf(r.Response, "response")
	if text, ok := answer.(string); ok && command == "INFO" {
		r.Info = infoDocument(text)
	}
}

// infoDocument converts the reply to INFO to a JSON object, with numbers as numbers.
func infoDocument(text string) string {
	fields := map[string]json.RawMessage{}
	for line := range strings.Lines(text) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok || strings.HasPrefix(name, "#") {
			continue
		}
		document := json.RawMessage(value)
		if _, err := strconv.ParseFloat(value, 64); err != nil || !json.Valid(document) {
			document, _ = json.Marshal(value) // a text always has a JSON form
		}
		fields[name] = document
	}
	document, _ := json.Marshal(fields) // all of it is JSON
	return string(document)
}

// failure explains a missing reply.
func (s *redisSession) failure(ctx context.Context, err error) error {
	said, spoke := errors.AsType[redis.Error](err)
	head := s.wire.began()
	switch {
	case spoke && !strings.HasPrefix(said.Error(), "redis: "):
		for _, prefix := range []string{"NOAUTH", "WRONGPASS", "NOPERM", "ERR invalid password", "ERR AUTH", "ERR Client sent AUTH"} {
			if strings.HasPrefix(said.Error(), prefix) {
				return check.Fail(check.NotAdmitted, "The server does not admit the command: "+brief(said.Error())+".")
			}
		}
		return check.Fail(check.WrongAnswer, "The server answered: "+brief(said.Error())+".")
	case ctx.Err() != nil:
		return check.Classify(ctx, "ask "+s.wire.address, ctx.Err())
	case s.wire.full():
		return check.Fail(check.WrongAnswer, "The answer is larger than a check takes.")
	case !s.secured && len(head) > 0 && !strings.ContainsRune("+-:$*", rune(head[0])):
		return misspoken(s.wire.address, "Redis")
	default:
		return check.Classify(ctx, "ask "+s.wire.address, err)
	}
}

// Sends implements check.Sender. Redis has no read-only sessions, and any server at the address gets these bytes.
func (c *redisConfig) Sends() check.Sending {
	line := loginLine("Redis", c.Host, otherwise(c.Port, 6379), otherwise(c.Username, "default"), c.Password, itoa(c.Database))
	return check.Sending{Lines: []string{line}}
}

// Sends implements check.Sender.
func (c *redisCommandConfig) Sends() check.Sending {
	command := strings.Join(append([]string{otherwise(c.Command, "PING")}, c.Args...), " ")
	return check.Sending{Lines: []string{"It sends the command " + excerpt(command)}}
}
