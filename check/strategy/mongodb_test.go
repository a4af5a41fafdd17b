package strategy_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/xdg-go/scram"
	"go.mongodb.org/mongo-driver/v2/bson"

	"countersign/check"
	"countersign/check/strategy/servertest"
	"countersign/internal/egress"
)

// mongoServer answers the commands of checks as a member of a replica set does that names other members.
type mongoServer struct {
	// rounds of SCRAM; the login of watcher is wanted when they are set.
	rounds int
	// oversized claims messages of 2 GiB.
	oversized bool
	// compressed answers as if compression had been agreed.
	compressed bool

	mu    sync.Mutex
	asked []string
}

func (m *mongoServer) serve(conn net.Conn) {
	var login *scram.ServerConversation
	for {
		head := make([]byte, 16)
		if _, err := io.ReadFull(conn, head); err != nil {
			return
		}
		body := make([]byte, binary.LittleEndian.Uint32(head)-16)
		if _, err := io.ReadFull(conn, body); err != nil {
			return
		}
		query := binary.LittleEndian.Uint32(head[12:]) == 2004
		document := bson.Raw(body[5:]) // flags, kind of the section
		if query {
			name := 4 + bytes.IndexByte(body[4:], 0) + 1
			document = bson.Raw(body[name+8:])
		}
		document = document[:binary.LittleEndian.Uint32(document)]
		answer, err := bson.Marshal(m.answer(document, &login))
		if err != nil {
			return
		}
		out := binary.LittleEndian.AppendUint32(nil, 0)
		out = append(out, 0, 0, 0, 0)
		out = append(out, head[4:8]...)
		if query {
			out = binary.LittleEndian.AppendUint32(out, 1)
			out = append(out, make([]byte, 16)...)
			out = append(out, 1, 0, 0, 0)
		} else {
			out = binary.LittleEndian.AppendUint32(out, 2013)
			out = append(out, 0, 0, 0, 0, 0)
		}
		out = append(out, answer...)
		if m.compressed && !query {
			plain := out[16:]
			packed := binary.LittleEndian.AppendUint32(append([]byte(nil), out[:12]...), 2012)
			packed = binary.LittleEndian.AppendUint32(packed, 2013)
			packed = binary.LittleEndian.AppendUint32(packed, uint32(len(plain)))
			out = append(append(packed, 0), plain...) // by the compressor that does nothing
		}
		size := len(out)
		if m.oversized {
			size = 1<<31 - 1
		}
		binary.LittleEndian.PutUint32(out, uint32(size))
		if _, err := conn.Write(out); err != nil {
			return
		}
	}
}

func (m *mongoServer) answer(command bson.Raw, login **scram.ServerConversation) bson.D {
	elements, err := command.Elements()
	if err != nil || len(elements) == 0 {
		return bson.D{{Key: "ok", Value: 0}}
	}
	name := elements[0].Key()
	m.mu.Lock()
	m.asked = append(m.asked, name)
	m.mu.Unlock()
	refused := func(code int, text string) bson.D {
		return bson.D{{Key: "ok", Value: 0}, {Key: "code", Value: code}, {Key: "errmsg", Value: text}}
	}
	payload := func() string {
		_, data := command.Lookup("payload").Binary()
		return string(data)
	}
	switch name {
	case "hello", "isMaster", "ismaster":
		return bson.D{
			{Key: "ok", Value: 1},
			{Key: "helloOk", Value: true},
			{Key: "isWritablePrimary", Value: false},
			{Key: "secondary", Value: true},
			{Key: "setName", Value: "rs0"},
			{Key: "hosts", Value: bson.A{"192.0.2.9:27017", "elsewhere.test:27017"}},
			{Key: "primary", Value: "192.0.2.9:27017"},
			{Key: "me", Value: "192.0.2.9:27017"},
			{Key: "maxWireVersion", Value: 21},
			{Key: "minWireVersion", Value: 0},
			{Key: "maxBsonObjectSize", Value: 16 << 20},
			{Key: "maxMessageSizeBytes", Value: 1<<31 - 1},
			{Key: "maxWriteBatchSize", Value: 1000},
			{Key: "saslSupportedMechs", Value: bson.A{"SCRAM-SHA-256"}},
		}
	case "saslStart", "saslContinue":
		if *login == nil {
			*login = m.scram()
		}
		said, err := (*login).Step(payload())
		if err != nil {
			return refused(18, "Authentication failed.")
		}
		return bson.D{
			{Key: "ok", Value: 1},
			{Key: "conversationId", Value: 1},
			{Key: "done", Value: (*login).Done()},
			{Key: "payload", Value: bson.Binary{Data: []byte(said)}},
		}
	case "ping":
		return bson.D{{Key: "ok", Value: 1}}
	case "serverStatus":
		if m.rounds > 0 && *login == nil || m.rounds == 0 {
			return refused(13, "not authorized on admin to execute command")
		}
		return bson.D{{Key: "ok", Value: 1}, {Key: "connections", Value: bson.D{{Key: "current", Value: int64(12)}}}}
	case "dbStats":
		return bson.D{{Key: "ok", Value: 1}, {Key: "filler", Value: strings.Repeat("x", 2<<20)}}
	default:
		return refused(59, "no such command: '"+name+"'")
	}
}

