package stream

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"countersign/chat/stream/streamdb"
	"countersign/internal/crash"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/tool/budget"
	"countersign/tool/spend"
)

// ErrFenced means that a record was not written: another process has claimed the turn (a newer fencing token), or the
// step already has a record. The writer must load the turn again.
var ErrFenced = errors.New("the turn has moved on without this process")

// Event is one chunk of a turn's stream. Seq is claim<<32 | n with n counted by the process that holds the claim.
type Event struct {
	Seq   int64
	Step  int
	Chunk string
}

// Seq combines a claim and a count.
func Seq(claim int, n uint32) int64 { return int64(claim)<<32 | int64(n) }

func claimOf(seq int64) int64 { return seq >> 32 }

// Record is the result of a step with the chunks that end it; both are stored together.
type Record struct {
	Turn   uuid.UUID
	Claim  int
	Step   int
	Call   int
	Result json.RawMessage
	Events []Event
	// Outcome settles the audit row of a tool call; nil for a model call.
	Outcome *Outcome
	// Spend settles the tokens of a model call; nil for a tool call, and for a model call that sent nothing.
	Spend *spend.Settlement
}

// Outcome is the outcome of a tool call.
type Outcome struct {
	CallID uuid.UUID
	Status budget.Status
	// ErrorCode is "" for an executed call.
	ErrorCode problem.Code
}

// Log is the only writer of stream events and step records in a process. It batches them in one group commit.
type Log struct {
	db       *store.DB
	hub      *Hub
	log      *slog.Logger
	interval time.Duration

	mu      sync.Mutex
	pending *batch
	kick    chan struct{}
	done    chan struct{}
}

type batch struct {
	turns map[uuid.UUID]*turnBatch
	order []uuid.UUID
}

type turnBatch struct {
	events  []Event
	records []pendingRecord
}

type pendingRecord struct {
	Record
	result chan error
}

// LogOptions configure a Log.
type LogOptions struct {
	DB  *store.DB
	Hub *Hub
	Log *slog.Logger
	// Interval is the time between two flushes.
	Interval time.Duration
}

// NewLog makes a Log; run it with Run.
func NewLog(o LogOptions) *Log {
	return &Log{
		db: o.DB, hub: o.Hub, log: o.Log, interval: o.Interval,
		pending: newBatch(), kick: make(chan struct{}, 1), done: make(chan struct{}),
	}
}

func newBatch() *batch { return &batch{turns: map[uuid.UUID]*turnBatch{}} }

func (b *batch) turn(id uuid.UUID) *turnBatch {
	t, ok := b.turns[id]
	if !ok {
		t = &turnBatch{}
		b.turns[id] = t
		b.order = append(b.order, id)
	}
	return t
}

// Append queues events for the next flush. urgent ones do not wait for the interval.
func (l *Log) Append(turn uuid.UUID, urgent bool, events ...Event) {
	l.mu.Lock()
	t := l.pending.turn(turn)
	t.events = append(t.events, events...)
	l.mu.Unlock()
	if urgent {
		l.wake()
	}
}

// Submit queues a step record with its events and returns a function that waits until both are stored. ErrFenced means
// that neither is, and never will be.
func (l *Log) Submit(r Record) (wait func(ctx context.Context) error) {
	result := make(chan error, 1)
	l.mu.Lock()
	t := l.pending.turn(r.Turn)
	t.records = append(t.records, pendingRecord{Record: r, result: result})
	l.mu.Unlock()
	l.wake()
	return func(ctx context.Context) error {
		select {
		case err := <-result:
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-l.done:
			return errors.New("the event log has stopped")
		}
	}
}

func (l *Log) wake() {
	select {
	case l.kick <- struct{}{}:
	default:
	}
}

// lastWords bounds the last flush of a process (graceful shutdown). Another process repeats steps without a record.
const lastWords = 3 * time.Second

// Run flushes until ctx ends, then once more.
func (l *Log) Run(ctx context.Context) {
	defer close(l.done)
	tick := time.NewTicker(l.interval)
	defer tick.Stop()
	for {
		select {
		case <-l.kick:
		case <-tick.C:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWords)
			l.flush(last)
			cancel()
			l.hub.announcements.settle()
			return
		}
		l.flush(ctx)
	}
}

func (l *Log) flush(ctx context.Context) {
	l.mu.Lock()
	b := l.pending
	if len(b.order) == 0 {
		l.mu.Unlock()
		return
	}
	l.pending = newBatch()
	l.mu.Unlock()
	for _, t := range b.turns {
		t.events = coalesce(t.events)
	}

	l.write(ctx, b, false)
}

