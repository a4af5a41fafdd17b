package strategy

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/gosnmp/gosnmp"

	"countersign/check"
	"countersign/check/assertion"
	"countersign/internal/egress"
	"countersign/internal/problem"
)

// snmpConfig configures the agent to ask, and who asks.
type snmpConfig struct {
	Host         string `json:"host" jsonschema:"minLength=1,maxLength=253" jsonschema_description:"Host name or address of the agent" check:"template,label=Host"`
	Port         int    `json:"port,omitempty" jsonschema:"minimum=1,maximum=65535,default=161" jsonschema_description:"UDP port of the agent" check:"label=Port"`
	Version      string `json:"version,omitempty" jsonschema:"enum=2c,enum=3,default=2c" jsonschema_description:"Version of the protocol. 2c sends the community as it is; 3 can encrypt." check:"label=Version"`
	Community    string `json:"community,omitempty" jsonschema:"maxLength=127" jsonschema_description:"Community, for version 2c" check:"secret,label=Community"`
	Username     string `json:"username,omitempty" jsonschema:"maxLength=32" jsonschema_description:"User, for version 3" check:"template,label=User"`
	AuthProtocol string `json:"authProtocol,omitempty" jsonschema:"enum=none,enum=md5,enum=sha,enum=sha224,enum=sha256,enum=sha384,enum=sha512,default=sha256" jsonschema_description:"How the user proves who it is, for version 3" check:"label=Authentication"`
	AuthPassword string `json:"authPassword,omitempty" jsonschema:"maxLength=1024" jsonschema_description:"Password for that, at least 8 characters" check:"secret,label=Authentication password"`
	PrivProtocol string `json:"privProtocol,omitempty" jsonschema:"enum=none,enum=des,enum=aes,enum=aes192,enum=aes256,enum=aes192c,enum=aes256c,default=none" jsonschema_description:"Encryption, for version 3; aes192c and aes256c are the forms of Cisco" check:"label=Encryption"`
	PrivPassword string `json:"privPassword,omitempty" jsonschema:"maxLength=1024" jsonschema_description:"Password for that, at least 8 characters" check:"secret,label=Encryption password"`
	Context      string `json:"contextName,omitempty" jsonschema:"maxLength=32" jsonschema_description:"Context, for version 3, where the agent has several" check:"template,label=Context"`
	check.Deadline
	check.Tries
	check.Addressing
}

// Check implements check.Checker.
func (c *snmpConfig) Check() []problem.Issue {
	var issues []problem.Issue
	add := func(path, message string) { issues = append(issues, problem.Issue{Path: path, Message: message}) }
	if c.Version != "3" {
		if c.Community == "" {
			add("community", "is required for version 2c")
		}
		return issues
	}
	if c.Username == "" {
		add("username", "is required for version 3")
	}
	if c.authenticates() && c.AuthPassword == "" {
		add("authPassword", "is required with authProtocol")
	}
	if c.encrypts() && c.PrivPassword == "" {
		add("privPassword", "is required with privProtocol")
	}
	if c.encrypts() && !c.authenticates() {
		add("privProtocol", "needs an authProtocol: SNMP encrypts for users alone that prove who they are")
	}
	return issues
}

func (c *snmpConfig) authenticates() bool { return otherwise(c.AuthProtocol, "sha256") != "none" }
func (c *snmpConfig) encrypts() bool      { return otherwise(c.PrivProtocol, "none") != "none" }

// snmpGetConfig is one object.
type snmpGetConfig struct {
	OID          string `json:"oid" jsonschema:"minLength=3,maxLength=500" jsonschema_description:"Object to get, in numbers, such as 1.3.6.1.2.1.1.3.0 for the uptime" check:"template,label=OID"`
	AllowMissing bool   `json:"allowMissing,omitempty" jsonschema_description:"An object that the agent does not have is a result: assert found. Otherwise the check fails." check:"label=May be missing"`
}

var objectID = regexp.MustCompile(`^\.?[0-2](\.[0-9]+)+$`)

// Check implements check.Checker.
func (c *snmpGetConfig) Check() []problem.Issue {
	if objectID.MatchString(c.OID) {
		return nil
	}
	return []problem.Issue{{Path: "oid", Message: "must be in numbers with dots between them, such as 1.3.6.1.2.1.1.3.0"}}
}

// snmpGetResult is the value of an object.
type snmpGetResult struct {
	Found          bool             `json:"found" jsonschema_description:"Whether the agent has the object" check:"label=Found"`
	Value          string           `json:"value" jsonschema_description:"The value as text; bytes that are no text in hexadecimal" check:"label=Value"`
	Number         *assertion.Exact `json:"number,omitempty" jsonschema_description:"The value as a number, when it is one. Ticks of time are hundredths of a second." check:"chart=line,label=Number,keep"`
	Type           string           `json:"type" jsonschema_description:"Its type, such as Integer, OctetString, Counter64 or TimeTicks" check:"label=Type"`
	ResponseTimeMs float64          `json:"responseTimeMs" jsonschema_description:"From the request until the answer, looking up the name included" check:"chart=line,unit=ms,label=Response time"`
	cutFields
}

