package automation

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"countersign/automation/action"
	"countersign/automation/definition"
	"countersign/automation/expression"
	"countersign/internal/durable"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/internal/text/strictjson"
	"countersign/modules/automation/automationdb"
	"countersign/modules/automation/run"
	"countersign/script/sdk"
	"countersign/tool"
)

// Workflows implements module.Workflows.
func (m *Module) Workflows() []durable.Registration {
	s := m.service
	return []durable.Registration{{Queue: durable.AutomationQueue, Workflow: run.Workflow.Named(), Steps: []durable.Named{
		run.Load.Bind(s.load),
		run.Look.Bind(func(ctx context.Context, in run.LookInput) (run.LookOutput, error) {
			out, err := s.look(ctx, in.StepInput)
			return run.LookOutput{StepOutput: out}, err
		}),
		run.Act.Bind(func(ctx context.Context, in run.ActInput) (run.ActOutput, error) {
			out, err := s.act(ctx, in.StepInput)
			return run.ActOutput{StepOutput: out}, err
		}),
		run.Settle.Bind(func(ctx context.Context, in run.SettleInput) (run.SettleOutput, error) {
			out, err := s.settle(ctx, in)
			return run.SettleOutput{StepOutput: out}, err
		}),
		run.Finish.Bind(s.finish),
	}}}
}

// stepRunning is the status of a row that has neither an outcome nor a wait. The workflow never gets it.
const stepRunning run.Status = "running"

// stepRow is one attempt of a step with what it needs.
type stepRow struct {
	run.StepInput

	run  automationdb.AutomationRun
	def  *definition.Definition
	step *definition.Step
}

// errGone is the error of steps of a run that was deleted with its automation. Their workflow ends.
var errGone = errors.New("the automation was deleted")

// gone is the outcome of such a step.
var gone = run.StepOutput{Status: run.Cancelled, Reason: "The automation was deleted."}

// at reads the run and the definition of a step.
func (s *service) at(ctx context.Context, in run.StepInput) (stepRow, error) {
	row, err := s.queries(ctx).Run(ctx, in.RunID)
	if store.NoRows(err) {
		return stepRow{}, errGone
	}
	if err != nil {
		return stepRow{}, fmt.Errorf("read run %s: %w", in.RunID, err)
	}
	def, err := s.definitionOf(ctx, row.AutomationID, row.Revision)
	if err != nil {
		return stepRow{}, err
	}
	step, _ := conditionAt(def, in.Path)
	if step == nil {
		return stepRow{}, fmt.Errorf("revision %d of automation %s has no step %s", row.Revision, row.AutomationID, in.Path)
	}
	return stepRow{in, row, def, step}, nil
}

// recorded is the outcome of an attempt by its row, nil while it has none.
func (s *service) recorded(ctx context.Context, in run.StepInput) (*automationdb.StepRow, error) {
	row, err := s.queries(ctx).Step(ctx, automationdb.StepParams{
		RunID: in.RunID, Path: in.Path, Iteration: in.Iteration, Attempt: int32(in.Attempt),
	})
	if store.NoRows(err) {
		return nil, nil //nolint:nilnil // it has not begun
	}
	if err != nil {
		return nil, fmt.Errorf("read step %s of run %s: %w", in.Path, in.RunID, err)
	}
	return &row, nil
}

// outcomeOf is what the workflow gets of an attempt that has ended.
func outcomeOf(row *automationdb.StepRow) run.StepOutput {
	out := run.StepOutput{Status: run.Status(row.Status), Reason: row.Reason}
	var kept run.StepOutput
	if len(row.Output) > 0 && json.Unmarshal(row.Output, &kept) == nil {
		out.Passes, out.Branch, out.Items, out.Retry = kept.Passes, kept.Branch, kept.Items, kept.Retry
	}
	return out
}

