package app

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"countersign/api/listener"
	"countersign/rest/sse"
)

// A process that is asked to end does so within one time for everything, COUNTERSIGN_DRAIN_TIMEOUT:
//
//  1. It says at /readyz that it is not ready, and serves on for COUNTERSIGN_DRAIN_DELAY, in which load balancers learn of it.
//  2. Streams end; their clients go on with them on another process. They have no end of their own.
//  3. All other requests come to their end: what was begun is answered.
//  4. Workers take nothing more, and their running steps come to their end.
//  5. What belongs to nobody ends, and the last words of turns are written.
//
// What does not end in time is broken off. Another process repeats it.

// front is the HTTP server of a process.
type front struct {
	server *http.Server
	failed chan error
	// endStreams ends streams, endRequests all requests that still run.
	endStreams, endRequests context.CancelFunc
}

// headerTimeout is how long the headers of a request may take to arrive.
const headerTimeout = 10 * time.Second

// connectionLimits are those of the settings. Connections take half of the files at most that the process may have open.
func (a *App) connectionLimits() listener.Options {
	o := listener.Options{
		Total: a.config.MaxConnections, PerAddress: a.config.MaxConnectionsPerAddress, Exempt: a.config.ExemptProxy, Log: a.log,
	}
	if files := listener.OpenFiles(); files > 0 && files/2 < o.Total {
		a.log.Warn("COUNTERSIGN_MAX_CONNECTIONS lowered: the process may not have that many files open", "files", files,
			"connections", files/2)
		o.Total = files / 2
	}
	return o
}

// open begins to serve HTTP. A process that only works serves its probes and metrics.
func (a *App) open(ctx context.Context) (*front, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(a.config.Host, strconv.Itoa(a.config.Port)))
	if err != nil {
		return nil, fmt.Errorf("listen on port %d: %w; choose another with PORT", a.config.Port, err)
	}
	f := &front{failed: make(chan error, 1)}
	streams, endStreams := context.WithCancel(context.WithoutCancel(ctx))
	requests, endRequests := context.WithCancel(sse.Drained(context.WithoutCancel(ctx), streams))
	f.endStreams, f.endRequests = endStreams, endRequests
	f.server = &http.Server{
		// ReadTimeout holds for bodies of requests that are refused before the API sees them.
		Handler: a.handler(), ReadHeaderTimeout: headerTimeout, ReadTimeout: headerTimeout + a.config.BodyTimeout,
		IdleTimeout:    2 * time.Minute,
		MaxHeaderBytes: 64 << 10, BaseContext: func(net.Listener) context.Context { return requests },
	}
	limited := listener.New(l, a.connectionLimits())
	limited.Install(f.server)
	go func() { f.failed <- f.server.Serve(limited) }()
	close(a.started)
	a.log.Info("Serving", "address", l.Addr().String(), "api", a.roles.API, "worker", a.roles.Worker)
	return f, nil
}

// serve serves until ctx ends; an error says that it could not.
func (f *front) serve(ctx context.Context) error {
	select {
	case err := <-f.failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
		return nil
	}
}

// end lets streams end at once and requests come to their end, until ctx is over. It reports whether they have.
func (f *front) end(ctx context.Context) bool {
	f.endStreams()
	defer f.endRequests()
	if f.server.Shutdown(ctx) == nil {
		return true
	}
	f.endRequests()
	_ = f.server.Close()
	return false
}

// drain ends the process in the order above, until ctx is over; f is nil when it never served.
func (a *App) drain(ctx context.Context, f *front) {
	a.draining.Store(true)
	if f != nil {
		a.log.Info("Draining")
		if a.config.DrainDelay > 0 {
			select {
			case <-ctx.Done():
			case <-time.After(a.config.DrainDelay):
			}
		}
		if !f.end(ctx) {
			a.log.Warn("Requests were broken off, as they did not end in time")
		}
	}
	if !a.crew.stop(ctx) {
		a.log.Warn("Steps were broken off, as they did not end in time; another process repeats them")
	}
	a.stop()
	// What ends with its context needs a moment, also when the time is over.
	moment, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		a.running.Wait()
	}()
	for _, limit := range []context.Context{ctx, moment} {
		select {
		case <-ended:
			return
		case <-limit.Done():
		}
	}
	a.log.Warn("Something in the background did not end in time")
}

// run serves and works until ctx ends or something fails, and drains.
func (a *App) run(ctx context.Context) error {
	err := a.work(ctx)
	var f *front
	if err == nil {
		f, err = a.open(ctx)
	}
	if err == nil {
		err = f.serve(ctx)
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.config.DrainTimeout)
	defer cancel()
	a.drain(ending, f)
	return err
}
