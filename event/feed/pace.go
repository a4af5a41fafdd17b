package feed

import (
	"slices"
	"time"
)

// pace is the adaptive polling interval. It grows when polls are slow, as behind a transaction of hours, to limit the
// load on the database. A single slow poll does not count.
type pace struct {
	usual time.Duration
	// took are the durations of the last polls.
	took [3]time.Duration
}

// after is the delay after a poll of this duration.
func (p *pace) after(took time.Duration) time.Duration {
	p.took[0], p.took[1], p.took[2] = p.took[1], p.took[2], took
	return max(p.usual, min(10*slices.Min(p.took[:]), longestPace))
}
