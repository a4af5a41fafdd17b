package engine

import (
	"context"
	"sync/atomic"
	"time"

	"countersign/check/engine/enginedb"
)

// Clock is the database's clock as this process knows it: its own monotonic one, with the difference as it was last measured.
type Clock struct {
	base   time.Time
	offset atomic.Int64 // milliseconds from base to the database's time
}

// NewClock is the process's own time until it is measured.
func NewClock() *Clock {
	c := &Clock{base: time.Now()}
	c.offset.Store(c.base.UnixMilli())
	return c
}

// Now is in milliseconds since 1970.
func (c *Clock) Now() int64 { return c.offset.Load() + time.Since(c.base).Milliseconds() }

// Measured takes over what the database said its time was, in a conversation that began then and ends now. The truth lies
// within half of its length.
func (c *Clock) Measured(database int64, began time.Time) {
	now := time.Now()
	middle := began.Add(now.Sub(began) / 2).Sub(c.base).Milliseconds()
	c.offset.Store(database - middle)
}

func (e *Engine) measure(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	began := time.Now()
	row, err := e.queries(ctx).Clock(ctx)
	if err == nil {
		e.clock.Measured(row.NowMs, began)
	}
	return err
}

func (e *Engine) queries(ctx context.Context) *enginedb.Queries { return enginedb.New(e.db.Conn(ctx)) }
