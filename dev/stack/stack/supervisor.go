package stack

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"sync/atomic"
	"syscall"
	"time"

	"countersign/dev/stack/child"
)

const (
	firstPause = 200 * time.Millisecond
	lastPause  = 10 * time.Second
	// settled is the run time after which the next failure starts the backoff again.
	settled = 30 * time.Second
	// attemptsToReady bounds the starts of a program that has never been ready.
	attemptsToReady = 5
)

// supervisor keeps a program running: it restarts it with exponential backoff.
type supervisor struct {
	command  []string
	env      Environment
	output   io.Writer
	drain    time.Duration
	progress *progress

	ready atomic.Bool
}

// markReady records that the program has worked; from then on it is always restarted.
func (s *supervisor) markReady() { s.ready.Store(true) }

// run returns when ctx has ended and the program has drained and ended, or when
// the program does not get ready.
func (s *supervisor) run(ctx context.Context) error {
	pause := firstPause
	for failures := 0; ; {
		process, err := s.start()
		if err != nil {
			return err
		}
		began := time.Now()
		select {
		case <-ctx.Done():
			s.stop(process)
			return nil
		case <-process.Done():
		}
		// Remaining processes of the group would conflict with the next start.
		_ = process.SignalGroup(syscall.SIGKILL)

		if time.Since(began) > settled {
			failures, pause = 0, firstPause
		}
		failures++
		if !s.ready.Load() && failures == attemptsToReady {
			return fmt.Errorf(
				"countersign ended %d times before it was ready, the last time with exit status %d: see its messages above",
				failures,
				process.ExitCode(),
			)
		}
		s.progress.say("countersign ended with exit status %d, starting it again in %s", process.ExitCode(), pause)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
		pause = min(2*pause, lastPause)
	}
}

func (s *supervisor) start() (*child.Process, error) {
	cmd := exec.Command(s.command[0], s.command[1:]...)
	cmd.Env = s.env
	cmd.Stdout, cmd.Stderr = s.output, s.output
	// Without its parent the child has no database and no Temporal, so it could finish nothing.
	process, err := child.Start(cmd, syscall.SIGKILL)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", s.command[0], err)
	}
	return process, nil
}

// stop lets the program drain, and kills it after a timeout.
func (s *supervisor) stop(process *child.Process) {
	_ = process.Signal(syscall.SIGTERM)
	if !process.Wait(s.drain) {
		s.progress.say("countersign has not finished within %s and is ended", s.drain)
	}
	_ = process.SignalGroup(syscall.SIGKILL)
	<-process.Done()
}
