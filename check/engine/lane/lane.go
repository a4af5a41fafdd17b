// Package lane limits concurrent runs. Targets that were slow lately use a lane of their own with a lower limit, and each host
// has a limit per lane (bulkheads): hanging targets block only their own kind. A run that waits too long is abandoned. The
// package has no clock and no goroutine.
package lane

import "cmp"

// Limits are the concurrency limits. All of them must be positive.
type Limits struct {
	// Running bounds the runs of both lanes together, Slow those of the slow lane; the difference is reserved for fast ones.
	Running, Slow int
	// Host bounds the runs against one host in each lane.
	Host int
	// Waiting bounds the queue.
	Waiting int
	// WaitTimeout bounds the wait of one run, in milliseconds.
	WaitTimeout int64
}

// Key is the lane of a run and its host, "" for unknown.
type Key struct {
	Host string
	Slow bool
}

type waiter[T any] struct {
	item  T
	key   Key
	until int64
}

type host[T any] struct {
	running int
	waiting []waiter[T]
}

type lane[T any] struct {
	limit, running int
	waiting        []waiter[T] // already counted at their host
}

// Lanes are both lanes. They are not safe for concurrent use.
type Lanes[T any] struct {
	limits Limits
	lanes  [2]lane[T] // fast, slow
	hosts  map[Key]*host[T]
	wait   int
}

// New makes empty lanes.
func New[T any](l Limits) *Lanes[T] {
	n := &Lanes[T]{limits: l, hosts: map[Key]*host[T]{}}
	n.lanes[0].limit, n.lanes[1].limit = max(1, l.Running-l.Slow), l.Slow
	return n
}

func (l *Lanes[T]) lane(p Key) *lane[T] {
	if p.Slow {
		return &l.lanes[1]
	}
	return &l.lanes[0]
}

// Decision is the answer of Enter.
type Decision int

// A run starts at once, waits, or is refused because the queue is full.
const (
	Start Decision = iota
	Wait
	Refuse
)

// Enter requests the start of a run. Each started run, also those that Leave starts, ends by a Leave.
func (l *Lanes[T]) Enter(item T, p Key, now int64) Decision {
	w := waiter[T]{item, p, now + l.limits.WaitTimeout}
	if p.Host != "" {
		h := l.hosts[p]
		if h == nil {
			h = &host[T]{}
			l.hosts[p] = h
		}
		if h.running >= l.limits.Host {
			if l.wait >= l.limits.Waiting {
				return Refuse
			}
			l.wait++
			h.waiting = append(h.waiting, w)
			return Wait
		}
		h.running++
	}
	if n := l.lane(p); n.running >= n.limit {
		if l.wait >= l.limits.Waiting {
			l.leaveHost(p)
			return Refuse
		}
		l.wait++
		n.waiting = append(n.waiting, w)
		return Wait
	}
	l.lane(p).running++
	return Start
}

// Leave ends a run, and starts waiting ones.
func (l *Lanes[T]) Leave(p Key, start func(T)) {
	l.lane(p).running--
	l.leaveHost(p)
	l.admitWaiting(p, start)
}

func (l *Lanes[T]) leaveHost(p Key) {
	h := l.hosts[p]
	if h == nil {
		return
	}
	h.running--
	if h.running <= 0 && len(h.waiting) == 0 {
		delete(l.hosts, p)
	}
}

// admitWaiting starts waiting runs, first those of the lane, then those of the host.
func (l *Lanes[T]) admitWaiting(p Key, start func(T)) {
	n := l.lane(p)
	if h := l.hosts[p]; h != nil && len(h.waiting) > 0 && h.running < l.limits.Host {
		l.moveUp(p, h)
	}
	for len(n.waiting) > 0 && n.running < n.limit {
		w := n.waiting[0]
		n.waiting = n.waiting[1:]
		l.wait--
		n.running++
		start(w.item)
	}
}

// moveUp moves the first run in the queue of a host to that of its lane.
func (l *Lanes[T]) moveUp(p Key, h *host[T]) {
	w := h.waiting[0]
	h.waiting = h.waiting[1:]
	h.running++
	n := l.lane(p)
	n.waiting = append(n.waiting, w)
}

// Expire abandons runs that have waited too long.
func (l *Lanes[T]) Expire(now int64, give func(T)) {
	if l.wait == 0 {
		return
	}
	for i := range l.lanes {
		l.lanes[i].waiting = l.expire(l.lanes[i].waiting, now, func(w waiter[T]) {
			l.leaveHost(w.key)
			give(w.item)
		})
	}
	for p, h := range l.hosts {
		h.waiting = l.expire(h.waiting, now, func(w waiter[T]) { give(w.item) })
		for len(h.waiting) > 0 && h.running < l.limits.Host {
			l.moveUp(p, h)
		}
		if h.running <= 0 && len(h.waiting) == 0 {
			delete(l.hosts, p)
		}
	}
}

// expire checks all waiters: a run from the queue of a host has waited longer than those before it.
func (l *Lanes[T]) expire(waiting []waiter[T], now int64, give func(waiter[T])) []waiter[T] {
	kept := waiting[:0]
	for _, w := range waiting {
		if w.until > now {
			kept = append(kept, w)
			continue
		}
		l.wait--
		give(w)
	}
	clear(waiting[len(kept):])
	return kept
}

// Count returns the number of runs in the fast lane, in the slow lane, and in the queues.
func (l *Lanes[T]) Count() (fast, slow, waiting int) {
	return l.lanes[0].running, l.lanes[1].running, l.wait
}

// Hosts returns the number of hosts with runs or waiters.
func (l *Lanes[T]) Hosts() int { return len(l.hosts) }

// WithDefaults fills zero fields.
func (l Limits) WithDefaults() Limits {
	l.Running = cmp.Or(l.Running, 4096)
	l.Slow = cmp.Or(l.Slow, l.Running*3/4)
	l.Host = cmp.Or(l.Host, 256)
	l.Waiting = cmp.Or(l.Waiting, 4*l.Running)
	l.WaitTimeout = cmp.Or(l.WaitTimeout, 1000)
	return l
}
