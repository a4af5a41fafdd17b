package typescript

import (
	"context"
	"sync"
)

// lanes limit the concurrency of each author to one source (fair queueing): the slots of the pool are shared out among
// authors, and not among sources.
type lanes struct {
	mu   sync.Mutex
	open map[string]*lane
}

type lane struct {
	busy chan struct{}
	// inside counts the sources that have the lane or wait for it.
	inside int
}

// enter waits until no other source of an author is compiled. leave is to be called once, after it. "" is no author,
// and never waits.
func (l *lanes) enter(ctx, life context.Context, author string) (leave func(), err error) {
	if author == "" {
		return func() {}, nil
	}
	mine := l.join(author)
	select {
	case mine.busy <- struct{}{}:
		return func() {
			<-mine.busy
			l.part(author, mine)
		}, nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-life.Done():
		err = errClosed
	}
	l.part(author, mine)
	return nil, err
}

func (l *lanes) join(author string) *lane {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open == nil {
		l.open = map[string]*lane{}
	}
	mine := l.open[author]
	if mine == nil {
		mine = &lane{busy: make(chan struct{}, 1)}
		l.open[author] = mine
	}
	mine.inside++
	return mine
}

func (l *lanes) part(author string, mine *lane) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if mine.inside--; mine.inside == 0 {
		delete(l.open, author)
	}
}