func (m *mongoServer) scram() *scram.ServerConversation {
	client, err := scram.SHA256.NewClient("watcher", password, "")
	if err != nil {
		return nil
	}
	factors := scram.KeyFactors{Salt: "saltsaltsaltsalt", Iters: min(m.rounds, 5000)}
	stored, err := client.GetStoredCredentialsWithError(factors)
	if err != nil {
		return nil
	}
	stored.Iters = m.rounds
	server, err := scram.SHA256.NewServer(func(name string) (scram.StoredCredentials, error) {
		if name != "watcher" {
			return scram.StoredCredentials{}, errors.New("nobody")
		}
		return stored, nil
	})
	if err != nil {
		return nil
	}
	return server.NewConversation()
}

func mongodb(port int, command string) probe {
	return probe{
		strategy: "healthcheck-mongodb.mongodb", collector: "healthcheck-mongodb.command",
		config: object{"host": "known.test", "port": port}, about: object{"command": command},
	}
}

func TestMongoDBCommands(t *testing.T) {
	t.Parallel()
	server := &mongoServer{}
	at := serve(t, server.serve)
	var found struct {
		Success                       bool
		Response, Role, ReplicaSet    string
		ConnectTimeMs, ResponseTimeMs float64
	}
	mongodb(at, "ping").passes(t, &found)
	require.Equal(t, []string{"secondary", "rs0", `{"ok":1}`}, []string{found.Role, found.ReplicaSet, found.Response})
	require.Positive(t, found.ConnectTimeMs)
	mongodb(at, "ping").asserting("role", "", "equals", `"primary"`).
		fails(t, check.AssertionFailed, `Expected role = "primary", got "secondary".`)
	mongodb(at, "serverStatus").fails(t, check.NotAdmitted, "The server does not admit this check: not authorized on admin")
	mongodb(at, "buildInfo").fails(t, check.WrongAnswer, "The server answered: no such command: 'buildInfo'.")
	mongodb(at, "dbStats").fails(t, check.WrongAnswer, "larger than a check takes")
}

func TestMongoDBLetsInWhoHasThePassword(t *testing.T) {
	t.Parallel()
	p := mongodb(serve(t, (&mongoServer{rounds: 5000}).serve), "serverStatus").
		with(object{"username": "watcher", "password": "${{ secrets.PASSWORD }}"})
	p.asserting("response", "$.connections.current", "lessThan", "100").passes(t, nil)
	p.with(object{"username": "stranger"}).fails(t, check.NotAdmitted, "The server does not admit this check: ")
	p.secrets = map[string]string{"PASSWORD": "another-password"}
	p.fails(t, check.NotAdmitted, "The server does not admit this check: ")
}

// The driver follows a replica set, and repeats what failed. A check does neither.
func TestMongoDBIsAskedAtTheAddressOfTheCheckAlone(t *testing.T) {
	t.Parallel()
	server := &mongoServer{}
	p := mongodb(serve(t, server.serve), "ping")
	allow, err := egress.ParsePolicy("127.0.0.0/8")
	require.NoError(t, err)
	var mu sync.Mutex
	var dialled []string
	guard := egress.NewChecks(egress.ChecksOptions{Allow: allow, Resolver: names{}})
	p.host = here(t)
	p.host.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		mu.Lock()
		dialled = append(dialled, address)
		mu.Unlock()
		return guard.Dial(ctx, network, address)
	}
	p.passes(t, nil)
	mu.Lock()
	defer mu.Unlock()
	require.NotEmpty(t, dialled)
	require.LessOrEqual(t, len(dialled), 3)
	for _, address := range dialled {
		require.True(t, strings.HasPrefix(address, "known.test:"), address)
	}
	server.mu.Lock()
	defer server.mu.Unlock()
	require.Contains(t, server.asked, "ping")
}

func TestMongoDBServersThatMisbehave(t *testing.T) {
	t.Parallel()
	mongodb(serve(t, (&mongoServer{oversized: true}).serve), "ping").fails(t, check.WrongAnswer, "larger than a check takes")
	// The driver makes room for what a compressed message claims to hold.
	mongodb(serve(t, (&mongoServer{compressed: true}).serve), "ping").fails(t, check.BadProtocol, "does not speak MongoDB")
	endless := mongodb(serve(t, (&mongoServer{rounds: 2_000_000_000}).serve), "ping").
		with(object{"username": "watcher", "password": "${{ secrets.PASSWORD }}"})
	began := time.Now()
	endless.fails(t, check.BadProtocol, "asks for more rounds of SCRAM than a check computes")
	require.Less(t, time.Since(began), 20*time.Second)
}

func TestCertificatesOfMongoDB(t *testing.T) {
	t.Parallel()
	wrongCertificates(t, newAuthority(t), func(t *testing.T, c tls.Certificate) probe {
		listener := tls.NewListener(listen(t), &tls.Config{Certificates: []tls.Certificate{c}, MinVersion: tls.VersionTLS12})
		servertest.Serve(listener, (&mongoServer{}).serve)
		return mongodb(port(listener.Addr()), "ping").with(object{"tls": true})
	})
}

// Libraries that run goroutines of their own have ended them when a run has ended.
func TestClientsLeaveNoGoroutines(t *testing.T) {
	t.Parallel()
	silent := serve(t, func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) })
	for range 10 {
		mongodb(serve(t, (&mongoServer{}).serve), "ping").passes(t, nil)
		mongodb(silent, "ping").with(object{"timeout": 200}).fails(t, check.TimedOut, "")
	}
	require.Eventually(t, func() bool {
		stacks := make([]byte, 8<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		return !strings.Contains(string(stacks), "go.mongodb.org/mongo-driver") && !strings.Contains(string(stacks), "gosnmp.")
	}, 90*time.Second, 50*time.Millisecond)
}
