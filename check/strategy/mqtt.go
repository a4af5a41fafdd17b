package strategy

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"net"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/eclipse/paho.mqtt.golang/packets"

	"countersign/check"
	"countersign/internal/problem"
)

// mqttConfig configures the connection to an MQTT broker.
type mqttConfig struct {
	Host     string `json:"host" jsonschema:"minLength=1,maxLength=253" jsonschema_description:"Host name or address of the broker" check:"template,label=Host"`
	Port     int    `json:"port,omitempty" jsonschema:"minimum=1,maximum=65535,default=1883" jsonschema_description:"Port of the broker: 1883, or 8883 with TLS" check:"label=Port"`
	TLS      bool   `json:"tls,omitempty" jsonschema_description:"Connect with TLS" check:"label=TLS"`
	ClientID string `json:"clientId,omitempty" jsonschema:"maxLength=200" jsonschema_description:"Client id, where the broker admits certain ones alone; a new one for each run when empty. A broker closes another connection of the same id." check:"template,label=Client id"`
	Username string `json:"username,omitempty" jsonschema:"maxLength=200" jsonschema_description:"Who logs in" check:"template,label=User"`
	Password string `json:"password,omitempty" jsonschema:"maxLength=4096" jsonschema_description:"Password. MQTT sends it as it is, so use TLS where others can listen." check:"secret,label=Password"`
	Encryption
	check.Deadline
	check.Tries
	check.Addressing
}

// Check implements check.Checker.
func (c *mqttConfig) Check() []problem.Issue {
	issues := c.issues()
	if !c.TLS {
		issues = append(issues, c.without("set tls")...)
	}
	if c.Password != "" && c.Username == "" {
		issues = append(issues, problem.Issue{Path: "username", Message: "is required with a password"})
	}
	return issues
}

// mqttConnectionConfig is empty: the collector has no options.
type mqttConnectionConfig struct{}

// mqttConnectionResult is an accepted connection.
type mqttConnectionResult struct {
	Success        bool    `json:"success" jsonschema_description:"True: without a connection that the broker accepts the check fails" check:"label=Connected"`
	ConnectTimeMs  float64 `json:"connectTimeMs" jsonschema_description:"Until the connection stood, TLS included" check:"chart=line,unit=ms,label=Connect time"`
	ResponseTimeMs float64 `json:"responseTimeMs" jsonschema_description:"From the login until the broker accepted it" check:"chart=line,unit=ms,label=Response time,keep"`
	CertificateDays
}

// mqttMessageConfig is a topic to listen to, with a message to publish.
type mqttMessageConfig struct {
	Topic   string `json:"topic" jsonschema:"minLength=1,maxLength=1000" jsonschema_description:"Topic to subscribe to; + and # stand for any level and all below" check:"template,label=Topic"`
	Publish string `json:"publish,omitempty" jsonschema:"maxLength=65536" jsonschema_description:"Message to publish when the subscription stands, so that it makes the way through the broker; none when empty" check:"template,editor=text,label=Publish"`
	To      string `json:"publishTopic,omitempty" jsonschema:"maxLength=1000" jsonschema_description:"Topic to publish to; the one above when empty" check:"template,label=Publish to"`
	QoS     int    `json:"qos,omitempty" jsonschema:"minimum=0,maximum=1" jsonschema_description:"Quality of service: 0 at most once, 1 at least once" check:"label=Quality of service"`
	Expect  string `json:"expect,omitempty" jsonschema:"maxLength=4000" jsonschema_description:"Wait for a message that holds this text; others are passed over. With publish and without this, for the message that was published." check:"template,label=Expect"`
	Pattern string `json:"expectPattern,omitempty" jsonschema:"maxLength=1000" jsonschema_description:"Wait for a message that this regular expression (RE2) matches" check:"label=Expect by pattern"`
	Fresh   bool   `json:"ignoreRetained,omitempty" jsonschema_description:"Pass over the message that the broker keeps for the topic, so that a new one is needed" check:"label=Ignore retained"`
}

// Check implements check.Checker.
func (c *mqttMessageConfig) Check() []problem.Issue {
	var issues []problem.Issue
	if !validFilter(c.Topic) {
		issues = append(issues, problem.Issue{Path: "topic", Message: "is no topic filter: + stands for a whole level, # for all at the end"})
	}
	if strings.ContainsAny(c.To, "+#") {
		issues = append(issues, problem.Issue{Path: "publishTopic", Message: "cannot have wildcards"})
	}
	if c.Publish != "" && c.To == "" && strings.ContainsAny(c.Topic, "+#") {
		issues = append(issues, problem.Issue{Path: "publishTopic", Message: "is required: the topic of the subscription has wildcards"})
	}
	if _, err := regexp.Compile(c.Pattern); err != nil {
		issues = append(issues, problem.Issue{Path: "expectPattern", Message: "is not a regular expression (RE2)"})
	}
	return issues
}

