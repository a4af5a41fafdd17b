// Package feed notifies readers in this process of changes in any process, so that pages read them again.
//
// An event holds the kind and id of the changed object, and nothing else. Database triggers write events in the
// transaction of the change (migration 00181); each process with readers polls for committed events four times a
// second. It does not use NOTIFY, which takes a lock that all commits of the server wait for.
package feed

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	"countersign/event/feed/feeddb"
	"countersign/internal/store"
	"countersign/internal/store/chore"
)

// Kinds of events.
const (
	// Conversation is one of the reader's own: a turn has started or ended, or it was created, changed or deleted.
	Conversation = "conversation"
	// Proposal is a new proposal or one with a changed status.
	Proposal = "proposal"
	// Record is an object with a type, such as catalog.system.
	Record = "record"
)

// Sights that are no type of objects.
const (
	// SightProposal is the audience that may see the proposal SightRef.
	SightProposal = "proposal"
	// SightRule is the audience that holds the rule SightRef + ".read" or SightRef + ".manage".
	SightRule = "rule"
)

// Event is a change.
type Event struct {
	// Kind is the kind of the change, Type the type of its object, "" for none, and Ref the object.
	Kind, Type, Ref string
	// Person always gets the event; the zero UUID is none.
	Person uuid.UUID
	// Sight is the further audience: none (""), SightProposal, SightRule, or the type of the object that the reader
	// must be able to see. SightRef is the reference for it.
	Sight, SightRef string
}

const (
	// standardPace is the polling interval while there are readers.
	standardPace = 250 * time.Millisecond
	// longestPace is the longest polling interval when polls are slow.
	longestPace = 5 * time.Second
	// maxPolled bounds the events of a poll: beyond it, readers reload everything.
	maxPolled = 2000
	// mostPending bounds the events of a reader, beyond which it reloads everything.
	mostPending = 300
	// Keep is the retention time of events, and overlap the time before a reconnecting reader's last event that is
	// repeated: an event can be committed later than one that was written after it.
	Keep    = 15 * time.Minute
	overlap = time.Minute
	// ahead is the tolerated clock skew of a page against the database.
	ahead = 5 * time.Second
)

// Options configure a Feed.
type Options struct {
	DB  *store.DB
	Log *slog.Logger
	// Pace is the polling interval; 250 ms when zero.
	Pace time.Duration
}

// Feed notifies readers in this process of changes. It polls once for all of them, while there are any.
type Feed struct {
	Options

	mu      sync.Mutex
	readers map[*Reader]struct{}
	looking *pollPeriod
}

// pollPeriod is a period with readers. firstPoll is closed after its first poll.
type pollPeriod struct {
	end       context.CancelFunc
	firstPoll chan struct{}

	snapshot string
	since    time.Time
	// at is the time of the last poll, by the clock of the database. Feed.mu guards it.
	at time.Time
}

// New makes a feed.
func New(o Options) *Feed {
	o.Pace = cmp.Or(o.Pace, standardPace)
	return &Feed{Options: o, readers: map[*Reader]struct{}{}}
}

// Read starts to collect changes for a person, once polling runs; leave ends it.
func (f *Feed) Read(ctx context.Context, person uuid.UUID) (r *Reader, leave func(), err error) {
	r = &Reader{feed: f, person: person, known: map[Event]struct{}{}, wake: make(chan struct{}, 1)}
	f.mu.Lock()
	f.readers[r] = struct{}{}
	if f.looking == nil {
		running, end := context.WithCancel(context.WithoutCancel(ctx))
		f.looking = &pollPeriod{end: end, firstPoll: make(chan struct{})}
		go f.run(running, f.looking)
	}
	r.looking = f.looking
	f.mu.Unlock()
	leave = sync.OnceFunc(func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.readers, r)
		if len(f.readers) == 0 {
			f.looking.end()
			f.looking = nil
		}
	})
	select {
	case <-r.looking.firstPoll:
		return r, leave, nil
	case <-ctx.Done():
		leave()
		return nil, nil, context.Cause(ctx)
	}
}

// Since returns the changes after a moment for a person who has all earlier ones, before the visibility check. known is
// false when they are unknown: the moment is too old, events were lost since, or it is in the future.
func (f *Feed) Since(ctx context.Context, person uuid.UUID, at time.Time) (events []Event, known bool, err error) {
	q := feeddb.New(f.DB.Conn(ctx))
	now, err := q.FeedNow(ctx)
	if err != nil {
		return nil, false, fmt.Errorf("look at the feed: %w", err)
	}
	if at.After(now.At.Add(ahead)) || at.Before(now.Since) || now.At.Sub(at) > Keep-2*overlap {
		return nil, false, nil
	}
	rows, err := q.FeedSince(ctx, feeddb.FeedSinceParams{At: at.Add(-overlap), PersonID: person, Most: mostPending + 1})
	if err != nil {
		return nil, false, fmt.Errorf("read the feed: %w", err)
	}
	for _, row := range rows {
		events = append(events, eventOf(row.PersonID, row.Sight, row.SightRef, row.Kind, row.Type, row.Ref))
	}
	return events, len(events) <= mostPending, nil
}

func eventOf(person *uuid.UUID, sight, sightRef, kind, of, ref string) Event {
	e := Event{Kind: kind, Type: of, Ref: ref, Sight: sight, SightRef: sightRef}
	if person != nil {
		e.Person = *person
	}
	return e
}

// Chores are the periodic jobs of the feed.
func (f *Feed) Chores() []chore.Chore {
	return []chore.Chore{{Name: "prune feed", Every: time.Minute, Do: func(ctx context.Context) error {
		if err := feeddb.New(f.DB.Conn(ctx)).PruneFeed(ctx, store.Interval(Keep)); err != nil {
			return fmt.Errorf("prune the feed: %w", err)
		}
		return nil
	}}}
}
