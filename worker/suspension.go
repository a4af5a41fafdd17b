package worker

import (
	"sync"

	"go.temporal.io/sdk/temporal"

	"countersign/workflows"
)

// Suspension ends the steps that run in this process, for as long as the process cannot do any work: others repeat them.
type Suspension struct {
	mu    sync.Mutex
	begun chan struct{}
}

// NewSuspension makes one that is not in force.
func NewSuspension() *Suspension { return &Suspension{begun: make(chan struct{})} }

// Begin ends the steps that run, and every one that begins until End.
func (s *Suspension) Begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.begun:
	default:
		close(s.begun)
	}
}

// End lets steps run again.
func (s *Suspension) End() {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.begun:
		s.begun = make(chan struct{})
	default:
	}
}

// Begun is closed once the suspension is in force. It never is for a nil Suspension.
func (s *Suspension) Begun() <-chan struct{} {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.begun
}

// abandoned is the error of a step that a suspension ends. The server repeats an activity elsewhere; of a local one the
// workflow learns at once, and begins it again when another process has its task (workflows.Abandoned).
func abandoned(local bool) error {
	return temporal.NewApplicationErrorWithOptions("this process has lost the database and gives its work up", workflows.Abandoned,
		temporal.ApplicationErrorOptions{NonRetryable: local})
}
