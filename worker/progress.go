package worker

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/chat/turn"
	"countersign/workflows"
)

// Patience is how long a turn may make no progress before it is ended.
type Patience struct {
	// Failing is for a turn whose workflow task fails again and again: its code panics, or no process that runs has code that
	// fits its history. It is long enough for a process of another version to come up.
	Failing time.Duration
	// Silent is for a turn of which nothing is heard. It is longer than a step may take that says nothing.
	Silent time.Duration
	// Fruitless is for a turn that says something and records nothing, such as one that kills each process that takes it. It is
	// longer than all attempts at a model call that says something all the time.
	Fruitless time.Duration
}

// DefaultPatience is that of an installation.
func DefaultPatience() Patience {
	return Patience{
		Failing:   2 * time.Minute,
		Silent:    workflows.StepTimeout + 2*time.Minute,
		Fruitless: 4*workflows.StepTimeout + 5*time.Minute,
	}
}

func (r *Reconciler) patience() Patience {
	if r.Patience == (Patience{}) {
		return DefaultPatience()
	}
	return r.Patience
}

// recheck is how long a turn that runs is left alone.
func (p Patience) recheck() time.Duration {
	return min(recheck, p.Failing/4, p.Silent/4, p.Fruitless/4)
}

// failingAttempt is the attempt at a workflow task from which on it fails again and again. The first ones can be those of
// processes that were killed.
const failingAttempt = 3

// watch is what was seen of turns that may make no progress. Time counts only while they are looked at and Temporal answers:
// whoever stood still, or could ask nobody, knows nothing.
type watch struct {
	turns  map[uuid.UUID]*standstill
	looked time.Time
}

// standstill is how far a turn had come, since when it has not come further, and since when it has recorded nothing.
type standstill struct {
	turn.Progress

	said, recorded time.Time
}

// blind is how long nobody may have looked for what was seen before to count.
const blind = 30 * time.Second

func (w *watch) begin(now time.Time) {
	if now.Sub(w.looked) > blind {
		w.forget()
	}
	w.looked = now
	if w.turns == nil {
		w.turns = map[uuid.UUID]*standstill{}
	}
}

func (w *watch) forget() { w.turns = map[uuid.UUID]*standstill{} }

// keep drops what was seen of turns that are not among these any more.
func (w *watch) keep(rows map[uuid.UUID]*rest) {
	for id := range w.turns {
		if _, ok := rows[id]; !ok {
			delete(w.turns, id)
		}
	}
}

func (w *watch) drop(id uuid.UUID) { delete(w.turns, id) }

// see takes in how far a turn has come, and returns what is known of it.
func (w *watch) see(id uuid.UUID, p turn.Progress, now time.Time) standstill {
	s, ok := w.turns[id]
	if !ok {
		s = &standstill{Progress: p, said: now, recorded: now}
		w.turns[id] = s
	}
	if p.Records != s.Records {
		s.recorded = now
	}
	if p != s.Progress {
		s.Progress, s.said = p, now
	}
	return *s
}

// stuck says why a turn that runs has to be ended; "" as long as it need not.
func (r *Reconciler) stuck(ctx context.Context, t turn.Turn, look Condition) (why string, err error) {
	now, p := r.now(), r.patience()
	if now.Sub(t.CreatedAt) < min(p.Failing, p.Silent, p.Fruitless) {
		return "", nil
	}
	failing := look.Attempt >= failingAttempt
	if look.Waits && !failing {
		// No process has room for it, or none is there.
		r.watch.drop(t.ID)
		return "", nil
	}
	progress, err := r.Turns.Progress(ctx, t.ID)
	if err != nil {
		return "", err
	}
	seen := r.watch.see(t.ID, progress, now)
	silent, fruitless := now.Sub(seen.said), now.Sub(seen.recorded)
	switch {
	case failing && silent >= p.Failing:
		return fmt.Sprintf("the server could not go on with it, and has tried %d times", look.Attempt), nil
	case silent >= p.Silent:
		return "nothing has come of it for " + silent.Round(time.Second).String(), nil
	case fruitless >= p.Fruitless:
		return "no step of it has come to an end for " + fruitless.Round(time.Second).String(), nil
	}
	return "", nil
}
