package listener_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/api/listener"
)

// serve runs a server whose handler begins an answer and waits for release. idle tells of each connection that waits for
// its next request: that is after its client has the answer.
func serve(t *testing.T, o listener.Options) (address string, release, idle chan struct{}) {
	t.Helper()
	inner, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	release, idle = make(chan struct{}), make(chan struct{}, 10)
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/long" {
			w.WriteHeader(http.StatusOK)
			_ = http.NewResponseController(w).Flush()
			<-release
		}
	})}
	limited := listener.New(inner, o)
	limited.Install(server)
	notes := server.ConnState
	server.ConnState = func(c net.Conn, state http.ConnState) {
		notes(c, state)
		if state == http.StateIdle {
			idle <- struct{}{}
		}
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(limited)
	}()
	t.Cleanup(func() {
		_ = server.Close()
		<-ended
	})
	return inner.Addr().String(), release, idle
}

func get(t *testing.T, address, path string) (net.Conn, int) {
	t.Helper()
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	require.NoError(t, c.SetDeadline(time.Now().Add(time.Minute)))
	_, err = io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: localhost\r\n\r\n")
	require.NoError(t, err)
	// The body is left open: closing it waits for the end of the answer.
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	require.NoError(t, err)
	return c, answer.StatusCode
}

func gone(t *testing.T, c net.Conn) {
	t.Helper()
	_, err := c.Read(make([]byte, 1))
	require.Error(t, err)
	timeout, ok := err.(net.Error) //nolint:errorlint // it is not wrapped
	require.False(t, ok && timeout.Timeout(), "the connection is open")
}

func TestTheLongestIdleConnectionMakesRoom(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]listener.Options{
		"per address": {Total: 100, PerAddress: 3},
		"in total":    {Total: 3, PerAddress: 100},
		"exempt":      {Total: 3, PerAddress: 1, Exempt: func(a netip.Addr) bool { return a.IsLoopback() }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, release, idle := serve(t, o)
			defer close(release)
			_, status := get(t, address, "/long")
			require.Equal(t, http.StatusOK, status)
			first, status := get(t, address, "/short")
			require.Equal(t, http.StatusOK, status)
			<-idle
			_, status = get(t, address, "/short")
			require.Equal(t, http.StatusOK, status)
			<-idle
			_, status = get(t, address, "/short")
			require.Equal(t, http.StatusOK, status)
			gone(t, first)
		})
	}
}

func TestRequestsThatAreServedAreNotEnded(t *testing.T) {
	t.Parallel()
	address, release, idle := serve(t, listener.Options{Total: 2, PerAddress: 2})
	for range 2 {
		_, status := get(t, address, "/long")
		require.Equal(t, http.StatusOK, status)
	}
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
	require.NoError(t, err)
	defer func() { _ = c.Close() }()
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	require.NoError(t, err)
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusServiceUnavailable, answer.StatusCode)
	require.Contains(t, string(body), "Retry in 5 seconds")

	close(release)
	<-idle
	_, status := get(t, address, "/short")
	require.Equal(t, http.StatusOK, status, "a place that is given back is free")
}
