package agent

import (
	"context"
	"math"
	"sync"
	"time"

	"countersign/problem"
)

const (
	// maxLine is how many sources of one principal can be with the compiler or wait for it.
	maxLine = 16
	// maxHeld is how many sources can be compiled for requests that hold a connection to the database meanwhile, because of their
	// Idempotency-Key, and maxHeldEach how many of them are one principal's.
	maxHeld     = 4
	maxHeldEach = 2
)

// lines let one source of each principal compile at a time, so that an author of sources that are hard to compile delays
// only themselves. All who have used much of the compiler lately share one place, so that several of them do not take every
// process of the compiler either.
type lines struct {
	mu   sync.Mutex
	open map[string]*line
	held int
	// used is how long the compiler worked for principals lately.
	used  map[string]use
	place chan struct{}
}

// use is how long the compiler had worked for a principal at a moment, beyond easy for each source. It decays.
type use struct {
	took time.Duration
	at   time.Time
}

const (
	// much is from how much use on a principal shares the place: two sources that run into the compiler's timeout.
	much = 5 * time.Second
	// easy is how long an ordinary source takes at most. Ordinary sources do not count, however many there are.
	easy = 100 * time.Millisecond
	// forgotten is after how long of a use about a third counts.
	forgotten = time.Minute
	// givenUp is the least use that counts for a source whose author has gone away: the compiler's own timeout.
	givenUp = 3 * time.Second
)

func newLines() *lines {
	return &lines{open: map[string]*line{}, used: map[string]use{}, place: make(chan struct{}, 1)}
}

// left is what of a use still counts.
func (u use) left(now time.Time) time.Duration {
	return time.Duration(float64(u.took) * math.Exp(-float64(now.Sub(u.at))/float64(forgotten)))
}

// took records how long the compiler worked on a source of a principal.
func (l *lines) took(who string, d time.Duration) {
	if d -= easy; d <= 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	for other, u := range l.used {
		if other != who && u.left(now) < time.Millisecond {
			delete(l.used, other)
		}
	}
	l.used[who] = use{l.used[who].left(now) + d, now}
}

func (l *lines) isHard(who string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.used[who].left(time.Now()) > much
}

type line struct {
	turn    chan struct{}
	waiting int
	// held is how many of these hold a connection.
	held int
}

// enter waits until it is the turn of a principal's next source. leave is to be called after it.
func (l *lines) enter(ctx context.Context, who string, holds bool) (leave func(), err error) {
	mine, err := l.join(who, holds)
	if err != nil {
		return nil, err
	}
	select {
	case mine.turn <- struct{}{}:
	case <-ctx.Done():
		l.part(who, mine, holds)
		return nil, context.Cause(ctx)
	}
	out := func() {
		<-mine.turn
		l.part(who, mine, holds)
	}
	if !l.isHard(who) {
		return out, nil
	}
	select {
	case l.place <- struct{}{}:
		return func() { <-l.place; out() }, nil
	case <-ctx.Done():
		out()
		return nil, context.Cause(ctx)
	}
}

func (l *lines) join(who string, holds bool) (*line, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	mine := l.open[who]
	if mine == nil {
		mine = &line{turn: make(chan struct{}, 1)}
	}
	if mine.waiting >= maxLine {
		return nil, problem.Errorf(problem.Throttled, "%d of your tools are being compiled. Wait for them.", mine.waiting).After(time.Second)
	}
	if holds && mine.held >= maxHeldEach {
		const text = "%d of your tools are being compiled for requests with an Idempotency-Key. Wait for them."
		return nil, problem.Errorf(problem.Throttled, text, mine.held).After(time.Second)
	}
	if holds && l.held >= maxHeld {
		return nil, problem.Errorf(
			problem.Throttled,
			"Too many tools are being compiled for requests with an Idempotency-Key. Try again in a second.",
		).After(
			time.Second,
		)
	}
	l.open[who] = mine
	mine.waiting++
	if holds {
		l.held++
		mine.held++
	}
	return mine, nil
}

func (l *lines) part(who string, mine *line, holds bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if holds {
		l.held--
		mine.held--
	}
	if mine.waiting--; mine.waiting == 0 {
		delete(l.open, who)
	}
}
