package script

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"countersign/internal/secret"
	"countersign/internal/secret/mask"
	"countersign/sandbox"
	"countersign/script/sdk"
)

const (
	// toolFile is the name of a tool in its own stack traces.
	toolFile = fileName + ".ts"
	// maxToolLogs and maxToolOutput bound the output of a tool: it goes to a page or a model, not to an operator.
	maxToolLogs   = 500
	maxToolOutput = 64 << 10
	maxToolText   = 4_096
	maxToolMeta   = 8_192
	maxToolDetail = 200
	// logMark begins a line of ctx.log: a message as JSON and, behind a comma, its meta.
	logMark = "\x01"
)

// toolAnswer is an answer whose positions are still in the JavaScript.
type toolAnswer struct {
	ToolAnswer

	Frames []sandbox.Frame `json:"frames,omitempty"`
}

// Call calls a tool in this process. It has no network, and no state survives it. An error is a host failure or the end
// of ctx.
func (r *Runner) Call(
	ctx context.Context,
	c ToolCall,
) (toolAnswer, error) { //nolint:revive // only this package reads the positions in the JavaScript
	in := sdk.ToolInput{Secrets: c.Secrets}
	if !c.LoadOnly {
		in.Action = cmp.Or(c.Action, DefaultAction)
	}
	if len(c.Args) > 0 {
		in.Args = c.Args
	}
	input, err := json.Marshal(in)
	if err != nil {
		return toolAnswer{}, fmt.Errorf("encode the input of a tool: %w", err)
	}
	limits := r.Policies.Effective(ctx).Limits.Within(sandbox.MaxLimits())
	limits.Timeout = min(limits.Timeout, c.timeout())
	limits.Output = min(limits.Output, maxToolOutput)
	o, err := r.JavaScript.Run(ctx, sandbox.Job{Source: c.JS, Name: toolFile, Input: input, Limits: limits})
	if err != nil {
		return toolAnswer{}, fmt.Errorf("call the tool: %w", err)
	}
	a := readToolOutcome(o)
	return a, a.mask(c)
}

// readToolOutcome converts the sandbox's outcome of a call. It trusts nothing that the tool can have made.
func readToolOutcome(o sandbox.Outcome) toolAnswer {
	a := toolAnswer{ToolAnswer: ToolAnswer{Logs: []ToolLog{}, LimitsHit: []Limit{}, DurationMs: float64(o.Duration.Microseconds()) / 1_000}}
	cut := o.OutputCut || len(o.Logs) > maxToolLogs
	for _, l := range o.Logs[:min(len(o.Logs), maxToolLogs)] {
		a.Logs = append(a.Logs, readToolLog(l))
	}
	if limit := limitOf[o.Kind]; limit != "" {
		a.LimitsHit = append(a.LimitsHit, limit)
	}
	if cut {
		a.LimitsHit = append(a.LimitsHit, OutputLimit)
	}
	if o.Kind == sandbox.OK {
		a.returned(o.Result)
	} else {
		a.failed(o)
	}
	return a
}

// limitOf maps outcomes to the limits behind them.
var limitOf = map[sandbox.Kind]Limit{
	sandbox.Timeout: TimeLimit, sandbox.Memory: MemoryLimit, sandbox.ResultTooLarge: ResultLimit, sandbox.HostCalls: HostCallLimit,
}

// toolCodes maps outcomes to codes; all others are ToolFailed.
var toolCodes = map[sandbox.Kind]ToolCode{
	sandbox.Timeout: ToolTimeout, sandbox.Memory: ToolMemory, sandbox.ResultTooLarge: ToolResultTooLarge, sandbox.ResultNotJSON: ToolNotJSON,
	sandbox.Stalled: ToolStalled,
}

// refusal is the reason for which the tool runtime refuses a call.
type refusal struct {
	Code    ToolCode `json:"code"`
	Message string   `json:"message"`
	Stack   string   `json:"stack"`
}

