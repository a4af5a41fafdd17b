package worker

import (
	"context"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/workflow"

	"countersign/activities"
	"countersign/internal/durable"
	"countersign/workflows"
)

// WorkflowRegistry registers workflows in a worker or a replayer.
type WorkflowRegistry interface {
	RegisterWorkflowWithOptions(w any, options workflow.RegisterOptions)
}

// ActivityRegistry registers activities in a worker or a test environment.
type ActivityRegistry interface {
	RegisterActivityWithOptions(a any, options activity.RegisterOptions)
}

// RegisterWorkflows registers all workflows but those of modules.
func RegisterWorkflows(r WorkflowRegistry) {
	Register(r, workflows.TurnWorkflow)
	Register(r, workflows.ProposalWorkflow)
	Register(r, workflows.PlanWorkflow)
	Register(r, workflows.RetentionWorkflow)
	Register(r, workflows.ErasureWorkflow)
	Register(r, workflows.ScriptTestWorkflow)
	Register(r, workflows.ToolCallWorkflow)
	Register(r, workflows.CheckShardWorkflow)
}

// Register registers a workflow under its stable name.
func Register[In, Out any](r WorkflowRegistry, w workflows.Workflow[In, Out]) {
	r.RegisterWorkflowWithOptions(w.Code, workflow.RegisterOptions{Name: w.Name})
}

// RegisterModules registers the workflows of modules with their steps.
func RegisterModules(
	r interface {
		WorkflowRegistry
		ActivityRegistry
	},
	modules []durable.Registration,
) {
	for _, m := range modules {
		r.RegisterWorkflowWithOptions(m.Workflow.Code, workflow.RegisterOptions{Name: m.Workflow.Name})
		for _, s := range m.Steps {
			r.RegisterActivityWithOptions(s.Code, activity.RegisterOptions{Name: s.Name})
		}
	}
}

// Bind registers the activity of a step under its stable name. Every step has input and output types of its own, so an
// activity bound to another step does not compile.
func Bind[In, Out any](r ActivityRegistry, s workflows.Step[In, Out], do func(context.Context, In) (Out, error)) {
	r.RegisterActivityWithOptions(do, activity.RegisterOptions{Name: s.Name})
}

func bindTurn(r ActivityRegistry, t *activities.Turn) {
	Bind(r, workflows.PrepareTurn, t.PrepareTurn)
	Bind(r, workflows.CallModel, t.CallModel)
	Bind(r, workflows.CallTool, t.CallTool)
	Bind(r, workflows.FinishTurn, t.FinishTurn)
}

func bindProposal(r ActivityRegistry, p *activities.Proposal) {
	Bind(r, workflows.ExpireProposal, p.ExpireProposal)
	Bind(r, workflows.ApplyProposal, p.ApplyProposal)
	Bind(r, workflows.StartFollowUp, p.StartFollowUp)
	Bind(r, workflows.ApplyNextInPlan, p.ApplyNextInPlan)
	Bind(r, workflows.StartPlanFollowUp, p.StartPlanFollowUp)
}

func bindRetention(r ActivityRegistry, a *activities.Retention) {
	Bind(r, workflows.SweepConversations, a.SweepConversations)
	Bind(r, workflows.QuietPerson, a.QuietPerson)
	Bind(r, workflows.ErasePerson, a.ErasePerson)
	Bind(r, workflows.FinishErasure, a.FinishErasure)
}

func bindScript(r ActivityRegistry, s *activities.Script) {
	Bind(r, workflows.RunScriptTest, s.RunScriptTest)
	Bind(r, workflows.SettleScriptTest, s.SettleScriptTest)
	Bind(r, workflows.RunToolCall, s.RunToolCall)
	Bind(r, workflows.SettleToolCall, s.SettleToolCall)
}

func bindChecks(r ActivityRegistry, c *activities.Checks) {
	Bind(r, workflows.HoldShard, c.HoldShard)
}
