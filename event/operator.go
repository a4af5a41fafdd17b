package event

import (
	"context"
	"fmt"
	"time"

	"countersign/event/eventdb"
	"countersign/internal/store"
)

// Operator is the operators' view of consumers and dead letters.
type Operator struct{ db *store.DB }

// NewOperator makes an operator's view.
func NewOperator(db *store.DB) *Operator { return &Operator{db} }

// MaxDepth bounds the counted depth of a consumer in each of its lanes.
const MaxDepth = 1000

// State is the progress of a consumer.
type State struct {
	Consumer string
	// Seen is the cursor of its slowest lane, and MovedAt when one of them last moved.
	Seen    int64
	MovedAt time.Time
	// RunAt is when a process last said that it runs the consumer, every ten minutes. Absent says that this is long ago.
	RunAt  time.Time
	Absent bool
	// Waiting events are retried or wait behind one that is.
	Waiting, DeadLetters int64
	// Depth is the number of events that it has not come to, up to MaxDepth in each lane; Lag is the age of the oldest
	// event that is not handled, dead letters aside.
	Depth int64
	Lag   time.Duration
	// Dispatches are workflows whose start is not confirmed.
	Dispatches int64
}

// States returns those of all consumers.
func (o *Operator) States(ctx context.Context) ([]State, error) {
	rows, err := eventdb.New(o.db.Conn(ctx)).States(ctx, eventdb.StatesParams{MaxDepth: MaxDepth, AbsentSeconds: absentAfter.Seconds()})
	if err != nil {
		return nil, fmt.Errorf("read consumers: %w", err)
	}
	states := make([]State, len(rows))
	for i, r := range rows {
		states[i] = State{
			Consumer: r.Name, Seen: r.Seen, MovedAt: r.MovedAt, RunAt: r.RunAt, Absent: r.Absent,
			Waiting: r.Waiting, DeadLetters: r.DeadLetters,
			Depth: r.Depth, Lag: time.Duration(r.LagSeconds * float64(time.Second)), Dispatches: r.Dispatches,
		}
	}
	return states, nil
}

// DeadLetter is an event that a consumer has given up (dead letter).
type DeadLetter struct {
	Consumer, Type, Subject string
	EventID                 int64
	Attempts                int32
	Error                   string
	DeadSince               time.Time
}

// DeadLetters lists a page of dead letters after the given one.
func (o *Operator) DeadLetters(ctx context.Context, after DeadLetter, most int32) ([]DeadLetter, error) {
	rows, err := eventdb.New(
		o.db.Conn(ctx),
	).DeadLetters(
		ctx,
		eventdb.DeadLettersParams{AfterConsumer: after.Consumer, AfterID: after.EventID, MaxRows: most},
	)
	if err != nil {
		return nil, fmt.Errorf("read dead letters: %w", err)
	}
	letters := make([]DeadLetter, len(rows))
	for i, r := range rows {
		letters[i] = DeadLetter{
			Consumer:  r.Consumer,
			Type:      r.Type,
			Subject:   r.Subject,
			EventID:   r.EventID,
			Attempts:  r.Attempts,
			Error:     r.Error,
			DeadSince: r.DeadSince,
		}
	}
	return letters, nil
}

// Retry delivers a dead letter to its consumer once more, out of order: later events of the subject may have been
// handled. It reports whether this call did it.
func (o *Operator) Retry(ctx context.Context, consumer string, id int64) (bool, error) {
	n, err := eventdb.New(o.db.Conn(ctx)).RetryDeadLetter(ctx, eventdb.RetryDeadLetterParams{Consumer: consumer, EventID: id})
	if err != nil {
		return false, fmt.Errorf("retry event: %w", err)
	}
	return n > 0, nil
}

// Skip discards a dead letter. It reports whether this call did it.
func (o *Operator) Skip(ctx context.Context, consumer string, id int64) (bool, error) {
	n, err := eventdb.New(o.db.Conn(ctx)).Skip(ctx, eventdb.SkipParams{Consumer: consumer, EventID: id})
	if err != nil {
		return false, fmt.Errorf("skip event: %w", err)
	}
	return n > 0, nil
}

// Overdue reports whether the consumer keeps events beyond their retention time: it has not come to them.
func (s State) Overdue() bool { return s.Lag > Kept }
