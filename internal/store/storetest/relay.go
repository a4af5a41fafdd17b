package storetest

import (
	"context"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Relay is a TCP proxy that simulates network faults: resets, outages, hangs, packet loss and latency. It keeps its address
// throughout.
type Relay struct {
	// Address is where it listens.
	Address string

	to       string
	listener net.Listener
	running  sync.WaitGroup

	mu    sync.Mutex
	open  map[*line]struct{}
	away  bool
	stuck bool
	delay time.Duration
	// thawed is closed while nothing is frozen.
	thawed chan struct{}
}

// line is a connection of a client with its connection to the server.
type line struct {
	near, far net.Conn
	gone      chan struct{}
	end       func()
	// stuck, under the lock of the relay, is a connection that never moves again; deaf is one whose answers are dropped.
	stuck, deaf bool
}

// NewRelay starts a relay before the TCP server at an address. It ends with the test.
func NewRelay(t testing.TB, to string) *Relay {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(context.WithoutCancel(t.Context()), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	thawed := make(chan struct{})
	close(thawed)
	r := &Relay{Address: l.Addr().String(), to: to, listener: l, open: map[*line]struct{}{}, thawed: thawed}
	r.running.Go(r.serve)
	t.Cleanup(func() {
		_ = l.Close()
		r.Away()
		r.running.Wait()
	})
	return r
}

// Through is the URL of a database by way of a relay.
func Through(t testing.TB, address string) (string, *Relay) {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	r := NewRelay(t, u.Host)
	u.Host = r.Address
	return u.String(), r
}

// Cut breaks all connections that are open.
func (r *Relay) Cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.open {
		c.end()
	}
}

// Away resets all connections and every new one, until Back.
func (r *Relay) Away() {
	r.mu.Lock()
	r.away = true
	r.mu.Unlock()
	r.Cut()
}

// Back accepts new connections again.
func (r *Relay) Back() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.away, r.delay = false, 0
}

// Freeze stops all traffic, also of new connections, until Thaw; the connections stay open.
func (r *Relay) Freeze() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.stuck {
		r.stuck, r.thawed = true, make(chan struct{})
	}
}

// Thaw resumes the traffic, with what was sent meanwhile.
func (r *Relay) Thaw() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stuck {
		r.stuck = false
		close(r.thawed)
	}
}

// Lose stops the traffic of the open connections forever, as a broken route does; new ones work.
func (r *Relay) Lose() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.open {
		c.stuck = true
	}
}

// Swallow drops the answers of the server on the open connections; requests still reach it. With Cut after it, a client does
// not learn the outcome of its commit.
func (r *Relay) Swallow() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.open {
		c.deaf = true
	}
}

// Delay adds latency to all traffic, until Back.
func (r *Relay) Delay(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.delay = d
}

// Open is the number of open connections.
func (r *Relay) Open() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.open)
}

func (r *Relay) serve() {
	for {
		near, err := r.listener.Accept()
		if err != nil {
			return
		}
		r.running.Go(func() { r.lead(near) })
	}
}

func (r *Relay) lead(near net.Conn) {
	defer func() { _ = near.Close() }()
	r.mu.Lock()
	away := r.away
	r.mu.Unlock()
	if away {
		return
	}
	far, err := (&net.Dialer{Timeout: 10 * time.Second}).DialContext(context.Background(), "tcp", r.to)
	if err != nil {
		return
	}
	c := &line{near: near, far: far, gone: make(chan struct{})}
	c.end = sync.OnceFunc(func() {
		close(c.gone)
		_ = near.Close()
		_ = far.Close()
	})
	defer c.end()
	r.mu.Lock()
	r.open[c] = struct{}{}
	away = r.away
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		delete(r.open, c)
		r.mu.Unlock()
	}()
	if away {
		return
	}
	r.running.Go(func() { r.pass(c, near, far, true) })
	r.pass(c, far, near, false)
}

// pass copies from one side to the other until the connection ends. answers says that the server sends.
func (r *Relay) pass(c *line, to, from net.Conn, answers bool) {
	defer c.end()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			heard, open := r.hold(c, answers)
			if !open {
				return
			}
			if heard {
				if _, err := to.Write(buffer[:n]); err != nil {
					return
				}
			}
		}
		if err != nil {
			return
		}
	}
}

// hold waits as long as the relay is frozen or delayed, and reports whether to forward the data, and whether the connection is
// still open.
func (r *Relay) hold(c *line, answers bool) (heard, open bool) {
	for {
		r.mu.Lock()
		thawed, stuck, delay := r.thawed, c.stuck, r.delay
		r.mu.Unlock()
		if stuck {
			thawed = nil
		}
		select {
		case <-c.gone:
			return false, false
		case <-thawed:
		}
		if delay > 0 {
			select {
			case <-c.gone:
				return false, false
			case <-time.After(delay):
			}
		}
		r.mu.Lock()
		again, deaf := c.stuck || r.stuck, c.deaf
		r.mu.Unlock()
		if !again {
			return !answers || !deaf, true
		}
	}
}
