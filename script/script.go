// Package script tests scripts of users: it checks their types, runs them in the sandbox under the script policy, and
// reports result, output and errors by positions of the author's source.
//
// Service.Test is the caller's side. It stores the request, starts a workflow and waits for the answer; the Runner of a
// process that works on the exec queue runs the script. Both meet in a row of PostgreSQL, so that neither the source
// nor the result passes through workflow histories. A test runs at most once: if its process dies, the answer says so.
//
// Service.CallTool calls compiled custom tools in the same way. They have no network, so a call whose process dies is
// retried once.
//
// A test changes nothing in the product, but a script with network access may change other systems. No value of the
// vault is used: a declared secret is a placeholder.
package script

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"countersign/internal/problem"
	"countersign/internal/secret/reference"
	"countersign/script/sdk"
	"countersign/script/typescript"
)

// The limits of a test.
const (
	MaxSource      = typescript.MaxSource
	MinTimeout     = 100 * time.Millisecond
	MaxTimeout     = 30 * time.Second
	DefaultTimeout = MaxTimeout
	// maxEnv and maxEnvBytes bound the variables that a test adds to those of its context.
	maxEnv      = 100
	maxEnvBytes = 64 << 10
	// maxSample bounds the configuration and the sample context, as JSON.
	maxSample = 256 << 10
)

// reserved is the prefix of the variables that the runner sets.
const reserved = "COUNTERSIGN_"

// TestInput is a script to test.
type TestInput struct {
	Context sdk.Context `json:"context" enum:"healthcheck-script,healthcheck-shell,automation-action-script,automation-action-shell" doc:"Where the script lives"`
	Source  string      `json:"source" minLength:"1" maxLength:"100000"`
	Config  any         `json:"config,omitempty" doc:"The configuration of a health check: an object"`
	// SampleContext is the script's context. Missing members have defaults, unknown ones are dropped.
	SampleContext any               `json:"sampleContext,omitempty" doc:"What the script is told: an object. What is missing has a default, what the context does not know is left out."`
	Env           map[string]string `json:"env,omitempty" doc:"Environment variables beside those of the context; TypeScript finds them in context.env"`
	// SecretEnv maps variables to "${{ secrets.NAME }}". The variable holds a placeholder.
	SecretEnv map[string]string `json:"secretEnv,omitempty" doc:"Variables that hold a secret in a real run, as ${{ secrets.NAME }}. A test gets the placeholder __SECRET_NAME__."`
	// SecretOverrides are values for this one test. No row, log or output shows them.
	SecretOverrides map[string]string `json:"secretOverrides,omitempty" writeOnly:"true" doc:"Values in place of placeholders, by variable of secretEnv, for this test only. What comes back shows stars in their place."`
	TimeoutMs       int               `json:"timeoutMs,omitempty" minimum:"100" maximum:"30000" doc:"30000 when absent. The script policy may allow less."`
	// CheckTypes is true when absent.
	CheckTypes      *bool `json:"checkTypes,omitempty" doc:"Check the types of TypeScript; true when absent"`
	StopOnTypeError bool  `json:"stopOnTypeError,omitempty" doc:"Do not run a script with type errors"`
	// WithoutNetwork denies network access, for a test that must not act on other systems.
	WithoutNetwork bool `json:"withoutNetwork,omitempty" doc:"Run it without a network, whatever the script policy allows"`
}

// TestOutput is the outcome of a test. Every script failure is an output, never an error.
type TestOutput struct {
	// Result is the script's return value. For a TypeScript health check it is always {success, message?, value?}, also
	// when the script has thrown; for shell it is absent.
	Result json.RawMessage `json:"result,omitempty" doc:"What the script returned. That of a TypeScript health check is always {success, message?, value?}; a shell script has none."`
	Stdout string          `json:"stdout"`
	Stderr string          `json:"stderr"`
	// ExitCode is that of a shell script, absent when it was stopped.
	ExitCode   *int  `json:"exitCode,omitempty" doc:"Of a shell script that came to its end"`
	DurationMs int64 `json:"durationMs" doc:"How long the script ran"`
	TimedOut   bool  `json:"timedOut"`
	// Error is set when the script failed, was stopped, or could not be run.
	Error *RunError `json:"error,omitempty"`
	// SandboxDowngraded says that the script policy is unusable, so that the tightest limits apply.
	SandboxDowngraded bool `json:"sandboxDowngraded" doc:"The script policy is missing or not valid: the script had no network and the tightest limits"`
	// NetworkAllowed says whether the policy gave the script network access.
	NetworkAllowed bool `json:"networkAllowed"`
	// RequestRefused is why the script policy refused a request of the script, if it did.
	RequestRefused string       `json:"requestRefused,omitempty" doc:"Why the script policy refused a request of the script. A health check then counts as not made, even if its script goes on and says that all is well."`
	Diagnostics    []Diagnostic `json:"diagnostics" nullable:"false" doc:"What the compiler says, by position. Type errors do not keep a script from running."`
	TypesChecked   bool         `json:"typesChecked"`
	TypesReason    string       `json:"typesReason,omitempty" doc:"Why the types were not checked"`
	Logs           []LogLine    `json:"logs" nullable:"false" doc:"What was written to the console or to stdout and stderr, in order"`
	LimitsHit      []Limit      `json:"limitsHit" nullable:"false" enum:"timeout,memory,output,result,host_calls"`
	Warnings       []string     `json:"warnings" nullable:"false" doc:"What was left out or changed before the run"`
}

