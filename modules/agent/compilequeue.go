package agent

import (
	"context"
	"math"
	"sync"
	"time"

	"countersign/internal/problem"
)

const (
	// maxQueued limits the sources of one principal that are compiled or queued.
	maxQueued = 16
	// maxConnections limits the compilations of requests that hold a database connection because of an Idempotency-Key, and
	// maxHeldEach those of one principal.
	maxConnections     = 4
	maxConnectionsEach = 2
)

// compileQueue is a fair queue for the compiler: one source of each principal compiles at a time, so that slow sources delay
// their author only. Heavy users share one slot, so that several of them do not occupy all compiler processes.
type compileQueue struct {
	mu          sync.Mutex
	queues      map[string]*principalQueue
	connections int
	// usage is the decaying compiler time of principals.
	usage     map[string]compilerUse
	heavySlot chan struct{}
}

// compilerUse is the compiler time of a principal at a moment, beyond easy for each source. It decays exponentially.
type compilerUse struct {
	took time.Duration
	at   time.Time
}

const (
	// heavyUse is the use that makes a heavy user: two sources that run into the compiler's timeout.
	heavyUse = 5 * time.Second
	// freePerSource is the longest time of an ordinary source, which is not counted.
	freePerSource = 100 * time.Millisecond
	// useDecay is the time constant of the decay.
	useDecay = time.Minute
	// abandonedUse is the use counted for a source whose author disconnected: the compiler's timeout.
	abandonedUse = 3 * time.Second
)

func newCompileQueue() *compileQueue {
	return &compileQueue{queues: map[string]*principalQueue{}, usage: map[string]compilerUse{}, heavySlot: make(chan struct{}, 1)}
}

// decayed returns the decayed use.
func (u compilerUse) decayed(now time.Time) time.Duration {
	return time.Duration(float64(u.took) * math.Exp(-float64(now.Sub(u.at))/float64(useDecay)))
}

// addUse adds the compiler time of a source.
func (l *compileQueue) addUse(who string, d time.Duration) {
	if d -= freePerSource; d <= 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	for other, u := range l.usage {
		if other != who && u.decayed(now) < time.Millisecond {
			delete(l.usage, other)
		}
	}
	l.usage[who] = compilerUse{l.usage[who].decayed(now) + d, now}
}

func (l *compileQueue) isHeavy(who string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.usage[who].decayed(time.Now()) > heavyUse
}

type principalQueue struct {
	turn    chan struct{}
	waiting int
	// connections is the number of waiting sources whose requests hold a database connection.
	connections int
}

// enter waits for the principal's turn. The caller calls leave afterwards.
func (l *compileQueue) enter(ctx context.Context, who string, holds bool) (leave func(), err error) {
	mine, err := l.admit(who, holds)
	if err != nil {
		return nil, err
	}
	select {
	case mine.turn <- struct{}{}:
	case <-ctx.Done():
		l.leave(who, mine, holds)
		return nil, context.Cause(ctx)
	}
	out := func() {
		<-mine.turn
		l.leave(who, mine, holds)
	}
	if !l.isHeavy(who) {
		return out, nil
	}
	select {
	case l.heavySlot <- struct{}{}:
		return func() { <-l.heavySlot; out() }, nil
	case <-ctx.Done():
		out()
		return nil, context.Cause(ctx)
	}
}

func (l *compileQueue) admit(who string, holds bool) (*principalQueue, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	mine := l.queues[who]
	if mine == nil {
		mine = &principalQueue{turn: make(chan struct{}, 1)}
	}
	if mine.waiting >= maxQueued {
		return nil, problem.Errorf(problem.Throttled, "%d of your tools are being compiled. Wait for them.", mine.waiting).After(time.Second)
	}
	if holds && mine.connections >= maxConnectionsEach {
		const text = "%d of your tools are being compiled for requests with an Idempotency-Key. Wait for them."
		return nil, problem.Errorf(problem.Throttled, text, mine.connections).After(time.Second)
	}
	if holds && l.connections >= maxConnections {
		return nil, problem.Errorf(
			problem.Throttled,
			"Too many tools are being compiled for requests with an Idempotency-Key. Try again in a second.",
		).After(
			time.Second,
		)
	}
	l.queues[who] = mine
	mine.waiting++
	if holds {
		l.connections++
		mine.connections++
	}
	return mine, nil
}

func (l *compileQueue) leave(who string, mine *principalQueue, holds bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if holds {
		l.connections--
		mine.connections--
	}
	if mine.waiting--; mine.waiting == 0 {
		delete(l.queues, who)
	}
}
