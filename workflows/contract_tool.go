package workflows

import (
	"time"

	"github.com/google/uuid"
)

// ToolCallWorkflow calls a custom tool.
var ToolCallWorkflow = Workflow[ToolCallInput, ToolCallOutput]{"ToolCall", ToolCall}

// The steps of the call of a custom tool.
var (
	RunToolCall    = Step[RunToolCallInput, RunToolCallOutput]{"RunToolCall", runToolStep}
	SettleToolCall = Step[SettleToolCallInput, SettleToolCallOutput]{"SettleToolCall", lastStep}
)

// ToolCallID is the workflow id of the call of a tool.
func ToolCallID(id uuid.UUID) string { return "tool-call/" + id.String() }

// ToolCallInput names the call. The tool, its arguments and the answer stay in its row.
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

// SettleToolCallInput asks to answer a call that has not been made. Unserved says that no process picked it up; otherwise its
// processes have died.
type SettleToolCallInput struct {
	CallID   uuid.UUID
	Unserved bool
}

// SettleToolCallOutput is empty.
type SettleToolCallOutput struct{}
