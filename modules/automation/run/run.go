package run

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"go.temporal.io/sdk/workflow"

	"countersign/automation/definition"
	"countersign/internal/durable"
)

// Progress is what a run has done, by the path of a step and its iteration. It is what a continued history begins with, and
// holds no more than the definition has steps: an iteration that has ended is forgotten.
type Progress struct {
	// Ended are steps that have ended.
	Ended map[string]Result `json:",omitempty"`
	// Marks are the chosen branches, and the iterations at which loops are.
	Marks map[string]int `json:",omitempty"`
	// Undo are done steps that can be undone, in the order of their ends.
	Undo []Done `json:",omitempty"`
	// Failures counts the failed steps after which the run went on.
	Failures int `json:",omitempty"`
	// Outcome is set when the steps are over and those of onFailure and undo follow.
	Outcome *Result `json:",omitempty"`
}

// Result is how a step or the run ended.
type Result struct {
	Status Status
	Reason string `json:",omitempty"`
}

// Done names a step that can be undone.
type Done struct{ Path, Iteration string }

// interpreter walks the steps of one history of a run.
type interpreter struct {
	in       Input
	def      definition.Definition
	progress Progress

	// wakes counts signals, and renewing says that the history is to be continued in a new one.
	wakes    int
	renewing bool
	overtime bool
	undoing  bool
}

// eventsOfAHistory is when a history is continued: each event costs at each replay.
const eventsOfAHistory = 2000

// flow is how a step leaves the walk.
type flow struct {
	Result

	// stops ends the run as stop says, and renews interrupts the walk for a new history.
	stops, renews bool
}

func (f flow) goesOn() bool { return f.Status == Success && !f.stops && !f.renews }

var (
	onward  = flow{Result: Result{Status: Success}}
	renewal = flow{renews: true}
)

func interpret(ctx workflow.Context, in Input) (Output, error) {
	// A cancelled run still undoes and records.
	rest, _ := workflow.NewDisconnectedContext(ctx)
	loaded, err := Load.DoLocalFirst(rest, "", LoadInput{in.RunID})
	if err != nil || loaded.Over {
		return Output{}, err
	}
	i := &interpreter{in: in, def: loaded.Definition}
	if in.Progress != nil {
		i.progress = *in.Progress
	}
	if i.progress.Ended == nil {
		i.progress.Ended = map[string]Result{}
	}
	if i.progress.Marks == nil {
		i.progress.Marks = map[string]int{}
	}
	woken := workflow.GetSignalChannel(ctx, Woken.Name)
	workflow.Go(rest, func(ctx workflow.Context) {
		for {
			woken.Receive(ctx, nil)
			i.wakes++
		}
	})
	if i.progress.Outcome == nil && loaded.Cancelled {
		i.progress.Outcome = &Result{Status: Cancelled}
	}
	if i.progress.Outcome == nil {
		outcome, renews := i.main(ctx, loaded.Left)
		if renews {
			return Output{}, i.continued(ctx)
		}
		i.progress.Outcome = &outcome
	}
	outcome := *i.progress.Outcome
	if outcome.Status != Success {
		if renews := i.unwind(rest, outcome); renews {
			return Output{}, i.continued(ctx)
		}
	}
	_, err = Finish.DoLocalFirst(rest, "", FinishInput{i.in.RunID, outcome.Status, outcome.Reason, i.progress.Failures})
	return Output{}, err
}

// main runs the actions within the time that the run may take.
func (i *interpreter) main(ctx workflow.Context, left time.Duration) (outcome Result, renews bool) {
	ctx, cancel := workflow.WithCancel(ctx)
	defer cancel()
	over := workflow.NewTimer(ctx, left)
	workflow.Go(ctx, func(ctx workflow.Context) {
		if over.Get(ctx, nil) == nil {
			i.overtime = true
			cancel()
		}
	})
	f := i.sequence(ctx, "actions", i.def.Actions, "")
	switch {
	case i.overtime:
		return Result{Failed, fmt.Sprintf("The run has reached its limit of %d minutes.", i.def.Limits.Minutes)}, false
	case ctx.Err() != nil:
		return Result{Status: Cancelled}, false
	default:
		return f.Result, f.renews
	}
}

