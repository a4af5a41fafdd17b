package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/api/serviceerror"

	"countersign/workflows"
)

// modelCheckTimeout bounds the workflow of a check.
const modelCheckTimeout = 24 * time.Hour

// StartModelCheck starts the workflow that checks a model; a repeat finds the running one.
func (e *Engine) StartModelCheck(ctx context.Context, id uuid.UUID, situations, parallel int) error {
	options := e.options(workflows.ModelCheckID(id), "Check of a model")
	options.WorkflowExecutionTimeout = modelCheckTimeout
	err := start(
		withoutDegradedTimeout(ctx),
		e,
		options,
		workflows.ModelCheckWorkflow,
		workflows.ModelCheckInput{CheckID: id, Situations: situations, Parallel: parallel},
	)
	return ignoreStarted(err, "start check of a model")
}

// CancelModelCheck cancels a check; one that has ended, or that the command line runs, is no error.
func (e *Engine) CancelModelCheck(ctx context.Context, id uuid.UUID) error {
	ctx, cancel := context.WithTimeout(ctx, rpcTimeout)
	defer cancel()
	err := e.client.CancelWorkflow(ctx, workflows.ModelCheckID(id), "")
	if _, gone := errors.AsType[*serviceerror.NotFound](err); gone || err == nil {
		return nil
	}
	return fmt.Errorf("cancel check of a model: %w", err)
}
