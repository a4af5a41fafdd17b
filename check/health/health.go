// Package health decides from runs what state a target is in. It is pure: the engine keeps the State.
package health

// Status is what people see. Its number is stored and never changes its meaning; a higher one is worse, and Unknown is that nothing
// is known.
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
