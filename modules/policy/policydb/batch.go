package policydb

import "github.com/jackc/pgx/v5"

// QueueExceptions adds the query for the policies, by every name that they apply to, to a batch. into holds them once
// the batch is sent.
func QueueExceptions(b *pgx.Batch, into *[]ExceptionsRow) {
	b.Queue(exceptions).Query(func(rows pgx.Rows) (err error) {
		*into, err = pgx.CollectRows(rows, pgx.RowToStructByPos[ExceptionsRow])
		return err
	})
}
