package event

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	"countersign/event/eventdb"
	"countersign/internal/store"
)

// Consumer follows events of some types with a cursor of its own, from the oldest that are kept.
//
// It gets each event at least once, and those of one subject in order, in one process at a time. Handle runs in a
// transaction that also moves the cursor: its writes through store.DB with its ctx happen exactly once. Effects
// elsewhere can repeat when a process dies.
//
// An event whose handling fails is retried with backoff. Meanwhile later events of its subject wait behind it and those
// of other subjects continue. After its last attempt it becomes a dead letter with its error, for operators, and its
// subject continues without it.
type Consumer struct {
	// Name is stable: the cursor is stored under it.
	Name  string
	Types []string
	// Handle returns soon after its ctx ends.
	Handle func(ctx context.Context, e Event) error
	// Timeout bounds one handling; 30 s when zero.
	Timeout time.Duration
}

func (c Consumer) timeout() time.Duration { return cmp.Or(c.Timeout, 30*time.Second) }

func (c Consumer) lock() eventdb.LockConsumerParams {
	return eventdb.LockConsumerParams{Name: c.Name, IdleMs: strconv.FormatInt((c.timeout() + 5*time.Second).Milliseconds(), 10)}
}

// Options configure a Runner.
type Options struct {
	DB        *store.DB
	Log       *slog.Logger
	Registry  *Registry
	Notifier  *Notifier
	Consumers []Consumer
	// Poll is the fallback polling interval; a second when zero.
	Poll time.Duration
	// FirstWait is the backoff before the second attempt at a failed event, doubled before each further one, up to five
	// minutes; a second when zero. Attempts is their number before it becomes a dead letter; 10 when zero.
	FirstWait time.Duration
	Attempts  int
}

// Runner runs consumers. Each process has one; processes take turns event by event.
type Runner struct {
	Options

	watermark watermark
}

const (
	longestWait = 5 * time.Minute
	maxError    = 2000
	// idleStep is the distance between the watermark and a cursor from which the cursor follows without an event of its
	// own.
	idleStep = 500
	// pendingPoll is the polling interval for the end of a transaction that hides later events.
	pendingPoll = 20 * time.Millisecond
)

// NewRunner makes a runner. A consumer of a type that does not exist is an error.
func NewRunner(o Options) (*Runner, error) {
	o.Poll, o.FirstWait, o.Attempts = cmp.Or(o.Poll, time.Second), cmp.Or(o.FirstWait, time.Second), cmp.Or(o.Attempts, 10)
	var failed []error
	names := map[string]bool{}
	for _, c := range o.Consumers {
		if c.Name == "" || names[c.Name] || len(c.Types) == 0 || c.Handle == nil {
			failed = append(failed, fmt.Errorf("consumer of events %q is there twice, or lacks a name, types or a handler", c.Name))
		}
		names[c.Name] = true
		for _, id := range c.Types {
			if _, ok := o.Registry.Type(id); !ok {
				failed = append(failed, fmt.Errorf("consumer %q follows %q, which is no type of events", c.Name, id))
			}
		}
	}
	return &Runner{Options: o, watermark: watermark{db: o.DB}}, errors.Join(failed...)
}

// Run handles events of all consumers until ctx ends.
func (r *Runner) Run(ctx context.Context) {
	var running sync.WaitGroup
	for _, c := range r.Consumers {
		running.Go(func() { r.follow(ctx, c) })
	}
	running.Wait()
}

func (r *Runner) follow(ctx context.Context, c Consumer) {
	known, failing := false, false
	for ctx.Err() == nil {
		rung, wait := r.Notifier.Changed(), r.Poll
		pending, err := r.pass(ctx, c, &known)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && !failing:
			r.Log.Warn("Events cannot be followed", "consumer", c.Name, "error", err)
		case pending:
			wait = min(wait, pendingPoll)
		}
		failing = err != nil
		next := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-rung:
		case <-next.C:
		}
		next.Stop()
	}
}

// pass handles all events that can be handled now.
func (r *Runner) pass(ctx context.Context, c Consumer, known *bool) (pending bool, err error) {
	if !*known {
		if err := eventdb.New(r.DB.Conn(ctx)).AddConsumer(ctx, c.Name); err != nil {
			return false, fmt.Errorf("register consumer: %w", err)
		}
		*known = true
	}
	for ctx.Err() == nil {
		var upto int64
		if upto, pending, err = r.watermark.advance(ctx); err != nil {
			return false, err
		}
		for {
			more, err := r.step(ctx, c, upto)
			if err != nil {
				return pending, err
			}
			if !more {
				break
			}
		}
		reached, _, err := r.watermark.advance(ctx)
		if err != nil || reached == upto {
			return pending, err
		}
	}
	return pending, nil
}

