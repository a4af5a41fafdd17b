// Package servertest has servers that misbehave, each named by its behavior, for the tests of everything that speaks to servers.
package servertest

import (
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/check"
)

// Server is a server that misbehaves.
type Server struct {
	// Does handles a connection, which is closed when it returns. done is closed when the test ends.
	Does func(conn net.Conn, done <-chan struct{})
	// Answers returns the packets that a server over UDP answers each packet with; nil for a behavior that UDP does not have.
	Answers func(packet []byte) [][]byte
	// HTTP reports that only clients of HTTP can meet the behavior.
	HTTP bool
	// Causes are those with which a check of it may fail.
	Causes []check.Cause
}

// replies sends bytes after it has read the beginning of a request, and keeps the connection open where it hangs.
func replies(bytes string, hangs bool) func(net.Conn, <-chan struct{}) {
	return func(conn net.Conn, done <-chan struct{}) {
		_, _ = conn.Read(make([]byte, 4096))
		_, _ = io.WriteString(conn, bytes)
		if hangs {
			<-done
		}
	}
}

// trickles replies, and goes on with a piece every 20 ms.
func trickles(first, piece string) func(net.Conn, <-chan struct{}) {
	return func(conn net.Conn, done <-chan struct{}) {
		replies(first, false)(conn, done)
		for range 10_000 {
			select {
			case <-done:
				return
			case <-time.After(20 * time.Millisecond):
			}
			if _, err := io.WriteString(conn, piece); err != nil {
				return
			}
		}
	}
}

// floods sends the same again and again.
func floods(text string) func(net.Conn, <-chan struct{}) {
	return func(conn net.Conn, _ <-chan struct{}) {
		for {
			if _, err := io.WriteString(conn, text); err != nil {
				return
			}
		}
	}
}

// http is a server with one raw answer.
func http(answer string, hangs bool, causes ...check.Cause) Server {
	return Server{Does: replies(answer, hangs), HTTP: true, Causes: causes}
}

// Servers are all servers by the names of their behaviors.
var Servers = map[string]Server{
	"silent": {
		Does:    func(conn net.Conn, _ <-chan struct{}) { _, _ = io.Copy(io.Discard, conn) },
		Answers: func([]byte) [][]byte { return nil },
		Causes:  []check.Cause{check.TimedOut},
	},
	"closes at once": {Does: func(net.Conn, <-chan struct{}) {}, Causes: []check.Cause{check.Broken}},
	"resets": {Does: func(conn net.Conn, _ <-chan struct{}) {
		tcp, _ := conn.(*net.TCPConn)
		_ = tcp.SetLinger(0)
	}, Causes: []check.Cause{check.Broken}},
	"garbage": {
		Does: func(conn net.Conn, _ <-chan struct{}) {
			_, _ = io.WriteString(conn, strings.Repeat("\xf7\x01garbage\r\n", 20))
			_, _ = io.Copy(io.Discard, conn)
		},
		Answers: func([]byte) [][]byte { return [][]byte{[]byte("\xf7\x01garbage")} },
		Causes:  []check.Cause{check.BadProtocol},
	},
	"echoes": {
		Does:    func(conn net.Conn, _ <-chan struct{}) { _, _ = io.Copy(conn, conn) },
		Answers: func(packet []byte) [][]byte { return [][]byte{packet} },
		Causes:  []check.Cause{check.BadProtocol, check.WrongAnswer, check.TimedOut},
	},
	"speaks HTTP": {Does: func(conn net.Conn, _ <-chan struct{}) {
		_, _ = io.WriteString(conn, "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		_, _ = conn.Read(make([]byte, 4096))
	}, Causes: []check.Cause{check.BadProtocol}},
	"sends without end": {
		Does:    floods(strings.Repeat("HTTP/1.1 ", 512)),
		Answers: func([]byte) [][]byte { return slices.Repeat([][]byte{[]byte("HTTP/1.1 ")}, 2000) },
		Causes:  []check.Cause{check.BadProtocol, check.WrongAnswer, check.TimedOut, check.Broken},
	},
	"greets without end": {
		Does:   floods("220-" + strings.Repeat("welcome ", 50) + "\r\n"),
		Causes: []check.Cause{check.BadProtocol, check.WrongAnswer, check.TimedOut, check.Broken},
	},
	"slow": {Does: func(conn net.Conn, done <-chan struct{}) {
		for {
			select {
			case <-done:
				return
			case <-time.After(20 * time.Millisecond):
			}
			if _, err := conn.Write([]byte{0x20}); err != nil {
				return
			}
		}
	}, Causes: []check.Cause{check.TimedOut, check.BadProtocol, check.Broken}},

	"half a header":   http("HTTP/1.1 200 OK\r\nContent-", true, check.TimedOut),
	"headers trickle": {Does: trickles("HTTP/1.1 200 OK\r\n", "X: y\r\n"), HTTP: true, Causes: []check.Cause{check.TimedOut}},
	"body trickles": {
		Does:   trickles("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", "x"),
		HTTP:   true,
		Causes: []check.Cause{check.TimedOut},
	},
	"body breaks off":  http("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", false, check.Broken),
	"chunks break off": http("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", false, check.Broken),
	"chunks malformed": http("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nhello\r\n", false, check.BadProtocol),
	"headers break off": http(
		"HTTP/1.1 200 OK\r\nServer: old\r\n", false, check.Broken,
	),
	"two lengths":      http("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello", false, check.BadProtocol),
	"negative length":  http("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello", false, check.BadProtocol),
	"unknown transfer": http("HTTP/1.1 200 OK\r\nTransfer-Encoding: rot13\r\n\r\nuryyb", false, check.BadProtocol),
	"TLS alert":        http("\x15\x03\x01\x00\x02\x02\x16", false, check.BadProtocol),
	"another protocol": http("SSH-2.0-OpenSSH_9\r\n", false, check.BadProtocol),
	"too much header":  http("HTTP/1.1 200 OK\r\nX: "+strings.Repeat("x", 80<<10)+"\r\n\r\n", false, check.BadProtocol),
	"switches": http(
		"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n", true, check.BadProtocol,
	),
}

// Start serves connections until the test ends, and returns the port on 127.0.0.1.
func (s Server) Start(t testing.TB) int {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan struct{})
	t.Cleanup(func() {
		close(done)
		_ = listener.Close()
	})
	Serve(listener, func(conn net.Conn) { s.Does(conn, done) })
	address, _ := listener.Addr().(*net.TCPAddr)
	return address.Port
}

// Serve hands each connection to do, which is over when it returns, until the listener closes.
func Serve(listener net.Listener, do func(net.Conn)) {
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }()
				do(conn)
			}()
		}
	}()
}
