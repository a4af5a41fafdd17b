package feed

import (
	"context"
	"fmt"
	"time"

	"countersign/event/feed/feeddb"
)

// run polls until ctx ends. The next successful poll covers a failed one.
func (f *Feed) run(ctx context.Context, l *pollPeriod) {
	const failedPause = time.Second
	failing := false
	next := pace{usual: f.Pace}
	for ctx.Err() == nil {
		began := time.Now()
		err := f.poll(ctx, l)
		if err != nil && !failing && ctx.Err() == nil {
			f.Log.Warn("What changes cannot be followed, trying again", "error", err)
		}
		failing = err != nil
		pause := next.after(time.Since(began))
		if failing {
			pause = failedPause
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
		case <-timer.C:
		}
		timer.Stop()
	}
}

func (f *Feed) poll(ctx context.Context, l *pollPeriod) error {
	q := feeddb.New(f.DB.Conn(ctx))
	if l.snapshot == "" {
		return f.begin(ctx, q, l)
	}
	rows, err := q.LookAtFeed(ctx, feeddb.LookAtFeedParams{Before: l.snapshot, Most: maxPolled + 1})
	if err != nil {
		return fmt.Errorf("look at the feed: %w", err)
	}
	last := rows[0]
	if last.WentBack || !last.Since.Equal(l.since) || len(rows) > maxPolled {
		return f.begin(ctx, q, l)
	}
	l.snapshot = last.Snapshot
	events := make([]Event, 0, len(rows))
	for _, row := range rows {
		if row.Kind != "" {
			events = append(events, eventOf(row.PersonID, row.Sight, row.SightRef, row.Kind, row.Type, row.Ref))
		}
	}
	f.deliver(l, last.LookedAt, events, false)
	return nil
}

// begin makes the first poll, or restarts after a loss: readers then reload everything.
func (f *Feed) begin(ctx context.Context, q *feeddb.Queries, l *pollPeriod) error {
	if err := q.BeginFeed(ctx); err != nil {
		return fmt.Errorf("begin the feed: %w", err)
	}
	now, err := q.FeedNow(ctx)
	if err != nil {
		return fmt.Errorf("look at the feed: %w", err)
	}
	again := l.snapshot != ""
	l.snapshot, l.since = now.Snapshot, now.Since
	f.deliver(l, now.At, nil, again)
	if !again {
		close(l.firstPoll)
	}
	return nil
}

// deliver passes the events of a poll to readers.
func (f *Feed) deliver(l *pollPeriod, at time.Time, events []Event, lost bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	l.at = at
	if len(events) == 0 && !lost {
		return
	}
	for r := range f.readers {
		if r.looking == l {
			r.add(events, lost)
		}
	}
}
