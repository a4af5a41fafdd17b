package batching_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/internal/store/batching"
)

const (
	batchTimeout = time.Minute
	poll         = time.Millisecond
)

// road lets a test say when each trip arrives.
type road struct {
	line *batching.Batcher[string, int, int]
	// begun has what each trip takes along, in turn; arrive lets the one that is under way arrive.
	begun  chan []int
	arrive chan error
}

func newRoad(most int) *road {
	r := &road{begun: make(chan []int, 100), arrive: make(chan error)}
	r.line = batching.New(most, func(_ context.Context, _ string, asked []int) ([]int, error) {
		r.begun <- slices.Clone(asked)
		if err := <-r.arrive; err != nil {
			return nil, err
		}
		answers := make([]int, len(asked))
		for i, n := range asked {
			answers[i] = n * 10
		}
		return answers, nil
	})
	return r
}

type answer struct {
	n   int
	err error
}

// ask asks beside the test.
func (r *road) ask(ctx context.Context, key string, n int) <-chan answer {
	told := make(chan answer, 1)
	go func() {
		got, err := r.line.Do(ctx, key, n)
		told <- answer{got, err}
	}()
	return told
}

// wait asks, and returns once so many wait for the key.
func (r *road) wait(ctx context.Context, t *testing.T, key string, n, waiting int) <-chan answer {
	t.Helper()
	told := r.ask(ctx, key, n)
	require.Eventually(t, func() bool { return r.line.Waiting(key) == waiting }, batchTimeout, poll)
	return told
}

func TestWhoComesMeanwhileGoesTogetherWithTheNextTrip(t *testing.T) {
	t.Parallel()
	r := newRoad(10)
	first := r.ask(t.Context(), "a", 1)
	require.Equal(t, []int{1}, <-r.begun, "who finds nobody goes at once")
	second := r.wait(t.Context(), t, "a", 2, 1)
	third := r.wait(t.Context(), t, "a", 3, 2)
	require.Empty(t, r.begun, "a trip that is under way does not know what they have asked")

	other := r.ask(t.Context(), "b", 9)
	require.Equal(t, []int{9}, <-r.begun, "another key does not wait")
	r.arrive <- nil
	r.arrive <- nil
	require.Equal(t, answer{n: 10}, <-first)
	require.Equal(t, answer{n: 90}, <-other)

	require.Equal(t, []int{2, 3}, <-r.begun)
	fourth := r.wait(t.Context(), t, "a", 4, 1)
	r.arrive <- nil
	require.Equal(t, answer{n: 20}, <-second)
	require.Equal(t, answer{n: 30}, <-third)
	require.Equal(t, []int{4}, <-r.begun)
	r.arrive <- nil
	require.Equal(t, answer{n: 40}, <-fourth)
}

func TestATripHasSoManyPassengersAtMost(t *testing.T) {
	t.Parallel()
	r := newRoad(2)
	all := []<-chan answer{r.ask(t.Context(), "a", 0)}
	require.Equal(t, []int{0}, <-r.begun)
	for n := 1; n <= 5; n++ {
		all = append(all, r.wait(t.Context(), t, "a", n, n))
	}
	for _, want := range [][]int{{1, 2}, {3, 4}, {5}} {
		r.arrive <- nil
		require.Equal(t, want, <-r.begun)
	}
	r.arrive <- nil
	for n, told := range all {
		require.Equal(t, answer{n: n * 10}, <-told)
	}
}

func TestWhoHasGoneAwayIsNotTakenAlong(t *testing.T) {
	t.Parallel()
	r := newRoad(10)
	first := r.ask(t.Context(), "a", 1)
	<-r.begun
	gone, leave := context.WithCancelCause(t.Context())
	errLeft := errors.New("left")
	second := r.wait(gone, t, "a", 2, 1)
	third := r.wait(t.Context(), t, "a", 3, 2)
	leave(errLeft)
	require.ErrorIs(t, (<-second).err, errLeft)
	r.arrive <- nil
	<-first
	require.Equal(t, []int{3}, <-r.begun)
	r.arrive <- nil
	require.Equal(t, answer{n: 30}, <-third)
}

// Whose trip others share may go away: the trip goes on.
func TestATripDoesNotEndWithOneOfItsPassengers(t *testing.T) {
	t.Parallel()
	under := make(chan context.Context, 1)
	arrive := make(chan struct{})
	line := batching.New(10, func(ctx context.Context, _ string, asked []int) ([]int, error) {
		under <- ctx
		<-arrive
		return asked, ctx.Err()
	})
	r := &road{line: line}
	first := r.ask(t.Context(), "a", 1)
	<-under
	gone, leave := context.WithCancel(t.Context())
	second := r.wait(gone, t, "a", 2, 1)
	third := r.wait(t.Context(), t, "a", 3, 2)
	arrive <- struct{}{}
	<-first
	ctx := <-under
	leave()
	require.ErrorIs(t, (<-second).err, context.Canceled)
	require.NoError(t, ctx.Err())
	arrive <- struct{}{}
	require.Equal(t, answer{n: 3}, <-third)
}

func TestAFailureIsThatOfItsTripAlone(t *testing.T) {
	t.Parallel()
	r := newRoad(10)
	errLost := errors.New("lost")
	first := r.ask(t.Context(), "a", 1)
	<-r.begun
	second := r.wait(t.Context(), t, "a", 2, 1)
	third := r.wait(t.Context(), t, "a", 3, 2)
	r.arrive <- nil
	require.Equal(t, answer{n: 10}, <-first)
	<-r.begun
	r.arrive <- errLost
	require.ErrorIs(t, (<-second).err, errLost)
	require.ErrorIs(t, (<-third).err, errLost)
	fourth := r.ask(t.Context(), "a", 4)
	<-r.begun
	r.arrive <- nil
	require.Equal(t, answer{n: 40}, <-fourth)
}

func TestAPanicKeepsNobodyWaiting(t *testing.T) {
	t.Parallel()
	begun, arrive := make(chan int, 10), make(chan struct{})
	line := batching.New(10, func(_ context.Context, _ string, asked []int) ([]int, error) {
		begun <- len(asked)
		<-arrive
		panic("broken")
	})
	r := &road{line: line}
	first := make(chan any, 1)
	go func() {
		defer func() { first <- recover() }()
		_, _ = line.Do(t.Context(), "a", 1)
	}()
	<-begun
	second := r.wait(t.Context(), t, "a", 2, 1)
	arrive <- struct{}{}
	require.Equal(t, "broken", <-first)
	<-begun
	arrive <- struct{}{}
	require.ErrorContains(t, (<-second).err, "broken")
	require.Zero(t, line.Waiting("a"))
}

// Whatever the order, everybody gets the answer to what they have asked.
func TestManyAtOnceEachGetTheirOwnAnswer(t *testing.T) {
	t.Parallel()
	line := batching.New(7, func(_ context.Context, _ int, asked []int) ([]int, error) {
		answers := make([]int, len(asked))
		for i, n := range asked {
			answers[i] = -n
		}
		return answers, nil
	})
	var asking sync.WaitGroup
	wrong := make(chan int, 4000)
	for n := range 4000 {
		asking.Go(func() {
			if got, err := line.Do(t.Context(), n%3, n); err != nil || got != -n {
				wrong <- n
			}
		})
	}
	asking.Wait()
	require.Empty(t, wrong)
}
