package api_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/require"

	"countersign/api"
	"countersign/internal/problem"
	"countersign/internal/rest"
)

// slow is an operation that takes its time, with a body that may be left out.
type slow struct{}

// Routes implements api.Routes.
func (slow) Routes(router huma.API) {
	op := rest.Op(
		"take-long",
		http.MethodPost,
		"/api/long",
		"Take long",
		rest.Rules("test.write"),
		rest.SelfIdempotent(),
		rest.Status(http.StatusOK),
	)
	huma.Register(router, op, func(ctx context.Context, _ *struct {
		Body *struct {
			Name string `json:"name"`
		} `required:"false"`
	},
	) (*struct{ Body string }, error) {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(6 * time.Second): // longer than huma lets a body arrive
			return &struct{ Body string }{"done"}, nil
		}
	})
}

// The deadline for a body is no deadline for what is done with it.
func TestWhatTakesLongerThanItsBodyMayIsNotBrokenOff(t *testing.T) {
	t.Parallel()
	s := newServer(t, with(slow{}))
	served := httptest.NewServer(s)
	t.Cleanup(served.Close)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, served.URL+"/api/long", http.NoBody)
	require.NoError(t, err)
	r.Header.Set("X-User", alice.String())
	r.Header.Set("X-Rules", "test.write")
	answer, err := served.Client().Do(r)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusOK, answer.StatusCode)
}

// huma clears the read deadline of the connection, or sets one of its own. Neither holds.
func TestABodyThatDoesNotArriveIsAnsweredBehindHuma(t *testing.T) {
	t.Parallel()
	s := newServer(t, with(slow{}), func(o *api.Options) { o.BodyTimeout = 300 * time.Millisecond })
	served := httptest.NewServer(s)
	t.Cleanup(served.Close)
	for _, more := range []string{"", "Idempotency-Key: one\r\n", "Expect: 100-continue\r\n"} {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", served.Listener.Addr().String())
		require.NoError(t, err)
		t.Cleanup(func() { _ = conn.Close() })
		_, err = fmt.Fprintf(conn, "POST /api/long HTTP/1.1\r\nHost: localhost\r\nContent-Type: "+
			"application/json\r\nX-User: %s\r\nX-Rules: test.write\r\n%sContent-Length: 100\r\n\r\n{", alice, more)
		require.NoError(t, err)
		require.NoError(t, conn.SetReadDeadline(time.Now().Add(20*time.Second)))
		reader := bufio.NewReader(conn)
		answer, err := http.ReadResponse(reader, nil)
		require.NoError(t, err)
		if answer.StatusCode == http.StatusContinue {
			answer, err = http.ReadResponse(reader, nil)
			require.NoError(t, err)
		}
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		require.Equal(t, http.StatusRequestTimeout, answer.StatusCode, "%s%s", more, text)
		require.Contains(t, string(text), string(problem.LateBody))
		_, err = reader.ReadByte()
		require.ErrorIs(t, err, io.EOF, "the connection is closed")
	}
}

// A client that writes its whole body before it looks at the answer still gets the answer.
func TestARefusedBodyIsReadOut(t *testing.T) {
	t.Parallel()
	s := newServer(t, with(slow{}))
	served := httptest.NewServer(s)
	t.Cleanup(served.Close)
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", served.Listener.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	const size = 6 << 20
	_, err = fmt.Fprintf(
		conn,
		"POST /api/long HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nX-User: %s\r\nX-Rules: test.write\r\nContent-Length: %d\r\n\r\n",
		served.Listener.Addr(),
		alice,
		size,
	)
	require.NoError(t, err)
	// In pieces, so that the server could refuse long before the last.
	piece := bytes.Repeat([]byte(" "), 64<<10)
	for range size / len(piece) {
		_, err = conn.Write(piece)
		require.NoError(t, err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusRequestEntityTooLarge, answer.StatusCode)
}
