package healthcheck

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"countersign/check/health"
	"countersign/event"
	"countersign/internal/principal"
)

// Happenings is the event log of the product; *event.Log implements it.
type Happenings interface {
	Settled(ctx context.Context) (int64, error)
	Follow(ctx context.Context, reader principal.Principal, q event.Query, after int64) (*event.Tail, error)
	List(ctx context.Context, reader principal.Principal, q event.Query) (event.Page, error)
}

// maxPending bounds the changed systems of a watcher; beyond it any system may have changed.
const maxPending = 200

// maxResumePages bounds the pages of events that a reconnecting client causes to be read.
const maxResumePages = 5

// wakeDebounce is the minimum time between two wake-ups of a watcher.
const wakeDebounce = 200 * time.Millisecond

// retryDelay is the backoff after events could not be read.
const retryDelay = time.Second

// changes notifies watchers in this process of changed system health. It reads events once for all of them, while there are
// any.
type changes struct {
	events Happenings
	log    *slog.Logger

	mu       sync.Mutex
	watchers map[*watcher]struct{}
	end      context.CancelFunc
	// following reports that events are being read.
	following bool
}

// statusReader is the principal that reads events for all watchers; each watcher filters by the rights of its reader.
var statusReader = principal.Principal{Rules: []string{StatusRead}}

var systemChanges = event.Query{Types: []string{health.EventChanged}, All: true, Bare: true}

// watch starts to collect changes; leave ends it.
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
		w.markAll()
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

// run reads events until its context ends. After each start watchers are notified that any system may have changed.
func (c *changes) run(ctx context.Context) {
	for ctx.Err() == nil {
		err := c.follow(ctx)
		if ctx.Err() != nil {
			return
		}
		c.log.Warn("Changes of systems are not followed", "error", err)
		pause := time.NewTimer(retryDelay)
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
	tail, err := c.events.Follow(ctx, statusReader, systemChanges, settled)
	if err != nil {
		return err
	}
	c.each(ctx, true, (*watcher).markAll)
	for {
		events, err := tail.Next(ctx)
		if err != nil {
			c.each(ctx, false, func(*watcher) {})
			return err
		}
		c.each(ctx, true, func(w *watcher) { w.addEvents(events) })
	}
}

// each sets whether events are being read, and calls a function for all watchers, unless a newer run has replaced this
// one.
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

// since returns the systems that changed after a time; all is set when there are too many.
func (c *changes) since(ctx context.Context, at time.Time) (systems map[uuid.UUID]time.Time, all bool, err error) {
	systems = map[uuid.UUID]time.Time{}
	query := systemChanges
	query.Limit = maxPending
	for range maxResumePages {
		page, err := c.events.List(ctx, statusReader, query)
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
	return id, err == nil && kind == health.SubjectSystem
}

// watcher collects changed systems until its subscription takes them. It never blocks on its reader.
type watcher struct {
	mu sync.Mutex
	// systems maps changed systems to the time of their last change.
	systems map[uuid.UUID]time.Time
	all     bool
	wake    chan struct{}
	// wakeScheduled reports a pending wake-up.
	wakeScheduled bool
}

func (w *watcher) addEvents(events []event.Event) {
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
	w.scheduleWake()
}

// markAll records that any system may have changed.
func (w *watcher) markAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = true
	w.scheduleWake()
}

// scheduleWake wakes the reader after a debounce interval.
func (w *watcher) scheduleWake() {
	if w.wakeScheduled {
		return
	}
	w.wakeScheduled = true
	time.AfterFunc(wakeDebounce, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.wakeScheduled = false
		select {
		case w.wake <- struct{}{}:
		default:
		}
	})
}

// take returns the changes since the last call.
func (w *watcher) take() (systems map[uuid.UUID]time.Time, all bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	systems, all = w.systems, w.all
	w.systems, w.all = map[uuid.UUID]time.Time{}, false
	return systems, all
}
