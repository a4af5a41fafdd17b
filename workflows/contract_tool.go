package workflows

import (
	"time"

	"github.com/google/uuid"

	"countersign/internal/durable"
)

// ToolCallWorkflow calls a custom tool.
var ToolCallWorkflow = Workflow[ToolCallInput, ToolCallOutput]{Name: "ToolCall", Code: ToolCall}

// The steps of the call of a custom tool.
var (
	RunToolCall    = Step[RunToolCallInput, RunToolCallOutput]{Name: "RunToolCall", Options: runToolOptions}
	SettleToolCall = Step[SettleToolCallInput, SettleToolCallOutput]{Name: "SettleToolCall", Options: durable.OutcomeStepOptions}
)

// ToolCallID is the workflow id of the call of a tool.
func ToolCallID(id uuid.UUID) string { return "tool-call/" + id.String() }

// ToolCallExecution is the execution of the call of a tool.
func ToolCallExecution(in ToolCallInput) durable.Execution {
	return ToolCallWorkflow.Execute(durable.Execution{
		ID: ToolCallID(in.CallID), Queue: durable.ExecQueue, Summary: "Call of a tool", Timeout: execTimeout,
	}, in)
}

// ToolCallInput names the call. Its row holds the tool, the arguments and the answer.
type ToolCallInput struct {
	CallID uuid.UUID
	// Timeout is that of the tool.
	Timeout time.Duration
}

// ToolCallOutput is empty.
type ToolCallOutput struct{}

// RunToolCallInput names the call to make.
type RunToolCallInput struct {
	CallID uuid.UUID
}

// RunToolCallOutput is empty.
type RunToolCallOutput struct{}

// SettleToolCallInput asks for the answer to a call that no process has answered. Unserved says that no process picked
// it up; otherwise its processes died.
type SettleToolCallInput struct {
	CallID   uuid.UUID
	Unserved bool
}

// SettleToolCallOutput is empty.
type SettleToolCallOutput struct{}
