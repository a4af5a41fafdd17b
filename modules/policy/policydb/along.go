package policydb

import "github.com/jackc/pgx/v5"

// QueuePolicies adds the query for all policies to a batch. into holds them once the batch was sent.
func QueuePolicies(b *pgx.Batch, into *[]AiToolPolicy) {
	b.Queue(policies).Query(func(rows pgx.Rows) (err error) {
		*into, err = pgx.CollectRows(rows, pgx.RowToStructByPos[AiToolPolicy])
		return err
	})
}
