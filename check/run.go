package check

import (
	"context"
	"encoding/json"
	"net"
	"net/netip"
	"time"

	"github.com/google/uuid"
)

// Scope is for whom a check runs; templates can name what it holds.
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
	// Addresses are those of a host name or a literal address that may be reached, for what is not dialled as a stream.
	Addresses func(ctx context.Context, host string) ([]netip.Addr, error)
	// Scripts runs scripts in the sandbox.
	Scripts Scripts
	// Heard is when the target of a heartbeat called in last, and with what; zero when never.
	Heard func(ctx context.Context, target int32) (Heartbeat, error)
	// Now is the time, of the database's clock where there is one.
	Now func() time.Time
}

// Heartbeat is the report of a monitored job.
type Heartbeat struct {
	At     time.Time
	Failed bool
	// Awaited is since when heartbeats are awaited.
	Awaited time.Time
	// Message and DurationMS are what the job said, if anything.
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
	// Env are variables, with the values of secrets.
	Env     map[string]string
	Timeout time.Duration
}

// ScriptOutput is the result and the output of a script. Error is set when it threw or was stopped by a limit.
type ScriptOutput struct {
	// Result is {success, message?, value?} for TypeScript that came to its end, nil otherwise.
	Result         json.RawMessage
	Stdout, Stderr string
	ExitCode       int
	TimedOut       bool
	Error          string
	// Withheld says in a sentence what the script policy kept from the script, such as a network; a failure of the script then
	// says nothing about its target.
	Withheld string
	Took     time.Duration
}

// Run is one run of a check: what strategies and collectors may know of it.
type Run struct {
	*Host
	Scope  Scope
	Target int32
	// Slot is the moment for which the run was planned.
	Slot time.Time
}

// Verdict classifies the outcome of a run.
type Verdict int16

// A run passed, failed, or could not be made: then it says nothing about its target. Skipped is a slot at which the run before was
// still going.
const (
	Passed  Verdict = 0
	Failed  Verdict = 1
	Errored Verdict = 2
	Skipped Verdict = 3
)

// Outcome is the result of a run in brief; Report has the details.
type Outcome struct {
	Verdict Verdict
	Cause   Cause
	// Code is the answer in one number where the kind has one (an HTTP status, an exit code), else 0.
	Code int16
	// Held has a bit for each assertion in the order of the configuration: set when it held.
	Held uint64
	// Took is from before the strategy was opened until the last collector had its result.
	Took time.Duration
	// Kept are the values of the fields that the configuration keeps for charts, in their order; NaN where there is none.
	Kept []float32
	// Report says everything, with secrets masked. Nil for a Skipped run.
	Report func() Report
}

// Report is all that a run found, in the form in which it is shown and, for failures, stored.
type Report struct {
	// Message says in one sentence why the run did not pass; empty when it did.
	Message    string            `json:"message,omitempty"`
	Collectors []CollectorReport `json:"collectors"`
}

// CollectorReport is the result of one collector.
type CollectorReport struct {
	ID          uuid.UUID         `json:"id"`
	CollectorID string            `json:"collectorId"`
	Error       string            `json:"error,omitempty"`
	Result      json.RawMessage   `json:"result,omitempty"`
	Assertions  []AssertionReport `json:"assertions,omitempty"`
}

// AssertionReport is the outcome of one assertion. Observed is the value that was found, in JSON, cut when it is long.
type AssertionReport struct {
	Text     string          `json:"text"`
	Held     bool            `json:"held"`
	Observed json.RawMessage `json:"observed,omitempty"`
	// Problem says why it could not be decided, such as a path that leads nowhere.
	Problem string `json:"problem,omitempty"`
}
