package api_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api"
	"countersign/internal/problem"
)

// keyed are the headers of a request with a key.
func keyed(key string) []string { return append([]string{"Idempotency-Key", key}, rules...) }

func TestAKeyedRequestHappensOnce(t *testing.T) {
	t.Parallel()
	n := &notes{}
	s := newServer(t, with(n))
	first := s.do(t, http.MethodPost, "/api/notes", `{"text":"a"}`, keyed("k")...)
	again := s.do(t, http.MethodPost, "/api/notes", `{"text":"a"}`, keyed("k")...)
	require.Equal(t, http.StatusCreated, again.Code)
	require.JSONEq(t, first.Body.String(), again.Body.String())
	require.Equal(t, first.Header().Get("Content-Type"), again.Header().Get("Content-Type"))
	require.Equal(t, "true", again.Header().Get("Idempotency-Replayed"))
	require.Equal(t, 1, n.count())

	s.refused(t, problem.KeyReused, http.MethodPost, "/api/notes", `{"text":"b"}`, keyed("k")...)
	bob := append(keyed("k"), "X-User", uuid.NewString())
	require.Equal(
		t,
		http.StatusCreated,
		s.do(t, http.MethodPost, "/api/notes", `{"text":"b"}`, bob...).Code,
		"another person's key is another key",
	)
}

// The effect and the answer under the key are one transaction: a failed handler leaves neither.
func TestAKeyAndItsEffectAreOneTransaction(t *testing.T) {
	t.Parallel()
	var s *server
	n := &notes{before: func(ctx context.Context, text string) error {
		_, err := s.db.Conn(ctx).Exec(ctx, `INSERT INTO ai_conversations (id, owner_id) VALUES (gen_random_uuid(), $1)`, alice)
		if err == nil && text == "refuse" {
			err = problem.Errorf(problem.Conflict, "No.")
		}
		return err
	}}
	s = newServer(t, with(n))
	effects := func() (count int) {
		require.NoError(t, s.db.Conn(t.Context()).QueryRow(t.Context(), `SELECT count(*) FROM ai_conversations`).Scan(&count))
		return count
	}
	s.refused(t, problem.Conflict, http.MethodPost, "/api/notes", `{"text":"refuse"}`, keyed("k")...)
	require.Zero(t, effects())
	require.Equal(t, http.StatusCreated, s.do(t, http.MethodPost, "/api/notes", `{"text":"a"}`, keyed("k")...).Code)
	require.Equal(t, 1, effects())
}

func TestConcurrentKeyedRequestsTakeTurns(t *testing.T) {
	t.Parallel()
	n := &notes{}
	s := newServer(t, with(n))
	var sending sync.WaitGroup
	codes := make(chan int, 20)
	for range cap(codes) {
		sending.Go(func() { codes <- s.do(t, http.MethodPost, "/api/notes", `{"text":"a"}`, keyed("k")...).Code })
	}
	sending.Wait()
	close(codes)
	for code := range codes {
		require.Equal(t, http.StatusCreated, code)
	}
	require.Equal(t, 1, n.count())
}

// A client that repeats its request over and over while the first is at work takes nobody else's connection to the database.
func TestRepeatsThatWaitHoldNoConnection(t *testing.T) {
	t.Parallel()
	begun, finish := make(chan struct{}), make(chan struct{})
	n := &notes{before: func(context.Context, string) error {
		close(begun)
		<-finish
		return nil
	}}
	s := newServer(t, with(n))
	var sending sync.WaitGroup
	codes := make(chan int, 40)
	for range cap(codes) {
		sending.Go(func() { codes <- s.do(t, http.MethodPost, "/api/notes", `{"text":"a"}`, keyed("k")...).Code })
	}
	<-begun
	for range 50 {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		_, err := s.db.Conn(ctx).Exec(ctx, `SELECT 1`)
		cancel()
		require.NoError(t, err)
	}
	require.Less(t, s.db.Stat().AcquiredConns(), int32(5), "the request at work has one")
	close(finish)
	sending.Wait()
	close(codes)
	for code := range codes {
		require.Equal(t, http.StatusCreated, code)
	}
	require.Equal(t, 1, n.count())
}

func TestKeysAreForgottenAfterTwoDays(t *testing.T) {
	t.Parallel()
	n := &notes{}
	s := newServer(t, with(n))
	for _, key := range []string{"old", "new"} {
		s.do(t, http.MethodPost, "/api/notes", `{"text":"a"}`, keyed(key)...)
	}
	_, err := s.db.Conn(
		t.Context(),
	).Exec(
		t.Context(),
		`UPDATE idempotency_keys SET created_at = now() - interval '49 hours' WHERE key = 'old'`,
	)
	require.NoError(t, err)
	require.NoError(t, api.PruneIdempotencyKeys(t.Context(), s.db))
	s.do(t, http.MethodPost, "/api/notes", `{"text":"a"}`, keyed("new")...)
	require.Equal(t, 2, n.count(), "this one is still known")
	s.do(t, http.MethodPost, "/api/notes", `{"text":"a"}`, keyed("old")...)
	require.Equal(t, 3, n.count())
}
