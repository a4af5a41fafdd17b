package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// Rows that something was tried for are left alone for a while, twice as long each time.
const (
	firstRest = 2 * time.Second
	longRest  = 5 * time.Minute
)

// mostFailures is how many rows may fail before the rest of a sweep is left to the next one.
const mostFailures = 50

// rests are the rows that are left alone for now. They are those of one chore, which is never done twice at the same time.
type rests struct {
	rows map[uuid.UUID]*rest
	// round counts sweeps, to forget what is not listed any more.
	round int
	// complete says that the last sweep has come to its end.
	complete bool
}

type rest struct {
	until time.Time
	last  time.Duration
	round int
	// tried says that something was done for the row before.
	tried bool
}

// take is the row's rest, if the row is due now.
func (r *rests) take(id uuid.UUID, now time.Time) (*rest, bool) {
	if r.rows == nil {
		r.rows = map[uuid.UUID]*rest{}
	}
	row, ok := r.rows[id]
	if !ok {
		row = &rest{}
		r.rows[id] = row
	}
	row.round = r.round
	return row, !now.Before(row.until)
}

// longer leaves the row alone for twice as long as the last time, most at most.
func (r *rest) longer(now time.Time, most time.Duration) {
	r.last = min(max(2*r.last, firstRest), most)
	r.until = now.Add(r.last)
}

// forget drops the rows that the last sweep has not seen.
func (r *rests) forget() {
	for id, row := range r.rows {
		if row.round != r.round {
			delete(r.rows, id)
		}
	}
}

// sweep tries what has to be done for each row that is due, page by page until there are no more, and goes on after an error:
// no row can hide another one. next lists the page after a row, the first one after nil; it is shorter than size at the end.
// When the server does not answer, the rest is left for the next time.
func sweep[Row any](
	ctx context.Context,
	r *rests,
	now func() time.Time,
	size int,
	next func(ctx context.Context, after *Row) ([]Row, error),
	id func(Row) uuid.UUID,
	try func(ctx context.Context, row Row, state *rest) error,
) error {
	ctx = unhurried(ctx)
	r.round++
	r.complete = false
	var failed failures
	var last *Row
	for {
		page, err := next(ctx, last)
		if err != nil {
			return failed.and(err)
		}
		for _, row := range page {
			state, due := r.take(id(row), now())
			if !due {
				continue
			}
			err := try(ctx, row, state)
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if Away(err) {
				// It is no fault of the row, and the next one would wait as long.
				return failed.and(err)
			}
			if err != nil {
				state.longer(now(), longRest)
				if failed.add(fmt.Errorf("%s: %w", id(row), err)); failed.count == mostFailures {
					return failed.and(nil)
				}
			}
		}
		if len(page) < size {
			r.complete = true
			r.forget()
			return failed.and(nil)
		}
		last = &page[len(page)-1]
	}
}

// failures keeps the first errors of a sweep, and counts all.
type failures struct {
	first []error
	count int
}

func (f *failures) add(err error) {
	const told = 3
	if f.count++; f.count <= told {
		f.first = append(f.first, err)
	}
}

func (f *failures) and(err error) error {
	if f.count > len(f.first) {
		f.first = append(f.first, fmt.Errorf("and %d more", f.count-len(f.first)))
	}
	return errors.Join(append(f.first, err)...)
}
