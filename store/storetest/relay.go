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

// Relay stands before a server and does to connections what networks, restarts and machines that stand still do. It keeps its
// address whatever becomes of them.
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

// line is a client's connection with the one to the server.
type line struct {
	near, far net.Conn
	gone      chan struct{}
	end       func()
	// stuck is set, under the lock of the relay, for a line that never moves again, deaf for one on which no answers are heard.
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

// Away breaks all connections and every new one, until Back.
func (r *Relay) Away() {
	r.mu.Lock()
	r.away = true
	r.mu.Unlock()
	r.Cut()
}

// Back takes new connections again, as the server behind it does.
func (r *Relay) Back() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.away, r.delay = false, 0
}

// Freeze lets all connections, new ones too, stand still until Thaw: they stay open, and nothing is said on them.
func (r *Relay) Freeze() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.stuck {
		r.stuck, r.thawed = true, make(chan struct{})
	}
}

// Thaw lets everything go on that stands still, with what was said meanwhile.
func (r *Relay) Thaw() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stuck {
		r.stuck = false
		close(r.thawed)
	}
}

// Lose lets the connections that are open now stand still for ever, as when the way to a machine is lost; new ones work.
func (r *Relay) Lose() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.open {
		c.stuck = true
	}
}

// Swallow loses what the server says from now on, on the connections that are open; what clients say still reaches it. With Cut after
// it, a client does not hear what has become of its commit.
func (r *Relay) Swallow() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.open {
		c.deaf = true
	}
}

// Delay lets everything that is said arrive so much later, until Back.
func (r *Relay) Delay(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.delay = d
}

// Open is how many connections are open.
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

// pass hands over what one side says to the other until the line ends. answers says that it is the server that speaks.
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

// hold waits as long as the relay wants it, and reports whether what was said is to be heard, and whether the line is still open.
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
