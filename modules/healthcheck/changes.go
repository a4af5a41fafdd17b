package healthcheck

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"countersign/event"
	"countersign/principal"
)

// Happenings are the events of the product. *event.Log is one.
type Happenings interface {
	Settled(ctx context.Context) (int64, error)
	Follow(ctx context.Context, reader principal.Principal, q event.Query, after int64) (*event.Tail, error)
	List(ctx context.Context, reader principal.Principal, q event.Query) (event.Page, error)
}

// maxPending is of how many systems a watcher is told one by one; of more it is told that anything may have changed.
const maxPending = 200

// sincePages is how many pages of events are looked through for who comes back.
const sincePages = 5

// livePace is how soon a watcher is woken again: what happens meanwhile is taken at once.
const livePace = 200 * time.Millisecond

// failedPause is how long nothing is read after events could not be.
const failedPause = time.Second

// changes tells watchers in this process which systems fare otherwise than before. It reads events once for all of them, while
// there are any.
type changes struct {
	events Happenings
	log    *slog.Logger

	mu       sync.Mutex
	watchers map[*watcher]struct{}
	end      context.CancelFunc
	// following says that events are read.
	following bool
}

// everything is what this process itself may read: who is told of it is decided for each watcher.
var everything = principal.Principal{Rules: []string{StatusRead}}

var systemChanges = event.Query{Types: []string{event.SystemHealthChanged}, All: true}

// watch begins to collect what changes; leave ends it.
func (c *changes) watch(ctx context.Context) (w *watcher, leave func()) {
	w = &watcher{systems: map[uuid.UUID]time.Time{}, wake: make(chan struct{}, 1)}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.watchers == nil {
		c.watchers = map[*watcher]struct{}{}
	}
	c.watchers[w] = struct{}{}
	switch {
	case c.end == nil:
		var running context.Context
		running, c.end = context.WithCancel(context.WithoutCancel(ctx))
		go c.run(running)
	case c.following:
		w.lost()
	}
	return w, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.watchers, w)
		if len(c.watchers) == 0 {
			c.end()
			c.end, c.following = nil, false
		}
	}
}

// run reads events until its context ends. Whenever it has begun to, watchers are told that anything may have changed before.
func (c *changes) run(ctx context.Context) {
	for ctx.Err() == nil {
		err := c.follow(ctx)
		if ctx.Err() != nil {
			return
		}
		c.log.Warn("Changes of systems are not followed", "error", err)
		pause := time.NewTimer(failedPause)
		select {
		case <-ctx.Done():
		case <-pause.C:
		}
		pause.Stop()
	}
}

func (c *changes) follow(ctx context.Context) error {
	settled, err := c.events.Settled(ctx)
	if err != nil {
		return err
	}
	tail, err := c.events.Follow(ctx, everything, systemChanges, settled)
	if err != nil {
		return err
	}
	c.each(ctx, true, (*watcher).lost)
	for {
		events, err := tail.Next(ctx)
		if err != nil {
			c.each(ctx, false, func(*watcher) {})
			return err
		}
		c.each(ctx, true, func(w *watcher) { w.told(events) })
	}
}

// each says whether events are read, and does something to all watchers, unless others have taken their place.
func (c *changes) each(ctx context.Context, following bool, do func(w *watcher)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ctx.Err() != nil {
		return
	}
	c.following = following
	for w := range c.watchers {
		do(w)
	}
}

// since are the systems that changed after a moment; all says that they are too many to say.
func (c *changes) since(ctx context.Context, at time.Time) (systems map[uuid.UUID]time.Time, all bool, err error) {
	systems = map[uuid.UUID]time.Time{}
	query := systemChanges
	query.Limit = maxPending
	for range sincePages {
		page, err := c.events.List(ctx, everything, query)
		if err != nil {
			return nil, false, err
		}
		for _, e := range page.Events {
			if e.CreatedAt.Before(at) {
				return systems, len(systems) > maxPending, nil
			}
			if id, ok := systemOf(e); ok && systems[id].Before(e.CreatedAt) {
				systems[id] = e.CreatedAt
			}
		}
		if query.Before = page.Next; page.Next == 0 {
			return systems, len(systems) > maxPending, nil
		}
	}
	return nil, true, nil
}

func systemOf(e event.Event) (uuid.UUID, bool) {
	kind, text, _ := strings.Cut(e.Subject, ":")
	id, err := uuid.Parse(text)
	return id, err == nil && kind == event.KindSystem
}

// watcher collects which systems have changed until somebody takes them. It never waits for who does.
type watcher struct {
	mu sync.Mutex
	// systems are those that changed, and when they did last.
	systems map[uuid.UUID]time.Time
	all     bool
	wake    chan struct{}
	// ringing says that it is about to be woken.
	ringing bool
}

func (w *watcher) told(events []event.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range events {
		if id, ok := systemOf(e); ok {
			w.systems[id] = e.CreatedAt
		}
	}
	if len(w.systems) > maxPending {
		w.all = true
		clear(w.systems)
	}
	w.ring()
}

// lost says that anything may have changed.
func (w *watcher) lost() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = true
	w.ring()
}

// ring wakes it in a moment. Who waits for it may have other things to do meanwhile, so it is not they who rest.
func (w *watcher) ring() {
	if w.ringing {
		return
	}
	w.ringing = true
	time.AfterFunc(livePace, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.ringing = false
		select {
		case w.wake <- struct{}{}:
		default:
		}
	})
}

// take returns what has changed since the last time.
func (w *watcher) take() (systems map[uuid.UUID]time.Time, all bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	systems, all = w.systems, w.all
	w.systems, w.all = map[uuid.UUID]time.Time{}, false
	return systems, all
}
