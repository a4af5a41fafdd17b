package healthcheck

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/check"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/secret"
	"countersign/internal/secret/reference"
	"countersign/internal/secret/scrub"
	"countersign/internal/store"
	"countersign/internal/store/exactlyonce"
	"countersign/internal/store/quota"
	"countersign/tool"
	"countersign/tool/budget"
)

// Drafting holds the dependencies and limits of draft runs.
type Drafting struct {
	// Host is the network access of draft runs.
	Host *check.Host
	// Preparer prepares a configuration; *check.Registry implements it.
	Preparer interface {
		Prepare(c check.Configuration, scope check.Scope, secrets map[string]secret.Value) (*check.Prepared, error)
	}
	// Calls reserve tool calls and store their audit rows.
	Calls interface {
		Reserve(ctx context.Context, c budget.Call) (uuid.UUID, error)
		Finish(ctx context.Context, id uuid.UUID, failure error) error
	}
	// Once stores the results of runs with an idempotency key.
	Once *exactlyonce.Ledger
	// Quota and Most bound the concurrent draft runs of one principal.
	Quota *quota.Limiter
	Most  int
}

// maxDraft bounds a draft run, whatever its configuration.
const maxDraft = 30 * time.Second

// draftTool is the tool of this operation: a call of either counts as a call of the other.
const draftTool = "healthcheck.testDraft"

// Draft is a check to run once without saving it.
type Draft struct {
	Configuration Definition `json:"configuration" jsonschema:"description=The whole check; as healthcheck_propose takes it."`
	SystemID      *uuid.UUID `json:"systemId,omitempty" nullable:"true" jsonschema:"description=The system for which it runs; templates can name it."`
	EnvironmentID *uuid.UUID `json:"environmentId,omitempty" nullable:"true" jsonschema:"description=The environment of the system."`
}

// DraftAssertion is the outcome of an assertion.
type DraftAssertion struct {
	Text     string          `json:"text"`
	Held     bool            `json:"held"`
	Observed json.RawMessage `json:"observed,omitempty" doc:"The value that was found, cut when it is long."`
	Problem  string          `json:"problem,omitempty" doc:"Why it could not be decided."`
}

// CollectorReport is the result of one collector.
type CollectorReport struct {
	ID          uuid.UUID        `json:"id"`
	CollectorID string           `json:"collectorId"`
	Error       string           `json:"error,omitempty"`
	Result      json.RawMessage  `json:"result,omitempty" doc:"By the resultSchema of its kind; secrets are masked."`
	Assertions  []DraftAssertion `json:"assertions" nullable:"false"`
}

// DraftRun is the result of a draft run.
type DraftRun struct {
	Verdict    string            `json:"verdict" enum:"passed,failed,errored,skipped"`
	Cause      string            `json:"cause" doc:"Why it did not pass. One that passed on a retry has the cause of its first try; others that passed have none."`
	Message    string            `json:"message,omitempty" doc:"Why it did not pass, or which of its tries did."`
	TookMS     float64           `json:"tookMs"`
	Earlier    []FailedTry       `json:"earlierTries" nullable:"false" doc:"The tries of the run that failed before the one that is reported."`
	Collectors []CollectorReport `json:"collectors" nullable:"false"`
}

// DraftPreview describes what a run of a draft would send.
type DraftPreview struct {
	Configuration Definition `json:"configuration" doc:"In the form in which it runs."`
	Strategy      string     `json:"strategy" doc:"What people call the strategy."`
	SystemName    string     `json:"systemName,omitempty"`
	Reads         bool       `json:"reads" doc:"Whether it changes nothing where it goes, whatever answers there."`
	Sends         []string   `json:"sends" nullable:"false" doc:"What is sent, in sentences. Secrets are named."`
}

// PreviewDraft describes what a run of a draft would send. It sends nothing.
func (s *service) PreviewDraft(ctx context.Context, in Draft) (DraftPreview, error) {
	in, scope, err := s.checkedDraft(ctx, in)
	if err != nil {
		return DraftPreview{}, err
	}
	out := DraftPreview{Configuration: in.Configuration, Strategy: s.kindName(in.Configuration.StrategyID), Sends: []string{}}
	if in.SystemID != nil {
		out.SystemName = scope.System.Name
	}
	prepared, err := s.prepareDraft(in.Configuration, scope)
	if _, ok := errors.AsType[*check.Failure](err); ok {
		// The run would end before it sends anything.
		out.Reads = true
		return out, nil
	}
	if err != nil {
		return DraftPreview{}, err
	}
	sending := prepared.Sends()
	out.Reads = sending.Reads
	for _, line := range sending.Lines {
		for _, name := range in.Configuration.secrets() {
			line = strings.ReplaceAll(line, reference.Placeholder(name), "‹"+name+"›")
		}
		out.Sends = append(out.Sends, scrub.Text(line))
	}
	return out, nil
}

// checkedDraft validates a draft and its scope.
func (s *service) checkedDraft(ctx context.Context, in Draft) (Draft, check.Scope, error) {
	v := validation{scripts: s.Scripts, draft: true}
	in.Configuration = v.definition(ctx, s.Kinds, in.Configuration)
	if err := v.err(); err != nil {
		return in, check.Scope{}, err
	}
	scope, err := s.draftScope(ctx, in)
	return in, scope, err
}

