// Package budget is the rate limit of tool calls: it bounds the calls of a principal in a rolling window, and keeps the
// audit row of every call.
//
// A call is reserved before it runs: one transaction, in which the calls of one principal take turns, counts the calls
// of the rolling window and writes the call's audit row if there is room. So parallel calls on any number of processes
// cannot pass the count together, and a call that ran without an audit row does not exist. Refused calls leave a row
// too; one that was refused for the budget itself does not count against it, so there is no end to these, and outside of
// turns those that follow one another are counted in place of rows of their own. Calls of one principal that come to one process
// at the same time take one turn together, so that a busy application does not wait for itself.
package budget

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/internal/store/batching"
	"countersign/tool"
	"countersign/tool/budget/budgetdb"
)

// Transport is how a call came in.
type Transport string

// The transports of tool calls.
const (
	Chat Transport = "chat"
	API  Transport = "api"
	MCP  Transport = "mcp"
	// Automation is that of calls in a run.
	Automation Transport = "automation"
)

// Call is one logical tool call.
type Call struct {
	// ID is the audit row's id, and also the proposal's id and the idempotency key of its apply.
	ID        uuid.UUID
	Principal principal.Principal
	Transport Transport
	Tool      string
	Effect    tool.Effect
	// Arguments are stored only as their hash in the audit row.
	Arguments json.RawMessage
	// Turn places a call of a turn, so that a retried step finds its row; nil elsewhere.
	Turn *Position
}

// About sets the tool of the call: the tool found, or a tool of that name that the caller may not use. An unknown name
// is recorded unchanged, as a read.
func (c *Call) About(ctx context.Context, known *tool.Registry, found tool.Tool, name string) error {
	if found.Name == "" {
		var err error
		if found, _, err = known.Lookup(ctx, name); err != nil {
			return err
		}
	}
	if found.Name != "" {
		c.Tool, c.Effect = found.Name, found.Effect
	}
	return nil
}

// Position is the place of a call in its turn.
type Position struct {
	Turn uuid.UUID
	Step int
	Call int
}

// Limits are the size of the budget: Calls in each rolling Window.
type Limits struct {
	Calls  int
	Window time.Duration
}

// Budget reserves calls in the database.
type Budget struct {
	db     *store.DB
	limits Limits
	// reserving batches per principal, settling over all principals.
	reserving *batching.Batcher[string, reservation, reserved]
	settling  *batching.Batcher[struct{}, budgetdb.FinishCallParams, error]
}

// New makes a budget.
func New(db *store.DB, limits Limits) *Budget {
	b := &Budget{db: db, limits: limits}
	b.reserving = batching.New(together, b.reserveAll)
	b.settling = batching.New(together, b.settleAll)
	return b
}

// Reserve writes the call's audit row as running and returns its id. A retried step of a turn, or a repeated call id,
// gets the id of the first attempt. Over the limit it returns a problem.Budget error with the time when a call is
// possible again.
func (b *Budget) Reserve(ctx context.Context, c Call) (uuid.UUID, error) {
	return b.ReserveAlong(ctx, c)
}

// ReserveAlong is Reserve with extra queries in the same round trip, which run once the call is reserved.
func (b *Budget) ReserveAlong(ctx context.Context, c Call, along ...store.BatchableQuery) (uuid.UUID, error) {
	if noted := audit.Through(c.Principal, string(c.Transport), c.ID); noted != nil {
		along = append(slices.Clip(along), noted)
	}
	r := reservation{queries: along, call: budgetdb.ReserveCallParams{
		ID: c.ID, PrincipalKind: string(c.Principal.Kind), PrincipalID: c.Principal.ID, Transport: string(c.Transport),
		ToolName: clip(c.Tool), Effect: string(c.Effect), ArgsHash: tool.Hash(c.Arguments),
		WindowSeconds: b.limits.Window.Seconds(), MaxCalls: int64(b.limits.Calls),
	}}
	r.call.TurnID, r.call.Step, r.call.Call = c.Turn.columns()
	id, err := b.reserve(ctx, c.Principal.Key(), r)
	if store.Violates(err, "ai_tool_calls_pkey") {
		return uuid.Nil, problem.Errorf(problem.Conflict, "This call is being made already. Repeat it in a moment to see its outcome.").
			Show("This call was being made already.")
	}
	if err != nil {
		return uuid.Nil, fmt.Errorf("reserve tool call: %w", err)
	}
	if id != uuid.Nil {
		return id, nil
	}
	refusal, err := b.exceeded(ctx, c.Principal)
	if err != nil {
		return uuid.Nil, err
	}
	if err := b.recordExceeded(ctx, c); err != nil {
		return uuid.Nil, err
	}
	return uuid.Nil, refusal
}

