package check

import "time"

// idle bounds the wait of a worker for its next run. It is short, so that a stopping process leaves no goroutine
// behind.
const idle = 100 * time.Millisecond

// workerPool reuses goroutines for runs: growing a new stack costs more than most of a run apart from its probe.
type workerPool struct{ jobs chan func() }

func newWorkerPool() *workerPool { return &workerPool{make(chan func())} }

// submit passes a job to an idle worker, or to a new goroutine. It never blocks.
func (c *workerPool) submit(job func()) {
	select {
	case c.jobs <- job:
	default:
		go c.work(job)
	}
}

func (c *workerPool) work(job func()) {
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