// Tainted reports whether the output may hold content from outside.
func (o TestOutput) Tainted() bool { return o.NetworkAllowed }

// Origin implements tool.Originated.
func (o TestOutput) Origin() string { return "a test of a script that had a network" }

// Diagnostic is a finding of the compiler.
type Diagnostic = typescript.Diagnostic

// LogLine is one line that a script wrote.
type LogLine struct {
	Level string `json:"level" enum:"debug,info,warn,error,stdout,stderr" doc:"debug, info, warn or error for TypeScript; stdout or stderr for shell"`
	Text  string `json:"text"`
}

// RunError is a script's error.
type RunError struct {
	Name    string `json:"name"`
	Message string `json:"message"`
	// Stack are the frames in the author's source, innermost first.
	Stack []StackFrame `json:"stack" nullable:"false"`
}

// StackFrame is a place in the author's source, line and column from 1.
type StackFrame struct {
	Function string `json:"function,omitempty"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
}

// Limit is a limit that stopped a run.
type Limit string

// The limits.
const (
	TimeLimit     Limit = "timeout"
	MemoryLimit   Limit = "memory"
	OutputLimit   Limit = "output"
	ResultLimit   Limit = "result"
	HostCallLimit Limit = "host_calls"
)

var variablePattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)

// checked returns the input with its defaults, or a problem with all faults. Only allowed contexts are accepted; nil
// accepts all.
func (in TestInput) checked(allowed []sdk.Context) (TestInput, error) {
	return in.within(allowed, MinTimeout, MaxTimeout)
}

// within is checked with other bounds of the timeout.
func (in TestInput) within(allowed []sdk.Context, least, most time.Duration) (TestInput, error) {
	c, err := parseContext(string(in.Context), allowed)
	if err != nil {
		return in, err
	}
	in.Context = c
	if in.CheckTypes == nil {
		check := true
		in.CheckTypes = &check
	}
	var issues []problem.Issue
	reject := func(path, format string, args ...any) {
		issues = append(issues, problem.Issue{Path: path, Message: fmt.Sprintf(format, args...)})
	}
	switch n := utf8.RuneCountInString(in.Source); {
	case strings.TrimSpace(in.Source) == "":
		reject("source", "is empty")
	case !utf8.ValidString(in.Source):
		reject("source", "is not UTF-8")
	case n > MaxSource:
		reject("source", "has %d characters; at most %d are allowed", n, MaxSource)
	}
	if t := in.timeout(); t < least || t > most {
		reject("timeoutMs", "must be from %d to %d", least.Milliseconds(), most.Milliseconds())
	}
	in.checkEnv(reject)
	in.checkOverrides(reject)
	in.checkDocument("config", in.Config, reject)
	in.checkDocument("sampleContext", in.SampleContext, reject)
	if _, err := reference.ParseEnv(in.SecretEnv); err != nil {
		issues = append(issues, problem.As(err).Issues...)
	}
	if len(issues) == 0 {
		_, err := in.sample()
		return in, err
	}
	return in, problem.InvalidInput("The test is not valid: "+issues[0].Path+" "+issues[0].Message+".", issues...)
}

func (in TestInput) timeout() time.Duration {
	if in.TimeoutMs == 0 {
		return DefaultTimeout
	}
	return time.Duration(in.TimeoutMs) * time.Millisecond
}

func (in TestInput) checkEnv(reject func(path, format string, args ...any)) {
	if len(in.Env) > maxEnv {
		reject("env", "has %d variables; at most %d are allowed", len(in.Env), maxEnv)
		return
	}
	size := 0
	for _, name := range slices.Sorted(maps.Keys(in.Env)) {
		size += len(name) + len(in.Env[name])
		switch {
		case !variablePattern.MatchString(name):
			reject("env."+name, "must be a name of letters, digits and underscores that does not begin with a digit")
		case strings.HasPrefix(strings.ToUpper(name), reserved):
			reject("env."+name, "begins with %s, which is reserved; use sampleContext", reserved)
		case strings.ContainsRune(in.Env[name], 0):
			reject("env."+name, "holds a NUL character")
		}
		if _, twice := in.SecretEnv[name]; twice {
			reject("env."+name, "is in secretEnv, too")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(in.SecretEnv)) {
		if strings.HasPrefix(strings.ToUpper(name), reserved) {
			reject("secretEnv."+name, "begins with %s, which is reserved", reserved)
		}
	}
	if size > maxEnvBytes {
		reject("env", "has %d bytes; at most %d are allowed", size, maxEnvBytes)
	}
}

func (in TestInput) checkDocument(path string, value any, reject func(path, format string, args ...any)) {
	if value == nil {
		return
	}
	if _, object := value.(map[string]any); !object {
		reject(path, "must be an object")
		return
	}
	if data, err := json.Marshal(value); err != nil || len(data) > maxSample {
		reject(path, "is larger than %d bytes", maxSample)
	}
}

func parseContext(name string, allowed []sdk.Context) (sdk.Context, error) {
	c, err := sdk.ParseContext(name)
	if allowed == nil || err == nil && slices.Contains(allowed, c) {
		return c, err
	}
	names := make([]string, 0, len(allowed))
	for _, a := range allowed {
		names = append(names, string(a))
	}
	return "", problem.InvalidInput("This context does not exist here.",
		problem.Issue{Path: "context", Message: "must be one of " + strings.Join(names, ", ")})
}
