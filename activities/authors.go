package activities

import (
	"context"

	"github.com/google/uuid"

	"countersign/chat/assistant"
	"countersign/principal"
	"countersign/tool"
	"countersign/tool/disposition"
)

// taintByMakers remembers, before the model is told of tools that people have made, which of them somebody with fewer rights than
// the person has written: their descriptions are texts as those of records are.
func (a *Turn) taintByMakers(ctx context.Context, s *session, p principal.Principal, tools []tool.Tool) error {
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
	written, err := a.Authors.Lesser(ctx, p, records)
	if err != nil {
		return err
	}
	for i, w := range written {
		written[i].Type, written[i].Name = makers[w.ID].Type, makers[w.ID].Name
	}
	return s.TaintWritten(ctx, "", written)
}

// taintBySearch is taintByMakers for a search, which finds what has gone live since the turn began, too.
func (c *toolCall) taintBySearch(ctx context.Context) error {
	if c.call.WireName != assistant.SearchTool || c.Authors == nil {
		return nil
	}
	tools, err := c.offered(ctx, c.scope.principal)
	if err != nil {
		return err
	}
	return c.taintByMakers(ctx, c.session, c.scope.principal, tools)
}

// taintByAuthors remembers, before the result of the call is recorded, what the model is shown of records in which somebody
// with fewer rights than the person has written: their text must not do with the person's rights what they may not.
func (c *toolCall) taintByAuthors(ctx context.Context) error {
	records := c.told.IDs()
	if len(records) == 0 {
		return nil
	}
	written, err := c.Authors.Lesser(ctx, c.scope.principal, records)
	if err != nil {
		return err
	}
	for i, w := range written {
		written[i].Name = c.told.Name(w.ID)
	}
	return c.session.TaintWritten(ctx, c.call.Tool, written)
}

// taintByConnection remembers, before the model is called, that a less-privileged user decides what answers: each turn
// over such a connection counts, until an administrator has confirmed the connection as it is.
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
	if s.Holds(taint) {
		return nil
	}
	return s.Taint(ctx, taint)
}
