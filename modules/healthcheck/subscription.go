package healthcheck

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"countersign/internal/principal"
)

const (
	// resumeWindow is the maximum age of the last event of a client that resumes. resumeOverlap is sent twice, because an event
	// can be committed later than one with a later time.
	resumeWindow  = time.Hour
	resumeOverlap = time.Minute
)

// Subscription streams changes of system health to one client. One goroutine uses it.
type Subscription struct {
	changes *changes
	systems Systems
	watcher *watcher
	// last is the last event of the client, "" for none and once it has caught up.
	last string
	// started reports that events are or were read; behind, that some were skipped since the client's last one.
	started, behind bool
}

// Update is the change since the last one.
type Update struct {
	// Active reports that the client receives changes: it has the right, and events are being read.
	Active bool
	// All reports that any system may have changed; otherwise Systems are the changed ones, in order.
	All     bool
	Systems []Changed
}

// Changed is a system with changed health, and the time of its last change.
type Changed struct {
	ID uuid.UUID
	At time.Time
}

// Subscribe starts to collect changes for a client that has seen all up to a time in milliseconds, "" for nothing; leave ends
// it.
func (l *Live) Subscribe(ctx context.Context, last string) (h *Subscription, leave func()) {
	w, leave := l.changes.watch(ctx)
	return &Subscription{changes: &l.changes, systems: l.Systems, watcher: w, last: last}, leave
}

// Wake receives when Take has changes.
func (h *Subscription) Wake() <-chan struct{} { return h.watcher.wake }

// Take returns the changes since the last call that p may see now. Changes without the right are dropped: when p gets the
// right, any system may have changed.
func (h *Subscription) Take(ctx context.Context, p principal.Principal) (Update, error) {
	systems, all := h.watcher.take()
	may := len(p.Missing(StatusRead)) == 0
	h.started = h.started || all
	h.behind = h.behind || all || !may
	if !may || !h.started {
		return Update{}, nil
	}
	if h.behind {
		missed, unknown, err := h.missedChanges(ctx)
		if err != nil {
			return Update{}, err
		}
		h.behind = false
		if unknown {
			return Update{Active: true, All: true}, nil
		}
		maps.Copy(systems, missed)
	}
	changed, err := h.visible(principal.NewContext(ctx, p), systems)
	return Update{Active: true, Systems: changed}, err
}

// missedChanges returns the changes that a resuming client has missed; all when they cannot be determined.
func (h *Subscription) missedChanges(ctx context.Context) (systems map[uuid.UUID]time.Time, unknown bool, err error) {
	at, known := momentOf(h.last)
	h.last = ""
	if !known || time.Since(at) > resumeWindow {
		return nil, true, nil
	}
	return h.changes.since(ctx, at.Add(-resumeOverlap))
}

// momentOf parses the time in the id of a stream event.
func momentOf(id string) (time.Time, bool) {
	ms, err := strconv.ParseInt(id, 10, 64)
	return time.UnixMilli(ms), err == nil
}

// visible returns the systems that the principal of ctx may see.
func (h *Subscription) visible(ctx context.Context, systems map[uuid.UUID]time.Time) ([]Changed, error) {
	if len(systems) == 0 {
		return nil, nil
	}
	ids := slices.SortedFunc(maps.Keys(systems), func(a, b uuid.UUID) int { return systems[a].Compare(systems[b]) })
	names, err := h.systems.Lookup(ctx, ids)
	if err != nil {
		return nil, err
	}
	changed := make([]Changed, 0, len(names))
	for _, id := range ids {
		if _, ok := names[id]; ok {
			changed = append(changed, Changed{ID: id, At: systems[id]})
		}
	}
	return changed, nil
}
