package store

import (
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Batch holds statements that go to the database in one round trip and one transaction.
type Batch = pgx.Batch

// RejectedByServer reports whether PostgreSQL answered with an error: its transaction has had no effect.
func RejectedByServer(err error) bool {
	_, ok := errors.AsType[*pgconn.PgError](err)
	return ok
}

// BatchableQuery is a query that can share the round trip of other statements: see Enqueue.
type BatchableQuery interface {
	dedupKey() any
	enqueue(b *Batch) (heard func() any)
	deliver(answer any)
}

// BatchedQuery is a BatchableQuery with an answer of type T. Queries with equal keys share one answer, which must not
// be modified.
type BatchedQuery[T any] struct {
	key      any
	queue    func(b *Batch) (read func() T)
	answer   T
	answered bool
}

// NewBatchedQuery makes a query. Equal keys mean equal queries. queue adds the query to a batch; read is its result once the
// batch was sent.
func NewBatchedQuery[T any](key any, queue func(b *Batch) (read func() T)) *BatchedQuery[T] {
	return &BatchedQuery[T]{key: key, queue: queue}
}

// Answer is the result; false when the query was not sent or its batch failed.
func (q *BatchedQuery[T]) Answer() (T, bool) {
	if q == nil {
		var none T
		return none, false
	}
	return q.answer, q.answered
}

func (q *BatchedQuery[T]) dedupKey() any { return q.key }

func (q *BatchedQuery[T]) enqueue(b *Batch) func() any {
	read := q.queue(b)
	return func() any { return read() }
}

func (q *BatchedQuery[T]) deliver(answer any) {
	q.answer, q.answered = answer.(T)
}

// Enqueue adds the queries to a batch, equal ones once. deliver hands the results out and must be called after the batch was
// sent without an error.
func Enqueue(b *Batch, questions ...BatchableQuery) (deliver func()) {
	heard := make(map[any]func() any, len(questions))
	for _, q := range questions {
		if _, known := heard[q.dedupKey()]; !known {
			heard[q.dedupKey()] = q.enqueue(b)
		}
	}
	return func() {
		answers := make(map[any]any, len(heard))
		for key, read := range heard {
			answers[key] = read()
		}
		for _, q := range questions {
			q.deliver(answers[q.dedupKey()])
		}
	}
}