// count counts a step against the limits of the run, in the transaction that begins it.
func (s *service) count(ctx context.Context, at stepRow, effects int32) (refusal string, err error) {
	counted, err := s.queries(ctx).CountStep(ctx, automationdb.CountStepParams{ID: at.RunID, Effects: effects})
	switch {
	case store.NoRows(err):
		return "The run has ended.", nil
	case err != nil:
		return "", fmt.Errorf("count a step of run %s: %w", at.RunID, err)
	case int(counted.Steps) > at.def.Limits.Steps:
		return fmt.Sprintf("The run has reached its limit of %d steps.", at.def.Limits.Steps), nil
	case int(counted.Effects) > at.def.Limits.Effects:
		return fmt.Sprintf("The run has reached its limit of %d effects.", at.def.Limits.Effects), nil
	default:
		return "", nil
	}
}

// begin writes the row of an attempt, running or waiting. A refusal is written as its outcome.
func (s *service) begin(ctx context.Context, at stepRow, status run.Status, effects int32, due *time.Time) (*automationdb.StepRow, error) {
	return store.InTx(ctx, s.db, func(ctx context.Context) (*automationdb.StepRow, error) {
		added, err := s.queries(ctx).BeginStep(ctx, automationdb.BeginStepParams{
			RunID: at.RunID, Path: at.Path, Iteration: at.Iteration, Attempt: int32(at.Attempt), StepID: at.step.ID,
			Kind: string(at.step.Kind()), Action: at.step.Action, Status: string(status), DueAt: due,
		})
		if err != nil {
			return nil, fmt.Errorf("begin step %s of run %s: %w", at.Path, at.RunID, err)
		}
		if added > 0 {
			refusal, err := s.count(ctx, at, effects)
			if err != nil {
				return nil, err
			}
			if refusal != "" {
				if err := s.end(ctx, at.StepInput, run.StepOutput{Status: run.Failed, Reason: refusal}, nil); err != nil {
					return nil, err
				}
			}
		}
		return s.recorded(ctx, at.StepInput)
	})
}

// result is the artifact of every step with an id once it has ended.
type result struct {
	Status  run.Status `json:"status"`
	Problem string     `json:"problem,omitempty"`
}

// endStep writes the outcome of an attempt of a step, and the artifacts that it leaves behind.
func (s *service) endStep(
	ctx context.Context,
	at stepRow,
	out run.StepOutput,
	output json.RawMessage,
	artifacts map[string]json.RawMessage,
) error {
	if at.step.ID != "" && out.Status != run.Waiting && !isLoopCondition(at.Path) {
		ended := result{Status: out.Status}
		if out.Status != run.Success {
			ended.Problem = short(out.Reason)
		}
		data, err := json.Marshal(ended)
		if err != nil {
			return fmt.Errorf("write the result of step %s: %w", at.Path, err)
		}
		kept := map[string]json.RawMessage{definition.ArtifactResult: data}
		maps.Copy(kept, artifacts)
		for of, value := range kept {
			if err := s.queries(ctx).SetArtifact(ctx, automationdb.SetArtifactParams{
				RunID: at.RunID, StepID: at.step.ID, Type: of, Data: value,
			}); err != nil {
				return fmt.Errorf("keep an artifact of run %s: %w", at.RunID, err)
			}
		}
	}
	return s.end(ctx, at.StepInput, out, output)
}

// end writes the outcome of an attempt.
func (s *service) end(ctx context.Context, in run.StepInput, out run.StepOutput, output json.RawMessage) error {
	if _, err := s.queries(ctx).EndStep(ctx, automationdb.EndStepParams{
		RunID: in.RunID, Path: in.Path, Iteration: in.Iteration, Attempt: int32(in.Attempt), Status: string(out.Status),
		Reason: short(out.Reason), Output: output,
	}); err != nil {
		return fmt.Errorf("end step %s of run %s: %w", in.Path, in.RunID, err)
	}
	return nil
}

