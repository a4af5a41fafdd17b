// Package sandbox runs untrusted scripts: JavaScript, compiled TypeScript, and shell, inside WebAssembly that can only
// compute and call the few host functions of this package.
//
// A Job is a script with its limits, a Runner of an engine (packages javascript and shell) runs it, and the Outcome
// describes its end. Each way to end has a Kind of its own, so that the author learns which limit applied. No state of
// a job survives it in an engine.
//
// A script's fault is never an error of the host: Run returns an error only when the engine itself cannot run jobs, or
// when the caller's context ended.
package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"time"
)

// Kind is the way a job ended.
type Kind string

// The ways a job ends. Only OK has a result. A job with truncated output can still be OK: see Outcome.OutputCut.
const (
	// OK: the script ended by itself. A shell script is OK with any exit code.
	OK Kind = "ok"
	// Failed: the script threw, or it has a syntax error.
	Failed Kind = "failed"
	// Timeout: the script exceeded Limits.Timeout.
	Timeout Kind = "timeout"
	// Memory: the script exceeded Limits.Memory.
	Memory Kind = "memory"
	// ResultTooLarge: the result is larger than Limits.Result.
	ResultTooLarge Kind = "result_too_large"
	// ResultNotJSON: the result has no JSON form: a cycle, a BigInt, a function.
	ResultNotJSON Kind = "result_not_json"
	// Stalled: the script waits for a promise that cannot settle.
	Stalled Kind = "stalled"
	// HostCalls: the script made more host calls than Limits.HostCalls.
	HostCalls Kind = "host_calls"
	// ImportRefused: the script imports a module that does not exist for it.
	ImportRefused Kind = "import_refused"
	// Trap: the script broke the engine's instance, which was discarded.
	Trap Kind = "trap"
)

// Limits bound a job. Zero fields take the defaults of DefaultLimits; nothing exceeds MaxLimits.
type Limits struct {
	// Timeout bounds the wall-clock time of the script.
	Timeout time.Duration
	// Memory bounds the script's memory in bytes.
	Memory int
	// Output bounds stdout and stderr together, Result the result as JSON, in bytes.
	Output int
	Result int
	// HostCalls bounds the number of host calls, HostBytes their bytes in both directions.
	HostCalls int
	HostBytes int
}

// Job is one run of a script.
type Job struct {
	// Source is the program: a compiled ES module for JavaScript, a script for shell.
	Source string
	// Name is the file name in stack traces, such as "script.ts".
	Name string
	// Input is the argument of the script's default export, as JSON; null without one.
	Input json.RawMessage
	// Env are the environment variables of a shell script.
	Env map[string]string
	// Stdin is the standard input of a shell script.
	Stdin  []byte
	Limits Limits
	// Fetch makes the network requests of the script; nil denies network access.
	Fetch Fetcher
}

// Fetcher makes one HTTP request on behalf of a script, under a network policy. A refusal is an error with a message
// that the script may see.
type Fetcher interface {
	Fetch(ctx context.Context, r Request) (Response, error)
}

