package activities

import (
	"context"

	"github.com/google/uuid"

	"countersign/chat/assistant"
	"countersign/internal/principal"
	"countersign/tool"
	"countersign/tool/disposition"
)

// taintByToolAuthors taints the conversation with the descriptions of custom tools that less-privileged users have
// written, before the model gets them: they can carry a prompt injection as records can.
func (a *Turn) taintByToolAuthors(ctx context.Context, s *session, p principal.Principal, tools []tool.Tool) error {
	if a.Authors == nil {
		return nil
	}
	makers := map[uuid.UUID]tool.Maker{}
	var records []uuid.UUID
	for _, t := range tools {
		if _, known := makers[t.Identity.Maker.ID]; t.Made() && !known {
			makers[t.Identity.Maker.ID] = t.Identity.Maker
			records = append(records, t.Identity.Maker.ID)
		}
	}
	if len(records) == 0 {
		return nil
	}
	written, err := a.Authors.LessPrivileged(ctx, p, records)
	if err != nil {
		return err
	}
	for i, w := range written {
		written[i].Type, written[i].Name = makers[w.ID].Type, makers[w.ID].Name
	}
	return s.TaintWritten(ctx, "", written)
}

// taintBySearch is taintByToolAuthors for a search, which also finds tools that went live after the turn started.
func (c *toolCall) taintBySearch(ctx context.Context) error {
	if c.call.WireName != assistant.SearchTool || c.Authors == nil {
		return nil
	}
	tools, err := c.offered(ctx, c.scope.principal)
	if err != nil {
		return err
	}
	return c.taintByToolAuthors(ctx, c.session, c.scope.principal, tools)
}

// taintByAuthors taints the conversation with content of less-privileged users in the records of the result, before the
// result is recorded: their text must not act with the person's rights (prompt injection).
func (c *toolCall) taintByAuthors(ctx context.Context) error {
	records := c.readRecords.IDs()
	if len(records) == 0 {
		return nil
	}
	written, err := c.Authors.LessPrivileged(ctx, c.scope.principal, records)
	if err != nil {
		return err
	}
	for i, w := range written {
		written[i].Name = c.readRecords.Name(w.ID)
	}
	return c.session.TaintWritten(ctx, c.call.Tool, written)
}

// taintByConnection taints the conversation when a less-privileged user controls the model connection, before the model
// is called. Each turn over such a connection counts, until an administrator has confirmed the connection.
func (a *Turn) taintByConnection(ctx context.Context, s *session, sc scope) error {
	if a.ConnectionAuthors == nil || sc.connection.ID == uuid.Nil {
		return nil
	}
	written, err := a.ConnectionAuthors.Connection(ctx, sc.principal, sc.connection.ID)
	if err != nil || len(written) == 0 {
		return err
	}
	for i := range written {
		written[i].Type, written[i].Name = "ai.model_connection", sc.connection.Name
	}
	taint := disposition.Taint{Kind: disposition.ConnectionTaint}.Named(disposition.Source(written[:1]))
	if s.HasTaint(taint) {
		return nil
	}
	return s.Taint(ctx, taint)
}
