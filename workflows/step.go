package workflows

import "countersign/internal/durable"

// The declarations of workflows, which modules make as well.
type (
	Workflow[In, Out any] = durable.Workflow[In, Out]
	Step[In, Out any]     = durable.Step[In, Out]
	Signal[In any]        = durable.Signal[In]
)