// write commits a batch, however long a database outage lasts. It finds data that PostgreSQL refuses by bisection: the
// data fails alone, and everything else is written. unheard is as in commit.
func (l *Log) write(ctx context.Context, b *batch, unheard bool) {
	const pause = 250 * time.Millisecond
	var told time.Time
	for ; ; unheard = true {
		err := l.commit(ctx, b, unheard)
		if err == nil {
			return
		}
		if store.InvalidData(err) {
			first, second := b.halves()
			if second == nil {
				l.log.Error("Event log dropped what the database refuses", "turn", b.order[0], "error", err)
				b.fail(err)
				return
			}
			l.write(ctx, first, unheard)
			l.write(ctx, second, unheard)
			return
		}
		// A long outage is not worth four lines a second.
		if time.Since(told) > 10*time.Second {
			told = time.Now()
			l.log.Warn("Event log cannot write, trying again", "error", err)
		}
		select {
		case <-ctx.Done():
			b.fail(ctx.Err())
			return
		case <-time.After(pause):
		}
	}
}

func (b *batch) fail(err error) {
	for _, id := range b.order {
		for _, r := range b.turns[id].records {
			r.result <- fmt.Errorf("write step record: %w", err)
		}
	}
}

// halves splits a batch between its turns, and that of one turn between its contents, in order. second is nil for a
// single element.
func (b *batch) halves() (first, second *batch) {
	if n := len(b.order); n > 1 {
		return &batch{turns: b.turns, order: b.order[:n/2]}, &batch{turns: b.turns, order: b.order[n/2:]}
	}
	id := b.order[0]
	things := b.turns[id].items()
	n := len(things)
	if n < 2 {
		return b, nil
	}
	return batchOf(id, things[:n/2]), batchOf(id, things[n/2:])
}

// batchItem is an event or a record with its events.
type batchItem struct {
	seq    int64
	event  *Event
	record *pendingRecord
}

// items lists the elements of a turn in a batch in stream order: readers drop late events.
func (t *turnBatch) items() []batchItem {
	var list []batchItem
	for i := range t.events {
		list = append(list, batchItem{seq: t.events[i].Seq, event: &t.events[i]})
	}
	for i := range t.records {
		of := batchItem{seq: math.MaxInt64, record: &t.records[i]}
		if len(of.record.Events) > 0 {
			of.seq = of.record.Events[0].Seq
		}
		list = append(list, of)
	}
	slices.SortStableFunc(list, func(a, b batchItem) int { return cmp.Compare(a.seq, b.seq) })
	return list
}

func batchOf(id uuid.UUID, things []batchItem) *batch {
	b := newBatch()
	t := b.turn(id)
	for _, of := range things {
		if of.event != nil {
			t.events = append(t.events, *of.event)
		} else {
			t.records = append(t.records, *of.record)
		}
	}
	return b
}

type stepKey struct {
	turn       uuid.UUID
	step, call int16
}

// commit writes a batch in one transaction, answers its records and passes its events to readers. unheard says that the
// outcome of an earlier attempt is unknown: records of that attempt count as written now.
func (l *Log) commit(ctx context.Context, b *batch, unheard bool) error {
	turns := b.order
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	crash.Point("stream.before-commit", turns[0])
	rows, err := streamdb.Flush(ctx, l.db.Conn(ctx), l.params(b, turns))
	if err != nil {
		return err
	}
	crash.Point("stream.after-commit", turns[0])
	recorded := make(map[stepKey]bool, len(rows))
	for _, r := range rows {
		recorded[stepKey{r.TurnID, r.Step, r.Call}] = true
	}
	if unheard {
		if err := l.addOwn(ctx, b, turns, recorded); err != nil {
			return err
		}
	}
	for _, id := range turns {
		t := b.turns[id]
		events := t.events
		for _, r := range t.records {
			if recorded[stepKey{id, int16(r.Step), int16(r.Call)}] {
				events = append(events, r.Events...)
			}
		}
		// A record precedes later events in the same flush.
		slices.SortFunc(events, func(a, b Event) int { return cmp.Compare(a.Seq, b.Seq) })
		l.hub.publish(id, events)
		for _, r := range t.records {
			if recorded[stepKey{id, int16(r.Step), int16(r.Call)}] {
				r.result <- nil
			} else {
				r.result <- ErrFenced
			}
		}
	}
	l.hub.announce(turns...)
	return nil
}

