// Package health derives the status of a target from its runs. It has no side effects: the engine stores the State.
package health

import "slices"

// Status is the health of a target or a system. Its numbers are stored and stable, and say nothing about which is worse:
// see WorseThan.
type Status int16

// Unknown means no data. Degraded and Unhealthy come from thresholds. PartlyUnknown is for systems alone: what is known of
// its checks is healthy, and nothing is known of at least one.
const (
	Unknown       Status = 0
	Healthy       Status = 1
	Degraded      Status = 2
	Unhealthy     Status = 3
	PartlyUnknown Status = 4
)

// bySeverity are the statuses, the least severe first.
var bySeverity = []Status{Unknown, Healthy, PartlyUnknown, Degraded, Unhealthy}

// WorseThan reports whether a status is more severe than another one.
func (s Status) WorseThan(other Status) bool {
	return slices.Index(bySeverity, s) > slices.Index(bySeverity, other)
}

// Worse returns the more severe of two statuses.
func Worse(a, b Status) Status {
	if b.WorseThan(a) {
		return b
	}
	return a
}

// Bad reports whether a status is Degraded or Unhealthy.
func (s Status) Bad() bool { return s == Degraded || s == Unhealthy }

func (s Status) String() string {
	switch s {
	case Healthy:
		return "healthy"
	case Degraded:
		return "degraded"
	case Unhealthy:
		return "unhealthy"
	case PartlyUnknown:
		return "partly-unknown"
	default:
		return "unknown"
	}
}
