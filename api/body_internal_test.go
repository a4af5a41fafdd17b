package api

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Somebody who sends headers and then nothing holds a connection no longer than a body may take.
func TestABodyThatDoesNotComeEndsItsConnection(t *testing.T) {
	t.Parallel()
	read := make(chan error, 1)
	served := httptest.NewServer(limitBodyTime(50*time.Millisecond, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
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

// Somebody who asks for much and reads nothing of it holds it no longer than a piece of an answer may take.
func TestAnAnswerThatNobodyReadsEndsItsConnection(t *testing.T) {
	t.Parallel()
	wrote := make(chan error, 1)
	served := httptest.NewServer(limitWriteTime(50*time.Millisecond, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, err := w.Write(make([]byte, 64<<20))
		wrote <- err
	})))
	t.Cleanup(served.Close)
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", served.Listener.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	_, err = io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	require.NoError(t, err)
	require.ErrorIs(t, <-wrote, os.ErrDeadlineExceeded)
}

// Who reads gets all of it, however long it takes to be made, and so does the next request of the same connection.
func TestAnAnswerThatIsReadComesWhole(t *testing.T) {
	t.Parallel()
	const timeout = time.Second
	whole := bytes.Repeat([]byte("all of it. "), 10_000)
	served := httptest.NewServer(limitWriteTime(timeout, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		half := len(whole) / 2
		_, first := w.Write(whole[:half])
		flushed := http.NewResponseController(w).Flush()
		time.Sleep(timeout + timeout/2) //nolint:forbidigo // longer than a piece may take to be read
		_, second := w.Write(whole[half:])
		if err := errors.Join(first, flushed, second); err != nil {
			panic(http.ErrAbortHandler)
		}
		if r.URL.Path == "/late" {
			time.Sleep(timeout + timeout/2) //nolint:forbidigo // as above
		}
	})))
	t.Cleanup(served.Close)
	for _, path := range []string{"/", "/late", "/"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, served.URL+path, http.NoBody)
		require.NoError(t, err)
		answer, err := served.Client().Do(r)
		require.NoError(t, err)
		got, err := io.ReadAll(answer.Body)
		require.NoError(t, answer.Body.Close())
		require.NoError(t, err)
		require.True(t, bytes.Equal(whole, got), path)
	}
}
