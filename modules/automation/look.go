package automation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"countersign/automation/definition"
	"countersign/automation/expression"
	"countersign/check/health"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/modules/automation/automationdb"
	"countersign/modules/automation/run"
)

const (
	// longestLook is the longest time between two looks at a wait, and firstLook the shortest one for conditions.
	longestLook = 15 * time.Minute
	firstLook   = 10 * time.Second
	// maxVars bounds the variables of a run in bytes, maxItems the items of a loop.
	maxVars  = 256 << 10
	maxItems = 10_000
)

// looked is the output of a step without effects in its row: the decision, and what it saw.
type looked struct {
	run.StepOutput

	Saw map[string]json.RawMessage `json:"saw,omitempty"`
	// Count is how often a loop runs, and List its items.
	Count int               `json:"count,omitempty"`
	List  []json.RawMessage `json:"list,omitempty"`
	// Event is what a wait got, and TimedOut that it got nothing.
	Event    json.RawMessage `json:"event,omitempty"`
	TimedOut bool            `json:"timedOut,omitempty"`

	// vars are variables to set with the end of the step.
	vars json.RawMessage
}

// look evaluates a step without effects. A problem of the definition or of the data is its outcome.
func (s *service) look(ctx context.Context, in run.StepInput) (run.StepOutput, error) {
	at, err := s.at(ctx, in)
	if errors.Is(err, errGone) {
		return gone, nil
	}
	if err != nil {
		return run.StepOutput{}, err
	}
	row, err := s.recorded(ctx, in)
	if err != nil {
		return run.StepOutput{}, err
	}
	if ctx, err = s.asRunning(ctx, in.RunID); err != nil {
		return run.StepOutput{}, err
	}
	if row == nil {
		if row, err = s.beginLook(ctx, at); err != nil {
			return run.StepOutput{}, err
		}
	}
	if row.EndedAt != nil {
		return outcomeOf(row), nil
	}
	scope, err := s.scope(ctx, at.run, in.Path, in.Iteration)
	if err != nil {
		return run.StepOutput{}, err
	}
	if scope, err = s.health(ctx, at.def, scope); err != nil {
		return run.StepOutput{}, err
	}
	out, err := s.evaluate(ctx, at, row, scope)
	switch {
	case err != nil && problem.CodeOf(err) == problem.Internal:
		return run.StepOutput{}, err
	case err != nil:
		out = looked{StepOutput: run.StepOutput{Status: run.Failed, Reason: problem.As(err).Detail}}
	case out.Status == run.Waiting:
		return out.StepOutput, nil
	}
	done, err := s.endLook(ctx, at, out)
	if problem.Is(err, problem.TooLarge) {
		return s.endLook(ctx, at, looked{StepOutput: run.StepOutput{Status: run.Failed, Reason: problem.As(err).Detail}})
	}
	return done, err
}

// endLook writes what a step came to, once: variables that count on are not set again by a repeat.
func (s *service) endLook(ctx context.Context, at stepRow, out looked) (run.StepOutput, error) {
	in := at.StepInput
	data, err := json.Marshal(out)
	if err != nil {
		return run.StepOutput{}, fmt.Errorf("write the output of step %s: %w", in.Path, err)
	}
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if len(out.vars) > 0 {
			if _, err := s.queries(ctx).HoldRun(ctx, in.RunID); err != nil {
				return fmt.Errorf("hold run %s: %w", in.RunID, err)
			}
			row, err := s.recorded(ctx, in)
			if err != nil {
				return err
			}
			if row != nil && row.EndedAt != nil {
				out.StepOutput = outcomeOf(row)
				return nil
			}
			if err := s.set(ctx, at, out.vars); err != nil {
				return err
			}
		}
		if err := s.queries(ctx).EndWaits(ctx, automationdb.EndWaitsParams{RunID: in.RunID, Path: in.Path, Iteration: in.Iteration}); err != nil {
			return fmt.Errorf("end the waits of step %s: %w", in.Path, err)
		}
		artifacts, err := out.artifacts(at.step)
		if err != nil {
			return err
		}
		return s.endStep(ctx, at, out.StepOutput, data, artifacts)
	})
	return out.StepOutput, err
}

// artifacts are those that a step without an effect leaves behind.
func (l looked) artifacts(step *definition.Step) (map[string]json.RawMessage, error) {
	if step.WaitFor == nil && step.WaitUntil == nil {
		return nil, nil
	}
	data, err := json.Marshal(struct {
		TimedOut bool            `json:"timedOut"`
		Event    json.RawMessage `json:"event,omitempty"`
	}{l.TimedOut, l.Event})
	if err != nil {
		return nil, fmt.Errorf("write what a wait got: %w", err)
	}
	return map[string]json.RawMessage{definition.ArtifactWait: data}, nil
}

