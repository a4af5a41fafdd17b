package typescript

import (
	"context"
	"sync"
	"time"
)

// pool is the pool of child processes. A slot holds a warm process, or nil where one has to be started.
type pool struct {
	options Options
	slots   chan *process
	//nolint:containedctx // the life of the processes
	life context.Context
	end  context.CancelFunc
	// authors limits each author to one slot.
	authors authorLimiter

	mu      sync.Mutex
	closed  bool
	working sync.WaitGroup
}

func newPool(o Options) *pool {
	life, end := context.WithCancel(context.Background())
	p := &pool{options: o, slots: make(chan *process, o.Processes), life: life, end: end}
	for range o.Processes {
		p.slots <- nil
	}
	return p
}

// run handles a request of an author. When the caller goes away the work continues, because killing it would cost a
// warm process: the slot stays with the author until it ends.
func (p *pool) run(ctx context.Context, author string, r request) (outcome, error) {
	leave, err := p.authors.acquire(ctx, p.life, author)
	if err != nil {
		return outcome{}, err
	}
	var slot *process
	select {
	case <-ctx.Done():
		leave()
		return outcome{}, ctx.Err()
	case <-p.life.Done():
		leave()
		return outcome{}, errClosed
	case slot = <-p.slots:
	}
	type result struct {
		outcome outcome
		err     error
	}
	done := make(chan result, 1)
	started := p.background(func() {
		started := time.Now()
		slot, o, err := p.use(slot, r)
		o.took = time.Since(started)
		done <- result{o, err}
		// The author's next source also waits for the replacement, so that it cannot take a second slot meanwhile.
		p.release(slot)
		leave()
	})
	if !started {
		p.slots <- slot
		leave()
		return outcome{}, errClosed
	}
	select {
	case <-ctx.Done():
		return outcome{}, ctx.Err()
	case d := <-done:
		return d.outcome, d.err
	}
}

// use handles a request with a process, and with another one when the first is found dead.
func (p *pool) use(slot *process, r request) (*process, outcome, error) {
	var o outcome
	for range 2 {
		if slot == nil {
			var err error
			if slot, err = start(p.life, p.options); err != nil {
				return nil, outcome{}, err
			}
		}
		o = slot.work(r, p.options.Timeout, p.options.LowPriorityAfter)
		if p.life.Err() != nil {
			return slot, outcome{}, errClosed
		}
		if o.ended != Crashed || len(o.answers) > 0 {
			break
		}
		slot.stop()
		slot = nil
	}
	return slot, o, nil
}

// release returns a process to the pool, or a fresh one in place of a worn one.
func (p *pool) release(slot *process) {
	if slot != nil && slot.worn(p.options) {
		slot.stop()
		slot = nil
		if fresh, err := start(p.life, p.options); err == nil {
			slot = fresh
		}
	}
	p.slots <- slot
}

func (p *pool) background(f func()) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	p.working.Go(f)
	return true
}

func (p *pool) close() {
	p.mu.Lock()
	again := p.closed
	p.closed = true
	p.mu.Unlock()
	p.end()
	p.working.Wait()
	if again {
		return
	}
	for range p.options.Processes {
		if slot := <-p.slots; slot != nil {
			slot.stop()
		}
		p.slots <- nil
	}
}
