package stream_test

import (
	"bufio"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/chat/stream"
)

// TestASilentStreamShowsThatItIsAlive reads the stream of a turn of which nothing is written: a client learns how much
// silence means a dead connection, and hears from the server more often than the database is asked.
func TestASilentStreamShowsThatItIsAlive(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	turn := newTurn(t, p.db)
	var checks atomic.Int32
	over := errors.New("the session is over")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reader := p.hub.Follow(turn)
		defer reader.Close()
		beat := stream.Heartbeat{Every: 150 * time.Millisecond, Check: func(context.Context) error {
			if checks.Add(1) == 3 {
				return over
			}
			return nil
		}}
		if err := stream.ServeSSE(r.Context(), w, reader, &stream.Replay{}, beat); !errors.Is(err, over) {
			t.Errorf("the stream ended with %v", err)
		}
	}))
	defer server.Close()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
	require.NoError(t, err)
	response, err := server.Client().Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	require.Equal(t, "50", response.Header.Get(stream.HeartbeatHeader))
	pings := 0
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if lines.Text() == ": ping" {
			pings++
		}
	}
	require.Equal(t, 8, pings, "three for each check, and none after the one that ended it")
}

// A turn whose last events nobody was notified of ends for its client as well, although heartbeats come as often as looks at the rows.
func TestAStreamNoticesATurnThatEndedSilently(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	turn := newTurn(t, p.db)
	reader := p.hub.Follow(turn)
	defer reader.Close()
	exec(t, p.db, `UPDATE ai_turns SET status = 'done', finished_at = now() WHERE id = $1`, turn)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	require.NoError(t, stream.ServeSSE(ctx, httptest.NewRecorder(), reader, &stream.Replay{}, stream.Heartbeat{}))
}
