package main

import (
	"fmt"
	"net"
	"sync"
	"time"
)

// relay is a proxy with a fixed address, over restarts of the server behind it.
type relay struct {
	listener net.Listener

	mu   sync.Mutex
	to   string
	open map[net.Conn]struct{}
	// thawed is closed while nothing is frozen.
	thawed chan struct{}
}

func newRelay() (*relay, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	r := &relay{listener: l, open: map[net.Conn]struct{}{}, thawed: make(chan struct{})}
	close(r.thawed)
	go r.serve()
	return r, nil
}

func (r *relay) address() string { return r.listener.Addr().String() }

// turn forwards to another server from now on, or nowhere, and closes the connections to the previous one.
func (r *relay) turn(to string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.to = to
	for c := range r.open {
		_ = c.Close()
	}
}

// cut closes the open connections.
func (r *relay) cut() {
	r.mu.Lock()
	to := r.to
	r.mu.Unlock()
	r.turn(to)
}

// freeze stalls all connections until thaw is called: they stay open without traffic.
func (r *relay) freeze() (thaw func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	thawed := make(chan struct{})
	r.thawed = thawed
	return func() { close(thawed) }
}

// pass copies from one side to the other.
func (r *relay) pass(to, from net.Conn) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		r.mu.Lock()
		thawed := r.thawed
		r.mu.Unlock()
		<-thawed
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (r *relay) serve() {
	for {
		c, err := r.listener.Accept()
		if err != nil {
			return
		}
		go r.lead(c)
	}
}

func (r *relay) lead(from net.Conn) {
	defer r.forget(from)
	r.mu.Lock()
	to := r.to
	r.open[from] = struct{}{}
	r.mu.Unlock()
	if to == "" {
		return
	}
	there, err := net.DialTimeout("tcp", to, 2*time.Second)
	if err != nil {
		return
	}
	defer r.forget(there)
	r.mu.Lock()
	r.open[there] = struct{}{}
	changed := r.to != to
	r.mu.Unlock()
	if changed {
		return
	}
	ended := make(chan struct{}, 2)
	for _, way := range [][2]net.Conn{{from, there}, {there, from}} {
		go func() {
			r.pass(way[0], way[1])
			ended <- struct{}{}
		}()
	}
	<-ended
}

func (r *relay) forget(c net.Conn) {
	_ = c.Close()
	r.mu.Lock()
	delete(r.open, c)
	r.mu.Unlock()
}

func (r *relay) close() {
	_ = r.listener.Close()
	r.turn("")
}
