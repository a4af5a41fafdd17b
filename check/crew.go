package check

import "time"

// idle is for how long a goroutine waits for its next run. It is short, so that a process that stops leaves none behind.
const idle = 100 * time.Millisecond

// crew are goroutines that take one run after the other: their stacks have grown already, which costs more than most of what
// a run does besides its probe.
type crew struct{ jobs chan func() }

func newCrew() *crew { return &crew{make(chan func())} }

// do hands a job to somebody idle, or to a new goroutine. It never waits.
func (c *crew) do(job func()) {
	select {
	case c.jobs <- job:
	default:
		go c.work(job)
	}
}

func (c *crew) work(job func()) {
	job()
	timer := time.NewTimer(idle)
	defer timer.Stop()
	for {
		select {
		case job = <-c.jobs:
			job()
			timer.Reset(idle)
		case <-timer.C:
			return
		}
	}
}
