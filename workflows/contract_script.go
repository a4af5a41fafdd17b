package workflows

import (
	"time"

	"github.com/google/uuid"

	"countersign/internal/durable"
)

// ExecQueue is the task queue of processes that run scripts.
const ExecQueue = string(durable.ExecQueue)

// ScriptTestWorkflow tests a script.
var ScriptTestWorkflow = Workflow[ScriptTestInput, ScriptTestOutput]{Name: "ScriptTest", Code: ScriptTest}

// The steps of the test of a script.
var (
	RunScriptTest    = Step[RunScriptTestInput, RunScriptTestOutput]{Name: "RunScriptTest", Options: runScriptOptions}
	SettleScriptTest = Step[SettleScriptTestInput, SettleScriptTestOutput]{Name: "SettleScriptTest", Options: durable.OutcomeStepOptions}
)

// ScriptTestID is the workflow id of the test of a script.
func ScriptTestID(id uuid.UUID) string { return "script-test/" + id.String() }

// execTimeout bounds the workflow of a test or a call, whose caller has given up long before. Temporal also bounds the
// activity by it, and the SDK compares the end with the clock of its process: a larger clock skew would end every
// script before it starts.
const execTimeout = 2*time.Minute + durable.MaxClockSkew

// ScriptTestExecution is the execution of the test of a script.
func ScriptTestExecution(in ScriptTestInput) durable.Execution {
	return ScriptTestWorkflow.Execute(durable.Execution{
		ID: ScriptTestID(in.TestID), Queue: durable.ExecQueue, Summary: "Test of a script", Timeout: execTimeout,
	}, in)
}

// ScriptTestInput names the test to run. Its row holds the script and the answer.
type ScriptTestInput struct {
	TestID uuid.UUID
	// Timeout is that of the script.
	Timeout time.Duration
}

// ScriptTestOutput is empty.
type ScriptTestOutput struct{}

// RunScriptTestInput names the test to run.
type RunScriptTestInput struct {
	TestID uuid.UUID
}

// RunScriptTestOutput is empty.
type RunScriptTestOutput struct{}

// SettleScriptTestInput asks for the answer to a test that no process has answered. Unserved says that no process
// picked it up; otherwise its process died.
type SettleScriptTestInput struct {
	TestID   uuid.UUID
	Unserved bool
}

// SettleScriptTestOutput is empty.
type SettleScriptTestOutput struct{}
