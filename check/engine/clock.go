package engine

import (
	"context"
	"sync/atomic"
	"time"

	"countersign/check/engine/enginedb"
)

// Clock estimates the clock of the database: the monotonic clock of this process plus a measured offset, which removes clock
// skew between processes.
type Clock struct {
	base   time.Time
	offset atomic.Int64 // milliseconds from base to the database's time
}

// NewClock returns a clock that follows local time until the first measurement.
func NewClock() *Clock {
	c := &Clock{base: time.Now()}
	c.offset.Store(c.base.UnixMilli())
	return c
}

// Now returns the time in milliseconds since 1970.
func (c *Clock) Now() int64 { return c.offset.Load() + time.Since(c.base).Milliseconds() }

// Synchronize sets the offset from a time that the database reported in a round trip that began then and ends now. The
// error is at most half of the round trip.
func (c *Clock) Synchronize(database int64, began time.Time) {
	now := time.Now()
	middle := began.Add(now.Sub(began) / 2).Sub(c.base).Milliseconds()
	c.offset.Store(database - middle)
}

func (e *Engine) measureClock(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, dbTimeout)
	defer cancel()
	began := time.Now()
	row, err := e.queries(ctx).Clock(ctx)
	if err == nil {
		e.clock.Synchronize(row.NowMs, began)
	}
	return err
}

func (e *Engine) queries(ctx context.Context) *enginedb.Queries { return enginedb.New(e.db.Conn(ctx)) }
