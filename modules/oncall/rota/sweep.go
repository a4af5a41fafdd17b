package rota

import (
	"slices"
	"time"

	"github.com/google/uuid"
)

// track is who is on call in a layer from each edge to the next.
type track struct {
	edges  []time.Time
	people []uuid.UUID // uuid.Nil for nobody
	next   int
}

// track computes the people of a layer once for each of its own edges.
func (l Layer) track(from, to time.Time, zone *time.Location) *track {
	t := &track{edges: append(l.edges(from, to, zone), from)}
	slices.SortFunc(t.edges, time.Time.Compare)
	t.people = make([]uuid.UUID, len(t.edges))
	for i, edge := range t.edges {
		t.people[i], _ = l.at(edge, zone)
	}
	return t
}

// at returns the person at an instant. Instants come in order.
func (t *track) at(at time.Time) (uuid.UUID, bool) {
	for t.next < len(t.edges) && !at.Before(t.edges[t.next]) {
		t.next++
	}
	person := t.people[max(t.next-1, 0)]
	return person, person != uuid.Nil
}

// order is the place of each person of the calendar, that of the first event that names them.
func (r Rota) order() map[uuid.UUID]int {
	order := map[uuid.UUID]int{}
	for i, e := range r.Events {
		if _, known := order[e.Person]; !known {
			order[e.Person] = i
		}
	}
	return order
}

// sweep goes through shifts in the order of time.
type sweep struct {
	order        map[uuid.UUID]int
	starts, ends []Shift
	count        map[uuid.UUID]int
	people       []uuid.UUID
}

func newSweep(order map[uuid.UUID]int, shifts []Shift) *sweep {
	s := &sweep{order: order, starts: slices.Clone(shifts), ends: slices.Clone(shifts), count: map[uuid.UUID]int{}}
	slices.SortFunc(s.starts, func(a, b Shift) int { return a.Start.Compare(b.Start) })
	slices.SortFunc(s.ends, func(a, b Shift) int { return a.End.Compare(b.End) })
	return s
}

// at returns the people whose shifts cover an instant. Instants come in order.
func (s *sweep) at(t time.Time) []uuid.UUID {
	find := func(person uuid.UUID) (int, bool) {
		return slices.BinarySearchFunc(s.people, person, func(a, b uuid.UUID) int { return s.order[a] - s.order[b] })
	}
	for ; len(s.starts) > 0 && !t.Before(s.starts[0].Start); s.starts = s.starts[1:] {
		person := s.starts[0].Person
		if s.count[person]++; s.count[person] == 1 {
			i, _ := find(person)
			s.people = slices.Insert(s.people, i, person)
		}
	}
	for ; len(s.ends) > 0 && !t.Before(s.ends[0].End); s.ends = s.ends[1:] {
		person := s.ends[0].Person
		if s.count[person]--; s.count[person] == 0 {
			i, _ := find(person)
			s.people = slices.Delete(s.people, i, i+1)
		}
	}
	return append([]uuid.UUID{}, s.people...)
}