// unwind runs onFailure after a failure, and then undoes what can be undone, in reverse. A failure in it does not end it.
func (i *interpreter) unwind(ctx workflow.Context, outcome Result) (renews bool) {
	i.undoing = true
	if outcome.Status == Failed || outcome.Status == Unknown {
		if f := i.sequence(ctx, "onFailure", i.def.OnFailure, ""); f.renews {
			return true
		}
	}
	for len(i.progress.Undo) > 0 {
		last := i.progress.Undo[len(i.progress.Undo)-1]
		if step, ok := definition.At(&i.def, last.Path); ok {
			if f := i.sequence(ctx, last.Path+".undo", step.Undo, last.Iteration); f.renews {
				return true
			}
		}
		i.progress.Undo = i.progress.Undo[:len(i.progress.Undo)-1]
	}
	return false
}

// continued continues the run in a new history. Signals carry nothing, so none is lost with those that are discarded.
func (i *interpreter) continued(ctx workflow.Context) error {
	Woken.Inbox(ctx).Drain()
	return durable.ContinueAsNew(ctx, interpret, Input{i.in.RunID, &i.progress})
}

// mustRenew reports whether the walk stops for a new history.
func (i *interpreter) mustRenew(ctx workflow.Context) bool {
	if !i.renewing {
		info := workflow.GetInfo(ctx)
		i.renewing = info.GetContinueAsNewSuggested() || info.GetCurrentHistoryLength() > eventsOfAHistory
	}
	return i.renewing
}

func keyOf(path, iteration string) string { return path + "@" + iteration }

// sequence runs steps one after the other.
func (i *interpreter) sequence(ctx workflow.Context, path string, steps []definition.Step, iteration string) flow {
	for n := range steps {
		if f := i.step(ctx, path+"["+strconv.Itoa(n)+"]", &steps[n], iteration); !f.goesOn() {
			return f
		}
	}
	return onward
}

// step runs one step, unless it has ended in an earlier history.
func (i *interpreter) step(ctx workflow.Context, path string, s *definition.Step, iteration string) flow {
	if !s.Enabled {
		return onward
	}
	key := keyOf(path, iteration)
	result, known := i.progress.Ended[key]
	if !known {
		if ctx.Err() != nil {
			return flow{Result: Result{Status: Cancelled}}
		}
		if i.mustRenew(ctx) {
			return renewal
		}
		f := i.execute(ctx, path, s, iteration)
		if f.renews || f.stops {
			return f
		}
		result = f.Result
		i.progress.Ended[key] = result
		i.forget(path, iteration)
		if result.Status == Success && len(s.Undo) > 0 && !i.undoing {
			i.progress.Undo = append(i.progress.Undo, Done{path, iteration})
		}
		if forgives(s, result) {
			i.progress.Failures++
		}
	}
	if forgives(s, result) || result.Status == Unknown && s.OnUnknown == definition.UnknownContinues {
		return onward
	}
	return flow{Result: result}
}

// forgives reports whether the run goes on after a failure because of continue_on_error.
func forgives(s *definition.Step, r Result) bool {
	return s.ContinueOnError && (r.Status == Failed || r.Status == Unknown)
}

// forget drops what is known about the inside of a step that has ended.
func (i *interpreter) forget(path, iteration string) {
	delete(i.progress.Marks, keyOf(path, iteration))
	inside := func(key string) bool {
		return len(key) > len(path) && key[:len(path)] == path && (key[len(path)] == '.' || key[len(path)] == '[')
	}
	for _, key := range workflow.DeterministicKeys(i.progress.Ended) {
		if inside(key) {
			delete(i.progress.Ended, key)
		}
	}
	for _, key := range workflow.DeterministicKeys(i.progress.Marks) {
		if inside(key) {
			delete(i.progress.Marks, key)
		}
	}
}

