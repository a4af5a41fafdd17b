package workflows

import "countersign/internal/durable"

type (
	// Workflow is a workflow by its stable name.
	Workflow[In, Out any] = durable.Workflow[In, Out]
	// Step is an activity by its stable name, with timeouts and retries.
	Step[In, Out any] = durable.Step[In, Out]
	// Signal is a signal by its stable name.
	Signal[In any] = durable.Signal[In]
)