// snmpSession asks an agent, for one collector at a time.
type snmpSession struct {
	client  *gosnmp.GoSNMP
	conn    *countedPackets
	address string
	turn    sync.Mutex
	stop    func() bool
}

func snmpStrategy() check.Strategy {
	return check.NewStrategy(
		check.Kind{
			ID: "healthcheck-snmp.snmp", Name: "SNMP", Category: "Infrastructure",
			Description: "Asks the SNMP agent of a device, by version 2c or 3.",
		},
		openSNMP, (*snmpSession).close,
		check.NewCollector(check.Kind{
			ID: "healthcheck-snmp.get", Name: "SNMP get", Category: "Infrastructure",
			Description: "The value of one object, such as an uptime, a temperature or the state of a port.",
			Unjudged: &check.Unjudged{
				Finds: "the value of the object", Example: check.Assertion{Field: "number", Operator: "lessThan", Value: json.RawMessage("90")},
			},
		}, snmpGet),
	)
}

var (
	snmpAuth = map[string]gosnmp.SnmpV3AuthProtocol{
		"none": gosnmp.NoAuth, "md5": gosnmp.MD5, "sha": gosnmp.SHA, "sha224": gosnmp.SHA224, "sha256": gosnmp.SHA256, "sha384": gosnmp.SHA384,
		"sha512": gosnmp.SHA512,
	}
	snmpPriv = map[string]gosnmp.SnmpV3PrivProtocol{
		"none": gosnmp.NoPriv, "des": gosnmp.DES, "aes": gosnmp.AES, "aes192": gosnmp.AES192, "aes256": gosnmp.AES256,
		"aes192c": gosnmp.AES192C, "aes256c": gosnmp.AES256C,
	}
)

// countedPackets is a connection of packets that ends after as many as a check takes. It records how many came, and the last report
// of the user-based security model (RFC 3414): the library discards reports without authentication, and these say what is wrong.
type countedPackets struct {
	net.Conn

	mu       sync.Mutex
	received int
	report   byte
}

// usmStats is the beginning of the objects of such reports, 1.3.6.1.6.3.15.1.1, in BER.
var usmStats = []byte{0x2b, 6, 1, 6, 3, 15, 1, 1}

// securityReports say what a report means.
var securityReports = map[byte]string{
	1: "it asks for another combination of authentication and encryption", 3: "it does not know the user",
	5: "the authentication password or protocol is wrong", 6: "the encryption password or protocol is wrong",
}

// mostPackets bounds the packets of one run.
const mostPackets = 1000

// Read implements net.Conn.
func (c *countedPackets) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		c.received++
		if i := bytes.Index(p[:n], usmStats); i >= 0 && i+len(usmStats) < n {
			c.report = p[i+len(usmStats)]
		}
	}
	if c.received > mostPackets {
		return 0, check.ErrTooMuch
	}
	return n, err
}

// seen returns how many packets came, and the number of the last report.
func (c *countedPackets) seen() (received int, report byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.received, c.report
}

func openSNMP(ctx context.Context, run check.Run, c *snmpConfig) (*snmpSession, error) {
	address := hostPort(c.Host, otherwise(c.Port, 161))
	conn, err := run.Dial(ctx, run.IP.Network("udp"), address)
	if err != nil {
		return nil, check.Classify(ctx, "connect to "+address+run.IP.Over(), err)
	}
	s := &snmpSession{conn: &countedPackets{Conn: conn}, address: address, client: &gosnmp.GoSNMP{
		Context: ctx, Transport: "udp", Version: gosnmp.Version2c, Community: c.Community, MaxOids: 1, ContextName: c.Context,
	}}
	s.patience(ctx)
	if c.Version == "3" {
		c.identify(s.client)
	}
	if err := connected(s.client, s.conn); err != nil {
		_ = conn.Close()
		return nil, check.Fail(check.NotRunnable, "The user, the protocols and the passwords of this check do not fit together.")
	}
	s.stop = context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	return s, nil
}

// connected prepares the client for a connection that was dialled for it. The library prepares itself in Connect alone, which dials:
// over UDP, to this machine and without a packet. That socket is closed unused.
func connected(client *gosnmp.GoSNMP, conn net.Conn) error {
	client.Target, client.Port = "127.0.0.1", 9
	err := client.Connect()
	if client.Conn != nil {
		_ = client.Conn.Close()
	}
	client.Conn = conn
	return err
}

// patience divides the time of the run into requests: packets get lost, so the client asks again.
func (s *snmpSession) patience(ctx context.Context) {
	s.client.Retries, s.client.Timeout = 3, 10*time.Second
	if end, ok := ctx.Deadline(); ok {
		s.client.Timeout = max(time.Until(end)/4, 50*time.Millisecond)
	}
}

