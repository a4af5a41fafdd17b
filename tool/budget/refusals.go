package budget

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/tool"
	"countersign/tool/budget/budgetdb"
)

// Calls that the budget has no room for use up none of it, so a program can make them as fast as it can send them. Outside of turns the
// first one of a caller and a tool is a row at once. Those that follow within the window are counted, in the transaction in which each is
// refused, and become one entry of the audit log when it is over. A caller has so many counts at a time, as names of tools can be made up.
//
// All other refusals take a place in the budget, which their rows are: there are as many as the budget has room for. In a turn each call
// keeps its row as well: turns end by themselves, and the row keeps a call that was refused from being made when its step is repeated.
const (
	refusalWindow = time.Minute
	maxCounts     = 20
)

// recordExceeded records a call over the budget, with its program where the call has a row of its own. The row does not
// take the call's id, so the call can be retried under it.
func (b *Budget) recordExceeded(ctx context.Context, c Call) error {
	id := store.NewID()
	if c.Principal.Client == nil {
		return b.recordRefusal(ctx, c, id)
	}
	return b.db.InTx(ctx, func(ctx context.Context) error {
		if err := b.recordRefusal(ctx, c, id); err != nil {
			return err
		}
		return audit.NoteProgram(ctx, b.db, c.Principal, audit.Asked, string(c.Transport), id)
	})
}

func (b *Budget) recordRefusal(ctx context.Context, c Call, id uuid.UUID) error {
	q := budgetdb.New(b.db.Conn(ctx))
	name, hash, code := clip(c.Tool), tool.Hash(c.Arguments), string(problem.Budget)
	var err error
	if turn, step, call := c.Turn.columns(); turn != nil {
		err = q.RecordRefusal(ctx, budgetdb.RecordRefusalParams{
			ID: id, PrincipalKind: string(c.Principal.Kind), PrincipalID: c.Principal.ID, Transport: string(c.Transport), ToolName: name,
			Effect: string(c.Effect), ArgsHash: hash, ErrorCode: &code, TurnID: turn, Step: step, Call: call,
		})
	} else {
		err = q.CountRefusal(ctx, budgetdb.CountRefusalParams{
			ID: id, PrincipalKind: string(c.Principal.Kind), PrincipalID: c.Principal.ID, Transport: string(c.Transport), ToolName: name,
			Effect: string(c.Effect), ArgsHash: hash, ErrorCode: &code, SessionID: c.Principal.SessionID, Most: maxCounts,
		})
	}
	if err != nil {
		return fmt.Errorf("record refused tool call: %w", err)
	}
	return nil
}

// FoldRefusals turns the counters of ended windows into entries of the audit log.
func (b *Budget) FoldRefusals(ctx context.Context) error {
	return b.db.InTx(ctx, func(ctx context.Context) error {
		rows, err := budgetdb.New(b.db.Conn(ctx)).TakeRefusals(ctx, refusalWindow.Seconds())
		if err != nil {
			return fmt.Errorf("read counted refusals: %w", err)
		}
		for _, r := range rows {
			if r.More == 0 {
				continue
			}
			err := audit.RecordFolded(ctx, b.db, audit.Folded{
				Call: r.CallID, Actor: principal.Principal{Kind: principal.Kind(r.PrincipalKind), ID: r.PrincipalID, SessionID: r.SessionID},
				Transport: r.Transport, Tool: r.ToolName, Effect: r.Effect, Reason: problem.Budget,
				Repeats: audit.Repeats{Count: r.More, First: r.FirstAt, Last: r.LastAt, SeveralTools: r.ToolName == ""},
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}
