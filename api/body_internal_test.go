package api

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Somebody who sends headers and then nothing holds a connection no longer than a body may take.
func TestABodyThatDoesNotComeEndsItsConnection(t *testing.T) {
	t.Parallel()
	read := make(chan error, 1)
	served := httptest.NewServer(arriving(50*time.Millisecond, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, err := io.ReadAll(r.Body)
		read <- err
	})))
	t.Cleanup(served.Close)
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", served.Listener.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	_, err = io.WriteString(c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc")
	require.NoError(t, err)
	require.ErrorContains(t, <-read, "timeout")
}
