package health

import (
	"fmt"
	"slices"
	"strings"
)

// Location is the state of a check in one of the locations from which it runs.
type Location struct {
	Name   string
	Status Status
	// Began is when what the status stands for began, in milliseconds since 1970.
	Began int64
	// Reason is a sentence without its full stop.
	Reason string
}

// LocationRule says from how many of its locations a check has to be down to be unhealthy. Locations of which nothing is known do not
// count, so that a dead location neither makes a check unhealthy nor hides that it is.
type LocationRule string

// AnyLocation, MajorityOfLocations and AllLocations are the rules; the majority is the default.
const (
	AnyLocation         LocationRule = "any"
	MajorityOfLocations LocationRule = "majority"
	AllLocations        LocationRule = "all"
)

// LocationRules are all rules.
func LocationRules() []LocationRule {
	return []LocationRule{AnyLocation, MajorityOfLocations, AllLocations}
}

// Valid reports whether the rule is one of LocationRules.
func (r LocationRule) Valid() bool { return slices.Contains(LocationRules(), r) }

// quorum is the number of bad locations among the known ones that decides.
func (r LocationRule) quorum(known int) int {
	switch r {
	case AnyLocation:
		return 1
	case AllLocations:
		return max(known, 1)
	default:
		return known/2 + 1
	}
}

// SettleLocations returns the status of a check from its locations, when what it stands for began, 0 for no such time, and the
// reason without its full stop. It is unhealthy when it is
// down from as many as the rule says. It is degraded when it is degraded or down from as many, and also when it is down from fewer: an
// outage of one region is no outage of all, and nothing that a board may show green. Otherwise a location of which nothing is known
// makes it unknown.
func SettleLocations(rule LocationRule, locations []Location) (status Status, began int64, reason string) {
	if len(locations) == 0 {
		return Unknown, 0, "It runs from no location"
	}
	var down, bad, unknown []Location
	for _, l := range locations {
		switch l.Status {
		case Unhealthy:
			down, bad = append(down, l), append(bad, l)
		case Degraded:
			bad = append(bad, l)
		case Unknown:
			unknown = append(unknown, l)
		}
	}
	quorum := rule.quorum(len(locations) - len(unknown))
	says := func(what string, of []Location) string {
		return fmt.Sprintf("%s from %d of %d: %s", what, len(of), len(locations), names(of))
	}
	status, reason = Healthy, fmt.Sprintf("Healthy from %d of %d", len(locations)-len(bad), len(locations))
	switch {
	case len(down) >= quorum:
		status, began, reason = Unhealthy, reached(quorum, down), says("Down", down)+because(down)
	case len(down) > 0:
		status, began, reason = Degraded, reached(1, down), says("Down", down)+because(down)
	case len(bad) >= quorum:
		status, began, reason = Degraded, reached(quorum, bad), says("Degraded", bad)+because(bad)
	case len(unknown) > 0:
		return Unknown, reached(1, unknown), says("Unknown", unknown) + because(unknown)
	case len(bad) > 0:
		reason += "; degraded from " + names(bad)
	}
	if len(unknown) > 0 {
		reason += "; nothing is known from " + names(unknown)
	}
	return status, began, reason
}

// reached is when so many of some locations had begun to be as they are.
func reached(quorum int, of []Location) int64 {
	began := make([]int64, len(of))
	for i, l := range of {
		began[i] = l.Began
	}
	slices.Sort(began)
	return began[quorum-1]
}

func names(of []Location) string {
	all := make([]string, len(of))
	for i, l := range of {
		all[i] = l.Name
	}
	return strings.Join(all, ", ")
}

// because is the reason of the first location that has one.
func because(of []Location) string {
	for _, l := range of {
		if l.Reason != "" {
			return ": " + l.Reason
		}
	}
	return ""
}

// Lost returns the state of a target of which nothing is known any more. Its counts stay: the next run that fails after
// enough failures makes it unhealthy again.
func (s State) Lost() State {
	s.status, s.raw, s.errors, s.failing, s.erring = Unknown, Unknown, 0, 0, 0
	return s
}
