package healthcheck

// Status is how a target or a system is.
type Status string

// No run yet is unknown.
const (
	Unknown   Status = "unknown"
	Healthy   Status = "healthy"
	Degraded  Status = "degraded"
	Unhealthy Status = "unhealthy"
)

// statusOf is a stored status.
func statusOf(stored int16) Status {
	switch stored {
	case 1:
		return Healthy
	case 2:
		return Degraded
	case 3:
		return Unhealthy
	default:
		return Unknown
	}
}

func (c *StatusCounts) add(stored int16, n int) {
	switch statusOf(stored) {
	case Healthy:
		c.Healthy += n
	case Degraded:
		c.Degraded += n
	case Unhealthy:
		c.Unhealthy += n
	default:
		c.Unknown += n
	}
}
