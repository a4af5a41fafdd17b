package worker

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/chat/turn"
	"countersign/workflows"
)

// StallLimits bound how long a turn may make no progress before the reconciler ends it.
type StallLimits struct {
	// TaskFailing is for a turn whose workflow task keeps failing: its code panics, or no running process has code that
	// fits its history. It leaves time for a process of another version to start.
	TaskFailing time.Duration
	// NoEvents is for a turn without stream events. It is longer than any silent step may take.
	NoEvents time.Duration
	// NoRecords is for a turn that streams events and records nothing, such as one that crashes each process that runs it
	// (a poison message). It is longer than all attempts at a model call, of which two may wait for the first words.
	NoRecords time.Duration
}

// DefaultStallLimits are those of an installation.
func DefaultStallLimits() StallLimits {
	return StallLimits{
		TaskFailing: 2 * time.Minute,
		NoEvents:    workflows.ModelCallTimeout + 2*time.Minute,
		NoRecords:   2*(workflows.ModelCallTimeout+workflows.StepTimeout) + 5*time.Minute,
	}
}

func (r *Reconciler) stallLimits() StallLimits {
	if r.StallLimits == (StallLimits{}) {
		return DefaultStallLimits()
	}
	return r.StallLimits
}

// recheckInterval is the time between two checks of a running turn.
func (p StallLimits) recheckInterval() time.Duration {
	return min(recheckInterval, p.TaskFailing/4, p.NoEvents/4, p.NoRecords/4)
}

// failingAttempt is the workflow task attempt from which on the task counts as failing. Killed processes explain the
// attempts before it.
const failingAttempt = 3

// stallWatch holds observed progress of turns. Time counts only while they are observed and Temporal answers: a process
// that hung, or had no connection, has observed nothing.
type stallWatch struct {
	turns      map[uuid.UUID]*observedProgress
	observedAt time.Time
}

// observedProgress is a turn's last observed progress, and when its last event and its last record were first observed.
type observedProgress struct {
	turn.Progress

	eventAt, recordAt time.Time
}

// maxWatchGap is the pause between two rounds after which earlier observations are stale.
const maxWatchGap = 30 * time.Second

func (w *stallWatch) startRound(now time.Time) {
	if now.Sub(w.observedAt) > maxWatchGap {
		w.reset()
	}
	w.observedAt = now
	if w.turns == nil {
		w.turns = map[uuid.UUID]*observedProgress{}
	}
}

func (w *stallWatch) reset() { w.turns = map[uuid.UUID]*observedProgress{} }

// retain drops turns that are not among these rows.
func (w *stallWatch) retain(rows map[uuid.UUID]*backoff) {
	for id := range w.turns {
		if _, ok := rows[id]; !ok {
			delete(w.turns, id)
		}
	}
}

func (w *stallWatch) drop(id uuid.UUID) { delete(w.turns, id) }

// observe records a turn's progress and returns what is known of it.
func (w *stallWatch) observe(id uuid.UUID, p turn.Progress, now time.Time) observedProgress {
	s, ok := w.turns[id]
	if !ok {
		s = &observedProgress{Progress: p, eventAt: now, recordAt: now}
		w.turns[id] = s
	}
	if p.Records != s.Records {
		s.recordAt = now
	}
	if p != s.Progress {
		s.Progress, s.eventAt = p, now
	}
	return *s
}

// stallReason says why a running turn has to be ended; "" as long as it makes progress.
func (r *Reconciler) stallReason(ctx context.Context, t turn.Turn, condition Condition) (why string, err error) {
	now, p := r.now(), r.stallLimits()
	if now.Sub(t.CreatedAt) < min(p.TaskFailing, p.NoEvents, p.NoRecords) {
		return "", nil
	}
	failing := condition.Attempt >= failingAttempt
	if condition.Queued && !failing {
		// It is queued: no process has a free slot, or none runs.
		r.watch.drop(t.ID)
		return "", nil
	}
	progress, err := r.Turns.Progress(ctx, t.ID)
	if err != nil {
		return "", err
	}
	seen := r.watch.observe(t.ID, progress, now)
	silent, fruitless := now.Sub(seen.eventAt), now.Sub(seen.recordAt)
	switch {
	case failing && silent >= p.TaskFailing:
		return fmt.Sprintf("the server could not go on with it, and has tried %d times", condition.Attempt), nil
	case silent >= p.NoEvents:
		return "nothing has come of it for " + silent.Round(time.Second).String(), nil
	case fruitless >= p.NoRecords:
		return "no step of it has come to an end for " + fruitless.Round(time.Second).String(), nil
	}
	return "", nil
}
