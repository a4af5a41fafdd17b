package script

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/problem"
	"countersign/script/typescript"
	"countersign/store"
	"countersign/text/strictjson"
)

const (
	// DefaultToolTimeout is what a call has that says nothing; none has more than MaxTimeout.
	DefaultToolTimeout = 10 * time.Second
	// MaxToolArgs bounds the arguments of a call, in bytes.
	MaxToolArgs = 256 << 10
	// MaxToolSecrets is how many secrets a call can have.
	MaxToolSecrets = 100
	// DefaultAction is the action of a tool that models call.
	DefaultAction = "default"
	// toolPatience is how much longer than twice its time a call may take: to be picked up, to be missed when its process has died, and
	// to be picked up again.
	toolPatience = 30 * time.Second
)

// ToolCall is one call of a compiled tool. It computes and reaches nothing: no network, no clock of the call before, no secret but the
// placeholders that it is given.
type ToolCall struct {
	// Tool is what the tool is called, for people.
	Tool string `json:"tool"`
	// JS and SourceMap are those of typescript.CompiledTool. Only the caller reads the map.
	JS        string `json:"js"`
	SourceMap []byte `json:"-"`
	// Args is any JSON, null when absent. Action is DefaultAction when empty.
	Args   json.RawMessage `json:"args,omitempty"`
	Action string          `json:"action,omitempty"`
	// LoadOnly loads the module of the tool and calls nothing: the result are the names of its actions.
	LoadOnly bool `json:"loadOnly,omitempty"`
	// Secrets are what ctx.secrets.ref answers, by name. They are sealed on their way.
	Secrets map[string]string `json:"-"`
	// Masked names those of Secrets whose value somebody has typed: stars stand in its place in what comes back. Each has to be long
	// enough to be found: see mask.TooShort.
	Masked []string `json:"masked,omitempty"`
	// Timeout bounds the tool's own time; DefaultToolTimeout when zero. The script policy may allow less.
	Timeout time.Duration `json:"timeout,omitempty"`
	// DryRun takes the few places of who tries tools out, not those of who uses them.
	DryRun bool `json:"-"`
	// Record is called in the transaction that stores the call, to put it on record; nil records nothing.
	Record func(ctx context.Context) error `json:"-"`
}

// ToolAnswer is how a call went. Whatever the tool did is an answer, never an error.
type ToolAnswer struct {
	OK bool `json:"ok"`
	// Result is what the tool returned, null when that was nothing; absent unless OK.
	Result     json.RawMessage `json:"result,omitempty"`
	Error      *ToolError      `json:"error,omitempty"`
	Logs       []ToolLog       `json:"logs" nullable:"false" doc:"What the tool wrote with ctx.log and console, in order; at most 500 lines"`
	LimitsHit  []Limit         `json:"limits_hit" nullable:"false" enum:"timeout,memory,output,result,host_calls"`
	DurationMs float64         `json:"duration_ms" doc:"How long the tool ran"`
}

// ToolCode says what went wrong. Only the product chooses it.
type ToolCode string

// The codes.
const (
	// ToolTimeout: the time was over, whether the tool computed or waited.
	ToolTimeout ToolCode = "timeout"
	// ToolMemory: the tool wanted more memory than it may have.
	ToolMemory ToolCode = "memory_exceeded"
	// ToolResultTooLarge: the result is too large.
	ToolResultTooLarge ToolCode = "result_too_large"
	// ToolNotJSON: the result has no JSON form: a cycle, a BigInt, a function.
	ToolNotJSON ToolCode = "not_json"
	// ToolStalled: the tool waits for a promise that nothing will settle.
	ToolStalled ToolCode = "stalled"
	// ToolNoAction: the tool has no action of this name.
	ToolNoAction ToolCode = "action_not_found"
	// ToolNoSecret: the tool asked for a secret that it was not given.
	ToolNoSecret ToolCode = "secret_not_provisioned"
	// ToolFailed: the tool threw, or it broke in another way.
	ToolFailed ToolCode = "tool_invoke_failed"
)

// ToolCodes are all of them.
func ToolCodes() []ToolCode {
	return []ToolCode{ToolTimeout, ToolMemory, ToolResultTooLarge, ToolNotJSON, ToolStalled, ToolNoAction, ToolNoSecret, ToolFailed}
}

// ToolError is what went wrong in a call, in places of the author's source.
type ToolError struct {
	Code    ToolCode `json:"code" enum:"timeout,memory_exceeded,result_too_large,not_json,stalled,action_not_found,secret_not_provisioned,tool_invoke_failed"`
	Message string   `json:"message"`
	// Detail is the member code of what the tool threw. It is the tool's own word.
	Detail string `json:"detail,omitempty" doc:"The code that the thrown error has, which is the tool's own word"`
	// Line and Column are where, from 1; 0 for nowhere.
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

// CallTool calls a tool in a process of the exec queue and waits for how it went. Each principal has places: who has too many calls is
// told so with a problem of code throttled. When ctx ends, the call is canceled. A call whose process dies is made once more.
func (s *Service) CallTool(ctx context.Context, c ToolCall) (ToolAnswer, error) {
	if err := c.check(); err != nil {
		return ToolAnswer{}, err
	}
	id := store.NewID()
	request, err := s.packCall(id, c)
	if err != nil {
		return ToolAnswer{}, err
	}
	e := errand{
		errandKind: callKind, id: id, request: request, record: c.Record, most: 2*c.timeout() + toolPatience,
		start:  func(ctx context.Context) error { return s.Starter.StartToolCall(ctx, id, c.timeout()) },
		cancel: func(ctx context.Context) error { return s.Starter.CancelToolCall(ctx, id) },
	}
	if c.DryRun {
		e.errandKind = dryRunKind
	}
	a, err := s.ask(ctx, e)
	switch {
	case err != nil:
		return ToolAnswer{}, err
	case a.Tool == nil:
		return ToolAnswer{}, errors.New("the answer of a call is empty")
	}
	return a.Tool.located(c.SourceMap), nil
}

// check refuses what a caller of this package must not pass on. Authors and models are told by whoever takes their input.
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

// ExecuteCall makes a call that waits. It is the activity of the call's workflow. A repeat makes the call again, which changes nothing
// but computes; a third one answers that the processes have died.
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
	_, err := s.settle(ctx, id, answer{Problem: callKind.unserved()})
	return err
}

// callRequest is a call as its row holds it.
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

// located is an answer in places of the author's source.
func (a *toolAnswer) located(sourceMap []byte) ToolAnswer {
	out := a.ToolAnswer
	places, _ := typescript.NewPositions(sourceMap) // without a map nothing leads to the source
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
