package activities

import (
	"context"

	"github.com/google/uuid"

	"countersign/workflows"
)

// ScriptTests runs and answers tests of scripts and calls of tools. *script.Service implements it.
type ScriptTests interface {
	Execute(ctx context.Context, id uuid.UUID) error
	Lost(ctx context.Context, id uuid.UUID) error
	Unserved(ctx context.Context, id uuid.UUID) error
	ExecuteCall(ctx context.Context, id uuid.UUID) error
	LostCall(ctx context.Context, id uuid.UUID) error
	UnservedCall(ctx context.Context, id uuid.UUID) error
}

// Script holds the activities of tests of scripts and of calls of tools.
type Script struct {
	Tests ScriptTests
}

// RunScriptTest runs a test and answers it. It belongs on the exec queue.
func (a *Script) RunScriptTest(ctx context.Context, in workflows.RunScriptTestInput) (workflows.RunScriptTestOutput, error) {
	return workflows.RunScriptTestOutput{}, a.Tests.Execute(ctx, in.TestID)
}

// SettleScriptTest answers a test that no process has answered.
func (a *Script) SettleScriptTest(ctx context.Context, in workflows.SettleScriptTestInput) (workflows.SettleScriptTestOutput, error) {
	if in.Unserved {
		return workflows.SettleScriptTestOutput{}, a.Tests.Unserved(ctx, in.TestID)
	}
	return workflows.SettleScriptTestOutput{}, a.Tests.Lost(ctx, in.TestID)
}

// RunToolCall calls a tool and answers. It belongs on the exec queue.
func (a *Script) RunToolCall(ctx context.Context, in workflows.RunToolCallInput) (workflows.RunToolCallOutput, error) {
	return workflows.RunToolCallOutput{}, a.Tests.ExecuteCall(ctx, in.CallID)
}

// SettleToolCall answers a call that no process has answered.
func (a *Script) SettleToolCall(ctx context.Context, in workflows.SettleToolCallInput) (workflows.SettleToolCallOutput, error) {
	if in.Unserved {
		return workflows.SettleToolCallOutput{}, a.Tests.UnservedCall(ctx, in.CallID)
	}
	return workflows.SettleToolCallOutput{}, a.Tests.LostCall(ctx, in.CallID)
}
