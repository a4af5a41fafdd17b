package stream

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"countersign/chat/stream/streamdb"
)

// announceTime bounds a notification. Readers in other processes poll when it is lost.
const announceTime = 2 * time.Second

// announcePause is the debounce time after a notification without listeners, as in a single process. A reader that
// starts in another process meanwhile gets events that much later.
const announcePause = 25 * time.Millisecond

// mostAnnounced bounds the turns in one notification: it has at most 8,000 bytes, and an id has 37.
const mostAnnounced = 200

// channelOf is the notification channel of a process. announceTurns in queries.sql makes the same name.
func channelOf(process uuid.UUID) string {
	return Channel + "_" + strings.ReplaceAll(process.String(), "-", "")
}

// announcements notifies other processes of events that were committed here. Notifications are batched and sent beside
// the writes, in transactions of their own that write nothing: PostgreSQL's lock that orders the notifications of all
// commits is then held for a moment, not while a commit reaches the disk.
type announcements struct {
	mu      sync.Mutex
	pending map[uuid.UUID]bool
	busy    bool
	idle    *sync.Cond
	// last is closed when no more turns will come.
	last chan struct{}
}

func newAnnouncements() *announcements {
	a := &announcements{pending: map[uuid.UUID]bool{}, last: make(chan struct{})}
	a.idle = sync.NewCond(&a.mu)
	return a
}

// announce wakes readers of committed turns in other processes.
func (h *Hub) announce(turns ...uuid.UUID) {
	a := h.announcements
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, id := range turns {
		a.pending[id] = true
	}
	if !a.busy && len(a.pending) > 0 {
		a.busy = true
		go h.announceAll()
	}
}

// announceAll sends notifications until none is pending. Readers find events of failed notifications by polling.
func (h *Hub) announceAll() {
	a := h.announcements
	for {
		turns := a.take()
		if len(turns) == 0 {
			return
		}
		p := streamdb.AnnounceTurnsParams{TurnIds: turns, Process: h.process, Unread: h.unread(turns)}
		ctx, cancel := context.WithTimeout(context.Background(), announceTime)
		told, err := streamdb.New(h.db.Conn(ctx)).AnnounceTurns(ctx, p)
		cancel()
		if err == nil && told == 0 {
			a.gather()
		}
	}
}

// take returns the turns of the next notification; none means that all are sent.
func (a *announcements) take() []uuid.UUID {
	a.mu.Lock()
	defer a.mu.Unlock()
	var turns []uuid.UUID
	for id := range a.pending {
		delete(a.pending, id)
		if turns = append(turns, id); len(turns) == mostAnnounced {
			break
		}
	}
	if len(turns) == 0 {
		a.busy = false
		a.idle.Broadcast()
	}
	return turns
}

// gather waits for announcePause, or until the process shuts down.
func (a *announcements) gather() {
	select {
	case <-time.After(announcePause):
	case <-a.last:
	}
}

// settle waits until all notifications are sent; later ones are dropped.
func (a *announcements) settle() {
	a.mu.Lock()
	defer a.mu.Unlock()
	close(a.last)
	for a.busy {
		a.idle.Wait()
	}
}