// Test runs a draft once. Secrets are placeholders, as in every test. With an idempotency key ("" for none) it runs exactly
// once, across all processes.
func (s *service) Test(ctx context.Context, in Draft, key string) (DraftRun, error) {
	if key == "" {
		return s.test(ctx, in)
	}
	document, err := json.Marshal(in)
	if err != nil {
		return DraftRun{}, fmt.Errorf("encode a draft: %w", err)
	}
	hash := sha256.Sum256(document)
	lost := problem.Errorf(problem.Conflict, "The draft began to run, and the process that ran it has died. Whether "+
		"it was sent is not known, so it is not run again. Look at its target before you ask for it once more.")
	call := exactlyonce.Call{Principal: principal.FromContext(ctx), Key: key, Hash: hash[:], Timeout: maxDraft + time.Minute, Unknown: lost}
	return exactlyonce.Do(ctx, s.Draft.Once, call, func(ctx context.Context) (DraftRun, error) { return s.test(ctx, in) })
}

func (s *service) test(ctx context.Context, in Draft) (out DraftRun, err error) {
	in, scope, err := s.checkedDraft(ctx, in)
	if err != nil {
		return out, err
	}
	d := s.Draft
	p := principal.FromContext(ctx)
	place, err := d.Quota.Acquire(
		ctx,
		p,
		quota.Kind{Name: "check draft", Plural: "draft runs going on", Max: d.Most, TTL: 2 * maxDraft, RetryAfter: 10 * time.Second},
	)
	if err != nil {
		return out, err
	}
	defer place.Release(ctx)
	if p.TurnID != uuid.Nil {
		return s.runDraft(ctx, in.Configuration, scope)
	}
	arguments, err := json.Marshal(in)
	if err != nil {
		return out, fmt.Errorf("encode a draft: %w", err)
	}
	effect := tool.Mutate
	if prepared, err := s.prepareDraft(in.Configuration, scope); err == nil && prepared.Sends().Reads {
		effect = tool.Read
	}
	id, err := d.Calls.Reserve(ctx, budget.Call{
		ID: store.NewID(), Principal: p, Transport: budget.API, Tool: draftTool,
		Effect: effect, Arguments: arguments,
	})
	if err != nil {
		return out, err
	}
	out, err = s.runDraft(ctx, in.Configuration, scope)
	if failed := d.Calls.Finish(context.WithoutCancel(ctx), id, err); failed != nil {
		return DraftRun{}, failed
	}
	return out, err
}

// draftScope is the scope of a draft: a system that the caller may see, and an environment of it.
func (s *service) draftScope(ctx context.Context, in Draft) (check.Scope, error) {
	scope := check.Scope{Check: check.CheckScope{ID: store.NewID(), Name: "Draft", IntervalSeconds: in.Configuration.Interval}}
	scope.System = check.SystemScope{Name: "Draft"}
	if in.SystemID == nil {
		if in.EnvironmentID != nil {
			return scope, problem.InvalidInput(
				"An environment is one of a system. Say which.",
				problem.Issue{Path: "systemId", Message: "is missing"},
			)
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
		return scope, problem.InvalidInput(
			"The system is in no such environment.",
			problem.Issue{Path: "environmentId", Message: "names no environment of the system"},
		)
	}
	scope.Environment = &described[0].Environments[i]
	return scope, nil
}

// prepareDraft prepares a draft, with placeholders for secrets.
func (s *service) prepareDraft(d Definition, scope check.Scope) (*check.Prepared, error) {
	secrets := map[string]secret.Value{}
	for _, name := range d.secrets() {
		secrets[name] = secret.NewValue(reference.Placeholder(name))
	}
	return s.Draft.Preparer.Prepare(d.configuration(), scope, secrets)
}

func (s *service) runDraft(ctx context.Context, d Definition, scope check.Scope) (DraftRun, error) {
	prepared, err := s.prepareDraft(d, scope)
	if failure, ok := errors.AsType[*check.Failure](err); ok {
		return DraftRun{
			Verdict:    verdictWord(check.Errored),
			Cause:      causeWord(failure.Cause),
			Message:    failure.Message,
			Earlier:    []FailedTry{},
			Collectors: []CollectorReport{},
		}, nil
	}
	if err != nil {
		return DraftRun{}, err
	}
	if !prepared.Sends().Reads {
		if err := tool.RefuseChange(ctx, draftTool); err != nil {
			return DraftRun{}, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, maxDraft)
	defer cancel()
	outcome := prepared.Draft().Run(ctx, s.Draft.Host, 0, s.Draft.Host.Now())
	run := DraftRun{
		Verdict: verdictWord(
			outcome.Verdict,
		),
		Cause:      causeWord(outcome.Cause),
		TookMS:     float64(outcome.Took.Microseconds()) / 1000,
		Earlier:    []FailedTry{},
		Collectors: []CollectorReport{},
	}
	if outcome.Report == nil {
		return run, nil
	}
	report := outcome.Report()
	run.Message, run.Earlier, run.Collectors = report.Message, failedTries(report), shownReport(report)
	return run, nil
}

// failedTries converts the earlier tries of a report for clients.
func failedTries(r check.Report) []FailedTry {
	shown := make([]FailedTry, len(r.Earlier))
	for i, t := range r.Earlier {
		shown[i] = FailedTry{Cause: causeWord(t.Cause), Message: t.Message, TookMS: t.TookMs}
	}
	return shown
}

// shownReport converts a report for clients.
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
