package check

import (
	"context"
	"encoding/json"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/check/assertion"
	"countersign/internal/egress"
)

// Scope is the check, system and environment of a run; templates can reference it.
type Scope struct {
	Check       CheckScope        `json:"check"`
	System      SystemScope       `json:"system"`
	Environment *EnvironmentScope `json:"environment,omitempty"`
}

// CheckScope is the data of the check in templates and scripts.
type CheckScope struct {
	ID              uuid.UUID `json:"id"`
	Name            string    `json:"name"`
	IntervalSeconds int       `json:"intervalSeconds"`
}

// SystemScope is the data of the system in templates and scripts.
type SystemScope struct {
	ID       uuid.UUID      `json:"id"`
	Name     string         `json:"name"`
	Metadata map[string]any `json:"metadata,omitempty"`
}

// EnvironmentScope is the data of the environment in templates and scripts.
type EnvironmentScope struct {
	ID     uuid.UUID      `json:"id"`
	Name   string         `json:"name"`
	Fields map[string]any `json:"fields,omitempty"`
}

// Host gives strategies network access. The SSRF guard checks the address of every dial.
type Host struct {
	// Dial connects to one of the checked addresses of a "host:port". Its error names no address.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Addresses resolves a host name or a literal address to the allowed addresses, for protocols without Dial.
	Addresses func(ctx context.Context, host string) ([]netip.Addr, error)
	// Scripts runs scripts in the sandbox.
	Scripts Scripts
	// LastHeartbeat returns the last report of a heartbeat target; zero without one.
	LastHeartbeat func(ctx context.Context, target int32) (Heartbeat, error)
	// Now returns the time, by the clock of the database where there is one.
	Now func() time.Time
}

// Heartbeat is the report of a monitored job.
type Heartbeat struct {
	At     time.Time
	Failed bool
	// Awaited is the time since when heartbeats are expected: when the target began to run, or got its cron schedule.
	Awaited time.Time
	// Message and DurationMS are the content of the job's report, if any.
	Message    string
	DurationMS int64
}

// Scripts runs a script under the script policy.
type Scripts interface {
	Run(ctx context.Context, in ScriptInput) (ScriptOutput, error)
}

// ScriptInput is a script of the context healthcheck-script or healthcheck-shell.
type ScriptInput struct {
	Language string // typescript or shell
	Source   string
	Config   json.RawMessage
	Scope    Scope
	// Env are environment variables, including the values of secrets.
	Env map[string]string
	// Timeout is 0 for the time of the run.
	Timeout time.Duration
}

// ScriptOutput is the result and the output of a script. Error is set when it threw or was stopped by a limit.
type ScriptOutput struct {
	// Result is {success, message?, value?} for TypeScript that completed, nil otherwise.
	Result         json.RawMessage
	Stdout, Stderr string
	// OutputCut reports that the script wrote more than its limits allow.
	OutputCut bool
	ExitCode  int
	TimedOut  bool
	Error     string
	// Withheld describes in a sentence what the script policy denied, such as a network; a failure of the script then
	// says nothing about its target.
	Withheld string
	// Refused reports that Withheld is a request. Nothing that the script says is then about its target, not even that all is
	// well: a script that goes on after a failed request has not seen the target.
	Refused bool
	Took    time.Duration
}

// Run is one run of a check, as strategies and collectors see it.
type Run struct {
	*Host
	Scope  Scope
	Target int32
	// Slot is the scheduled time of the run.
	Slot time.Time
	// Interval is the time between the slots of the check; zero for a run that has none, such as a draft.
	Interval time.Duration
	// IP is the IP version that the check connects over.
	IP egress.IPVersion
	// assertions are those about the result of the collector.
	assertions []*assertion.Compiled
}

// Asserted reports whether the check has an assertion about one of the fields of the collector's result.
func (r Run) Asserted(fields ...string) bool {
	return slices.ContainsFunc(r.assertions, func(a *assertion.Compiled) bool { return slices.Contains(fields, a.Source.Field) })
}

// Verdict classifies the outcome of a run.
type Verdict int16

// A run passed, failed, or could not be made, which says nothing about its target. Skipped is a slot at which the
// previous run was still open.
const (
	Passed  Verdict = 0
	Failed  Verdict = 1
	Errored Verdict = 2
	Skipped Verdict = 3
)

// Outcome is the summary of a run; Report has the details.
type Outcome struct {
	Verdict Verdict
	// Cause is why the run did not pass. One that passed on a retry has the cause of its first try.
	Cause Cause
	// Retried reports that a try of the run failed before the last one.
	Retried bool
	// Code is the numeric response where the kind has one (an HTTP status, an exit code), else 0.
	Code int16
	// Held has a bit for each assertion in the order of the configuration: set when it held.
	Held uint64
	// Took is the duration from opening the strategy to the last collector's result.
	Took time.Duration
	// Kept are the values of the fields that the configuration stores for charts, in order; NaN for missing ones.
	Kept []float32
	// Report builds the full report, with secrets masked. Nil for a Skipped run.
	Report func() Report
}

// Report is the full report of a run, as shown and, for failures, stored.
type Report struct {
	// Message explains why the run did not pass, or which of its tries did; empty when its only try passed.
	Message string `json:"message,omitempty"`
	// Earlier are the tries that failed before the one that the collectors report.
	Earlier    []Try             `json:"earlierTries,omitempty"`
	Collectors []CollectorReport `json:"collectors"`
}

// Try is a failed try of a run that was tried again.
type Try struct {
	Cause   Cause   `json:"cause"`
	Message string  `json:"message"`
	TookMs  float64 `json:"tookMs"`
}

// CollectorReport is the result of one collector.
type CollectorReport struct {
	ID          uuid.UUID         `json:"id"`
	CollectorID string            `json:"collectorId"`
	Error       string            `json:"error,omitempty"`
	Result      json.RawMessage   `json:"result,omitempty"`
	Assertions  []AssertionReport `json:"assertions,omitempty"`
}

// AssertionReport is the outcome of one assertion. Observed is the observed value in JSON, cut when it is long.
type AssertionReport struct {
	Text     string          `json:"text"`
	Held     bool            `json:"held"`
	Observed json.RawMessage `json:"observed,omitempty"`
	// Problem explains why it could not be evaluated, such as a path that selects nothing.
	Problem string `json:"problem,omitempty"`
}
