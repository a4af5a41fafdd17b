// Package listener limits the connections of a server before authentication.
//
// A Listener counts connections in total and per client address. At a limit it closes the connection that has kept the
// server waiting longest: for headers, for a body, for the client to read a response, or idle between requests.
// Requests being processed are never closed; if there are no others, the new connection is refused with 503.
package listener

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Options of a Listener.
type Options struct {
	// Total and PerAddress bound the open connections; an IPv6 client is its /64.
	Total, PerAddress int
	// Exempt reports addresses without a limit, such as those of a reverse proxy; nil exempts none.
	Exempt func(netip.Addr) bool
	Log    *slog.Logger
}

// Listener is a net.Listener for an http.Server, whose hooks Install sets.
type Listener struct {
	net.Listener

	options Options
	start   time.Time

	mu      sync.Mutex
	total   int
	clients map[netip.Prefix]*client
	// evicted and refused count since logged, the time of the last log line.
	evicted, refused int
	logged           time.Time
}

// client is one address with its open connections.
type client struct {
	exempt bool
	conns  map[*Conn]struct{}
}

// New wraps l with the limits.
func New(l net.Listener, o Options) *Listener {
	if o.Exempt == nil {
		o.Exempt = func(netip.Addr) bool { return false }
	}
	return &Listener{Listener: l, options: o, start: time.Now(), clients: map[netip.Prefix]*client{}}
}

// Install sets the server's hooks, by which the listener learns which connections are idle, and handlers get theirs
// from FromContext.
func (l *Listener) Install(s *http.Server) {
	s.ConnState = func(c net.Conn, state http.ConnState) {
		own, ok := c.(*Conn)
		if !ok {
			return
		}
		switch state {
		case http.StateActive:
			own.idle.Store(0)
		case http.StateNew, http.StateIdle:
			own.idle.Store(l.now())
		case http.StateHijacked, http.StateClosed:
		}
	}
	s.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		if own, ok := c.(*Conn); ok {
			return context.WithValue(ctx, contextKey{}, own)
		}
		return ctx
	}
}

type contextKey struct{}

// FromContext returns the connection of a request; nil for an in-process request.
func FromContext(ctx context.Context) *Conn {
	c, _ := ctx.Value(contextKey{}).(*Conn)
	return c
}

// Accept returns the next connection within the limits.
func (l *Listener) Accept() (net.Conn, error) {
	for {
		raw, err := l.Listener.Accept()
		if err != nil {
			// The process may be out of file descriptors for other reasons. The server accepts again after a moment.
			if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
				l.evict(nil)
			}
			return nil, err
		}
		if c := l.admit(raw); c != nil {
			return c, nil
		}
		refuse(raw)
	}
}

// admit counts a connection and evicts another one at a limit; nil when none can be evicted.
func (l *Listener) admit(raw net.Conn) *Conn {
	addr := addressOf(raw)
	key := prefixOf(addr)
	l.mu.Lock()
	own := l.clients[key]
	full := own != nil && !own.exempt && len(own.conns) >= l.options.PerAddress
	crowded := l.total >= l.options.Total
	l.mu.Unlock()
	if full && !l.evict(own) || !full && crowded && !l.evict(nil) {
		l.note(0, 1)
		return nil
	}
	c := &Conn{Conn: raw, listener: l, key: key}
	c.idle.Store(l.now())
	l.mu.Lock()
	defer l.mu.Unlock()
	if own = l.clients[key]; own == nil {
		own = &client{exempt: l.options.Exempt(addr), conns: map[*Conn]struct{}{}}
		l.clients[key] = own
	}
	own.conns[c] = struct{}{}
	l.total++
	return c
}

// evict closes the connection of a client that has kept the server waiting longest, and reports whether there was one.
// Without a client it chooses the client with the most connections that has one.
func (l *Listener) evict(of *client) bool {
	l.mu.Lock()
	victim := longestWaiting(of)
	if of == nil {
		most := 0
		for _, c := range l.clients {
			if len(c.conns) <= most {
				continue
			}
			if found := longestWaiting(c); found != nil {
				victim, most = found, len(c.conns)
			}
		}
	}
	l.mu.Unlock()
	if victim == nil {
		return false
	}
	_ = victim.Close()
	l.note(1, 0)
	return true
}

func longestWaiting(of *client) *Conn {
	if of == nil {
		return nil
	}
	var found *Conn
	var first int64
	for c := range of.conns {
		if since := c.waitingSince(); since != 0 && (found == nil || since < first) {
			found, first = c, since
		}
	}
	return found
}

// logEvery rate-limits the log lines of a connection flood.
const logEvery = 10 * time.Second

func (l *Listener) note(evicted, refused int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.evicted += evicted
	l.refused += refused
	if l.options.Log == nil || time.Since(l.logged) < logEvery {
		return
	}
	l.options.Log.Warn("Connection limit reached", "evicted", l.evicted, "refused", l.refused, "open", l.total, "addresses", len(l.clients))
	l.evicted, l.refused, l.logged = 0, 0, time.Now()
}

// now is never 0, which means not waiting.
func (l *Listener) now() int64 { return int64(time.Since(l.start)) + 1 }

const refusal = "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 52\r\n" +
	"Retry-After: 5\r\nConnection: close\r\n\r\nToo many connections are open. Retry in 5 seconds.\r\n"

// refuse answers a connection over the limit. The answer fits the send buffer of a new socket.
func refuse(raw net.Conn) {
	_ = raw.SetWriteDeadline(time.Now().Add(time.Second))
	_, _ = raw.Write([]byte(refusal))
	_ = raw.Close()
}

func addressOf(c net.Conn) netip.Addr {
	if tcp, ok := c.RemoteAddr().(*net.TCPAddr); ok {
		return tcp.AddrPort().Addr().Unmap().WithZone("")
	}
	return netip.Addr{}
}

func prefixOf(addr netip.Addr) netip.Prefix {
	bits := addr.BitLen()
	if addr.Is6() {
		bits = 64
	}
	prefix, _ := addr.Prefix(bits)
	return prefix
}

// Conn is a connection that tracks whether the server waits for its client.
type Conn struct {
	net.Conn

	listener *Listener
	key      netip.Prefix
	// idle is the start of the time without a request, and blocked that of waiting for the client; 0 when neither.
	idle, blocked atomic.Int64
	// waits counts the goroutines of a request that wait for the client.
	waits  atomic.Int32
	closed sync.Once
}

// Wait marks a request as waiting for its client until Resume. Both do nothing for a nil connection.
func (c *Conn) Wait() {
	if c != nil && c.waits.Add(1) == 1 {
		c.blocked.Store(c.listener.now())
	}
}

// Resume ends a Wait.
func (c *Conn) Resume() {
	if c != nil && c.waits.Add(-1) == 0 {
		c.blocked.Store(0)
	}
}

func (c *Conn) waitingSince() int64 {
	if idle := c.idle.Load(); idle != 0 {
		return idle
	}
	return c.blocked.Load()
}

// Close releases the connection's slot.
func (c *Conn) Close() error {
	err := c.Conn.Close()
	c.closed.Do(func() {
		l := c.listener
		l.mu.Lock()
		defer l.mu.Unlock()
		l.total--
		of := l.clients[c.key]
		if delete(of.conns, c); len(of.conns) == 0 {
			delete(l.clients, c.key)
		}
	})
	return err
}

// CloseWrite lets the server finish a response before it closes, so that clients that still send can read it.
func (c *Conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}
