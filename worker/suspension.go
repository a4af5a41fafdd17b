package worker

import (
	"sync"

	"go.temporal.io/sdk/temporal"

	"countersign/internal/durable"
)

// Suspension abandons the steps of this process while the process cannot do any work: other processes retry them.
type Suspension struct {
	mu     sync.Mutex
	active chan struct{}
}

// NewSuspension makes an inactive suspension.
func NewSuspension() *Suspension { return &Suspension{active: make(chan struct{})} }

// Suspend abandons running steps, and every one that starts until Resume.
func (s *Suspension) Suspend() {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.active:
	default:
		close(s.active)
	}
}

// Resume lets steps run again.
func (s *Suspension) Resume() {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.active:
		s.active = make(chan struct{})
	default:
	}
}

// Suspended is closed while the suspension is active. It is nil, and never ready, for a nil Suspension.
func (s *Suspension) Suspended() <-chan struct{} {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.active
}

// abandoned is the error of a step that a suspension ends. The server retries a regular activity in another process;
// the workflow itself retries a local one, in the process that gets its next task (durable.Abandoned).
func abandoned(local bool) error {
	return temporal.NewApplicationErrorWithOptions("this process has lost the database and gives its work up", durable.Abandoned,
		temporal.ApplicationErrorOptions{NonRetryable: local})
}
