// Package health derives the status of a target from its runs. It has no side effects: the engine stores the State.
package health

// Status is the health of a target or a system. Its numbers are stored and stable; a higher one is worse, and Unknown
// means no data.
type Status int16

// Degraded and Unhealthy come from thresholds.
const (
	Unknown   Status = 0
	Healthy   Status = 1
	Degraded  Status = 2
	Unhealthy Status = 3
)

func (s Status) String() string {
	switch s {
	case Healthy:
		return "healthy"
	case Degraded:
		return "degraded"
	case Unhealthy:
		return "unhealthy"
	default:
		return "unknown"
	}
}
