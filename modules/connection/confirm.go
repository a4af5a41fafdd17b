package connection

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/tool"
)

// Authors knows the authors of connections.
type Authors interface {
	// Unconfirmed returns by connection the names of authors below administrator, and of all applications. A deleted
	// account has the name "".
	Unconfirmed(ctx context.Context, connections []uuid.UUID) (map[uuid.UUID][]string, error)
}

// addAuthors adds the authors since the last confirmation to connections.
func (m *Module) addAuthors(ctx context.Context, connections ...*Connection) error {
	if m.authors == nil || len(connections) == 0 {
		return nil
	}
	ids := make([]uuid.UUID, len(connections))
	for i, c := range connections {
		ids[i] = c.ID
	}
	changed, err := m.authors.Unconfirmed(ctx, ids)
	if err != nil {
		return err
	}
	for _, c := range connections {
		names := slices.Compact(slices.Sorted(slices.Values(changed[c.ID])))
		for i, name := range names {
			if name == "" {
				names[i] = "a deleted account"
			}
		}
		c.UnconfirmedChangesBy = append([]string{}, names...)
	}
	return nil
}

// Confirm makes an administrator the only author of a connection at this revision: its answers no longer taint
// conversations, until a less-privileged user or an application changes it.
func (m *Module) Confirm(ctx context.Context, id uuid.UUID, based *int64) (Connection, error) {
	var c Connection
	p := principal.FromContext(ctx)
	if !p.ByHand() && tool.Carried(ctx) != confirmTool || !p.Has(principal.Admin) {
		return c, problem.Errorf(problem.Forbidden, "Only an administrator can confirm a model connection, on its page.")
	}
	// Without a revision it would confirm changes made since the page was read.
	if err := problem.RequireRevision("model connection", based); err != nil {
		return c, err
	}
	err := m.db.InTx(ctx, func(ctx context.Context) error {
		row, err := m.table.Hold(ctx, id, access.Own, based)
		if err != nil {
			return err
		}
		if err := audit.KeepAuthors(ctx, m.db, connectionType, id); err != nil {
			return err
		}
		if err := m.record(ctx, audit.Changed, row, "Model connection confirmed", nil); err != nil {
			return err
		}
		c, err = m.connectionOf(ctx, row)
		return err
	})
	return c, err
}

// SetDefault makes a connection the default of new chats.
func (m *Module) SetDefault(ctx context.Context, id uuid.UUID, based *int64) (Connection, error) {
	var c Connection
	err := m.db.InTx(ctx, func(ctx context.Context) error {
		if err := m.claimDefault(ctx, id, true); err != nil {
			return err
		}
		row, err := m.table.Hold(ctx, id, access.Own, based)
		if err != nil {
			return err
		}
		before := row
		if !row.Enabled {
			return problem.Errorf(problem.Conflict,
				"The model connection %s is disabled. Enable it before you make it the default.", row.Name)
		}
		if row, err = m.queries(ctx).SetDefault(ctx, id); err != nil {
			return fmt.Errorf("make a connection the default: %w", err)
		}
		if c, err = m.connectionOf(ctx, row); err != nil {
			return err
		}
		return m.record(ctx, audit.Changed, row, "Model connection made the default", changedFields(before, row))
	})
	return c, err
}

// Tool identities of operations that choose the connection for answers.
const (
	setDefaultTool = "ai.setDefaultConnection"
	confirmTool    = "ai.confirmConnection"
)

// chosenRequest is the input of an operation without a body.
type chosenRequest struct {
	rest.ByID
	rest.IfMatch
}

func (*Module) onChosen(do func(ctx context.Context, id uuid.UUID, based *int64) (Connection,
	error),
) func(context.Context, *chosenRequest) (*rest.Record[Connection], error) {
	return func(ctx context.Context, in *chosenRequest) (*rest.Record[Connection], error) {
		return rest.Show(do(ctx, in.ID, in.Revision()))
	}
}
