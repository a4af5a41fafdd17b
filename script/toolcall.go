package script

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/internal/text/strictjson"
	"countersign/script/typescript"
)

const (
	// DefaultToolTimeout is the default timeout of a call; MaxTimeout is the largest.
	DefaultToolTimeout = 10 * time.Second
	// MaxToolArgs bounds the arguments of a call, in bytes.
	MaxToolArgs = 256 << 10
	// MaxToolSecrets bounds the secrets of a call.
	MaxToolSecrets = 100
	// DefaultAction is the action of a tool that models call.
	DefaultAction = "default"
	// toolOverhead is the time of a call beyond twice its timeout: for pick-up, the detection of a dead process, and
	// another pick-up.
	toolOverhead = 30 * time.Second
)

// ToolCall is one call of a compiled tool. It is isolated: no network, no state of earlier calls, no secrets except its
// placeholders.
type ToolCall struct {
	// Tool is the tool's name for people.
	Tool string `json:"tool"`
	// JS and SourceMap are those of typescript.CompiledTool. Only the caller reads the map.
	JS        string `json:"js"`
	SourceMap []byte `json:"-"`
	// Args is any JSON, null when absent. Action is DefaultAction when empty.
	Args   json.RawMessage `json:"args,omitempty"`
	Action string          `json:"action,omitempty"`
	// LoadOnly loads the module of the tool without a call: the result is the names of its actions.
	LoadOnly bool `json:"loadOnly,omitempty"`
	// Secrets are the values of ctx.secrets.ref, by name. They are sealed in transit.
	Secrets map[string]string `json:"-"`
	// Masked names those of Secrets whose value a user has typed: stars replace the value in the output. Each has to be
	// long enough to be found: see mask.TooShort.
	Masked []string `json:"masked,omitempty"`
	// Timeout bounds the tool's own time; DefaultToolTimeout when zero. The script policy may allow less.
	Timeout time.Duration `json:"timeout,omitempty"`
	// DryRun uses the few places of authors' tests instead of those of real calls.
	DryRun bool `json:"-"`
	// Record runs in the transaction that stores the call, for the audit log; nil records nothing.
	Record func(ctx context.Context) error `json:"-"`
}

// ToolAnswer is the outcome of a call. Every failure of the tool is an answer, never an error.
type ToolAnswer struct {
	OK bool `json:"ok"`
	// Result is the tool's return value, null when it returned none; absent unless OK.
	Result     json.RawMessage `json:"result,omitempty"`
	Error      *ToolError      `json:"error,omitempty"`
	Logs       []ToolLog       `json:"logs" nullable:"false" doc:"What the tool wrote with ctx.log and console, in order; at most 500 lines"`
	LimitsHit  []Limit         `json:"limits_hit" nullable:"false" enum:"timeout,memory,output,result,host_calls"`
	DurationMs float64         `json:"duration_ms" doc:"How long the tool ran"`
}

// ToolCode is the kind of a failure. Only the product chooses it.
type ToolCode string

// The codes.
const (
	// ToolTimeout: the timeout ended the call, whether the tool computed or waited.
	ToolTimeout ToolCode = "timeout"
	// ToolMemory: the tool exceeded its memory limit.
	ToolMemory ToolCode = "memory_exceeded"
	// ToolResultTooLarge: the result is too large.
	ToolResultTooLarge ToolCode = "result_too_large"
	// ToolNotJSON: the result has no JSON form: a cycle, a BigInt, a function.
	ToolNotJSON ToolCode = "not_json"
	// ToolStalled: the tool waits for a promise that cannot settle.
	ToolStalled ToolCode = "stalled"
	// ToolNoAction: the tool has no action of this name.
	ToolNoAction ToolCode = "action_not_found"
	// ToolNoSecret: the tool requested a secret outside its list.
	ToolNoSecret ToolCode = "secret_not_provisioned"
	// ToolFailed: the tool threw, or failed in another way.
	ToolFailed ToolCode = "tool_invoke_failed"
)

// ToolCodes returns all codes.
func ToolCodes() []ToolCode {
	return []ToolCode{ToolTimeout, ToolMemory, ToolResultTooLarge, ToolNotJSON, ToolStalled, ToolNoAction, ToolNoSecret, ToolFailed}
}

// ToolError is the failure of a call, by positions of the author's source.
type ToolError struct {
	Code    ToolCode `json:"code" enum:"timeout,memory_exceeded,result_too_large,not_json,stalled,action_not_found,secret_not_provisioned,tool_invoke_failed"`
	Message string   `json:"message"`
	// Detail is the code of the thrown error, which the tool chooses.
	Detail string `json:"detail,omitempty" doc:"The code that the thrown error has, which is the tool's own word"`
	// Line and Column are the position, from 1; 0 for none.
	Line   int          `json:"line,omitempty"`
	Column int          `json:"column,omitempty"`
	Stack  []StackFrame `json:"stack" nullable:"false" doc:"The frames in the author's source, innermost first"`
}

// ToolLog is one line that a tool wrote.
type ToolLog struct {
	Level   string          `json:"level" enum:"debug,info,warn,error"`
	Message string          `json:"message"`
	Meta    json.RawMessage `json:"meta,omitempty" doc:"The third argument of ctx.log: an object"`
}