func (c *snmpConfig) identify(client *gosnmp.GoSNMP) {
	client.Version, client.SecurityModel, client.MsgFlags = gosnmp.Version3, gosnmp.UserSecurityModel, gosnmp.NoAuthNoPriv
	user := &gosnmp.UsmSecurityParameters{
		UserName: c.Username, AuthenticationProtocol: gosnmp.NoAuth, PrivacyProtocol: gosnmp.NoPriv,
	}
	if c.authenticates() {
		client.MsgFlags = gosnmp.AuthNoPriv
		user.AuthenticationProtocol, user.AuthenticationPassphrase = snmpAuth[otherwise(c.AuthProtocol, "sha256")], c.AuthPassword
	}
	if c.encrypts() {
		client.MsgFlags = gosnmp.AuthPriv
		user.PrivacyProtocol, user.PrivacyPassphrase = snmpPriv[c.PrivProtocol], c.PrivPassword
	}
	client.SecurityParameters = user
}

func (s *snmpSession) close() {
	s.stop()
	_ = s.conn.Close()
}

func snmpGet(ctx context.Context, _ check.Run, s *snmpSession, c *snmpGetConfig) (*snmpGetResult, error) {
	s.turn.Lock()
	defer s.turn.Unlock()
	began := time.Now()
	answer, err := s.client.Get([]string{c.OID})
	took := time.Since(began)
	if err != nil {
		return nil, s.failure(ctx, err)
	}
	r := &snmpGetResult{ResponseTimeMs: milliseconds(took)}
	switch {
	case answer.Error == gosnmp.NoSuchName:
	case answer.Error == gosnmp.AuthorizationError, answer.Error == gosnmp.NoAccess:
		return r, check.Fail(check.NotAdmitted, "The agent does not let this check see "+c.OID+".")
	case answer.Error != gosnmp.NoError:
		return r, check.Fail(check.WrongAnswer, "The agent answered with the error "+brief(answer.Error.String())+".")
	case len(answer.Variables) != 1 || strings.TrimPrefix(answer.Variables[0].Name, ".") != strings.TrimPrefix(c.OID, "."):
		return r, check.Fail(check.BadProtocol, "The agent answered about another object than this check asks for.")
	default:
		r.read(answer.Variables[0])
	}
	if !r.Found && !c.AllowMissing {
		return r, check.Fail(check.WrongAnswer, "The agent does not have the object "+c.OID+".")
	}
	return r, nil
}

// read takes the value of an object.
func (r *snmpGetResult) read(v gosnmp.SnmpPDU) {
	r.Type = v.Type.String()
	switch v.Type {
	case gosnmp.NoSuchObject, gosnmp.NoSuchInstance, gosnmp.EndOfMibView, gosnmp.Null:
		return
	}
	r.Found = true
	switch value := v.Value.(type) {
	case []byte:
		r.Value = r.readable(value)
	case string:
		r.Value = r.clip("value", value, mostObject)
	case float32:
		r.Value = strconv.FormatFloat(float64(value), 'g', -1, 32)
	case int, uint, uint32, uint64, int64, float64, bool:
		r.Value = fmt.Sprint(value)
	case *big.Int:
		r.Value = value.String()
	}
	r.Number = r.numberOf(strings.TrimSpace(r.Value), "value")
}

// mostObject bounds the text of an object, in bytes.
const mostObject = 8 << 10

// readable returns bytes as text, or in hexadecimal when they are none.
func (r *snmpGetResult) readable(value []byte) string {
	text := strings.TrimRight(string(value), "\x00")
	if utf8.ValidString(text) && !strings.ContainsFunc(text, func(c rune) bool { return unicode.IsControl(c) && !unicode.IsSpace(c) }) {
		return r.clip("value", text, mostObject)
	}
	return r.clip("value", hex.EncodeToString(value), mostObject)
}

// failure explains a missing answer.
func (s *snmpSession) failure(ctx context.Context, err error) error {
	received, report := s.conn.seen()
	if says := securityReports[report]; says != "" {
		return check.Fail(check.NotAdmitted, "The agent does not admit the user of this check: "+says+".")
	}
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return check.Fail(check.Refused, "Could not ask "+s.address+": nothing listens there (the port is unreachable).")
	case errors.Is(err, egress.ErrRefused), errors.Is(err, check.ErrTooMuch):
		return check.Classify(ctx, "ask "+s.address, err)
	case received > 0:
		return check.Fail(check.BadProtocol, "The server at "+s.address+" does not speak SNMP as this check expects.")
	default:
		return check.Fail(
			check.TimedOut,
			"The agent at "+s.address+" did not answer. It is away, or does not take the community or the version, which agents do not say.",
		)
	}
}

// Sends implements check.Sender.
func (c *snmpConfig) Sends() check.Sending {
	line := "It asks the SNMP agent at " + hostPort(c.Host, otherwise(c.Port, 161))
	if c.Version == "3" {
		line += " as the user " + c.Username
	} else {
		line += " with the community " + c.Community
	}
	return unlessLines(check.Sending{Reads: true, Lines: []string{line + "."}}, c.Username, c.Context)
}

// Sends implements check.Sender.
func (c *snmpGetConfig) Sends() check.Sending {
	return check.Sending{Reads: true, Lines: []string{"It gets the object " + c.OID + "."}}
}
