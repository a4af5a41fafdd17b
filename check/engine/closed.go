package engine

import (
	"context"
	"fmt"
	"time"

	"countersign/check/engine/enginedb"
)

// closedInterval is the time between two writes and two reads of the closed addresses.
const closedInterval = time.Minute

// PublishClosed writes the servers of the installation for its probes.
func (l *Locations) PublishClosed(ctx context.Context) error {
	q := enginedb.New(l.Systems.DB.Conn(ctx))
	if err := q.PutClosedAddresses(ctx, l.Closed); err != nil {
		return fmt.Errorf("write closed addresses: %w", err)
	}
	if err := q.DropClosedAddresses(ctx); err != nil {
		return fmt.Errorf("drop former closed addresses: %w", err)
	}
	return nil
}

// readClosed hands the closed addresses of the installation over.
func (e *Engine) readClosed(ctx context.Context) error {
	if e.o.Closed == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, dbTimeout)
	defer cancel()
	addresses, err := e.queries(ctx).ClosedAddresses(ctx)
	if err != nil {
		return fmt.Errorf("read closed addresses: %w", err)
	}
	e.o.Closed(addresses)
	return nil
}

// followClosed keeps the closed addresses current. During an outage the last known ones stay closed.
func (e *Engine) followClosed(ctx context.Context) {
	tick := time.NewTicker(closedInterval)
	defer tick.Stop()
	for e.o.Closed != nil {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := e.readClosed(ctx); err != nil && ctx.Err() == nil {
			e.o.Log.Warn("Closed addresses not read", "error", err)
		}
	}
}
