package store

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// line lets those of one name go on one after the other, in the order in which they came.
type line struct {
	// most is how long somebody waits: as long as for a lock of the database.
	most time.Duration

	mu     sync.Mutex
	places map[string]*place
}

// place is the head of the line of a name: whoever has put something into it. waiting counts those too who have not.
type place struct {
	head    chan struct{}
	waiting int
}

func newLine(most time.Duration) *line { return &line{most: most, places: map[string]*place{}} }

// InLine waits until nobody else in this process is between InLine and leave by the same name. It comes before a lock in the
// database, for which processes take turns: of all who wait for one here, one has a connection, and the others none. Whoever is in a
// transaction already has a connection and locks that others may wait for, and does not stand in line. Whoever waits for longer than for
// a lock gets an error that is Away. leave must be called.
func (db *DB) InLine(ctx context.Context, name string) (leave func(), err error) {
	if db.InTransaction(ctx) {
		return func() {}, nil
	}
	p := db.line.join(name)
	wait := time.NewTimer(db.line.most)
	defer wait.Stop()
	select {
	case p.head <- struct{}{}:
		return func() {
			<-p.head
			db.line.quit(name, p)
		}, nil
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-wait.C:
		err = fmt.Errorf("wait in line: %w", context.DeadlineExceeded)
	}
	db.line.quit(name, p)
	return nil, err
}

func (l *line) join(name string) *place {
	l.mu.Lock()
	defer l.mu.Unlock()
	p, ok := l.places[name]
	if !ok {
		p = &place{head: make(chan struct{}, 1)}
		l.places[name] = p
	}
	p.waiting++
	return p
}

func (l *line) quit(name string, p *place) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.waiting--; p.waiting == 0 {
		delete(l.places, name)
	}
}
