package activities

import (
	"context"
)

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