// CallTool calls a tool in a process of the exec queue and waits for its answer. Each principal has a concurrency
// limit, beyond which a call fails with code throttled. When ctx ends, the call is canceled. A call whose process dies
// is retried once.
func (s *Service) CallTool(ctx context.Context, c ToolCall) (ToolAnswer, error) {
	if err := c.check(); err != nil {
		return ToolAnswer{}, err
	}
	id := store.NewID()
	request, err := s.packCall(id, c)
	if err != nil {
		return ToolAnswer{}, err
	}
	e := job{
		jobKind: callKind, id: id, request: request, record: c.Record, most: 2*c.timeout() + toolOverhead,
		start:  func(ctx context.Context) error { return s.Starter.StartToolCall(ctx, id, c.timeout()) },
		cancel: func(ctx context.Context) error { return s.Starter.CancelToolCall(ctx, id) },
	}
	if c.DryRun {
		e.jobKind = dryRunKind
	}
	a, err := s.submit(ctx, e)
	switch {
	case err != nil:
		return ToolAnswer{}, err
	case a.Tool == nil:
		return ToolAnswer{}, errors.New("the answer of a call is empty")
	}
	return a.Tool.located(c.SourceMap), nil
}

// check refuses invalid calls by this package's callers. Input of authors and models is validated where it arrives.
func (c ToolCall) check() error {
	switch {
	case c.JS == "":
		return fmt.Errorf("call tool %s: it is not compiled", c.Tool)
	case len(c.Args) > MaxToolArgs:
		return problem.Errorf(problem.TooLarge, "The arguments have %d bytes; at most %d are allowed.", len(c.Args), MaxToolArgs)
	case len(c.Secrets) > MaxToolSecrets:
		return problem.Errorf(problem.TooLarge, "The call has %d secrets; at most %d are allowed.", len(c.Secrets), MaxToolSecrets)
	case len(c.Args) == 0:
		return nil
	}
	if err := strictjson.Check(c.Args); err != nil {
		return problem.InvalidInput(
			"The arguments are not valid JSON: "+err.Error()+".",
			problem.Issue{Path: "args", Message: "is not valid JSON: " + err.Error()},
		)
	}
	return nil
}

func (c ToolCall) timeout() time.Duration {
	if c.Timeout <= 0 {
		return DefaultToolTimeout
	}
	return min(max(c.Timeout, MinTimeout), MaxTimeout)
}

// ExecuteCall makes a waiting call, as the activity of its workflow. A retry makes the call again, which is safe
// because it only computes; a third attempt answers that the processes have died.
func (s *Service) ExecuteCall(ctx context.Context, id uuid.UUID) error {
	return s.execute(ctx, id, callKind, func(ctx context.Context, request []byte) (answer, error) {
		c, err := s.unpackCall(id, request)
		if err != nil {
			return answer{}, err
		}
		a, err := s.Runner.Call(ctx, c)
		return answer{Tool: &a}, err
	})
}

// LostCall answers a call whose processes have died.
func (s *Service) LostCall(ctx context.Context, id uuid.UUID) error { return s.lost(ctx, id, callKind) }

// UnservedCall answers a call that no process has picked up.
func (s *Service) UnservedCall(ctx context.Context, id uuid.UUID) error {
	_, err := s.storeAnswer(ctx, id, answer{Problem: callKind.unserved()})
	return err
}

// callRequest is a call as stored.
type callRequest struct {
	ToolCall

	Sealed []byte `json:"sealed,omitempty"`
}

func (s *Service) packCall(id uuid.UUID, c ToolCall) ([]byte, error) {
	r := callRequest{ToolCall: c}
	var err error
	if len(c.Secrets) > 0 {
		if r.Sealed, err = s.seal(id, c.Secrets); err != nil {
			return nil, err
		}
	}
	data, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encode call: %w", err)
	}
	return data, nil
}

func (s *Service) unpackCall(id uuid.UUID, data []byte) (ToolCall, error) {
	var r callRequest
	if err := json.Unmarshal(data, &r); err != nil {
		return ToolCall{}, fmt.Errorf("read call: %w", err)
	}
	if r.Sealed != nil {
		var err error
		if r.Secrets, err = s.unseal(id, r.Sealed); err != nil {
			return ToolCall{}, err
		}
	}
	return r.ToolCall, nil
}

// located converts an answer to positions of the author's source.
func (a *toolAnswer) located(sourceMap []byte) ToolAnswer {
	out := a.ToolAnswer
	places, _ := typescript.NewPositions(sourceMap) // without a map no position is known
	for i := range out.Logs {
		out.Logs[i].Message = inSource(places, toolFile, out.Logs[i].Message)
	}
	if out.Error == nil {
		return out
	}
	out.Error.Message = inSource(places, toolFile, out.Error.Message)
	out.Error.Stack = []StackFrame{}
	for _, f := range a.Frames {
		if places == nil || f.File != toolFile {
			continue
		}
		if line, column, ok := places.Author(f.Line, f.Column); ok {
			out.Error.Stack = append(out.Error.Stack, StackFrame{f.Function, line, column})
		}
	}
	if len(out.Error.Stack) > 0 {
		out.Error.Line, out.Error.Column = out.Error.Stack[0].Line, out.Error.Stack[0].Column
	}
	return out
}
