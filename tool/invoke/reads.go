package invoke

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"countersign/principal"
	"countersign/problem"
	"countersign/store"
	"countersign/tool"
	"countersign/tool/budget"
	"countersign/tool/disposition"
)

// Reads reserves calls that read. A read loads the same three things on every transport, in one trip to the database:
// the room in the budget, the policies of its tool, and the current state of its caller.
type Reads struct {
	Budget *budget.Budget
	// Policies say what administrators have set about tools; nil when nobody can.
	Policies disposition.Policies
	// Again asks once more who a principal is, for the request that its call makes; nil lets that find out by itself.
	Again func(p principal.Principal) *store.BatchedQuery[principal.Principal]
}

// asking are Policies that can be asked along with the reservation of a call.
type asking interface {
	Question() *store.BatchedQuery[map[string]disposition.Policy]
}

// Reserve reserves budget for a read and returns its audit row, if the policies with these exceptions allow it;
// otherwise it refuses the call there. The call is made with the context that it returns.
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
	if r.Again != nil {
		again = r.Again(call.Principal)
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
		// Calls that were reserved together have been told the same.
		ctx = tool.WithSeen(ctx, now.Clone(), began)
	}
	return ctx, id, nil
}