// isLoopCondition reports whether a path names the condition of a loop.
func isLoopCondition(path string) bool {
	return strings.HasSuffix(path, ".repeat.while") || strings.HasSuffix(path, ".repeat.until")
}

// beginLook writes the row of a step, with the end of its wait.
func (s *service) beginLook(ctx context.Context, at stepRow) (*automationdb.StepRow, error) {
	now, err := s.db.Now(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the clock: %w", err)
	}
	status, left := stepRunning, time.Duration(0)
	switch {
	case isLoopCondition(at.Path):
	case at.step.WaitFor != nil:
		status, left = run.Waiting, time.Duration(at.step.WaitFor.Timeout)
	case at.step.WaitUntil != nil:
		status, left = run.Waiting, time.Duration(at.step.WaitUntil.Timeout)
	case at.step.Delay != nil:
		status, left = run.Waiting, time.Duration(at.step.Delay.For)
		if at.step.Delay.Template != "" {
			if left, err = s.delay(ctx, at); err != nil {
				return nil, err
			}
		}
	}
	due := now.Add(left)
	return store.InTx(ctx, s.db, func(ctx context.Context) (*automationdb.StepRow, error) {
		row, err := s.begin(ctx, at, status, 0, &due)
		if err != nil || row.EndedAt != nil || status != run.Waiting {
			return row, err
		}
		return row, s.listen(ctx, at)
	})
}

// listen notes the events for which a step waits, so that none that comes from now on is missed.
func (s *service) listen(ctx context.Context, at stepRow) error {
	wait := automationdb.AddWaitParams{RunID: at.RunID, Path: at.Path, Iteration: at.Iteration}
	add := func() error {
		if err := s.queries(ctx).AddWait(ctx, wait); err != nil {
			return fmt.Errorf("wait for %s: %w", wait.Event, err)
		}
		return nil
	}
	switch {
	case at.step.WaitFor != nil:
		wait.Event, wait.Filter = at.step.WaitFor.Event, at.step.WaitFor.Filter
		if at.step.WaitFor.ContextKey != "" {
			scope, err := s.scope(ctx, at.run, at.Path, at.Iteration)
			if err != nil {
				return err
			}
			if wait.ContextKey, err = filled(ctx, at.step.WaitFor.ContextKey, scope); err != nil {
				return err
			}
		}
		return add()
	case at.step.WaitUntil != nil:
		// The health of a system changes with an event; all else is looked at from time to time.
		_, systems := systemsOf(at.def, at.run.Trigger)
		for _, id := range systems {
			wait.Event, wait.ContextKey = health.EventChanged, health.SubjectOf(id)
			if err := add(); err != nil {
				return err
			}
		}
	}
	return nil
}

// filled fills a template that gives a text.
func filled(ctx context.Context, template string, scope expression.Scope) (string, error) {
	if !expression.HasTemplate(template) {
		return template, nil
	}
	text, err := json.Marshal(template)
	if err != nil {
		return "", fmt.Errorf("write a template: %w", err)
	}
	value, err := expression.Fill(ctx, text, scope)
	if err != nil {
		return "", err
	}
	var result string
	if json.Unmarshal(value, &result) != nil {
		// A number or a truth value.
		result = string(value)
	}
	return result, nil
}

// delay is the length of a delay that a template gives: seconds, or a duration such as 5m.
func (s *service) delay(ctx context.Context, at stepRow) (time.Duration, error) {
	scope, err := s.scope(ctx, at.run, at.Path, at.Iteration)
	if err != nil {
		return 0, err
	}
	if scope, err = s.health(ctx, at.def, scope); err != nil {
		return 0, err
	}
	text, err := filled(ctx, at.step.Delay.Template, scope)
	if err != nil {
		return 0, err
	}
	length, err := time.ParseDuration(text)
	if seconds, bad := strconv.ParseFloat(text, 64); bad == nil {
		length, err = time.Duration(seconds*float64(time.Second)), nil
	}
	if err != nil || length < 0 || length > definition.MaxDelay {
		return 0, problem.Errorf(problem.Invalid, "The delay %q is no number of seconds and no duration such as 5m, up to a year.", text)
	}
	return length, nil
}

