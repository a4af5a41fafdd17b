package typescript

import (
	"context"
	"sync"
)

// authorLimiter limits each author to one source at a time, so that the slots of the pool are shared among authors, not
// among sources.
type authorLimiter struct {
	mu       sync.Mutex
	byAuthor map[string]*authorLimit
}

type authorLimit struct {
	busy chan struct{}
	// users counts the sources that run or wait.
	users int
}

// acquire waits until no other source of an author is compiled. Call release once, after it. "" is no author, and never
// waits.
func (l *authorLimiter) acquire(ctx, life context.Context, author string) (release func(), err error) {
	if author == "" {
		return func() {}, nil
	}
	mine := l.join(author)
	select {
	case mine.busy <- struct{}{}:
		return func() {
			<-mine.busy
			l.leave(author, mine)
		}, nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-life.Done():
		err = errClosed
	}
	l.leave(author, mine)
	return nil, err
}

func (l *authorLimiter) join(author string) *authorLimit {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byAuthor == nil {
		l.byAuthor = map[string]*authorLimit{}
	}
	mine := l.byAuthor[author]
	if mine == nil {
		mine = &authorLimit{busy: make(chan struct{}, 1)}
		l.byAuthor[author] = mine
	}
	mine.users++
	return mine
}

func (l *authorLimiter) leave(author string, mine *authorLimit) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if mine.users--; mine.users == 0 {
		delete(l.byAuthor, author)
	}
}