func (b *Budget) exceeded(ctx context.Context, p principal.Principal) (*problem.Error, error) {
	seconds, err := budgetdb.New(b.db.Conn(ctx)).NextFree(ctx, budgetdb.NextFreeParams{
		PrincipalID: p.ID, WindowSeconds: b.limits.Window.Seconds(), MaxCalls: int64(b.limits.Calls),
	})
	if err != nil {
		return nil, fmt.Errorf("find when the budget is free: %w", err)
	}
	wait := max(time.Duration(seconds*float64(time.Second)), time.Second)
	return problem.Errorf(problem.Budget, "The tool budget is used up: at most %d tool calls in %s. Wait %d seconds and try again.",
		b.limits.Calls, b.limits.Window, int(wait.Seconds()+0.999)).After(wait), nil
}

// Refuse records a denied call. It counts against the budget like any other, so that probing is not free.
func (b *Budget) Refuse(ctx context.Context, c Call, reason error) error {
	id, err := b.Reserve(ctx, c)
	if problem.Is(err, problem.Budget) {
		return nil
	}
	if err != nil {
		return err
	}
	return b.RefuseReserved(ctx, id, reason)
}

// RefuseReserved is Refuse for a reserved call.
func (b *Budget) RefuseReserved(ctx context.Context, id uuid.UUID, reason error) error {
	err := budgetdb.New(
		b.db.Conn(ctx),
	).RefuseReserved(
		ctx,
		budgetdb.RefuseReservedParams{ID: id, ErrorCode: new(string(problem.CodeOf(reason)))},
	)
	if err != nil {
		return fmt.Errorf("record refused tool call: %w", err)
	}
	return nil
}

// Status is the outcome of a call.
type Status string

// A call was executed, or has failed on the way.
const (
	Executed Status = "executed"
	Failed   Status = "failed"
)

// Finish records the outcome of a call outside of a turn.
func (b *Budget) Finish(ctx context.Context, id uuid.UUID, failure error) error {
	status := Executed
	if failure != nil {
		status = Failed
	}
	err := b.settle(ctx, budgetdb.FinishCallParams{ID: id, Status: string(status), ErrorCode: string(problem.CodeOf(failure))})
	if err != nil {
		return fmt.Errorf("settle tool call: %w", err)
	}
	return nil
}

// End records the failure of a call of a turn without an outcome, and does nothing when there is one. Afterwards
// nothing can be proposed under the call's id.
func (b *Budget) End(ctx context.Context, id uuid.UUID, code problem.Code) error {
	if err := budgetdb.New(b.db.Conn(ctx)).EndCall(ctx, budgetdb.EndCallParams{ID: id, ErrorCode: new(string(code))}); err != nil {
		return fmt.Errorf("end tool call: %w", err)
	}
	return nil
}

// Release is Finish for a failed call that may be retried under its id: the audit row gives up the id.
func (b *Budget) Release(ctx context.Context, id uuid.UUID, failure error) error {
	err := budgetdb.New(b.db.Conn(ctx)).ReleaseCall(ctx, budgetdb.ReleaseCallParams{
		ID: id, NewID: store.NewID(), ErrorCode: string(problem.CodeOf(failure)),
	})
	if err != nil {
		return fmt.Errorf("release tool call: %w", err)
	}
	return nil
}

// ReleaseAbandoned releases calls outside of turns that are older than age, whose process must have died. It continues
// from a stored cursor. Calls of a turn are retried with their step and end with the turn; those still open after its
// end are ended here too.
func (b *Budget) ReleaseAbandoned(ctx context.Context, age time.Duration) error {
	code := new(string(problem.Internal))
	q := budgetdb.New(b.db.Conn(ctx))
	if _, err := q.ReleaseAbandoned(ctx, budgetdb.ReleaseAbandonedParams{ErrorCode: code, OlderThanSeconds: age.Seconds()}); err != nil {
		return fmt.Errorf("release abandoned tool calls: %w", err)
	}
	if err := q.EndCallsOfEndedTurns(ctx, budgetdb.EndCallsOfEndedTurnsParams{
		ErrorCode:        code,
		OlderThanSeconds: age.Seconds(),
	}); err != nil {
		return fmt.Errorf("end tool calls of ended turns: %w", err)
	}
	return nil
}

// Made reports whether a call exists under this id, and whether its tool and arguments are these.
func (b *Budget) Made(ctx context.Context, id uuid.UUID, name string, arguments json.RawMessage) (made, same bool, err error) {
	row, err := budgetdb.New(b.db.Conn(ctx)).CallByID(ctx, id)
	if store.NoRows(err) {
		return false, false, nil
	}
	if err != nil {
		return false, false, fmt.Errorf("find tool call: %w", err)
	}
	return true, row.ToolName == name && row.ArgsHash == tool.Hash(arguments), nil
}

func (p *Position) columns() (turn *uuid.UUID, step, call *int16) {
	if p == nil {
		return nil, nil, nil
	}
	return &p.Turn, new(int16(p.Step)), new(int16(p.Call))
}

//go:fix inline

// clip makes a tool name from a model storable.
func clip(name string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(name[:min(len(name), tool.MaxName)], "\x00", ""), "")
}
