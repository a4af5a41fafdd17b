// Package feed tells readers in this process what has changed anywhere, so that pages read it again.
//
// An event says what kind of thing has changed and which one, and nothing else. Triggers of the database write events, in the
// transaction of the change and whatever way it takes (migration 00181); each process that has readers looks for what was committed since
// its last look, four times a second. Nothing is notified, as that takes a lock which all commits of the server wait for.
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
	"countersign/store"
	"countersign/store/chore"
)

// What an event tells of.
const (
	// Conversation is one of the reader's own: a turn has begun or ended, or it was made, changed or deleted.
	Conversation = "conversation"
	// Proposal is one that was made or has another status.
	Proposal = "proposal"
	// Record is one of those that are named by a type, such as catalog.system.
	Record = "record"
)

// Sights that are no type of objects.
const (
	// SightProposal lets those hear of an event who may see the proposal SightRef.
	SightProposal = "proposal"
	// SightRule lets those hear of it who hold the rule SightRef + ".read" or SightRef + ".manage".
	SightRule = "rule"
)

// Event is something that has changed.
type Event struct {
	// Kind is what it tells of, Type which sort of records, "" for what is none, and Ref which one.
	Kind, Type, Ref string
	// Person hears of it in any case; the zero UUID is nobody.
	Person uuid.UUID
	// Sight is who else hears of it: nobody (""), or SightProposal, SightRule, or the type of objects of which one has to be seen. SightRef
	// says which.
	Sight, SightRef string
}

const (
	// standardPace is how much time lies between two looks while there are readers.
	standardPace = 250 * time.Millisecond
	// longestPace is how much it is at most where looks take long.
	longestPace = 5 * time.Second
	// mostLooked is how many events a look brings: of more, readers are told that anything may have changed.
	mostLooked = 2000
	// mostPending is how many a reader is told one by one.
	mostPending = 300
	// Keep is how long events are kept, and overlap what who comes back is told twice: an event can be committed later than one that
	// was written after it.
	Keep    = 15 * time.Minute
	overlap = time.Minute
	// ahead is by how much the clock of a page may be before that of the database.
	ahead = 5 * time.Second
)

// Options are what a Feed is made of.
type Options struct {
	DB  *store.DB
	Log *slog.Logger
	// Pace is how much time lies between two looks; 250 ms when zero.
	Pace time.Duration
}

// Feed lets readers in this process hear what changes. It looks once for all of them, while there are any.
type Feed struct {
	Options

	mu      sync.Mutex
	readers map[*Reader]struct{}
	looking *looking
}

// looking is the time in which there are readers. begun is closed after its first look.
type looking struct {
	end   context.CancelFunc
	begun chan struct{}

	snapshot string
	since    time.Time
	// at is when the last look was made, by the clock of the database. Feed.mu is held where it is used.
	at time.Time
}

// New makes a feed.
func New(o Options) *Feed {
	o.Pace = cmp.Or(o.Pace, standardPace)
	return &Feed{Options: o, readers: map[*Reader]struct{}{}}
}

// Read begins to collect what changes for a person, once looks are made; leave ends it.
func (f *Feed) Read(ctx context.Context, person uuid.UUID) (r *Reader, leave func(), err error) {
	r = &Reader{feed: f, person: person, known: map[Event]struct{}{}, wake: make(chan struct{}, 1)}
	f.mu.Lock()
	f.readers[r] = struct{}{}
	if f.looking == nil {
		running, end := context.WithCancel(context.WithoutCancel(ctx))
		f.looking = &looking{end: end, begun: make(chan struct{})}
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
	case <-r.looking.begun:
		return r, leave, nil
	case <-ctx.Done():
		leave()
		return nil, nil, context.Cause(ctx)
	}
}

// Since is what a person may not have heard who has heard all up to a moment, as far as anybody knows who may hear of it. known is
// false when that cannot be said: it lies too long ago, before something was lost, or in the future.
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

// Chores are what has to be done now and then.
func (f *Feed) Chores() []chore.Chore {
	return []chore.Chore{{Name: "prune feed", Every: time.Minute, Do: func(ctx context.Context) error {
		if err := feeddb.New(f.DB.Conn(ctx)).PruneFeed(ctx, store.Interval(Keep)); err != nil {
			return fmt.Errorf("prune the feed: %w", err)
		}
		return nil
	}}}
}
