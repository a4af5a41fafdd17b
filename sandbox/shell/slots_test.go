package shell_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/sandbox"
	"countersign/sandbox/shell"
)

// asked answers requests with what the function says.
type asked func(ctx context.Context) (string, error)

func (f asked) Fetch(ctx context.Context, _ sandbox.Request) (sandbox.Response, error) {
	text, err := f(ctx)
	return sandbox.Response{Status: 200, Body: []byte(text)}, err
}

// A narrow engine has one slot. The function of during is called once, in a script that computes and has the slot.
type narrow struct {
	*shell.Engine

	during atomic.Pointer[func()]
}

func open(t *testing.T) *narrow {
	t.Helper()
	n := &narrow{}
	var err error
	n.Engine, err = shell.New(t.Context(), shell.Options{CacheDir: cacheDir(), Slots: 1, Pause: func() time.Duration {
		if f := n.during.Swap(nil); f != nil {
			(*f)()
		}
		return 0
	}})
	require.NoError(t, err)
	require.NoError(t, n.Warm(t.Context()))
	t.Cleanup(func() { require.NoError(t, n.Close(context.WithoutCancel(t.Context()))) })
	return n
}

const endless = "while :; do :; done"

// compute runs a script that computes until f has returned.
func (n *narrow) compute(ctx context.Context, f func()) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	during := func() {
		defer cancel()
		f()
	}
	n.during.Store(&during)
	_, err := n.Run(ctx, sandbox.Job{Source: endless, Limits: sandbox.Limits{Timeout: patience}})
	return err
}

// requireOneSlot fails unless one script computes at a time, and one can.
func (n *narrow) requireOneSlot(t *testing.T) {
	t.Helper()
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			o, err := n.Run(t.Context(), sandbox.Job{Source: "echo a", Limits: sandbox.Limits{Timeout: patience}})
			if err != nil || o.Stdout != "a\n" {
				t.Errorf("%+v, %v", o, err)
			}
		})
	}
	all.Wait()
	var other error
	require.ErrorIs(t, n.compute(t.Context(), func() {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		_, other = n.Run(ctx, sandbox.Job{Source: "echo a", Limits: sandbox.Limits{Timeout: patience}})
	}), context.Canceled)
	require.ErrorIs(t, other, context.DeadlineExceeded, "a script ran although another one computes")
}

func TestAScriptThatComputesExcludesOthers(t *testing.T) {
	t.Parallel()
	open(t).requireOneSlot(t)
}

func TestScriptsSleepAtTheSameTime(t *testing.T) {
	t.Parallel()
	const sleepers, each = 8, time.Second
	e := open(t)
	var all sync.WaitGroup
	var alone atomic.Int64
	began := time.Now()
	for range sleepers {
		all.Go(func() {
			o, err := e.Run(t.Context(), sandbox.Job{Source: "sleep 1; echo a", Limits: sandbox.Limits{Timeout: patience}})
			if err != nil || o.Stdout != "a\n" || o.Duration < each {
				t.Errorf("%+v, %v", o, err)
			}
			alone.Add(int64(o.Duration))
		})
	}
	all.Wait()
	took := time.Since(began)
	t.Log(took)
	require.Less(t, took, time.Duration(alone.Load()), "one after the other takes as long as each of them together")
	e.requireOneSlot(t)
}

func TestAScriptThatWaitsForAnAnswerLetsOthersCompute(t *testing.T) {
	t.Parallel()
	e := open(t)
	o, err := e.Run(t.Context(), sandbox.Job{
		Source: "curl -s https://a.example", Limits: sandbox.Limits{Timeout: patience},
		Fetch: asked(func(ctx context.Context) (string, error) {
			o, err := e.Run(ctx, sandbox.Job{Source: "echo $((6 * 7))", Limits: sandbox.Limits{Timeout: patience}})
			return o.Stdout, err
		}),
	})
	require.NoError(t, err)
	require.Equal(t, sandbox.OK, o.Kind, "%+v", o.Failure)
	require.Equal(t, "42\n", o.Stdout)
	e.requireOneSlot(t)
}

func TestScriptsThatComputeTakeTurns(t *testing.T) {
	t.Parallel()
	e := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	computes := make(chan struct{})
	during := func() { close(computes) }
	e.during.Store(&during)
	ended := make(chan error)
	go func() {
		_, err := e.Run(ctx, sandbox.Job{Source: endless, Limits: sandbox.Limits{Timeout: patience}})
		ended <- err
	}()
	<-computes
	o, err := e.Run(t.Context(), sandbox.Job{Source: "echo a", Limits: sandbox.Limits{Timeout: patience}})
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled, "the other script had to end first")
	require.NoError(t, err)
	require.Equal(t, "a\n", o.Stdout)
	e.requireOneSlot(t)
}

// The script has its answer soon, but another one computes until it has ended.
func TestAScriptThatWaitsForASlotEndsAtItsDeadline(t *testing.T) {
	t.Parallel()
	const limit = 5 * time.Second // also on a busy machine it has asked by then
	e := open(t)
	computes, ended, left := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	o, err := e.Run(t.Context(), sandbox.Job{
		Source: "curl -s https://a.example; echo more", Limits: sandbox.Limits{Timeout: limit},
		Fetch: asked(func(context.Context) (string, error) {
			go func() {
				left <- e.compute(t.Context(), func() {
					close(computes)
					<-ended
				})
			}()
			<-computes
			return "answer", nil
		}),
	})
	close(ended)
	require.NoError(t, err)
	require.Equal(t, sandbox.Timeout, o.Kind)
	require.Equal(t, "Timeout", o.Failure.Name)
	require.Empty(t, o.Stdout)
	require.GreaterOrEqual(t, o.Duration, limit)
	require.Less(t, o.Duration, limit+grace)
	t.Logf("%s after the deadline", o.Duration-limit)
	require.ErrorIs(t, <-left, context.Canceled)
	e.requireOneSlot(t)
}

func TestFewInstancesAreKept(t *testing.T) {
	t.Parallel()
	e := open(t)
	const scripts = 6
	var all, waiting sync.WaitGroup
	waiting.Add(scripts)
	for n := range scripts {
		source := "curl -s https://a.example"
		if n%2 == 0 {
			source += "; f() { f | f; }; f" // an instance that breaks is replaced
		}
		all.Go(func() {
			_, err := e.Run(t.Context(), sandbox.Job{
				Source: source, Limits: sandbox.Limits{Timeout: patience, Memory: 1},
				Fetch: asked(func(context.Context) (string, error) {
					waiting.Done()
					waiting.Wait()
					return "", nil
				}),
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	idle, err := e.Idle(t.Context())
	require.NoError(t, err)
	require.Equal(t, 2, idle)
}

func TestCloseWaitsForAScriptThatWaits(t *testing.T) {
	t.Parallel()
	e := open(t)
	closed := make(chan error, 1)
	o, err := e.Run(t.Context(), sandbox.Job{
		Source: "curl -s https://a.example; echo b", Limits: sandbox.Limits{Timeout: patience},
		Fetch: asked(func(context.Context) (string, error) {
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			closed <- e.Close(ctx)
			return "a", nil
		}),
	})
	require.NoError(t, err)
	require.Equal(t, "ab\n", o.Stdout)
	require.ErrorIs(t, <-closed, context.DeadlineExceeded)
	require.NoError(t, e.Close(t.Context()))
	_, err = e.Run(t.Context(), sandbox.Job{Source: "echo a", Limits: sandbox.Limits{Timeout: patience}})
	require.ErrorIs(t, err, shell.ErrClosed)
}
