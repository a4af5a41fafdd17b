// Package rota computes who is on call: rotations in layers with hand-over times and hours, overrides, and shifts of an
// imported calendar. It is pure.
//
// Hand-over times are local times of the zone of a rota and follow the rule of package calendar over daylight-saving
// changes: one that does not exist is the end of the gap, one that exists twice is the first. Shifts in hours follow
// elapsed time. Each shift ends where the next one begins, so that a rotation has no gap and no doubled second.
package rota

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/internal/calendar"
)

// Unit is what the length of a shift is counted in.
type Unit string

// The units.
const (
	Hours Unit = "hours"
	Days  Unit = "days"
	Weeks Unit = "weeks"
)

// Layer is a rotation: people who take turns.
type Layer struct {
	// Start is the local time of the first hand-over, as a time in UTC. Before it nobody is on call.
	Start time.Time
	// A shift takes Length units.
	Unit   Unit
	Length int
	People []uuid.UUID
	// Hours restrict the layer; it is on call in any of them, and always without one.
	Hours []*calendar.QuietHours
	// Beside adds its people to those of the layers below instead of taking their place.
	Beside bool
}

// Override puts a person on call for a while.
type Override struct {
	Person uuid.UUID
	// Replaces is the person whose place is taken; uuid.Nil stands for everybody on call.
	Replaces   uuid.UUID
	Start, End time.Time
}

// Shift is an occurrence of an imported event.
type Shift struct {
	Person     uuid.UUID
	Start, End time.Time
}

// Rota is who is on call when.
type Rota struct {
	Zone   *time.Location
	Layers []Layer
	// Overrides come in the order in which they were made; later ones count more.
	Overrides []Override
	// Events are those of an imported calendar. All people whose shifts cover an instant are on call.
	Events []Event
}

// Span is a time in which the same people are on call. Nobody is in a gap.
type Span struct {
	From, To time.Time
	People   []uuid.UUID
	// Overridden says that an override decides.
	Overridden bool
}

// At returns the people on call at an instant, in the order of the layers.
func (r Rota) At(t time.Time) []uuid.UUID {
	people, _ := r.at(t, r.shifts(t, t.Add(1)))
	return people
}

func (r Rota) at(t time.Time, shifts []Shift) (people []uuid.UUID, overridden bool) {
	people = []uuid.UUID{}
	for _, s := range shifts {
		if !t.Before(s.Start) && t.Before(s.End) {
			people = add(people, s.Person)
		}
	}
	for _, l := range r.Layers {
		person, ok := l.at(t, r.Zone)
		switch {
		case !ok:
		case l.Beside:
			people = add(people, person)
		default:
			people = []uuid.UUID{person}
		}
	}
	for _, o := range r.Overrides {
		if t.Before(o.Start) || !t.Before(o.End) {
			continue
		}
		if o.Replaces == uuid.Nil {
			people, overridden = []uuid.UUID{o.Person}, true
			continue
		}
		if i := slices.Index(people, o.Replaces); i >= 0 {
			people, overridden = add(slices.Delete(people, i, i+1), o.Person), true
		}
	}
	return people, overridden
}

func add(people []uuid.UUID, person uuid.UUID) []uuid.UUID {
	if slices.Contains(people, person) {
		return people
	}
	return append(people, person)
}

// Between lists the spans from one instant (inclusive) to another (exclusive), without a gap between two of them.
func (r Rota) Between(from, to time.Time) []Span {
	spans := []Span{}
	if !from.Before(to) {
		return spans
	}
	shifts := r.shifts(from, to)
	edges := []time.Time{from}
	for _, l := range r.Layers {
		edges = append(edges, l.edges(from, to, r.Zone)...)
	}
	for _, o := range r.Overrides {
		edges = append(edges, o.Start, o.End)
	}
	for _, s := range shifts {
		edges = append(edges, s.Start, s.End)
	}
	slices.SortFunc(edges, time.Time.Compare)
	for _, t := range edges {
		if t.Before(from) || !t.Before(to) {
			continue
		}
		people, overridden := r.at(t, shifts)
		if n := len(spans); n > 0 {
			last := &spans[n-1]
			if last.From.Equal(t) || slices.Equal(last.People, people) && last.Overridden == overridden {
				continue
			}
			last.To = t
		}
		spans = append(spans, Span{From: t, To: to, People: people, Overridden: overridden})
	}
	return spans
}

// at returns the person of the layer at an instant; false when it has nobody on call.
func (l Layer) at(t time.Time, zone *time.Location) (uuid.UUID, bool) {
	if len(l.People) == 0 || t.Before(l.handover(0, zone)) || !l.open(t) {
		return uuid.Nil, false
	}
	return l.People[l.turn(t, zone)%len(l.People)], true
}

// open reports whether an instant lies in the hours of the layer.
func (l Layer) open(t time.Time) bool {
	for _, h := range l.Hours {
		if _, in := h.Until(t); in {
			return true
		}
	}
	return len(l.Hours) == 0
}

// handover is the instant at which a turn begins, counted from 0.
func (l Layer) handover(turn int, zone *time.Location) time.Time {
	if l.Unit == Hours {
		return calendar.Instant(l.Start, zone).Add(time.Duration(turn) * l.length())
	}
	return calendar.Instant(l.Start.Add(time.Duration(turn)*l.length()), zone)
}

// length is that of a shift, in elapsed or in local time.
func (l Layer) length() time.Duration {
	unit := map[Unit]time.Duration{Hours: time.Hour, Days: 24 * time.Hour, Weeks: 7 * 24 * time.Hour}[l.Unit]
	return time.Duration(max(l.Length, 1)) * max(unit, time.Hour)
}

// turn is the number of the turn in which an instant after the start lies.
func (l Layer) turn(t time.Time, zone *time.Location) int {
	turn := int(t.Sub(l.handover(0, zone)) / l.length())
	// Changes of the offset move hand-overs by hours, and a zone that skips a day lets one turn be empty.
	for turn > 0 && t.Before(l.handover(turn, zone)) {
		turn--
	}
	for !t.Before(l.handover(turn+1, zone)) {
		turn++
	}
	return turn
}

// edges are the instants at which the person of the layer can change.
func (l Layer) edges(from, to time.Time, zone *time.Location) []time.Time {
	edges := []time.Time{}
	if len(l.People) == 0 {
		return edges
	}
	turn := 0
	if !from.Before(l.handover(0, zone)) {
		turn = l.turn(from, zone) + 1
	}
	for t := l.handover(turn, zone); t.Before(to); t = l.handover(turn, zone) {
		edges = append(edges, t)
		turn++
	}
	for _, h := range l.Hours {
		if end, in := h.Until(from); in {
			edges = append(edges, end)
		}
		begin, ok := h.Next(from)
		for ; ok && begin.Before(to); begin, ok = h.Next(begin) {
			edges = append(edges, begin)
			if end, in := h.Until(begin); in {
				edges = append(edges, end)
			}
		}
	}
	return edges
}