// evaluate decides a step.
func (s *service) evaluate(ctx context.Context, at stepRow, row *automationdb.StepRow, scope expression.Scope) (looked, error) {
	done := looked{StepOutput: run.StepOutput{Status: run.Success}}
	left := time.Duration(row.Remaining * float64(time.Second))
	step, condition := conditionAt(at.def, at.Path)
	if isLoopCondition(at.Path) {
		v, err := s.holds(ctx, *condition, scope)
		done.Passes, done.Saw = v.holds, v.saw
		return done, err
	}
	switch {
	case step.Condition != nil:
		v, err := s.holds(ctx, *condition, scope)
		done.Passes, done.Saw, done.Reason = v.holds, v.saw, v.why
		return done, err
	case step.Choose != nil:
		return s.chosen(ctx, step, scope)
	case step.Repeat != nil:
		return s.loop(ctx, step.Repeat, scope)
	case step.Variables != nil:
		var err error
		done.vars, err = expression.Fill(ctx, step.Variables, scope)
		return done, err
	case step.Stop != nil:
		reason, err := filled(ctx, step.Stop.Reason, scope)
		done.Reason = reason
		if step.Stop.Error {
			done.Status = run.Failed
		}
		return done, err
	case step.Delay != nil:
		if left > 0 {
			return looked{StepOutput: run.StepOutput{Status: run.Waiting, Wait: left}}, nil
		}
		return done, nil
	case step.WaitFor != nil:
		return s.awaited(ctx, at, step.WaitFor.ContinueOnTimeout, left)
	case step.WaitUntil != nil:
		v, err := s.holds(ctx, step.WaitUntil.Condition, scope)
		if err != nil {
			return done, err
		}
		done.Saw = v.saw
		if v.holds {
			return done, nil
		}
		if left > 0 {
			waited := scope.Now.Sub(row.StartedAt)
			return looked{StepOutput: run.StepOutput{Status: run.Waiting, Wait: min(left, max(firstLook, min(waited/10, longestLook)))}}, nil
		}
		return timedOut(step.WaitUntil.ContinueOnTimeout, v.why), nil
	default:
		return done, problem.Errorf(problem.Invalid, "This version does not know the step.")
	}
}

// timedOut is the outcome of a wait that has lasted its time.
func timedOut(goesOn bool, why string) looked {
	l := looked{TimedOut: true, StepOutput: run.StepOutput{Status: run.Success, Reason: strings.TrimSpace("The time is over. " + why)}}
	if !goesOn {
		l.Status = run.Failed
	}
	return l
}

// awaited looks whether the event of a wait has come.
func (s *service) awaited(ctx context.Context, at stepRow, goesOn bool, left time.Duration) (looked, error) {
	waits, err := s.queries(ctx).Waits(ctx, automationdb.WaitsParams{RunID: at.RunID, Path: at.Path, Iteration: at.Iteration})
	if err != nil {
		return looked{}, fmt.Errorf("read the waits of step %s: %w", at.Path, err)
	}
	for _, w := range waits {
		if len(w.Matched) > 0 {
			return looked{StepOutput: run.StepOutput{Status: run.Success}, Event: w.Matched}, nil
		}
	}
	if left > 0 {
		return looked{StepOutput: run.StepOutput{Status: run.Waiting, Wait: left}}, nil
	}
	return timedOut(goesOn, "The event did not come."), nil
}

// chosen finds the first branch whose condition holds.
func (s *service) chosen(ctx context.Context, step *definition.Step, scope expression.Scope) (looked, error) {
	out := looked{StepOutput: run.StepOutput{Status: run.Success, Branch: -1}, Saw: map[string]json.RawMessage{}}
	for n, b := range step.Choose {
		v, err := s.holds(ctx, b.When, scope)
		if err != nil {
			return out, err
		}
		if v.holds {
			out.Branch = n
			return out, nil
		}
		maps.Copy(out.Saw, v.saw)
	}
	if len(step.Else) > 0 {
		out.Branch = len(step.Choose)
	}
	return out, nil
}

// loop evaluates how often a loop runs.
func (s *service) loop(ctx context.Context, r *definition.RepeatStep, scope expression.Scope) (looked, error) {
	out := looked{StepOutput: run.StepOutput{Status: run.Success, Items: r.Count}, Count: r.Count}
	if r.ForEach == "" {
		return out, nil
	}
	items, err := expression.List(ctx, r.ForEach, scope)
	if err != nil {
		return out, err
	}
	size := 0
	for _, item := range items {
		size += len(item)
	}
	if len(items) > maxItems || size > maxVars {
		return out, problem.Errorf(problem.TooLarge, "The loop has %d items with %d bytes; at most %d items with %d bytes are allowed.",
			len(items), size, maxItems, maxVars)
	}
	out.Items, out.Count, out.List = len(items), len(items), items
	return out, nil
}

// set sets variables, in the transaction that ends their step.
func (s *service) set(ctx context.Context, at stepRow, values json.RawMessage) error {
	size, err := s.queries(ctx).SetVars(ctx, automationdb.SetVarsParams{ID: at.RunID, Vars: values})
	if err != nil {
		return fmt.Errorf("set variables of run %s: %w", at.RunID, err)
	}
	if size > maxVars {
		return problem.Errorf(problem.TooLarge, "The variables of the run have %d bytes, at most %d are allowed.", size, maxVars)
	}
	return nil
}