// addOwn adds the records that an earlier attempt with an unknown outcome has written.
func (l *Log) addOwn(ctx context.Context, b *batch, turns []uuid.UUID, recorded map[stepKey]bool) error {
	var p streamdb.OwnRecordsParams
	for _, id := range turns {
		for _, r := range b.turns[id].records {
			if len(r.Events) > 0 && !recorded[stepKey{id, int16(r.Step), int16(r.Call)}] {
				p.TurnIds, p.Steps, p.Calls = append(p.TurnIds, id), append(p.Steps, int16(r.Step)), append(p.Calls, int16(r.Call))
				p.Seqs = append(p.Seqs, r.Events[0].Seq)
			}
		}
	}
	if len(p.TurnIds) == 0 {
		return nil
	}
	own, err := streamdb.New(l.db.Conn(ctx)).OwnRecords(ctx, p)
	if err != nil {
		return fmt.Errorf("look for records of an earlier attempt: %w", err)
	}
	for _, r := range own {
		recorded[stepKey{r.TurnID, r.Step, r.Call}] = true
	}
	return nil
}

func (l *Log) params(b *batch, turns []uuid.UUID) streamdb.FlushParams {
	var p streamdb.FlushParams
	for _, id := range turns {
		t := b.turns[id]
		for _, e := range t.events {
			p.Events.TurnIds = append(p.Events.TurnIds, id)
			p.Events.Seqs = append(p.Events.Seqs, e.Seq)
			p.Events.Steps = append(p.Events.Steps, int16(e.Step))
			p.Events.Chunks = append(p.Events.Chunks, e.Chunk)
		}
		for _, r := range t.records {
			addRecord(&p.Steps, r.Record)
		}
	}
	return p
}

func addRecord(p *streamdb.RecordStepsParams, r Record) {
	step, call := int16(r.Step), int16(r.Call)
	p.TurnIds = append(p.TurnIds, r.Turn)
	p.Claims = append(p.Claims, int32(r.Claim))
	p.Steps = append(p.Steps, step)
	p.Calls = append(p.Calls, call)
	p.Results = append(p.Results, r.Result)
	for _, e := range r.Events {
		p.EventTurnIds = append(p.EventTurnIds, r.Turn)
		p.EventSeqs = append(p.EventSeqs, e.Seq)
		p.EventSteps = append(p.EventSteps, step)
		p.EventCalls = append(p.EventCalls, call)
		p.EventChunks = append(p.EventChunks, e.Chunk)
	}
	if o := r.Outcome; o != nil {
		p.OutcomeTurnIds = append(p.OutcomeTurnIds, r.Turn)
		p.OutcomeSteps = append(p.OutcomeSteps, step)
		p.OutcomeCalls = append(p.OutcomeCalls, call)
		p.OutcomeIds = append(p.OutcomeIds, o.CallID)
		p.OutcomeStatuses = append(p.OutcomeStatuses, string(o.Status))
		p.OutcomeErrorCodes = append(p.OutcomeErrorCodes, string(o.ErrorCode))
	}
	if r.Spend != nil {
		addSpend(p, r, *r.Spend)
	}
}

func addSpend(p *streamdb.RecordStepsParams, r Record, s spend.Settlement) {
	p.SpendTurnIds = append(p.SpendTurnIds, r.Turn)
	p.SpendSteps = append(p.SpendSteps, int16(r.Step))
	p.SpendCalls = append(p.SpendCalls, int16(r.Call))
	p.SpendIds = append(p.SpendIds, s.ID)
	p.SpendConnectionIds = append(p.SpendConnectionIds, s.Connection)
	p.SpendPrincipalKinds = append(p.SpendPrincipalKinds, s.PrincipalKind)
	p.SpendPrincipalIds = append(p.SpendPrincipalIds, s.PrincipalID)
	p.SpendUnattended = append(p.SpendUnattended, s.Unattended)
	p.SpendAttempts = append(p.SpendAttempts, int16(s.Attempt))
	p.SpendPurposes = append(p.SpendPurposes, s.Purpose)
	p.SpendEstimates = append(p.SpendEstimates, s.Estimate)
	p.SpendReported = append(p.SpendReported, s.Reported)
	p.SpendInputTokens = append(p.SpendInputTokens, s.InputTokens)
	p.SpendOutputTokens = append(p.SpendOutputTokens, s.OutputTokens)
	p.SpendCachedTokens = append(p.SpendCachedTokens, s.CachedTokens)
	p.SpendModels = append(p.SpendModels, s.Model)
	p.SpendTookMs = append(p.SpendTookMs, s.TookMS)
	p.SpendFirstMs = append(p.SpendFirstMs, s.FirstMS)
	p.SpendFailures = append(p.SpendFailures, s.Failure)
	p.SpendCostMicros = append(p.SpendCostMicros, s.CostMicros)
}

// Prune deletes the events and step records of turns that ended longer ago than age: their messages are stored.
func (l *Log) Prune(ctx context.Context, age time.Duration) error {
	if _, err := streamdb.New(l.db.Conn(ctx)).PruneEnded(ctx, store.Interval(age)); err != nil {
		return fmt.Errorf("prune events and step records: %w", err)
	}
	return nil
}
