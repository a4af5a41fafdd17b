package invoke

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/tool"
	"countersign/tool/budget"
	"countersign/tool/disposition"
)

// Reads reserves calls that read. On every transport, one round trip to the database reserves budget and loads the
// policies of the tool and the current state of its caller.
type Reads struct {
	Budget *budget.Budget
	// Policies are the configured policies of tools; nil when there are none.
	Policies disposition.Policies
	// Requery reloads a principal for the request of its call; nil leaves that to the request.
	Requery func(p principal.Principal) *store.BatchedQuery[principal.Principal]
}

// asking are Policies that can be loaded in the round trip of a reservation.
type asking interface {
	Question() *store.BatchedQuery[map[string]disposition.Policy]
}

// Reserve reserves budget for a read and returns its audit row if its policies allow it; otherwise it refuses the call
// there. The call runs with the returned context.
func (r Reads) Reserve(
	ctx context.Context,
	call budget.Call,
	allowed func(exceptions map[string]disposition.Policy) error,
) (context.Context, uuid.UUID, error) {
	var policies *store.BatchedQuery[map[string]disposition.Policy]
	var again *store.BatchedQuery[principal.Principal]
	var along []store.BatchableQuery
	if p, ok := r.Policies.(asking); ok {
		policies = p.Question()
		along = append(along, policies)
	}
	if r.Requery != nil {
		again = r.Requery(call.Principal)
		along = append(along, again)
	}
	began := time.Now()
	id, err := r.Budget.ReserveAlong(ctx, call, along...)
	if err != nil {
		return ctx, uuid.Nil, err
	}
	exceptions, heard := policies.Answer()
	if !heard {
		exceptions, err = disposition.ExceptionsOf(ctx, r.Policies)
	}
	if err == nil {
		err = allowed(exceptions)
	}
	switch {
	case err == nil:
	case problem.CodeOf(err) == problem.Internal:
		return ctx, uuid.Nil, errors.Join(err, r.Budget.Finish(context.WithoutCancel(ctx), id, err))
	default:
		if auditErr := r.Budget.RefuseReserved(context.WithoutCancel(ctx), id, err); auditErr != nil {
			return ctx, uuid.Nil, auditErr
		}
		return ctx, uuid.Nil, err
	}
	if now, heard := again.Answer(); heard && now.ID == call.Principal.ID {
		// Calls of one batch share the loaded state.
		ctx = tool.WithRecentPrincipal(ctx, now.Clone(), began)
	}
	return ctx, id, nil
}
