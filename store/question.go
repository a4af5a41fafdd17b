package store

import (
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Batch are statements that go to the database in one trip and one transaction.
type Batch = pgx.Batch

// Refused reports whether err says that the database has answered and would not do it: no statement of its transaction was done.
func Refused(err error) bool {
	_, ok := errors.AsType[*pgconn.PgError](err)
	return ok
}

// Question is a query that can go to the database along with other statements, in their trip: see Along.
type Question interface {
	same() any
	ask(b *Batch) (heard func() any)
	hear(answer any)
}

// Asked is a Question whose answer is a T, which others who ask the same may share: nobody may change what it refers to.
type Asked[T any] struct {
	key    any
	queue  func(b *Batch) (read func() T)
	answer T
	heard  bool
}

// Ask makes a question. Questions with equal keys ask the same. queue adds the query to a batch, and read is what was found once the
// batch was sent.
func Ask[T any](key any, queue func(b *Batch) (read func() T)) *Asked[T] {
	return &Asked[T]{key: key, queue: queue}
}

// Answer is what the database has answered; false when nobody has taken the question along, or not to its end.
func (q *Asked[T]) Answer() (T, bool) {
	if q == nil {
		var none T
		return none, false
	}
	return q.answer, q.heard
}

func (q *Asked[T]) same() any { return q.key }

func (q *Asked[T]) ask(b *Batch) func() any {
	read := q.queue(b)
	return func() any { return read() }
}

func (q *Asked[T]) hear(answer any) {
	q.answer, q.heard = answer.(T)
}

// Along adds the questions to a batch, equal ones once. tell is called when the batch was sent and has not failed.
func Along(b *Batch, questions ...Question) (tell func()) {
	heard := make(map[any]func() any, len(questions))
	for _, q := range questions {
		if _, known := heard[q.same()]; !known {
			heard[q.same()] = q.ask(b)
		}
	}
	return func() {
		answers := make(map[any]any, len(heard))
		for key, read := range heard {
			answers[key] = read()
		}
		for _, q := range questions {
			q.hear(answers[q.same()])
		}
	}
}
