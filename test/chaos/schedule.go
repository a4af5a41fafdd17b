package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"countersign/internal/crash"
)

// target is a point in one kind of process.
type target struct {
	point string
	kind  kind
}

// assignment is the point at which one process has to die.
type assignment struct {
	target
	nth  int
	plan point
	// extra marks assignments that create work for another one; they do not count as missing.
	extra bool
	// pause is how long the process stalls at its point, with all its locks and leases; 0 kills it there.
	pause time.Duration
}

// variable arms the point in the environment of a process.
func (a *assignment) variable() string {
	if a.pause > 0 {
		return fmt.Sprintf("%s=%s:%d:stop", crash.Variable, a.point, a.nth)
	}
	return fmt.Sprintf("%s=%s:%d", crash.Variable, a.point, a.nth)
}

// hit is one process that died or stalled at its crash point.
type hit struct {
	target
	subject uuid.UUID
	at      time.Time
}

// schedule distributes assignments until every target has had its hits. The order and the visits are drawn from the
// seed; the distribution among processes depends on their speed.
type schedule struct {
	mu      sync.Mutex
	rng     *rand.Rand
	plans   map[string]point
	waiting map[kind][]*assignment
	given   []*assignment
	misses  map[target]int
	hits    []hit
}

// maxMisses bounds the retries of a target whose point was not reached.
const maxMisses = 3

// newSchedule requires a number of hits for every point in every process kind that reaches it.
func newSchedule(seed uint64, list []point, fleet []kind, hits int) *schedule {
	s := &schedule{
		rng: rand.New(rand.NewPCG(seed, 1)), plans: map[string]point{}, waiting: map[kind][]*assignment{}, misses: map[target]int{},
	}
	for _, p := range points() {
		s.plans[p.name] = p
	}
	for _, t := range targets(list, fleet) {
		for range hits {
			s.waiting[t.kind] = append(s.waiting[t.kind], s.draw(s.plans[t.point], t.kind))
		}
	}
	for _, k := range []kind{api, worker, whole} {
		s.rng.Shuffle(len(s.waiting[k]), func(i, j int) { s.waiting[k][i], s.waiting[k][j] = s.waiting[k][j], s.waiting[k][i] })
	}
	return s
}

// standing stalls processes at their points instead of killing them. Workflow tasks, leases and heartbeats last three
// to five seconds, and requests a little longer: the pauses lie on either side of all of them.
func (s *schedule) standing() *schedule {
	for _, k := range []kind{api, worker, whole} {
		for _, a := range s.waiting[k] {
			a.pause = time.Duration(1000+s.rng.IntN(11000)) * time.Millisecond
		}
	}
	return s
}

// targets are the points of a list in the processes of a fleet, each once.
func targets(list []point, fleet []kind) []target {
	var all []target
	for _, p := range list {
		for _, k := range slices.Compact(slices.Clone(fleet)) {
			if k == whole || slices.Contains(p.kinds, k) {
				all = append(all, target{p.name, k})
			}
		}
	}
	return all
}

func (s *schedule) draw(p point, k kind) *assignment {
	return &assignment{target: target{p.name, k}, nth: 1 + s.rng.IntN(max(p.visits, 1)), plan: p}
}

// next is the assignment of a starting process of this kind, nil for none.
func (s *schedule) next(k kind) *assignment {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.helper(k)
	if a == nil && len(s.waiting[k]) > 0 {
		a = s.waiting[k][0]
		s.waiting[k] = s.waiting[k][1:]
	}
	if a != nil {
		s.given = append(s.given, a)
	}
	return a
}

// helper is an assignment whose crash creates work for a process that waits at its own point.
func (s *schedule) helper(k kind) *assignment {
	for _, a := range s.given {
		p, ok := s.plans[a.plan.after]
		if !ok || k != whole && !slices.Contains(p.kinds, k) {
			continue
		}
		helper := s.draw(p, k)
		helper.extra = true
		return helper
	}
	return nil
}

// wants reports whether an unarmed process of this kind should be restarted.
func (s *schedule) wants(k kind) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.waiting[k]) > 0 || s.helper(k) != nil
}

// hit records that a process died at its point.
func (s *schedule) hit(a *assignment, subject uuid.UUID, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.take(a)
	s.hits = append(s.hits, hit{a.target, subject, at})
}

// miss requeues an assignment whose point was not reached, a few times, now at the first visit.
func (s *schedule) miss(a *assignment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.take(a)
	if a.extra || s.misses[a.target] == maxMisses {
		return
	}
	s.misses[a.target]++
	a.nth = 1
	s.waiting[a.kind] = append(s.waiting[a.kind], a)
}

func (s *schedule) take(a *assignment) {
	s.given = slices.DeleteFunc(s.given, func(other *assignment) bool { return other == a })
}

// done reports whether nothing is left to hit.
func (s *schedule) done() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, list := range s.waiting {
		if len(list) > 0 {
			return false
		}
	}
	return !slices.ContainsFunc(s.given, func(a *assignment) bool { return !a.extra })
}

// left is the number of remaining hits.
func (s *schedule) left() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.given)
	for _, list := range s.waiting {
		n += len(list)
	}
	return n
}

// scenarios are those that lead to the currently armed points.
func (s *schedule) scenarios() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for _, a := range s.given {
		names = append(names, a.plan.scenarios[s.rng.IntN(len(a.plan.scenarios))])
	}
	return names
}

// armed are the points at which processes wait to die now.
func (s *schedule) armed() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for _, a := range s.given {
		names = append(names, fmt.Sprintf("%s:%d", a.point, a.nth))
	}
	return names
}

// all are the hits so far.
func (s *schedule) all() []hit {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.hits)
}
