package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// pointTimeout bounds how long a process waits to reach its crash point; reconciler points wait longer, because another
	// process has to die first.
	pointTimeout           = 25 * time.Second
	reconcilerPointTimeout = 60 * time.Second
	lookAround             = 300 * time.Millisecond
	pauseAfterFail         = time.Second
	// afterwards is how long a stalled process lives on: longer than the detection of its stale state takes.
	afterwards = 9 * time.Second
)

// slot is the place of one process, which is restarted whenever it dies.
type slot struct {
	kind  kind
	index int
	port  int
	// ahead is by how much its clock is.
	ahead time.Duration

	mu      sync.Mutex
	binary  string
	process *process
	count   int
}

func (s *slot) name() string { return fmt.Sprintf("%s%d", s.kind, s.index) }

// fleet keeps the processes of the product running.
type fleet struct {
	world    *world
	schedule *schedule
	ledger   *ledger
	slots    []*slot
	// idle keeps processes unarmed, for the parts of the run that choose the time of a kill themselves.
	idle  atomic.Bool
	kills atomic.Int64
	last  atomic.Int64
	// out is the API that the load balancer skips; "" for none.
	out  atomic.Value
	run  sync.WaitGroup
	stop context.CancelFunc
}

// newFleet starts the processes: the first one alone, as it prepares the database.
func newFleet(ctx context.Context, w *world, s *schedule, l *ledger, kinds []kind) (*fleet, error) {
	running, stop := context.WithCancel(ctx)
	f := &fleet{world: w, schedule: s, ledger: l, stop: stop}
	f.idle.Store(true)
	for i, k := range kinds {
		port, err := freePort()
		if err != nil {
			stop()
			return nil, err
		}
		s := &slot{kind: k, index: i%2 + 1, port: port, binary: cmp.Or(w.before, w.binary)}
		if i < len(w.clocks) {
			s.ahead = w.clocks[i]
		}
		f.slots = append(f.slots, s)
	}
	for _, s := range f.slots {
		f.run.Go(func() { f.keep(running, s) })
		if err := f.ready(ctx, s); err != nil {
			f.close()
			return nil, err
		}
	}
	return f, nil
}

// apis are the addresses that people use.
func (f *fleet) apis() []string {
	var urls []string
	for _, s := range f.slots {
		if s.kind != worker {
			urls = append(urls, s.url())
		}
	}
	return urls
}

func (s *slot) url() string { return fmt.Sprintf("http://127.0.0.1:%d", s.port) }

func (f *fleet) of(k kind) []*slot {
	var list []*slot
	for _, s := range f.slots {
		if s.kind == k {
			list = append(list, s)
		}
	}
	return list
}

// ready waits until the process of the slot answers.
func (f *fleet) ready(ctx context.Context, s *slot) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		if answers(ctx, s.url()+"/readyz") {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s did not become ready; its log is in %s", s.name(), f.world.dir)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// keep restarts the process of a slot again and again.
func (f *fleet) keep(ctx context.Context, s *slot) {
	for ctx.Err() == nil {
		var a *assignment
		if !f.idle.Load() {
			a = f.schedule.next(s.kind)
		}
		p, err := f.begin(s, a)
		if err != nil {
			f.ledger.complain(violation{what: "supervisor", text: err.Error()})
			return
		}
		f.attend(ctx, s, p, a)
		if p.failure != nil && !p.leaving.Load() && ctx.Err() == nil {
			f.ledger.complain(violation{what: "process", text: s.name() + " " + p.failure.Error()})
			wait(ctx, pauseAfterFail)
		}
	}
}

func (f *fleet) begin(s *slot, a *assignment) (*process, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	environ := f.world.environ(s.port)
	if a != nil {
		environ = append(environ, a.variable())
	}
	if s.ahead != 0 {
		environ = append(environ, fmt.Sprintf("%s=%d", clockVariable, int(s.ahead.Seconds())))
	}
	p, err := start(s.binary, []string{string(s.kind)}, environ, filepath.Join(f.world.dir, fmt.Sprintf("%s-%03d.log", s.name(), s.count)))
	s.process = p
	return p, err
}

// attend waits until the process is dead, and ensures that it dies: at its point, at the run's end, when the point is
// not reached in time, or some time after a stall.
func (f *fleet) attend(ctx context.Context, s *slot, p *process, a *assignment) {
	limit := pointTimeout
	if a != nil && a.plan.after != "" {
		limit = reconcilerPointTimeout
	}
	overdue := time.NewTimer(limit)
	defer overdue.Stop()
	look := time.NewTicker(lookAround)
	defer look.Stop()
	var goOn, enough <-chan time.Time
	stood := false
	for waiting := true; waiting; {
		select {
		case <-goOn:
			p.goOn()
			enough = time.After(afterwards)
		case <-enough:
			p.kill()
		case <-p.done:
			waiting = false
		case <-ctx.Done():
			p.kill()
			<-p.done
			waiting = false
		case <-overdue.C:
			if a != nil && !stood {
				p.kill()
			}
		case <-look.C:
			if a == nil && !f.idle.Load() && f.schedule.wants(s.kind) {
				p.kill()
			}
			if a == nil || a.pause == 0 || stood {
				continue
			}
			if name, subject, ok := p.log.mark(); ok && name == a.point {
				stood, goOn = true, time.After(a.pause)
				f.schedule.hit(a, subject, time.Now())
			}
		}
	}
	if stood {
		a = nil
	}
	f.account(p, a)
}

func (f *fleet) account(p *process, a *assignment) {
	if p.failure == nil {
		f.kills.Add(1)
		f.last.Store(p.ended.UnixNano())
	}
	if a == nil {
		return
	}
	name, subject, ok := p.crashed()
	if ok && name == a.point {
		f.schedule.hit(a, subject, p.ended)
		return
	}
	f.schedule.miss(a)
}

// strike kills the process of a slot from outside and reports when.
func (f *fleet) strike(s *slot) time.Time {
	s.mu.Lock()
	p := s.process
	s.mu.Unlock()
	if p != nil {
		p.kill()
		<-p.done
		return p.ended
	}
	return time.Now()
}

// serves reports whether people are sent to an API.
func (f *fleet) serves(api string) bool { return f.out.Load() != api }

// replace shuts down the process of a slot as a deployment does, and starts another build in its place: the load
// balancer skips it first, and its requests get time to complete.
func (f *fleet) replace(ctx context.Context, s *slot, binary string) error {
	f.out.Store(s.url())
	defer f.out.Store("")
	if s.kind != worker {
		wait(ctx, mixed)
	}
	s.mu.Lock()
	s.binary = binary
	p := s.process
	s.mu.Unlock()
	p.leave()
	limit := time.NewTimer(time.Minute)
	defer limit.Stop()
	select {
	case <-p.done:
	case <-limit.C:
		return fmt.Errorf("%s did not end within a minute", s.name())
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	f.last.Store(time.Now().UnixNano())
	return f.ready(ctx, s)
}

// lastKill is when the last process was killed.
func (f *fleet) lastKill() time.Time { return time.Unix(0, f.last.Load()) }

// close ends every process.
func (f *fleet) close() {
	f.stop()
	f.run.Wait()
}

// wait pauses until the time is over or ctx ends.
func wait(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
