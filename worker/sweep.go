package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// Rows are retried with exponential backoff.
const (
	minBackoff = 2 * time.Second
	maxBackoff = 5 * time.Minute
)

// maxFailures is the number of failed rows after which a sweep ends early.
const maxFailures = 50

// backoffs are the rows in backoff of one chore, which never runs concurrently.
type backoffs struct {
	rows map[uuid.UUID]*backoff
	// round counts sweeps, to drop rows that are no longer listed.
	round int
	// complete says that the last sweep has listed all rows.
	complete bool
}

type backoff struct {
	until time.Time
	delay time.Duration
	round int
	// tried says that an earlier sweep acted on the row.
	tried bool
}

// due returns the row's backoff, and whether the row is due now.
func (r *backoffs) due(id uuid.UUID, now time.Time) (*backoff, bool) {
	if r.rows == nil {
		r.rows = map[uuid.UUID]*backoff{}
	}
	row, ok := r.rows[id]
	if !ok {
		row = &backoff{}
		r.rows[id] = row
	}
	row.round = r.round
	return row, !now.Before(row.until)
}

// increase doubles the row's backoff, up to most.
func (r *backoff) increase(now time.Time, most time.Duration) {
	r.delay = min(max(2*r.delay, minBackoff), most)
	r.until = now.Add(r.delay)
}

// forget drops the rows that the last sweep has not listed.
func (r *backoffs) forget() {
	for id, row := range r.rows {
		if row.round != r.round {
			delete(r.rows, id)
		}
	}
}

// sweep calls try for each row that is due, page by page, and continues after an error, so that no row starves another.
// next lists the page after a row, the first one after nil; the last page is shorter than size. During an outage of
// Temporal, the remaining rows wait for the next sweep.
func sweep[Row any](
	ctx context.Context,
	r *backoffs,
	now func() time.Time,
	size int,
	next func(ctx context.Context, after *Row) ([]Row, error),
	id func(Row) uuid.UUID,
	try func(ctx context.Context, row Row, state *backoff) error,
) error {
	ctx = withoutDegradedTimeout(ctx)
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
			state, due := r.due(id(row), now())
			if !due {
				continue
			}
			err := try(ctx, row, state)
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if Unavailable(err) {
				// It is an outage, and the next row would wait as long.
				return failed.and(err)
			}
			if err != nil {
				state.increase(now(), maxBackoff)
				if failed.add(fmt.Errorf("%s: %w", id(row), err)); failed.count == maxFailures {
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
	const kept = 3
	if f.count++; f.count <= kept {
		f.first = append(f.first, err)
	}
}

func (f *failures) and(err error) error {
	if f.count > len(f.first) {
		f.first = append(f.first, fmt.Errorf("and %d more", f.count-len(f.first)))
	}
	return errors.Join(append(f.first, err)...)
}
