package exactlyonce_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store/exactlyonce"
	"countersign/internal/store/storetest"
)

func TestWhatIsAskedForAgainHappensOnce(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	calls := exactlyonce.New(db)
	call := func(key, content string) exactlyonce.Call {
		return exactlyonce.Call{
			Principal: principal.Principal{Kind: principal.User, ID: uuid.UUID{7}}, Key: key, Hash: []byte(content), Timeout: time.Minute,
			Unknown: problem.Errorf(problem.Conflict, "Nobody knows."),
		}
	}
	var done atomic.Int32
	arrived, release := make(chan struct{}, 1), make(chan struct{})
	slow := func(context.Context) (string, error) {
		arrived <- struct{}{}
		<-release
		done.Add(1)
		return "done", nil
	}
	answers := make(chan string, 2)
	ask := func() {
		answer, err := exactlyonce.Do(t.Context(), calls, call("k", "a"), slow)
		if err != nil {
			answer = err.Error()
		}
		answers <- answer
	}
	go ask()
	<-arrived
	go ask()
	close(release)
	require.Equal(t, []string{"done", "done"}, []string{<-answers, <-answers})
	require.Equal(t, int32(1), done.Load())
	_, err := exactlyonce.Do(t.Context(), calls, call("k", "b"), slow)
	require.True(t, problem.Is(err, problem.KeyReused), "%v", err)

	// A refusal is how it went. A fault says that nothing has happened, and can be tried again.
	refused := 0
	for range 2 {
		_, err = exactlyonce.Do(t.Context(), calls, call("refused", "a"), func(context.Context) (string, error) {
			refused++
			return "", problem.Errorf(problem.Conflict, "Not now.")
		})
		require.True(t, problem.Is(err, problem.Conflict))
	}
	require.Equal(t, 1, refused)
	faults := 0
	for range 2 {
		_, err = exactlyonce.Do(t.Context(), calls, call("fault", "a"), func(context.Context) (string, error) {
			faults++
			return "", errors.New("away")
		})
		require.ErrorContains(t, err, "away")
	}
	require.Equal(t, 2, faults)

	// What was begun is seen through, also when whoever asked has gone.
	gone, cancel := context.WithCancel(t.Context())
	answer, err := exactlyonce.Do(gone, calls, call("gone", "a"), func(ctx context.Context) (string, error) {
		cancel()
		return "seen through", ctx.Err()
	})
	require.NoError(t, err)
	require.Equal(t, "seen through", answer)

	// Of what a process has left behind nobody knows what became.
	_, err = db.Conn(
		t.Context(),
	).Exec(
		t.Context(),
		"UPDATE http_requests SET answer = NULL, lost_at = now() - interval '1 second' WHERE key = 'k'",
	)
	require.NoError(t, err)
	_, err = exactlyonce.Do(t.Context(), calls, call("k", "a"), slow)
	require.ErrorContains(t, err, "Nobody knows.")
	require.NoError(t, calls.Chores()[0].Do(t.Context()))
}