func (i *interpreter) execute(ctx workflow.Context, path string, s *definition.Step, iteration string) flow {
	switch s.Kind() {
	case definition.KindAction:
		return i.act(ctx, path, s, iteration)
	case definition.KindSequence:
		return i.sequence(ctx, path+".sequence", s.Sequence, iteration)
	case definition.KindChoose:
		return i.choose(ctx, path, s, iteration)
	case definition.KindParallel:
		return i.parallel(ctx, path, s.Parallel, iteration)
	case definition.KindRepeat:
		return i.repeat(ctx, path, s.Repeat, iteration)
	case definition.KindStop:
		f := i.look(ctx, path, iteration)
		f.stops = f.Status == Success || f.Status == Failed
		return f
	case definition.KindCondition:
		out, f := i.lookOnce(ctx, path, iteration)
		f.stops = f.Status == Success && !out.Passes
		return f
	case definition.KindDelay, definition.KindWaitFor, definition.KindWaitUntil, definition.KindVariables:
		return i.look(ctx, path, iteration)
	default:
		return flow{Result: Result{Failed, "This version does not know the step."}}
	}
}

func (i *interpreter) choose(ctx workflow.Context, path string, s *definition.Step, iteration string) flow {
	key := keyOf(path, iteration)
	branch, chosen := i.progress.Marks[key]
	if !chosen {
		out, f := i.lookOnce(ctx, path, iteration)
		if f.Status != Success {
			return f
		}
		branch = out.Branch
		i.progress.Marks[key] = branch
	}
	switch {
	case branch >= 0 && branch < len(s.Choose):
		return i.sequence(ctx, fmt.Sprintf("%s.choose[%d].sequence", path, branch), s.Choose[branch].Sequence, iteration)
	case branch == len(s.Choose):
		return i.sequence(ctx, path+".else", s.Else, iteration)
	default:
		return onward
	}
}

// parallel ends when all branches have ended, failed ones too.
func (i *interpreter) parallel(ctx workflow.Context, path string, p *definition.ParallelStep, iteration string) flow {
	ctx, cancel := workflow.WithCancel(ctx)
	defer cancel()
	var failed *flow
	ends := make([]flow, len(p.Branches))
	wait := workflow.NewWaitGroup(ctx)
	for n := range p.Branches {
		wait.Add(1)
		workflow.Go(ctx, func(ctx workflow.Context) {
			defer wait.Done()
			ends[n] = i.step(ctx, fmt.Sprintf("%s.parallel.branches[%d]", path, n), &p.Branches[n], iteration)
			if f := ends[n]; !f.renews && !f.goesOn() && failed == nil {
				failed = &f
				if p.OnFailure == "cancel" || f.stops {
					cancel()
				}
			}
		})
	}
	// The branches end when ctx does, and the group waits for them.
	rest, _ := workflow.NewDisconnectedContext(ctx)
	wait.Wait(rest)
	if slices.ContainsFunc(ends, func(f flow) bool { return f.renews }) {
		return renewal
	}
	if failed != nil {
		return *failed
	}
	return onward
}

// repeat runs a sequence again and again. Iterations are counted from 0, inside of those of enclosing loops.
func (i *interpreter) repeat(ctx workflow.Context, path string, r *definition.RepeatStep, iteration string) flow {
	key := keyOf(path, iteration)
	out, f := i.lookOnce(ctx, path, iteration)
	if f.Status != Success {
		return f
	}
	inner := func(n int) string {
		if iteration == "" {
			return strconv.Itoa(n)
		}
		return iteration + "." + strconv.Itoa(n)
	}
	for n := i.progress.Marks[key]; ; n++ {
		i.progress.Marks[key] = n
		switch {
		case r.While == nil && r.Until == nil && n >= out.Items:
			return onward
		case n >= r.MaxIterations && (r.While != nil || r.Until != nil):
			return flow{Result: Result{Failed, fmt.Sprintf("The loop has reached its limit of %d iterations.", r.MaxIterations)}}
		case r.While != nil:
			holds, f := i.lookOnce(ctx, path+".repeat.while", inner(n))
			if f.Status != Success || !holds.Passes {
				return f
			}
		}
		if f := i.sequence(ctx, path+".repeat.sequence", r.Sequence, inner(n)); !f.goesOn() {
			return f
		}
		i.forget(path, iteration)
		if r.Until != nil {
			holds, f := i.lookOnce(ctx, path+".repeat.until", inner(n))
			if f.Status != Success || holds.Passes {
				return f
			}
		}
	}
}