// returned takes the answer of the tool runtime.
func (a *toolAnswer) returned(result json.RawMessage) {
	var e struct {
		Result  json.RawMessage `json:"result"`
		Refused *refusal        `json:"refused"`
	}
	decoder := json.NewDecoder(bytes.NewReader(result))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&e)
	if _, more := decoder.Token(); err == nil && !errors.Is(more, io.EOF) {
		err = errors.New("there is text behind it")
	}
	known := e.Refused == nil || slices.Contains([]ToolCode{ToolNoAction, ToolNoSecret, ToolNotJSON}, e.Refused.Code)
	switch {
	case err != nil || !known:
		a.Error = &ToolError{
			Code:    ToolFailed,
			Message: "The tool was not called: its compiled form is not one of this release.",
			Stack:   []StackFrame{},
		}
	case e.Refused != nil:
		a.Error = &ToolError{Code: e.Refused.Code, Message: beginning(e.Refused.Message, maxToolText), Stack: []StackFrame{}}
		a.Frames = sandbox.Frames(e.Refused.Stack, "")
	default:
		a.OK, a.Result = true, e.Result
		if a.Result == nil {
			a.Result = json.RawMessage("null")
		}
	}
}

// failed takes a failure of the sandbox.
func (a *toolAnswer) failed(o sandbox.Outcome) {
	a.Error = &ToolError{Code: cmp.Or(toolCodes[o.Kind], ToolFailed), Message: "The tool failed.", Stack: []StackFrame{}}
	f := o.Failure
	if f == nil {
		return
	}
	a.Frames = f.Stack
	a.Error.Message = beginning(f.Message, maxToolText)
	if o.Kind != sandbox.Failed {
		return
	}
	a.Error.Detail = beginning(f.Code, maxToolDetail)
	if f.Name != "" && f.Name != "Error" {
		a.Error.Message = beginning(f.Name+": "+f.Message, maxToolText)
	}
}

// readToolLog parses a line. Any line that ctx.log cannot have written is a line of console.
func readToolLog(l sandbox.Log) ToolLog {
	out := ToolLog{Level: l.Level, Message: l.Text}
	marked, ok := strings.CutPrefix(l.Text, logMark)
	if !ok {
		out.Message = beginning(out.Message, maxToolText)
		return out
	}
	var parts []json.RawMessage
	var message string
	if json.Unmarshal([]byte("["+marked+"]"), &parts) != nil || len(parts) == 0 || len(parts) > 2 ||
		json.Unmarshal(parts[0], &message) != nil {
		out.Message = beginning(marked, maxToolText) // it was cut, or the tool wrote it directly
		return out
	}
	out.Message = beginning(message, maxToolText)
	if len(parts) == 2 && len(parts[1]) <= maxToolMeta && string(parts[1]) != "null" {
		out.Meta = parts[1]
	}
	return out
}

// mask replaces the values that a user has typed for secrets by stars.
func (a *toolAnswer) mask(c ToolCall) error {
	var typed []secret.Value
	for _, name := range slices.Sorted(maps.Keys(c.Secrets)) {
		if slices.Contains(c.Masked, name) {
			typed = append(typed, secret.NewValue(c.Secrets[name]))
		}
	}
	if len(typed) == 0 {
		return nil
	}
	m, err := mask.New(typed...)
	if err != nil {
		return fmt.Errorf("mask the answer of a tool: %w", err)
	}
	a.Result = m.JSON(a.Result)
	lines := make([]string, len(a.Logs))
	for i, l := range a.Logs {
		lines[i] = l.Message
		if l.Meta != nil {
			a.Logs[i].Meta = m.JSON(l.Meta)
		}
	}
	for i, line := range m.Lines(lines) {
		a.Logs[i].Message = m.Cut(line)
	}
	if a.Error != nil {
		a.Error.Message, a.Error.Detail = m.Cut(a.Error.Message), m.Cut(a.Error.Detail)
	}
	for i := range a.Frames {
		a.Frames[i].Function = m.Cut(a.Frames[i].Function)
	}
	return nil
}