// acted is the output of an action in its row.
type acted struct {
	Retry   bool            `json:"retry,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Summary string          `json:"summary,omitempty"`
}

// act executes one attempt of an action. A repeat after a crash gets the outcome that the row has, or acts with the same key.
func (s *service) act(ctx context.Context, in run.StepInput) (run.StepOutput, error) {
	at, err := s.at(ctx, in)
	if errors.Is(err, errGone) {
		return gone, nil
	}
	if err != nil {
		return run.StepOutput{}, err
	}
	known := s.actionOf(at.step.Action)
	effects := int32(1)
	if known != nil && known.Effect == tool.Read {
		effects = 0
	}
	row, err := s.begin(ctx, at, stepRunning, effects, nil)
	if err != nil {
		return run.StepOutput{}, err
	}
	if row.EndedAt != nil {
		return outcomeOf(row), nil
	}
	now, err := s.db.Now(ctx)
	if err != nil {
		return run.StepOutput{}, fmt.Errorf("read the clock: %w", err)
	}
	left := s.timeoutOf(at.step) - now.Sub(row.StartedAt)
	if left <= 0 {
		return s.settle(ctx, run.SettleInput{StepInput: in})
	}
	done, summary, failure := s.do(ctx, at, known, left)
	if code := problem.CodeOf(failure); failure != nil && (code == problem.Internal || code == problem.Unavailable) {
		if ctx.Err() != nil {
			return run.StepOutput{}, context.Cause(ctx)
		}
		if !errors.Is(failure, context.DeadlineExceeded) {
			// The host failed: Temporal repeats the attempt with the same key.
			return run.StepOutput{}, failure
		}
		return s.settle(ctx, run.SettleInput{StepInput: in})
	}
	out := run.StepOutput{Status: run.Success, Reason: summary}
	if failure != nil {
		p := problem.As(failure)
		out = run.StepOutput{Status: run.Failed, Reason: p.Detail, Retry: p.Code.Retryable()}
		if p.Code == problem.Unknown {
			out = run.StepOutput{Status: run.Unknown, Reason: p.Detail}
		}
	}
	err = s.db.InTx(context.WithoutCancel(ctx), func(ctx context.Context) error {
		output, err := json.Marshal(acted{out.Retry, done.Output, summary})
		if err != nil {
			return fmt.Errorf("write the output of step %s: %w", in.Path, err)
		}
		return s.endStep(ctx, at, out, output, done.Artifacts)
	})
	return out, err
}

// do fills the config in, checks the application, and acts.
func (s *service) do(
	ctx context.Context,
	at stepRow,
	known *action.Action,
	left time.Duration,
) (r action.Result, summary string, err error) {
	if known == nil {
		return r, "", problem.Errorf(problem.NotFound, "There is no action %s any more.", at.step.Action)
	}
	scope, err := s.scope(ctx, at.run, at.Path, at.Iteration)
	if err != nil {
		return r, "", err
	}
	p, err := s.Runs.Principal(ctx, at.RunID)
	if err != nil {
		return r, "", err
	}
	if scope, err = s.health(principal.NewContext(ctx, p), at.def, scope); err != nil {
		return r, "", err
	}
	if missing := p.Missing(known.Rules...); len(missing) > 0 {
		return r, "", problem.MissingRule("let the application "+p.Name+" do "+known.ID, missing...)
	}
	config, err := expression.Fill(ctx, at.step.Config, scope)
	if err != nil {
		return r, "", err
	}
	if err := s.checkConfig(known.ID, config); err != nil {
		return r, "", err
	}
	acting, err := s.queries(ctx).ActStep(ctx, automationdb.ActStepParams{
		RunID: at.RunID, Path: at.Path, Iteration: at.Iteration, Attempt: int32(at.Attempt), Input: config,
	})
	if err != nil {
		return r, "", fmt.Errorf("begin the effect of %s: %w", at.Path, err)
	}
	if acting == 0 {
		return r, "", problem.Errorf(problem.Conflict, "The run does not wait for this step any more.")
	}
	ctx, cancel := context.WithTimeout(causedBy(principal.NewContext(ctx, p), at.run), left)
	defer cancel()
	key := fmt.Sprintf("automation/%s/%s/%s/%d", at.RunID, at.Path, at.Iteration, at.Attempt)
	caller := s.Caller(p)
	caller.Client.IdempotencyKey = key
	r, err = known.Do(ctx, action.Call{
		Caller: caller, Config: config, Key: key, Run: at.RunID, Automation: at.run.AutomationID, Revision: at.run.Revision,
		Step: at.Path, Scope: rootsOf(scope, at.run),
	})
	if err == nil && len(r.Output) > action.MaxOutput {
		r.Output = json.RawMessage(`"the output was larger than 64 kB and is left out"`)
	}
	return r, r.Summary, err
}

// rootsOf are what scripts get.
func rootsOf(scope expression.Scope, row automationdb.AutomationRun) map[string]json.RawMessage {
	about, _ := json.Marshal(sdk.Automation{RunID: row.ID.String(), AutomationID: row.AutomationID.String(), ContextKey: row.ContextKey})
	roots := map[string]json.RawMessage{"trigger": scope.Trigger, "artifacts": scope.Artifacts, "var": scope.Var, "automation": about}
	if scope.Repeat != nil {
		roots["repeat"] = scope.Repeat
	}
	return roots
}

// checkConfig refuses a config that the schema of the action does not have.
func (s *service) checkConfig(id string, config json.RawMessage) error {
	document := s.configs()[id]
	if document == nil {
		return fmt.Errorf("the schema of %s cannot be read", id)
	}
	var value any
	if err := strictjson.DecodeNumbers(config, &value); err != nil {
		return fmt.Errorf("read config: %w", err)
	}
	var issues problem.Issues
	for _, i := range document.Check(value) {
		issues.Report(strings.TrimSuffix("config."+i.Path, "."), "%s", i.Message)
	}
	return issues.Err()
}

// timeoutOf bounds an attempt of an action: as its step says, or the action itself.
func (s *service) timeoutOf(step *definition.Step) time.Duration {
	if known := s.actionOf(step.Action); step.Timeout == 0 && known != nil {
		return cmp.Or(known.Timeout, run.DefaultTimeout)
	}
	return cmp.Or(time.Duration(step.Timeout), run.DefaultTimeout)
}

func (s *service) actionOf(id string) *action.Action {
	if known, ok := s.catalog().Actions[id]; ok {
		return &known
	}
	return nil
}

// settle reads the outcome of an attempt whose activity returned none. One that has none did not finish: its effect may
// have happened if it had begun.
func (s *service) settle(ctx context.Context, in run.SettleInput) (run.StepOutput, error) {
	return store.InTx(ctx, s.db, func(ctx context.Context) (run.StepOutput, error) {
		row, err := s.recorded(ctx, in.StepInput)
		switch {
		case err != nil:
			return run.StepOutput{}, err
		case row == nil:
			return run.StepOutput{Status: run.Cancelled, Reason: "It had not begun."}, nil
		case row.EndedAt != nil:
			return outcomeOf(row), nil
		}
		out := run.StepOutput{Status: run.Failed, Reason: "It took longer than its timeout and had no effect."}
		switch {
		case in.Cancelled && row.Acting:
			out = run.StepOutput{Status: run.Unknown, Reason: "The run was cancelled while this step acted: its effect may have happened."}
		case in.Cancelled:
			out = run.StepOutput{Status: run.Cancelled, Reason: "The run was cancelled."}
		case row.Acting:
			out = run.StepOutput{Status: run.Unknown, Reason: "It took longer than its timeout: its effect may have happened."}
		}
		return out, s.end(ctx, in.StepInput, out, nil)
	})
}
