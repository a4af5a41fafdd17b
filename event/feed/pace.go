package feed

import (
	"slices"
	"time"
)

// pace is how much time lies between looks. Where looks take long, as behind a transaction of hours, they are made more
// seldom, so that they are not all that the database does. One alone that took long says nothing: it was a moment in
// which the machine was busy, and readers do not wait for it.
type pace struct {
	usual time.Duration
	// took is how long the last looks took.
	took [3]time.Duration
}

// after is how long to wait after a look that took so long.
func (p *pace) after(took time.Duration) time.Duration {
	p.took[0], p.took[1], p.took[2] = p.took[1], p.took[2], took
	return max(p.usual, min(10*slices.Min(p.took[:]), longestPace))
}