// lookOnce evaluates a step that does not wait.
func (i *interpreter) lookOnce(ctx workflow.Context, path, iteration string) (StepOutput, flow) {
	if ctx.Err() != nil {
		return StepOutput{}, flow{Result: Result{Status: Cancelled}}
	}
	out, err := Look.DoLocalFirst(ctx, path, LookInput{StepInput{RunID: i.in.RunID, Path: path, Iteration: iteration, Attempt: 1}})
	return out.StepOutput, i.ended(ctx, out.StepOutput, err)
}

// look evaluates a step, again and again while it waits.
func (i *interpreter) look(ctx workflow.Context, path, iteration string) flow {
	for {
		seen := i.wakes
		out, f := i.lookOnce(ctx, path, iteration)
		if out.Status != Waiting || f.Status == Cancelled {
			return f
		}
		if i.mustRenew(ctx) {
			return renewal
		}
		waiting, cancel := workflow.WithCancel(ctx)
		_, err := workflow.AwaitWithTimeout(waiting, out.Wait, func() bool { return i.wakes != seen || i.renewing })
		cancel()
		if err != nil && ctx.Err() != nil {
			return i.settled(ctx, StepInput{RunID: i.in.RunID, Path: path, Iteration: iteration, Attempt: 1}, true)
		}
	}
}

// ended is how a step leaves the walk after an activity.
func (i *interpreter) ended(ctx workflow.Context, out StepOutput, err error) flow {
	switch {
	case ctx.Err() != nil:
		return flow{Result: Result{Status: Cancelled}}
	case err != nil:
		return flow{Result: Result{Failed, "The step could not be evaluated."}}
	default:
		return flow{Result: Result{out.Status, out.Reason}}
	}
}

// act executes an action, and again as the step says while its failures can pass.
func (i *interpreter) act(ctx workflow.Context, path string, s *definition.Step, iteration string) flow {
	attempts, wait := 1, time.Duration(0)
	if s.Retry != nil {
		attempts, wait = s.Retry.Attempts, time.Duration(s.Retry.Seconds)*time.Second
	}
	timeout := time.Duration(s.Timeout)
	if timeout == 0 {
		timeout = DefaultTimeout
	}
	for attempt := 1; ; attempt++ {
		in := StepInput{i.in.RunID, path, iteration, attempt}
		out, err := Act.WithTimeout(timeout+grace).Do(ctx, path, ActInput{in})
		f := flow{Result: Result{out.Status, out.Reason}}
		if err != nil {
			f = i.settled(ctx, in, ctx.Err() != nil)
		}
		if f.Status != Failed || !out.Retry || attempt >= attempts {
			return f
		}
		if workflow.Sleep(ctx, wait) != nil {
			return flow{Result: Result{Status: Cancelled}}
		}
		wait = min(2*wait, time.Hour)
	}
}

// settled is the outcome of an attempt whose activity returned none.
func (i *interpreter) settled(ctx workflow.Context, in StepInput, cancelled bool) flow {
	rest, _ := workflow.NewDisconnectedContext(ctx)
	out, err := Settle.DoLocalFirst(rest, in.Path, SettleInput{in, cancelled})
	switch {
	case err != nil:
		return flow{Result: Result{Failed, "The outcome of the step could not be read."}}
	case cancelled && out.Status != Success:
		return flow{Result: Result{Cancelled, out.Reason}}
	default:
		return flow{Result: Result{out.Status, out.Reason}}
	}
}
