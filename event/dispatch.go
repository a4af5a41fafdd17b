package event

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"countersign/event/eventdb"
)

// Workflow is what a handler of an event dispatches.
type Workflow struct {
	// Name is that of its declaration, which also names the queue.
	Name string
	// Key tells the workflows of one event and consumer apart; empty when there is one.
	Key string
	// Input is encoded as JSON.
	Input any
}

// Start is a dispatched workflow.
type Start struct {
	// ID is derived from consumer, event and key.
	ID       string
	Workflow string
	Input    json.RawMessage
}

// Starter starts workflows. One that has been started with that id, running or closed, is no error; one that this version
// does not declare is: a process of another version may start it.
type Starter interface {
	StartDispatched(ctx context.Context, s Start) error
}

const (
	// startTimeout bounds one start, and startLease is how long a process has for those that it has claimed.
	startTimeout = 10 * time.Second
	startLease   = 2 * startTimeout
	// maxStarts is the number of starts that a process makes at a time.
	maxStarts = 8
)

type handlingKey struct{}

// handling is the event that a consumer handles.
type handling struct {
	runner   *Runner
	consumer string
	event    Event
}

func withHandling(ctx context.Context, h handling) context.Context {
	return context.WithValue(ctx, handlingKey{}, h)
}

// Dispatch starts a workflow, exactly once, when the handler's transaction commits: its row is written in it, and stays until
// the start is confirmed. Starts are in no order, those of one subject neither.
//
// ctx is that of a handler. A second call with the same key changes nothing.
func Dispatch(ctx context.Context, w Workflow) error {
	h, ok := ctx.Value(handlingKey{}).(handling)
	if !ok || !h.runner.DB.InTransaction(ctx) {
		return errors.New("workflows are dispatched in the handler of an event")
	}
	if w.Name == "" || len(w.Key) > maxKeyBytes {
		return fmt.Errorf("dispatch of %s lacks a workflow, or its key is longer than %d bytes", h.consumer, maxKeyBytes)
	}
	input, err := json.Marshal(w.Input)
	if err != nil {
		return fmt.Errorf("write input of %s: %w", w.Name, err)
	}
	if len(input) > 2*MaxPayloadBytes {
		return fmt.Errorf("the input of %s has %d bytes, the limit is %d", w.Name, len(input), 2*MaxPayloadBytes)
	}
	err = eventdb.New(h.runner.DB.Conn(ctx)).AddDispatch(ctx, eventdb.AddDispatchParams{
		WorkflowID: RunID(h.consumer, h.event, w.Key), Consumer: h.consumer, EventID: h.event.ID, Workflow: w.Name, Input: input,
	})
	if err != nil {
		return fmt.Errorf("dispatch workflow: %w", err)
	}
	h.runner.DB.AfterCommit(ctx, h.runner.dispatched.Notify)
	return nil
}

// runKind is the first part of the ids of dispatched workflows.
const runKind = "event"

// RunID is the id of the workflow that a consumer dispatches for an event.
func RunID(consumer string, e Event, key string) string {
	id := fmt.Sprintf("%s/%s/%d", runKind, consumer, e.ID)
	if key != "" {
		id += "/" + key
	}
	return id
}

// startDispatched starts workflows until ctx ends. A claim ends with its lease, so that another process repeats what a
// killed one left: the id makes the repetition harmless.
func (r *Runner) startDispatched(ctx context.Context) {
	q := eventdb.New(r.DB.Conn(ctx))
	slots := make(chan struct{}, maxStarts)
	var starting sync.WaitGroup
	defer starting.Wait()
	failing := false
	for ctx.Err() == nil {
		changed := r.dispatched.Changed()
		claimed, err := q.ClaimDispatches(ctx, eventdb.ClaimDispatchesParams{LeaseSeconds: startLease.Seconds(), MaxRows: maxStarts})
		if err != nil && !failing && ctx.Err() == nil {
			r.Log.Warn("Workflows of events cannot be started", "error", err)
		}
		failing = err != nil
		for _, one := range claimed {
			select {
			case slots <- struct{}{}:
			case <-ctx.Done():
				return
			}
			starting.Go(func() {
				defer func() { <-slots }()
				r.start(ctx, q, one)
			})
		}
		if len(claimed) == maxStarts {
			continue
		}
		waitFor(ctx, changed, r.Poll)
	}
}

func (r *Runner) start(ctx context.Context, q *eventdb.Queries, d eventdb.ClaimDispatchesRow) {
	starting, cancel := context.WithTimeout(ctx, startTimeout)
	err := r.Starter.StartDispatched(starting, Start{ID: d.WorkflowID, Workflow: d.Workflow, Input: d.Input})
	cancel()
	if err == nil {
		err = q.ConfirmDispatch(ctx, d.WorkflowID)
	}
	if err == nil || ctx.Err() != nil {
		return
	}
	wait := r.backoff(d.Attempts)
	r.Log.Warn("A workflow was not started and is tried again", "workflow", d.WorkflowID, "in", wait, "error", err)
	delay := eventdb.DelayDispatchParams{WorkflowID: d.WorkflowID, Attempts: d.Attempts, Error: clip(err.Error()), Seconds: wait.Seconds()}
	if err := q.DelayDispatch(ctx, delay); err != nil {
		r.Log.Warn("A workflow that was not started waits for its lease", "workflow", d.WorkflowID, "error", err)
	}
}