// validFilter reports whether a text is a topic filter (MQTT 3.1.1, section 4.7).
func validFilter(filter string) bool {
	levels := strings.Split(filter, "/")
	for i, level := range levels {
		if strings.Contains(level, "+") && level != "+" || strings.Contains(level, "#") && (level != "#" || i < len(levels)-1) {
			return false
		}
	}
	return !strings.Contains(filter, "\x00")
}

// mqttMessageResult is the awaited message.
type mqttMessageResult struct {
	Success        bool    `json:"success" jsonschema_description:"Whether the expected message came, or any when none is named" check:"label=Success"`
	Message        string  `json:"message" jsonschema_description:"The message that was waited for, or else the last that came; a path can find values in JSON" check:"jsonpath,label=Message"`
	MessageLength  int     `json:"messageLength" jsonschema_description:"Its bytes" check:"chart=line,unit=bytes,label=Message length"`
	Topic          string  `json:"topic" jsonschema_description:"The topic that it came by" check:"label=Topic"`
	Retained       bool    `json:"retained" jsonschema_description:"Whether the broker had kept it from before" check:"label=Retained"`
	Messages       int     `json:"messages" jsonschema_description:"How many messages came until then" check:"label=Messages"`
	ConnectTimeMs  float64 `json:"connectTimeMs" jsonschema_description:"Until the connection stood, TLS included" check:"chart=line,unit=ms,label=Connect time"`
	ResponseTimeMs float64 `json:"responseTimeMs" jsonschema_description:"From the subscription, or from the message that was published, until the awaited message" check:"chart=line,unit=ms,label=Response time,keep"`
	CertificateDays
	cutFields
}

// mqttSession is an accepted connection that collectors use in turn.
type mqttSession struct {
	wire           *wire
	conn           net.Conn
	took, accepted time.Duration
	turn           sync.Mutex
	// next is the id of the next packet.
	next uint16

	certificate lifetime
}

func mqttStrategy() check.Strategy {
	return check.NewStrategy(
		check.Kind{
			ID: "healthcheck-mqtt.mqtt", Name: "MQTT", Category: "Protocols",
			Description: "Logs in to an MQTT broker, and waits for messages there.",
		},
		openMQTT, (*mqttSession).close,
		check.NewCollector(check.Kind{
			ID: "healthcheck-mqtt.connection", Name: "MQTT connection", Category: "Protocols",
			Description: "Whether the broker accepts the connection, and how long that takes.",
		}, mqttConnection),
		check.NewCollector(check.Kind{
			ID: "healthcheck-mqtt.message", Name: "MQTT message", Category: "Protocols",
			Description: "Subscribes to a topic, publishes a message if one is set, and waits for the message that answers it.",
		}, mqttMessage),
	)
}

// mostPacket bounds a packet of a broker. The library would make room for 256 MiB before it reads.
const mostPacket = 1 << 20

// errNoMQTT is the error of bytes that are no packet.
var errNoMQTT = errors.New("no packet of MQTT")

