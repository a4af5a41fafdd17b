package worker

import (
	"log/slog"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"countersign/activities"
	"countersign/workflows"
)

// Options are what a worker runs.
type Options struct {
	Client    client.Client
	Queue     string
	Turn      *activities.Turn
	Proposal  *activities.Proposal
	Retention *activities.Retention
	Log       *slog.Logger
	// DrainTimeout is how long a stopping worker lets running steps end; another process repeats what does not.
	DrainTimeout time.Duration
}

// New makes the worker of turns and proposals; Start and Stop it.
func New(o Options) worker.Worker {
	w := worker.New(o.Client, o.Queue, worker.Options{
		MaxConcurrentWorkflowTaskPollers:        8,
		MaxConcurrentActivityTaskPollers:        4,
		MaxConcurrentWorkflowTaskExecutionSize:  1000,
		MaxConcurrentLocalActivityExecutionSize: 2000,
		MaxConcurrentActivityExecutionSize:      200,
		StickyScheduleToStartTimeout:            time.Second,
		MaxHeartbeatThrottleInterval:            500 * time.Millisecond,
		WorkerStopTimeout:                       o.DrainTimeout,
		Interceptors:                            []interceptor.WorkerInterceptor{&heartbeats{}},
		OnFatalError:                            func(err error) { o.Log.Error("Worker stopped", "error", err) },
	})
	register(w, o)
	return w
}

// Registry is what a worker and a replayer have in common.
type Registry interface {
	RegisterWorkflowWithOptions(w any, options workflow.RegisterOptions)
}

// RegisterWorkflows registers the workflows under their lasting names.
func RegisterWorkflows(r Registry) {
	r.RegisterWorkflowWithOptions(workflows.Turn, workflow.RegisterOptions{Name: workflows.TurnWorkflow})
	r.RegisterWorkflowWithOptions(workflows.Proposal, workflow.RegisterOptions{Name: workflows.ProposalWorkflow})
	r.RegisterWorkflowWithOptions(workflows.Plan, workflow.RegisterOptions{Name: workflows.PlanWorkflow})
	r.RegisterWorkflowWithOptions(workflows.Retention, workflow.RegisterOptions{Name: workflows.RetentionWorkflow})
	r.RegisterWorkflowWithOptions(workflows.Erasure, workflow.RegisterOptions{Name: workflows.ErasureWorkflow})
	r.RegisterWorkflowWithOptions(workflows.ScriptTest, workflow.RegisterOptions{Name: workflows.ScriptTestWorkflow})
}

func register(w worker.Worker, o Options) {
	RegisterWorkflows(w)
	for name, f := range map[string]any{
		workflows.PrepareTurnActivity:    o.Turn.PrepareTurn,
		workflows.CallModelActivity:      o.Turn.CallModel,
		workflows.CallToolActivity:       o.Turn.CallTool,
		workflows.FinishTurnActivity:     o.Turn.FinishTurn,
		workflows.ApplyProposalActivity:  o.Proposal.ApplyProposal,
		workflows.ExpireProposalActivity: o.Proposal.ExpireProposal,
		workflows.StartFollowUpActivity:  o.Proposal.StartFollowUp,

		workflows.ApplyNextInPlanActivity:   o.Proposal.ApplyNextInPlan,
		workflows.StartPlanFollowUpActivity: o.Proposal.StartPlanFollowUp,
		workflows.SweepActivity:             o.Retention.SweepConversations,
		workflows.QuietPersonActivity:       o.Retention.QuietPerson,
		workflows.ErasePersonActivity:       o.Retention.ErasePerson,
		workflows.FinishErasureActivity:     o.Retention.FinishErasure,
	} {
		w.RegisterActivityWithOptions(f, activity.RegisterOptions{Name: name})
	}
}
