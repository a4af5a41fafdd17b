package app

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"countersign/api/listener"
	"countersign/internal/rest/sse"
)

// A process shuts down gracefully within one timeout, COUNTERSIGN_DRAIN_TIMEOUT:
//
//  1. /readyz reports not ready, and the process serves on for COUNTERSIGN_DRAIN_DELAY, in which load balancers notice.
//  2. Event streams end; their clients reconnect to another process.
//  3. All other requests complete.
//  4. Shards of checks are released. Workers poll no more tasks, and their running steps complete.
//  5. Background work ends, and the last texts of turns are stored.
//
// Work beyond the timeout is cut off, and another process repeats it.

// front is the HTTP server of a process.
type front struct {
	server *http.Server
	failed chan error
	// endStreams cancels streams, endRequests all running requests.
	endStreams, endRequests context.CancelFunc
}

// headerTimeout bounds the arrival of a request's headers.
const headerTimeout = 10 * time.Second

// connectionLimits are the configured limits. Connections use at most half of the process's file descriptors.
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

// listen starts to serve HTTP. A process without the API serves its probes and metrics.
func (a *App) listen(ctx context.Context) (*front, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(a.config.Host, strconv.Itoa(a.config.Port)))
	if err != nil {
		return nil, fmt.Errorf("listen on port %d: %w; choose another with PORT", a.config.Port, err)
	}
	f := &front{failed: make(chan error, 1)}
	streams, endStreams := context.WithCancel(context.WithoutCancel(ctx))
	requests, endRequests := context.WithCancel(sse.Drained(context.WithoutCancel(ctx), streams))
	f.endStreams, f.endRequests = endStreams, endRequests
	f.server = &http.Server{
		// ReadTimeout bounds bodies of requests that are refused before the API.
		Handler: a.handler(), ReadHeaderTimeout: headerTimeout, ReadTimeout: headerTimeout + a.config.BodyTimeout,
		IdleTimeout:    2 * time.Minute,
		MaxHeaderBytes: 64 << 10, BaseContext: func(net.Listener) context.Context { return requests },
	}
	limited := listener.New(l, a.connectionLimits())
	limited.Install(f.server)
	go func() { f.failed <- f.server.Serve(limited) }()
	close(a.started)
	a.log.Info("Serving", "address", l.Addr().String(), "api", a.roles.API, "worker", a.roles.Worker, "probe", a.roles.Probe)
	return f, nil
}

// serve serves until ctx ends; it fails when it cannot.
func (f *front) serve(ctx context.Context) error {
	select {
	case err := <-f.failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
		return nil
	}
}

// shutDown ends streams at once and waits for other requests until ctx ends. It reports whether they completed.
func (f *front) shutDown(ctx context.Context) bool {
	f.endStreams()
	defer f.endRequests()
	if f.server.Shutdown(ctx) == nil {
		return true
	}
	f.endRequests()
	_ = f.server.Close()
	return false
}

// drain ends the process in the order above, until ctx ends; f is nil when it never served.
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
		if !f.shutDown(ctx) {
			a.log.Warn("Requests cut off at the drain timeout")
		}
	}
	released := a.probes.drain()
	if !a.crew.stop(ctx) {
		a.log.Warn("Steps cut off at the drain timeout; another process repeats them")
	}
	released(ctx)
	a.stop()
	// Background work needs a moment to see its cancelled context, even after the timeout.
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
	a.log.Warn("Background work cut off at the drain timeout")
}

// run runs servers and workers until ctx ends or one fails, and drains.
func (a *App) run(ctx context.Context) error {
	err := a.startWork()
	var f *front
	if err == nil {
		f, err = a.listen(ctx)
	}
	if err == nil {
		err = f.serve(ctx)
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.config.DrainTimeout)
	defer cancel()
	a.drain(ending, f)
	return err
}
