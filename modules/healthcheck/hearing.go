package healthcheck

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"countersign/principal"
)

const (
	// resumable is how old the last thing may be that a client has heard, and overlap what it is told twice: an event can be
	// committed later than one with a later time.
	resumable = time.Hour
	overlap   = time.Minute
)

// Hearing is how one stream hears which systems fare otherwise than before. One goroutine uses it.
type Hearing struct {
	changes *changes
	systems Systems
	watcher *watcher
	// last is what the client has heard last, "" for nothing and once it has caught up.
	last string
	// begun says that events are read, or have been; behind that some were passed over since the client has heard the last one.
	begun, behind bool
}

// News is what a stream has to tell its reader.
type News struct {
	// Hears says that the reader is told what changes: the right to it is there, and events are read.
	Hears bool
	// All says that any system may fare otherwise, and else Systems are those that do, in the order in which they changed.
	All     bool
	Systems []Changed
}

// Changed is a system that fares otherwise than before, and when that was told last.
type Changed struct {
	ID uuid.UUID
	At time.Time
}

// Hear begins to collect what changes, for a client that has heard all up to a time in milliseconds, "" for nothing; leave ends it.
func (l *Live) Hear(ctx context.Context, last string) (h *Hearing, leave func()) {
	w, leave := l.changes.watch(ctx)
	return &Hearing{changes: &l.changes, systems: l.Systems, watcher: w, last: last}, leave
}

// Wake receives when there is something to Take.
func (h *Hearing) Wake() <-chan struct{} { return h.watcher.wake }

// Take is what has changed since the last time, of what p may see now. What p had no right to hear is not kept: with the right, p is
// told that anything may have changed.
func (h *Hearing) Take(ctx context.Context, p principal.Principal) (News, error) {
	systems, all := h.watcher.take()
	may := len(p.Missing(StatusRead)) == 0
	h.begun = h.begun || all
	h.behind = h.behind || all || !may
	if !may || !h.begun {
		return News{}, nil
	}
	if h.behind {
		missed, unknown, err := h.missed(ctx)
		if err != nil {
			return News{}, err
		}
		h.behind = false
		if unknown {
			return News{Hears: true, All: true}, nil
		}
		maps.Copy(systems, missed)
	}
	changed, err := h.seen(principal.NewContext(ctx, p), systems)
	return News{Hears: true, Systems: changed}, err
}

// missed is what a client that comes back has not heard, once; unknown when that cannot be said.
func (h *Hearing) missed(ctx context.Context) (systems map[uuid.UUID]time.Time, unknown bool, err error) {
	at, known := momentOf(h.last)
	h.last = ""
	if !known || time.Since(at) > resumable {
		return nil, true, nil
	}
	return h.changes.since(ctx, at.Add(-overlap))
}

// momentOf is the time that an id of an event of a stream stands for.
func momentOf(id string) (time.Time, bool) {
	ms, err := strconv.ParseInt(id, 10, 64)
	return time.UnixMilli(ms), err == nil
}

// seen are those of the systems that the principal of ctx sees.
func (h *Hearing) seen(ctx context.Context, systems map[uuid.UUID]time.Time) ([]Changed, error) {
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