// failure is a handler's error.
type failure struct {
	event    Event
	attempts int32
	err      error
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// step handles at most one event, in one transaction. more reports that it did and that another may be pending.
func (r *Runner) step(ctx context.Context, c Consumer, upto int64) (more bool, err error) {
	err = r.DB.InTx(ctx, func(ctx context.Context) error {
		more, err = r.handleNext(ctx, c, upto)
		return err
	})
	if f, ok := errors.AsType[*failure](err); ok && ctx.Err() == nil {
		return true, r.postpone(ctx, c, f)
	}
	if err != nil {
		return false, err
	}
	return more, nil
}

func (r *Runner) handleNext(ctx context.Context, c Consumer, upto int64) (more bool, err error) {
	q := eventdb.New(r.DB.Conn(ctx))
	at, err := q.LockConsumer(ctx, c.lock())
	if store.NoRows(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("lock consumer: %w", err)
	}
	if at.Waiting {
		due, err := q.DueEvent(ctx, c.Name)
		if err == nil {
			e := Event{ID: due.ID, Type: due.Type, Subject: due.Subject, ContextKey: due.ContextKey, Payload: due.Payload, CreatedAt: due.CreatedAt}
			if err := r.handle(ctx, c, e); err != nil {
				return false, &failure{e, due.Attempts, err}
			}
			return true, q.Settle(ctx, eventdb.SettleParams{Consumer: c.Name, EventID: e.ID})
		}
		if !store.NoRows(err) {
			return false, fmt.Errorf("read due event: %w", err)
		}
	}
	row, err := q.NextEvent(ctx, eventdb.NextEventParams{After: at.Seen, Upto: upto, Types: c.Types})
	if store.NoRows(err) {
		if upto-at.Seen < idleStep {
			return false, nil
		}
		return false, q.Move(ctx, eventdb.MoveParams{Name: c.Name, Seen: upto})
	}
	if err != nil {
		return false, fmt.Errorf("read next event: %w", err)
	}
	e := fromRow(row)
	waits := false
	if at.Waiting {
		if waits, err = q.SubjectWaits(ctx, eventdb.SubjectWaitsParams{Consumer: c.Name, Subject: e.Subject}); err != nil {
			return false, fmt.Errorf("read waiting events: %w", err)
		}
	}
	if waits {
		if err := q.Postpone(ctx, eventdb.PostponeParams{Consumer: c.Name, EventID: e.ID, Subject: e.Subject}); err != nil {
			return false, fmt.Errorf("postpone event: %w", err)
		}
	} else if err := r.handle(ctx, c, e); err != nil {
		return false, &failure{e, 0, err}
	}
	return true, q.Move(ctx, eventdb.MoveParams{Name: c.Name, Seen: e.ID})
}

// handle calls the handler. A panic is an error of that event.
func (r *Runner) handle(ctx context.Context, c Consumer, e Event) (err error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout())
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return c.Handle(ctx, e)
}

// postpone records a failed attempt, whose own transaction was rolled back, unless another process has handled the
// event meanwhile.
func (r *Runner) postpone(ctx context.Context, c Consumer, f *failure) error {
	return r.DB.InTx(ctx, func(ctx context.Context) error {
		q := eventdb.New(r.DB.Conn(ctx))
		at, err := q.LockConsumer(ctx, c.lock())
		if store.NoRows(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("lock consumer: %w", err)
		}
		tried, err := q.Attempts(ctx, eventdb.AttemptsParams{Consumer: c.Name, EventID: f.event.ID})
		switch {
		case store.NoRows(err) && at.Seen >= f.event.ID, err == nil && tried != f.attempts:
			return nil
		case err != nil && !store.NoRows(err):
			return fmt.Errorf("read attempts: %w", err)
		}
		attempts, text := f.attempts+1, clip(f.err.Error())
		if int(attempts) >= r.Attempts {
			r.Log.Error(
				"An event is parked: its consumer cannot handle it",
				"consumer",
				c.Name,
				"event",
				f.event.ID,
				"type",
				f.event.Type,
				"error",
				f.err,
			)
			err = q.AddDeadLetter(
				ctx,
				eventdb.AddDeadLetterParams{Consumer: c.Name, EventID: f.event.ID, Subject: f.event.Subject, Attempts: attempts, Error: text},
			)
		} else {
			wait := min(r.FirstWait<<min(attempts-1, 20), longestWait)
			r.Log.Warn("An event was not handled and is tried again", "consumer", c.Name, "event", f.event.ID, "in", wait, "error", f.err)
			err = q.Postpone(ctx, eventdb.PostponeParams{
				Consumer: c.Name, EventID: f.event.ID, Subject: f.event.Subject, Attempts: attempts, Error: text, Seconds: wait.Seconds(),
			})
		}
		if err != nil {
			return fmt.Errorf("postpone event: %w", err)
		}
		return q.Move(ctx, eventdb.MoveParams{Name: c.Name, Seen: f.event.ID})
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