// Request is an HTTP request of a script.
type Request struct {
	Method  string            `json:"method"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
	Body    []byte            `json:"body"`
	// Received counts the bytes of the response body during reading. It fails once Limits.HostBytes are used up; the
	// Fetcher cancels the request then. Nil counts nothing.
	Received func(n int) error `json:"-"`
}

// Meter counts the bytes of a job's host calls. It is safe for concurrent use.
type Meter struct {
	Limit int
	used  atomic.Int64
}

// Add counts bytes and reports whether the limit allows them.
func (m *Meter) Add(n int) bool { return m.used.Add(int64(n)) <= int64(m.Limit) }

// ErrHostBytes reports a response that exceeds the job's limit of bytes.
var ErrHostBytes = errors.New("the script may not receive more bytes")

// Metered makes a request by f and counts the response body during reading. Bytes that f did not count are added at the
// end.
func (m *Meter) Metered(ctx context.Context, f Fetcher, r Request) (Response, error) {
	counted := 0
	r.Received = func(n int) error {
		counted += n
		if !m.Add(n) {
			return ErrHostBytes
		}
		return nil
	}
	response, err := f.Fetch(ctx, r)
	if rest := len(response.Body) - counted; rest > 0 {
		m.Add(rest)
	}
	return response, err
}

// Response is the answer to a Request. Redirects are not followed.
type Response struct {
	Status     int               `json:"status"`
	StatusText string            `json:"statusText"`
	Headers    map[string]string `json:"headers"`
	// SetCookie are the values of Set-Cookie, the only header whose values cannot be separated once joined.
	SetCookie []string `json:"setCookie,omitempty"`
	Body      []byte   `json:"body"`
}

// Outcome is the result of a job.
type Outcome struct {
	Kind Kind
	// Result is the JSON of the script's return value, nil unless Kind is OK; "null" for no value.
	Result json.RawMessage
	// Logs are the lines of console and of stdout and stderr, in their order.
	Logs []Log
	// Stdout and Stderr are the same lines by stream.
	Stdout string
	Stderr string
	// OutputCut is set when the script wrote more than Limits.Output; the excess is lost.
	OutputCut bool
	// ExitCode is that of a shell script; -1 when it was stopped.
	ExitCode int
	// Failure describes the failure, unless Kind is OK.
	Failure *Failure
	// Duration is the wall-clock run time of the script, HostCalls the number of its host calls.
	Duration  time.Duration
	HostCalls int
	// MemoryPeak is the size of the instance's memory at the end in bytes.
	MemoryPeak int
}

// Log is one line that a script wrote.
type Log struct {
	// Level is debug, info, warn or error for console, stdout or stderr for a shell script.
	Level string `json:"level"`
	Text  string `json:"text"`
}

// Failure describes an error to the author of the script.
type Failure struct {
	// Name is the name of a JavaScript error, such as "TypeError".
	Name    string
	Message string
	// Code is the thrown error's own member code, "" for none. The script chooses it.
	Code string
	// Stack are the frames in the source that the engine ran, innermost first.
	Stack []Frame
}

// Frame is one place in a stack, line and column from 1.
type Frame struct {
	Function string
	File     string
	Line     int
	Column   int
}

// Runner is an engine. It is safe for concurrent use; jobs beyond its slots wait.
type Runner interface {
	// Run runs a job to its end. An error means that the engine cannot run jobs, or that ctx ended; then the Outcome is
	// zero.
	Run(ctx context.Context, j Job) (Outcome, error)
	// Close frees the engine once no job runs.
	Close(ctx context.Context) error
}

// DefaultLimits are the limits of a job that sets none.
func DefaultLimits() Limits {
	return Limits{
		Timeout: 30 * time.Second, Memory: 48 << 20, Output: 256 << 10, Result: 1 << 20, HostCalls: 100, HostBytes: 8 << 20,
	}
}

// MaxLimits are the upper bounds for every job.
func MaxLimits() Limits {
	return Limits{
		Timeout: 5 * time.Minute, Memory: 128 << 20, Output: 5 << 20, Result: 5 << 20, HostCalls: 1_000, HostBytes: 64 << 20,
	}
}

// Within fills the zero fields of l from DefaultLimits and bounds the others by most.
func (l Limits) Within(most Limits) Limits {
	d := DefaultLimits()
	return Limits{
		Timeout: bound(l.Timeout, d.Timeout, most.Timeout), Memory: bound(l.Memory, d.Memory, most.Memory),
		Output: bound(l.Output, d.Output, most.Output), Result: bound(l.Result, d.Result, most.Result),
		HostCalls: bound(l.HostCalls, d.HostCalls, most.HostCalls), HostBytes: bound(l.HostBytes, d.HostBytes, most.HostBytes),
	}
}

func bound[T int | time.Duration](wanted, otherwise, most T) T {
	if wanted <= 0 {
		wanted = otherwise
	}
	return min(wanted, most)
}
