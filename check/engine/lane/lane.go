// Package lane decides which runs may go on and which wait. Runs of targets that were slow lately have a lane of their own, whose
// places are fewer, and no host gets more than its share of either: what hangs keeps the places of its kind only. What has waited
// too long is given up. It has no clock and no goroutine.
package lane

import "cmp"

// Limits are how many runs go on at once. All of them must be positive.
type Limits struct {
	// Running bounds the runs of both lanes together, Slow those of the slow lane; what Slow leaves is always free for the others.
	Running, Slow int
	// Host bounds the runs against one host in each lane.
	Host int
	// Waiting bounds those that wait.
	Waiting int
	// Patience is how long one waits at most, in milliseconds.
	Patience int64
}

// Place is where a run goes: a lane, and a host unless none is known.
type Place struct {
	Host string
	Slow bool
}

type waiter[T any] struct {
	item  T
	place Place
	until int64
}

type host[T any] struct {
	running int
	waiting []waiter[T]
}

type lane[T any] struct {
	limit, running int
	waiting        []waiter[T] // with a place at their host
}

// Lanes are both lanes. They are not safe for concurrent use.
type Lanes[T any] struct {
	limits Limits
	lanes  [2]lane[T] // fast, slow
	hosts  map[Place]*host[T]
	wait   int
}

// New makes empty lanes.
func New[T any](l Limits) *Lanes[T] {
	n := &Lanes[T]{limits: l, hosts: map[Place]*host[T]{}}
	n.lanes[0].limit, n.lanes[1].limit = max(1, l.Running-l.Slow), l.Slow
	return n
}

func (l *Lanes[T]) lane(p Place) *lane[T] {
	if p.Slow {
		return &l.lanes[1]
	}
	return &l.lanes[0]
}

// Answer says what becomes of a run.
type Answer int

// A run starts at once, waits, or is refused because too many wait already.
const (
	Start Answer = iota
	Wait
	Refuse
)

// Enter asks for a place. Each Start, also those that Leave gives, is ended by a Leave.
func (l *Lanes[T]) Enter(item T, p Place, now int64) Answer {
	w := waiter[T]{item, p, now + l.limits.Patience}
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

// Leave gives a place back, and starts who has waited for it.
func (l *Lanes[T]) Leave(p Place, start func(T)) {
	l.lane(p).running--
	l.leaveHost(p)
	l.fill(p, start)
}

func (l *Lanes[T]) leaveHost(p Place) {
	h := l.hosts[p]
	if h == nil {
		return
	}
	h.running--
	if h.running <= 0 && len(h.waiting) == 0 {
		delete(l.hosts, p)
	}
}

// fill lets those on who have waited: for the lane, then for the host.
func (l *Lanes[T]) fill(p Place, start func(T)) {
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

// moveUp lets the first that waits for a host wait for the lane.
func (l *Lanes[T]) moveUp(p Place, h *host[T]) {
	w := h.waiting[0]
	h.waiting = h.waiting[1:]
	h.running++
	n := l.lane(p)
	n.waiting = append(n.waiting, w)
}

// Expire gives up who has waited too long.
func (l *Lanes[T]) Expire(now int64, give func(T)) {
	if l.wait == 0 {
		return
	}
	for i := range l.lanes {
		l.lanes[i].waiting = l.expire(l.lanes[i].waiting, now, func(w waiter[T]) {
			l.leaveHost(w.place)
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

// expire looks at all of them: who comes from a host's queue has waited longer than those before it.
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

// Count is how many runs go on in the fast and in the slow lane, and how many wait.
func (l *Lanes[T]) Count() (fast, slow, waiting int) {
	return l.lanes[0].running, l.lanes[1].running, l.wait
}

// Hosts is how many hosts have runs or waiters.
func (l *Lanes[T]) Hosts() int { return len(l.hosts) }

// Default fills what is zero.
func (l Limits) Default() Limits {
	l.Running = cmp.Or(l.Running, 4096)
	l.Slow = cmp.Or(l.Slow, l.Running*3/4)
	l.Host = cmp.Or(l.Host, 256)
	l.Waiting = cmp.Or(l.Waiting, 4*l.Running)
	l.Patience = cmp.Or(l.Patience, 1000)
	return l
}