// receive reads the next packet.
func (s *mqttSession) receive() (packets.ControlPacket, error) {
	head := make([]byte, 1, 5)
	if _, err := io.ReadFull(s.conn, head); err != nil {
		return nil, err
	}
	length := 0
	for shift := 0; ; shift += 7 {
		if shift > 21 {
			return nil, errNoMQTT
		}
		var b [1]byte
		if _, err := io.ReadFull(s.conn, b[:]); err != nil {
			return nil, err
		}
		head = append(head, b[0])
		length |= int(b[0]&0x7f) << shift
		if b[0] < 0x80 {
			break
		}
	}
	if length > mostPacket {
		return nil, check.ErrTooMuch
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(s.conn, body); err != nil {
		return nil, err
	}
	packet, err := packets.ReadPacket(io.MultiReader(bytes.NewReader(head), bytes.NewReader(body)))
	if err != nil {
		return nil, errNoMQTT
	}
	return packet, nil
}

func openMQTT(ctx context.Context, run check.Run, c *mqttConfig) (*mqttSession, error) {
	began := time.Now()
	expected, err := c.trust(c.Host)
	if err != nil {
		return nil, err
	}
	w, err := reach(ctx, run, c.Host, c.Port)
	if err != nil {
		return nil, err
	}
	s := &mqttSession{wire: w, conn: w}
	if c.TLS {
		encrypted, err := encrypt(ctx, w, expected)
		if err != nil {
			_ = w.Close()
			return nil, err
		}
		s.conn, s.certificate = encrypted, expected.lifetime(w.address, encrypted.ConnectionState().PeerCertificates, run.Now())
	}
	s.took = time.Since(began)
	if err := s.login(ctx, c); err != nil {
		_ = w.Close()
		return nil, err
	}
	return s, nil
}

// login sends CONNECT and waits for the answer.
func (s *mqttSession) login(ctx context.Context, c *mqttConfig) error {
	began := time.Now()
	hello, _ := packets.NewControlPacket(packets.Connect).(*packets.ConnectPacket)
	hello.ProtocolName, hello.ProtocolVersion, hello.CleanSession, hello.Keepalive = "MQTT", 4, true, 0
	hello.ClientIdentifier = c.ClientID
	if hello.ClientIdentifier == "" {
		var random [8]byte
		_, _ = rand.Read(random[:]) // it never fails
		hello.ClientIdentifier = "cs-" + hex.EncodeToString(random[:])
	}
	hello.UsernameFlag, hello.Username = c.Username != "", c.Username
	hello.PasswordFlag, hello.Password = c.Password != "", []byte(c.Password)
	if err := hello.Write(s.conn); err != nil {
		return s.failure(ctx, "log in to "+s.wire.address, err)
	}
	packet, err := s.receive()
	if err != nil {
		return s.failure(ctx, "log in to "+s.wire.address, err)
	}
	answer, ok := packet.(*packets.ConnackPacket)
	if !ok {
		return misspoken(s.wire.address, "MQTT")
	}
	s.accepted = time.Since(began)
	switch answer.ReturnCode {
	case packets.Accepted:
		return nil
	case packets.ErrRefusedBadUsernameOrPassword:
		return check.Fail(check.NotAdmitted, "The broker does not take the user and password of this check.")
	case packets.ErrRefusedNotAuthorised:
		return check.Fail(check.NotAdmitted, "The broker does not let this check in: it answered not authorized.")
	case packets.ErrRefusedIDRejected:
		return check.Fail(check.NotAdmitted, "The broker does not take the client id of this check.")
	case packets.ErrRefusedServerUnavailable:
		return check.Fail(check.WrongAnswer, "The broker says that it is unavailable.")
	case packets.ErrRefusedBadProtocolVersion:
		return check.Fail(check.BadProtocol, "The broker does not speak MQTT 3.1.1.")
	default:
		return check.Fail(
			check.BadProtocol, "The broker refused the connection with code "+itoa(int(answer.ReturnCode))+", which MQTT 3.1.1 does not know.",
		)
	}
}

func (s *mqttSession) close() {
	_ = s.conn.SetWriteDeadline(time.Now().Add(time.Second))
	_ = packets.NewControlPacket(packets.Disconnect).Write(s.conn) // so that the broker does not report a lost client
	_ = s.conn.Close()
	_ = s.wire.Close()
}

// failure explains a missing packet.
func (s *mqttSession) failure(ctx context.Context, doing string, err error) error {
	_, plain := s.conn.(*wire)
	head := s.wire.began()
	switch {
	case ctx.Err() != nil:
		return check.Classify(ctx, doing, ctx.Err())
	case alertOf(err) != "":
		return unwanted(s.wire.address)
	case errors.Is(err, errNoMQTT), plain && len(head) > 0 && head[0]>>4 != packets.Connack:
		return misspoken(s.wire.address, "MQTT")
	default:
		return check.Classify(ctx, doing, err)
	}
}

func mqttConnection(_ context.Context, run check.Run, s *mqttSession, _ *mqttConnectionConfig) (*mqttConnectionResult, error) {
	return &mqttConnectionResult{
		Success: true, ConnectTimeMs: milliseconds(s.took), ResponseTimeMs: milliseconds(s.accepted), CertificateDays: s.certificate.days,
	}, s.certificate.failure(run)
}

func mqttMessage(ctx context.Context, run check.Run, s *mqttSession, c *mqttMessageConfig) (*mqttMessageResult, error) {
	s.turn.Lock()
	defer s.turn.Unlock()
	pattern, err := regexp.Compile(c.Pattern)
	if err != nil {
		return nil, check.Fail(check.NotRunnable, "The pattern of this check is not a regular expression.")
	}
	expect := c.Expect
	if expect == "" && c.Pattern == "" {
		expect = c.Publish
	}
	r := &mqttMessageResult{ConnectTimeMs: milliseconds(s.took), CertificateDays: s.certificate.days}
	e := &mqttExchange{session: s, config: c, result: r, holds: func(text string) bool {
		return strings.Contains(text, expect) && pattern.MatchString(text)
	}}
	err = e.run(ctx)
	r.ResponseTimeMs = milliseconds(time.Since(e.began))
	if err != nil {
		return r, err
	}
	return r, s.certificate.failure(run)
}

// mqttExchange is one subscription with the messages that come by it.
type mqttExchange struct {
	session *mqttSession
	config  *mqttMessageConfig
	result  *mqttMessageResult
	holds   func(text string) bool
	began   time.Time
	// subscribed is the id of the SUBSCRIBE packet.
	subscribed uint16
}

func (e *mqttExchange) run(ctx context.Context) error {
	s, c := e.session, e.config
	e.began = time.Now()
	s.next++
	e.subscribed = s.next
	subscribe, _ := packets.NewControlPacket(packets.Subscribe).(*packets.SubscribePacket)
	subscribe.MessageID, subscribe.Topics, subscribe.Qoss = e.subscribed, []string{c.Topic}, []byte{byte(c.QoS)}
	if err := subscribe.Write(s.conn); err != nil {
		return s.failure(ctx, "subscribe at "+s.wire.address, err)
	}
	for !e.result.Success {
		packet, err := s.receive()
		if err != nil {
			return e.missing(ctx, err)
		}
		if err := e.take(ctx, packet); err != nil {
			return err
		}
		if e.result.Messages > maxMessages {
			return check.Fail(
				check.WrongAnswer,
				"The broker sends more than a check takes: "+itoa(maxMessages)+" messages, none of them the expected one.",
			)
		}
	}
	return nil
}

// take handles a packet of the broker.
func (e *mqttExchange) take(ctx context.Context, packet packets.ControlPacket) error {
	s, c, r := e.session, e.config, e.result
	switch p := packet.(type) {
	case *packets.SubackPacket:
		if p.MessageID != e.subscribed || len(p.ReturnCodes) != 1 || p.ReturnCodes[0] > 2 {
			return check.Fail(check.NotAdmitted, "The broker does not let this check subscribe to "+brief(c.Topic)+".")
		}
		e.began = time.Now()
		if c.Publish == "" {
			return nil
		}
		s.next++
		publish, _ := packets.NewControlPacket(packets.Publish).(*packets.PublishPacket)
		publish.TopicName, publish.Qos, publish.MessageID = otherwise(c.To, c.Topic), byte(c.QoS), s.next
		publish.Payload = []byte(c.Publish)
		if err := publish.Write(s.conn); err != nil {
			return s.failure(ctx, "publish at "+s.wire.address, err)
		}
	case *packets.PublishPacket:
		if p.Qos > 0 {
			taken, _ := packets.NewControlPacket(packets.Puback).(*packets.PubackPacket)
			taken.MessageID = p.MessageID
			if err := taken.Write(s.conn); err != nil {
				return s.failure(ctx, "answer "+s.wire.address, err)
			}
		}
		if r.Messages++; p.Retain && c.Fresh {
			return nil
		}
		text := string(p.Payload)
		if !utf8.ValidString(text) {
			text = strings.ToValidUTF8(text, "\ufffd")
		}
		r.Message, r.MessageLength, r.Topic, r.Retained = r.clip("message", text, mostPacket), len(p.Payload), clip(p.TopicName, 1000), p.Retain
		r.Success = e.holds(r.Message)
	}
	return nil
}

// missing explains why the awaited message did not come.
func (e *mqttExchange) missing(ctx context.Context, err error) error {
	address := e.session.wire.address
	switch {
	case ctx.Err() != nil && e.result.Messages > 0:
		return check.Fail(check.WrongAnswer, "The expected message did not come in time; others did.")
	case ctx.Err() != nil:
		return check.Fail(check.TimedOut, "The broker at "+address+" accepted the connection, but no message of the topic came in time.")
	case errors.Is(err, io.EOF):
		return check.Fail(check.Broken, "The broker at "+address+" closed the connection before the message came; it may not allow the topic.")
	default:
		return e.session.failure(ctx, "hear from "+address, err)
	}
}

// Sends implements check.Sender. A connection with the id of another client closes that one.
func (c *mqttConfig) Sends() check.Sending {
	line := "It connects to the MQTT broker at " + hostPort(c.Host, otherwise(c.Port, 1883))
	if c.ClientID != "" {
		line += " with the client id " + c.ClientID
	}
	if c.Username != "" {
		line += " as " + c.Username + " with the password " + otherwise(c.Password, "(empty)")
	}
	return unlessLines(check.Sending{Reads: c.ClientID == "", Lines: []string{line + "."}}, c.ClientID, c.Username, c.ServerName)
}

// Sends implements check.Sender.
func (*mqttConnectionConfig) Sends() check.Sending { return check.Sending{Reads: true} }

// Sends implements check.Sender.
func (c *mqttMessageConfig) Sends() check.Sending {
	s := check.Sending{Reads: c.Publish == "", Lines: []string{"It subscribes to the topic " + c.Topic + "."}}
	if c.Publish != "" {
		s.Lines = append(s.Lines, "It publishes "+itoa(len(c.Publish))+" bytes to "+otherwise(c.To, c.Topic)+": "+excerpt(c.Publish))
	}
	return unlessLines(s, c.Topic)
}
