package agent

import (
	"context"
	"sync"
	"time"

	"countersign/problem"
)

const (
	// maxLine is how many sources of one principal can be with the compiler or wait for it.
	maxLine = 16
	// maxHeld is how many sources can be compiled for requests that hold a connection to the database meanwhile, because of their
	// Idempotency-Key.
	maxHeld = 4
)

// lines let one source of each principal compile at a time, so that who writes sources that are hard to compile waits for
// themselves and not others for them.
type lines struct {
	mu   sync.Mutex
	open map[string]*line
	held int
}

type line struct {
	turn    chan struct{}
	waiting int
}

// enter waits until it is the turn of a principal's next source. leave is to be called after it.
func (l *lines) enter(ctx context.Context, who string, holds bool) (leave func(), err error) {
	mine, err := l.join(who, holds)
	if err != nil {
		return nil, err
	}
	select {
	case mine.turn <- struct{}{}:
		return func() {
			<-mine.turn
			l.part(who, mine, holds)
		}, nil
	case <-ctx.Done():
		l.part(who, mine, holds)
		return nil, context.Cause(ctx)
	}
}

func (l *lines) join(who string, holds bool) (*line, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open == nil {
		l.open = map[string]*line{}
	}
	mine := l.open[who]
	if mine == nil {
		mine = &line{turn: make(chan struct{}, 1)}
	}
	if mine.waiting >= maxLine {
		return nil, problem.Errorf(problem.Throttled, "%d of your tools are being compiled. Wait for them.", mine.waiting).After(time.Second)
	}
	if holds && l.held >= maxHeld {
		return nil, problem.Errorf(problem.Throttled, "Too many tools are being compiled for requests with an Idempotency-Key. Try again in a second.").After(time.Second)
	}
	l.open[who] = mine
	mine.waiting++
	if holds {
		l.held++
	}
	return mine, nil
}

func (l *lines) part(who string, mine *line, holds bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if holds {
		l.held--
	}
	if mine.waiting--; mine.waiting == 0 {
		delete(l.open, who)
	}
}
