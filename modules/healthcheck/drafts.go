package healthcheck

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/check"
	"countersign/principal"
	"countersign/problem"
	"countersign/secret"
	"countersign/secret/reference"
	"countersign/store"
	"countersign/store/quota"
	"countersign/tool"
	"countersign/tool/budget"
)

// Drafting is what draft runs need.
type Drafting struct {
	// Host is what they reach the world by.
	Host *check.Host
	// Preparer makes a configuration ready; *check.Registry is one.
	Preparer interface {
		Prepare(c check.Configuration, scope check.Scope, secrets map[string]secret.Value) (*check.Prepared, error)
	}
	// Calls reserve tool calls and keep their audit rows.
	Calls interface {
		Reserve(ctx context.Context, c budget.Call) (uuid.UUID, error)
		Finish(ctx context.Context, id uuid.UUID, failure error) error
	}
	// Places and Most bound how many draft runs of one principal go on at once.
	Places *quota.Places
	Most   int
}

// maxDraft is how long a draft run takes at most, whatever its configuration says.
const maxDraft = 30 * time.Second

// draftTool is the tool that the operation stands behind: a call of either counts as one of the other.
const draftTool = "healthcheck.testDraft"

// Draft is a check that is run once without being saved.
type Draft struct {
	Configuration Definition `json:"configuration" jsonschema:"description=The whole check; as healthcheck_propose takes it."`
	SystemID      *uuid.UUID `json:"systemId,omitempty" nullable:"true" jsonschema:"description=The system for which it runs; templates can name it."`
	EnvironmentID *uuid.UUID `json:"environmentId,omitempty" nullable:"true" jsonschema:"description=The environment of the system."`
}

// DraftAssertion is how an assertion ended.
type DraftAssertion struct {
	Text     string          `json:"text"`
	Held     bool            `json:"held"`
	Observed json.RawMessage `json:"observed,omitempty" doc:"The value that was found, cut when it is long."`
	Problem  string          `json:"problem,omitempty" doc:"Why it could not be decided."`
}

// CollectorReport is what one collector found.
type CollectorReport struct {
	ID          uuid.UUID        `json:"id"`
	CollectorID string           `json:"collectorId"`
	Error       string           `json:"error,omitempty"`
	Result      json.RawMessage  `json:"result,omitempty" doc:"By the resultSchema of its kind; secrets are masked."`
	Assertions  []DraftAssertion `json:"assertions" nullable:"false"`
}

// DraftRun is what a draft run found.
type DraftRun struct {
	Verdict    string            `json:"verdict" enum:"passed,failed,errored,skipped"`
	Cause      string            `json:"cause" doc:"Why it did not pass; none when it did."`
	Message    string            `json:"message,omitempty" doc:"Why it did not pass, in a sentence."`
	TookMS     float64           `json:"tookMs"`
	Collectors []CollectorReport `json:"collectors" nullable:"false"`
}

// Test runs a draft once. Secrets are placeholders, as in every test: their values are for real runs.
func (s *service) Test(ctx context.Context, in Draft) (out DraftRun, err error) {
	var v validation
	in.Configuration = v.definition(ctx, s.Kinds, in.Configuration)
	if err := v.Err(); err != nil {
		return out, err
	}
	scope, err := s.draftScope(ctx, in)
	if err != nil {
		return out, err
	}
	d := s.Draft
	p := principal.FromContext(ctx)
	place, err := d.Places.Take(ctx, p, quota.Kind{Name: "check draft", Plural: "draft runs going on", Most: d.Most, Hold: 2 * maxDraft, Retry: 10 * time.Second})
	if err != nil {
		return out, err
	}
	defer place.GiveBack(ctx)
	if p.TurnID != uuid.Nil {
		return s.runDraft(ctx, in.Configuration, scope)
	}
	arguments, err := json.Marshal(in)
	if err != nil {
		return out, fmt.Errorf("encode a draft: %w", err)
	}
	id, err := d.Calls.Reserve(ctx, budget.Call{ID: store.NewID(), Principal: p, Transport: budget.API, Tool: draftTool, Effect: tool.Read, Arguments: arguments})
	if err != nil {
		return out, err
	}
	out, err = s.runDraft(ctx, in.Configuration, scope)
	if failed := d.Calls.Finish(context.WithoutCancel(ctx), id, err); failed != nil {
		return DraftRun{}, failed
	}
	return out, err
}

// draftScope is what a draft can name: a system that the caller sees, and an environment of it.
func (s *service) draftScope(ctx context.Context, in Draft) (check.Scope, error) {
	scope := check.Scope{Check: check.CheckScope{ID: store.NewID(), Name: "Draft", IntervalSeconds: in.Configuration.Interval}}
	scope.System = check.SystemScope{Name: "Draft"}
	if in.SystemID == nil {
		if in.EnvironmentID != nil {
			return scope, problem.InvalidInput("An environment is one of a system. Say which.", problem.Issue{Path: "systemId", Message: "is missing"})
		}
		return scope, nil
	}
	if _, err := s.system(ctx, *in.SystemID, "systemId"); err != nil {
		return scope, err
	}
	described, err := s.Systems.Describe(ctx, []uuid.UUID{*in.SystemID})
	if err != nil || len(described) == 0 {
		return scope, err
	}
	scope.System = described[0].Scope
	if in.EnvironmentID == nil {
		return scope, nil
	}
	if !s.Systems.SeesEnvironments(ctx) {
		return scope, problem.MissingRule("use environments", principal.FromContext(ctx).Missing(environmentRead)...)
	}
	i := slices.IndexFunc(described[0].Environments, func(e check.EnvironmentScope) bool { return e.ID == *in.EnvironmentID })
	if i < 0 {
		return scope, problem.InvalidInput("The system is in no such environment.", problem.Issue{Path: "environmentId", Message: "names no environment of the system"})
	}
	scope.Environment = &described[0].Environments[i]
	return scope, nil
}

func (s *service) runDraft(ctx context.Context, d Definition, scope check.Scope) (DraftRun, error) {
	secrets := map[string]secret.Value{}
	for _, name := range d.secrets() {
		secrets[name] = secret.NewValue(reference.Placeholder(name))
	}
	prepared, err := s.Draft.Preparer.Prepare(d.configuration(), scope, secrets)
	if failure, ok := errors.AsType[*check.Failure](err); ok {
		return DraftRun{Verdict: verdictWord(check.Errored), Cause: causeWord(failure.Cause), Message: failure.Message, Collectors: []CollectorReport{}}, nil
	}
	if err != nil {
		return DraftRun{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, maxDraft)
	defer cancel()
	outcome := prepared.Draft().Run(ctx, s.Draft.Host, 0, s.Draft.Host.Now())
	run := DraftRun{
		Verdict: verdictWord(outcome.Verdict), Cause: causeWord(outcome.Cause), TookMS: float64(outcome.Took.Microseconds()) / 1000, Collectors: []CollectorReport{},
	}
	if outcome.Report == nil {
		return run, nil
	}
	report := outcome.Report()
	run.Message, run.Collectors = report.Message, shownReport(report)
	return run, nil
}

// shownReport is a report as clients get it.
func shownReport(r check.Report) []CollectorReport {
	shown := make([]CollectorReport, 0, len(r.Collectors))
	for _, c := range r.Collectors {
		collector := CollectorReport{ID: c.ID, CollectorID: c.CollectorID, Error: c.Error, Result: c.Result, Assertions: []DraftAssertion{}}
		for _, a := range c.Assertions {
			collector.Assertions = append(collector.Assertions, DraftAssertion(a))
		}
		shown = append(shown, collector)
	}
	return shown
}
