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
	"countersign/internal/problem"
)

// Limits of one answer.
const (
	MaxShifts = 2000 // of an imported calendar
	MaxSpans  = 5000
	// maxNamed bounds the people of all spans together.
	maxNamed = 50000
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
	// Events are those of an imported calendar. All people whose shifts cover an instant are on call, in the order in which the
	// events first name them.
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
	people, _ := r.over(t, r.covering(t), func(layer int) (uuid.UUID, bool) { return r.Layers[layer].at(t, r.Zone) })
	return people
}

// over lays the layers and overrides of an instant over the people of the calendar. turn returns the person of a layer.
func (r Rota) over(t time.Time, people []uuid.UUID, turn func(layer int) (uuid.UUID, bool)) (_ []uuid.UUID, overridden bool) {
	for i, l := range r.Layers {
		person, ok := turn(i)
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

// Between lists the spans from one instant (inclusive) to another (exclusive), without a gap between two of them. It refuses
// a time with more shifts than MaxShifts or more spans than MaxSpans.
func (r Rota) Between(from, to time.Time) ([]Span, error) {
	spans := []Span{}
	if !from.Before(to) {
		return spans, nil
	}
	shifts, err := r.shifts(from, to)
	if err != nil {
		return nil, err
	}
	edges := []time.Time{from}
	layers := make([]*track, len(r.Layers))
	for i, l := range r.Layers {
		layers[i] = l.track(from, to, r.Zone)
		edges = append(edges, layers[i].edges...)
	}
	for _, o := range r.Overrides {
		edges = append(edges, o.Start, o.End)
	}
	for _, s := range shifts {
		edges = append(edges, s.Start, s.End)
	}
	slices.SortFunc(edges, time.Time.Compare)
	on, named := newSweep(r.order(), shifts), 0
	for _, t := range slices.CompactFunc(edges, time.Time.Equal) {
		if t.Before(from) || !t.Before(to) {
			continue
		}
		people, overridden := r.over(t, on.at(t), func(layer int) (uuid.UUID, bool) { return layers[layer].at(t) })
		if n := len(spans); n > 0 {
			last := &spans[n-1]
			if slices.Equal(last.People, people) && last.Overridden == overridden {
				continue
			}
			last.To = t
		}
		spans = append(spans, Span{From: t, To: to, People: people, Overridden: overridden})
		if named += len(people); len(spans) > MaxSpans || named > maxNamed {
			return nil, problem.Errorf(problem.Invalid, "Who is on call changes more than %d times in that time. Ask for a shorter one.", MaxSpans)
		}
	}
	return spans, nil
}

// at returns the person of the layer at an instant; false when it has nobody on call.
func (l Layer) at(t time.Time, zone *time.Location) (uuid.UUID, bool) {
	if len(l.People) == 0 || t.Before(l.handover(0, zone)) || !l.open(t) {
		return uuid.Nil, false
	}
	return l.People[l.turn(t, zone)%int64(len(l.People))], true
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

// handover is the instant at which a turn begins, counted from 0. Durations would wrap after 292 years, so it counts seconds.
func (l Layer) handover(turn int64, zone *time.Location) time.Time {
	if l.Unit == Hours {
		return time.Unix(calendar.Instant(l.Start, zone).Unix()+turn*l.seconds(), 0)
	}
	return calendar.Instant(time.Unix(l.Start.Unix()+turn*l.seconds(), 0).UTC(), zone)
}

// seconds is the length of a shift, in elapsed or in local time.
func (l Layer) seconds() int64 {
	unit := map[Unit]int64{Hours: 3600, Days: 24 * 3600, Weeks: 7 * 24 * 3600}[l.Unit]
	return int64(max(l.Length, 1)) * max(unit, 3600)
}

// turn is the number of the turn in which an instant after the start lies.
func (l Layer) turn(t time.Time, zone *time.Location) int64 {
	turn := (t.Unix() - l.handover(0, zone).Unix()) / l.seconds()
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
	turn := int64(0)
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
