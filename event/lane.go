package event

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/event/eventdb"
	"countersign/internal/store"
)

const (
	// maxBatch bounds the events of one transaction, and batchTime how long it takes further ones.
	maxBatch  = 100
	batchTime = 500 * time.Millisecond
	// idleStep is the distance between the watermark and a cursor from which the cursor follows without an event of its
	// own.
	idleStep = 500
)

// failure is a handler's error. It was the event at that place of its batch.
type failure struct {
	event    Event
	place    int
	attempts int32
	err      error
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// drain handles the events of a lane until there is none up to the watermark, or another process works in it. worked
// reports that it handled or postponed some.
//
// A batch with a failing event is rolled back. The events before it are handled without it, and then it is postponed:
// the failure may have broken the transaction.
func (f *follower) drain(ctx context.Context, lane int16, upto int64) (worked bool) {
	limit := maxBatch
	for ctx.Err() == nil {
		more, err := f.step(ctx, lane, upto, limit)
		limit = maxBatch
		if failed, ok := errors.AsType[*failure](err); ok && ctx.Err() == nil {
			if failed.place > 0 {
				limit = failed.place
				continue
			}
			more, err = true, f.postpone(ctx, lane, failed)
		}
		if err != nil {
			if ctx.Err() == nil {
				f.runner.Log.Warn("Events were not handled and are tried again", "consumer", f.consumer.Name, "lane", lane, "error", err)
			}
			return false
		}
		if !more {
			return worked
		}
		worked = true
		upto = max(upto, f.runner.reached.Load())
	}
	return worked
}

// step handles a batch in one transaction: an event to retry, or the next ones. more reports that another may be there.
func (f *follower) step(ctx context.Context, lane int16, upto int64, limit int) (more bool, err error) {
	var last *failure
	err = f.runner.DB.InTx(ctx, func(ctx context.Context) error {
		last = nil
		q := eventdb.New(f.runner.DB.Conn(ctx))
		at, err := f.lock(ctx, q, lane)
		if store.NoRows(err) {
			more = false
			return nil
		}
		if err != nil {
			return err
		}
		if at.Waiting {
			due, err := q.DueEvent(ctx, eventdb.DueEventParams{Consumer: f.consumer.Name, Lane: lane})
			if err == nil {
				more = true
				last, err = f.retry(ctx, q, due)
				return err
			}
			if !store.NoRows(err) {
				return fmt.Errorf("read due event: %w", err)
			}
		}
		more, last, err = f.batch(ctx, q, lane, at, upto, limit)
		return err
	})
	if last != nil && store.RefusedCommit(err) {
		// The handler of the last event left a transaction that cannot be committed.
		last.err = err
		return false, last
	}
	return more, err
}

func (f *follower) lock(ctx context.Context, q *eventdb.Queries, lane int16) (eventdb.LockLaneRow, error) {
	idle := strconv.FormatInt((f.consumer.timeout() + 5*time.Second).Milliseconds(), 10)
	at, err := q.LockLane(ctx, eventdb.LockLaneParams{Consumer: f.consumer.Name, Lane: lane, Types: f.consumer.Types, IdleMs: idle})
	if err != nil && !store.NoRows(err) {
		return at, fmt.Errorf("lock lane: %w", err)
	}
	return at, err
}

func (f *follower) retry(ctx context.Context, q *eventdb.Queries, due eventdb.DueEventRow) (*failure, error) {
	e := fromRow(eventdb.Event{
		ID: due.ID, Type: due.Type, Subject: due.Subject, ContextKey: due.ContextKey, Payload: due.Payload, CreatedAt: due.CreatedAt,
		Cause: due.Cause,
	})
	last := &failure{event: e, attempts: due.Attempts}
	if last.err = f.handle(ctx, e); last.err != nil {
		return nil, last
	}
	return last, q.Settle(ctx, eventdb.SettleParams{Consumer: f.consumer.Name, EventID: e.ID})
}

// batch handles the next events. last is the one that was handled last.
func (f *follower) batch(
	ctx context.Context, q *eventdb.Queries, lane int16, at eventdb.LockLaneRow, upto int64, limit int,
) (more bool, last *failure, err error) {
	rows, err := q.NextEvents(ctx, eventdb.NextEventsParams{
		Lane: lane, After: at.Seen, Upto: upto, Types: f.consumer.Types, MaxRows: int32(limit),
	})
	if err != nil {
		return false, nil, fmt.Errorf("read next events: %w", err)
	}
	waiting, err := f.waiting(ctx, q, lane, at, rows)
	if err != nil {
		return false, nil, err
	}
	seen, began := at.Seen, time.Now()
	for i, row := range rows {
		if time.Since(began) > batchTime {
			return true, last, f.move(ctx, q, lane, seen)
		}
		e := fromRow(row)
		if slices.Contains(waiting, e.Subject) {
			err := q.Postpone(ctx, eventdb.PostponeParams{Consumer: f.consumer.Name, EventID: e.ID, Lane: lane, Subject: e.Subject})
			if err != nil {
				return false, nil, fmt.Errorf("postpone event: %w", err)
			}
		} else {
			last = &failure{event: e, place: i}
			if last.err = f.handle(ctx, e); last.err != nil {
				return false, nil, last
			}
		}
		seen = e.ID
	}
	if len(rows) < limit {
		seen = max(seen, upto)
	}
	return len(rows) > 0, last, f.move(ctx, q, lane, seen)
}

// waiting are the subjects of events that are to be retried first.
func (f *follower) waiting(
	ctx context.Context, q *eventdb.Queries, lane int16, at eventdb.LockLaneRow, rows []eventdb.Event,
) ([]string, error) {
	if !at.Waiting || len(rows) == 0 {
		return nil, nil
	}
	subjects := make([]string, len(rows))
	for i, row := range rows {
		subjects[i] = row.Subject
	}
	waiting, err := q.WaitingSubjects(ctx, eventdb.WaitingSubjectsParams{Consumer: f.consumer.Name, Lane: lane, Subjects: subjects})
	if err != nil {
		return nil, fmt.Errorf("read waiting events: %w", err)
	}
	return waiting, nil
}

func (f *follower) move(ctx context.Context, q *eventdb.Queries, lane int16, seen int64) error {
	if err := q.Move(ctx, eventdb.MoveParams{Consumer: f.consumer.Name, Lane: lane, Seen: seen}); err != nil {
		return fmt.Errorf("move cursor: %w", err)
	}
	return nil
}

// handle calls the handler. A panic is an error of that event.
func (f *follower) handle(ctx context.Context, e Event) (err error) {
	ctx, cancel := context.WithTimeout(ctx, f.consumer.timeout())
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return f.consumer.Handle(withHandling(WithCause(ctx, e.next()), handling{f.runner, f.consumer.Name, e}), e)
}

// postpone records a failed attempt, whose own transaction was rolled back, unless another process has handled the
// event meanwhile.
func (f *follower) postpone(ctx context.Context, lane int16, failed *failure) error {
	r, id := f.runner, failed.event.ID
	return r.DB.InTx(ctx, func(ctx context.Context) error {
		q := eventdb.New(r.DB.Conn(ctx))
		at, err := f.lock(ctx, q, lane)
		if store.NoRows(err) {
			return nil
		}
		if err != nil {
			return err
		}
		tried, err := q.Attempts(ctx, eventdb.AttemptsParams{Consumer: f.consumer.Name, EventID: id})
		switch {
		case store.NoRows(err) && at.Seen >= id, err == nil && tried != failed.attempts:
			return nil
		case err != nil && !store.NoRows(err):
			return fmt.Errorf("read attempts: %w", err)
		}
		attempts := failed.attempts + 1
		dead := int(attempts) >= r.Attempts
		wait := r.backoff(attempts)
		if dead {
			r.Log.Error("An event is a dead letter: its consumer cannot handle it",
				"consumer", f.consumer.Name, "event", id, "type", failed.event.Type, "error", failed.err)
		} else {
			r.Log.Warn("An event was not handled and is tried again",
				"consumer", f.consumer.Name, "event", id, "in", wait, "error", failed.err)
		}
		err = q.Postpone(ctx, eventdb.PostponeParams{
			Consumer: f.consumer.Name, EventID: id, Lane: lane, Subject: failed.event.Subject,
			Attempts: attempts, Error: clip(failed.err.Error()), Seconds: wait.Seconds(), Dead: dead,
		})
		if err != nil {
			return fmt.Errorf("postpone event: %w", err)
		}
		return f.move(ctx, q, lane, id)
	})
}

// clip bounds an error for storage.
func clip(s string) string {
	s = strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", ""), "")
	if len(s) > maxError {
		s = strings.ToValidUTF8(s[:maxError], "") + "…"
	}
	return s
}
