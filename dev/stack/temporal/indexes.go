package temporal

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
)

// keptIndexes are the indexes of the visibility table that queries use: the lists and filters of the Web UI, and the
// search attributes of the product, which take the first keyword columns.
//
// The server's schema has 73, most of them on columns that no search attribute of this stack uses, and each workflow
// writes its row twice. Maintaining them cost more processor time and write-ahead log than everything else that a
// short workflow leaves in the database. A filter on another column still works, it only reads more rows; a cluster
// of one's own is not touched.
var keptIndexes = []string{
	"executions_visibility_pkey", "default_idx", "by_execution_time", "by_workflow_id", "by_workflow_type", "by_status",
	"by_task_queue", "by_parent_workflow_id", "by_root_workflow_id", "by_temporal_namespace_division", "by_temporal_scheduled_by_id",
	"by_keyword_01", "by_keyword_02", "by_keyword_03", "by_keyword_04", "by_keyword_05", "by_keyword_06",
}

// dropUnusedIndexes removes the other indexes of the visibility table. An update of the schema may bring some back,
// so it runs at each start.
func dropUnusedIndexes(ctx context.Context, connection *pgx.Conn, schema string) error {
	rows, err := connection.Query(
		ctx,
		"select indexname from pg_indexes where schemaname = $1 and tablename = 'executions_visibility'",
		schema,
	)
	if err != nil {
		return fmt.Errorf("list visibility indexes: %w", err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("list visibility indexes: %w", err)
	}
	for _, name := range names {
		if slices.Contains(keptIndexes, name) {
			continue
		}
		if _, err := connection.Exec(ctx, "drop index if exists "+pgx.Identifier{schema, name}.Sanitize()); err != nil {
			return fmt.Errorf("drop visibility index %s: %w", name, err)
		}
	}
	return nil
}
