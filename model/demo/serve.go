package demo

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// Serve listens on a loopback address, such as "127.0.0.1:0", and returns the
// base URL for clients. It insists on a key, as every user of the machine can
// reach the address. The server ends with ctx, or with stop, which waits for
// the handlers to return until its own context ends.
func Serve(ctx context.Context, address string, o Options) (base string, stop func(context.Context) error, err error) {
	if o.Key == "" {
		return "", nil, errors.New("the demo model needs a key")
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return "", nil, fmt.Errorf("listen for the demo model: %w", err)
	}
	if tcp, ok := listener.Addr().(*net.TCPAddr); !ok || !tcp.IP.IsLoopback() {
		_ = listener.Close()
		return "", nil, fmt.Errorf("the demo model listens on loopback addresses only, not on %s", address)
	}
	running, end := context.WithCancel(ctx)
	server := &http.Server{
		Handler:           Handler(o),
		BaseContext:       func(net.Listener) context.Context { return running },
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       time.Minute,
		IdleTimeout:       2 * time.Minute,
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	closeWithContext := context.AfterFunc(ctx, func() { _ = server.Close() })

	stop = func(ctx context.Context) error {
		closeWithContext()
		end() // waiting streams return at once
		err := server.Shutdown(ctx)
		if err != nil {
			_ = server.Close()
		}
		if failure := <-served; err == nil && !errors.Is(failure, http.ErrServerClosed) {
			err = failure
		}
		served <- http.ErrServerClosed // for another stop
		return err
	}
	return baseURL(listener.Addr().String()), stop, nil
}
