package stream

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"countersign/chat/stream/streamdb"
)

// announceTime is how long it may take to tell others. They look by themselves when they have heard nothing for longer.
const announceTime = 2 * time.Second

// announcePause is how long what comes is gathered after there was nobody to tell, as where one process does everything. A reader that
// begins in another one meanwhile hears of what comes so much later.
const announcePause = 25 * time.Millisecond

// mostAnnounced is how many turns one notification names: it has at most 8,000 bytes, and an id has 37.
const mostAnnounced = 200

// channelOf is the channel on which a process hears of turns that it follows. announceTurns in queries.sql makes the same name.
func channelOf(process uuid.UUID) string {
	return Channel + "_" + strings.ReplaceAll(process.String(), "-", "")
}

// announcements tell other processes of events that were committed here. They are made beside the writing, several flushes at once
// when there is much to tell, and in transactions that write nothing: the lock under which PostgreSQL puts the notifications of all
// commits in order is then held for a moment, and not while a commit reaches the disk.
type announcements struct {
	mu      sync.Mutex
	pending map[uuid.UUID]bool
	busy    bool
	idle    *sync.Cond
	// last is closed when nothing more will come.
	last chan struct{}
}

func newAnnouncements() *announcements {
	a := &announcements{pending: map[uuid.UUID]bool{}, last: make(chan struct{})}
	a.idle = sync.NewCond(&a.mu)
	return a
}

// announce lets the readers of turns in other processes look at the rows, which are committed.
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

// announceAll works until there is nothing to tell. What cannot be told is found: a reader that has heard nothing for long looks.
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

// take returns what one notification tells; nothing means that all is told.
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

// gather waits for announcePause, or until the process wants to end.
func (a *announcements) gather() {
	select {
	case <-time.After(announcePause):
	case <-a.last:
	}
}

// settle waits until all is told; nothing is announced after it.
func (a *announcements) settle() {
	a.mu.Lock()
	defer a.mu.Unlock()
	close(a.last)
	for a.busy {
		a.idle.Wait()
	}
}
