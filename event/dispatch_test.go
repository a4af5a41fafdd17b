package event_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/event"
)

// starter is an engine of workflows whose next starts fail: before the start and after it in turn.
type starter struct {
	mu      sync.Mutex
	fails   int
	started map[string]event.Start
	calls   int
}

func (s *starter) StartDispatched(_ context.Context, w event.Start) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	if s.fails > 0 {
		if s.fails--; s.fails%2 == 0 {
			s.started[w.ID] = w // its answer is lost
		}
		return errors.New("no answer")
	}
	s.started[w.ID] = w
	return nil
}

func TestADispatchedWorkflowIsStartedOnce(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	engine := &starter{fails: 3, started: map[string]event.Start{}}
	var handled sync.Map
	o := event.Options{Starter: engine, FirstWait: time.Millisecond}
	h := consume(t, db, o, func(ctx context.Context, e event.Event) error {
		if err := event.Dispatch(ctx, event.Workflow{Name: "react", Key: "a", Input: map[string]string{"mark": mark(t, e)}}); err != nil {
			return err
		}
		if _, again := handled.LoadOrStore(e.ID, true); !again {
			return errors.New("the handler fails after its dispatch")
		}
		return event.Dispatch(ctx, event.Workflow{Name: "report"})
	})
	appendNow(t, db, changed(1, "x"), changed(2, "y"))
	h.waitInAnyOrder(t, "x", "y")
	require.Eventually(t, func() bool { return count(t, db, `SELECT count(*) FROM event_dispatches`) == 0 }, patience, tick)
	engine.mu.Lock()
	defer engine.mu.Unlock()
	require.Len(t, engine.started, 4)
	require.Equal(t, 7, engine.calls, "each once, but for the failed ones")
	id := count(t, db, `SELECT min(id) FROM events`)
	run := engine.started[event.RunID("test", event.Event{ID: int64(id)}, "a")]
	require.Equal(t, "react", run.Workflow)
	require.JSONEq(t, `{"mark": "x"}`, string(run.Input))
	require.ErrorContains(t, event.Dispatch(t.Context(), event.Workflow{Name: "react"}), "in the handler of an event")
}

// A process is killed between the start and its confirmation: another one repeats it when the claim has ended.
func TestADispatchOfAKilledProcessIsRepeated(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	engine := &starter{started: map[string]event.Start{}}
	execute(t, db, `INSERT INTO event_dispatches (workflow_id, consumer, event_id, workflow, input, attempts, due_at)
		VALUES ('event/test/1', 'test', 1, 'react', '{}', 1, now() + interval '0.3 s')`)
	consume(t, db, event.Options{Starter: engine}, nil)
	require.Eventually(t, func() bool { return count(t, db, `SELECT count(*) FROM event_dispatches`) == 0 }, patience, tick)
	engine.mu.Lock()
	defer engine.mu.Unlock()
	require.Contains(t, engine.started, "event/test/1")
}
