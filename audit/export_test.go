package audit

import (
	"context"

	"countersign/audit/auditdb"
)

// NoteArchive seals the hash of a file into the record of the removal, as a version did that wrote entries to a file first.
func (c *Chain) NoteArchive(ctx context.Context, sum []byte) error {
	return c.db.InTx(ctx, func(ctx context.Context) error {
		q := auditdb.New(c.db.Conn(ctx))
		b, err := c.lockBegin(ctx, q)
		if err != nil {
			return err
		}
		b.archive = sum
		return c.saveBegin(ctx, q, b)
	})
}
