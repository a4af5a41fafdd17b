package plans

import (
	"context"
	"fmt"
	"slices"

	"countersign/internal/store"
)

// Large are the tables that grow with use and that no query here may scan as a whole.
func Large() []string {
	return []string{
		"ai_conversations",
		"ai_turns",
		"ai_messages",
		"ai_tool_calls",
		"ai_proposals",
		"ai_audit_entries",
		"ai_audit_links",
		"ai_audit_personal",
		"ai_spend",
		"ai_spend_buckets",
		"catalog_systems",
		"catalog_system_tags",
		"catalog_group_systems",
		"catalog_environment_systems",
		"relation_tuples",
		"users",
		"user_roles",
		"team_members",
		"turn_events",
		"ai_client_messages",
	}
}

// People are a thousand with equal shares of all rows, and these.
const (
	// Quiet made twelve calls at the beginning, and none since.
	Quiet = "00000000-0000-4000-8100-000000000001"
	// Decider decided a few proposals of others.
	Decider = "00000000-0000-4000-8100-000000000002"
	// Busy is one of the thousand.
	Busy = "00000000-0000-4000-8000-000000000007"
	// Connection is the only used model connection.
	Connection = "00000000-0000-4000-8200-000000000001"
)

const workers = 1000

// Fill gives a migrated database as many tool calls as it says, and what comes with them: an entry of the audit log and a link of its
// chain for each, a turn for four, two messages a turn, a conversation for forty, a proposal for ten; over ninety days; and as many systems
// with a grant and as many people, a hundred thousand at most. It must be empty, and its login a superuser.
func Fill(ctx context.Context, db *store.DB, rows int) error {
	// Only the benchmark waits, and ten million rows take minutes.
	ctx = store.WithStatementTimeout(ctx, 0)
	db, err := db.StrictPool(ctx, 1, 0, 0)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer db.Close()
	definitions, err := dropIndexes(ctx, db)
	if err != nil {
		return err
	}
	err = db.InTx(ctx, func(ctx context.Context) error {
		// Triggers and foreign keys are disabled: their work is done here in bulk.
		statements := slices.Concat(
			[]string{"SET LOCAL session_replication_role = replica", "SET LOCAL synchronous_commit = off"},
			contents(),
			catalogContents(),
		)
		for _, sql := range statements {
			if _, err := db.Conn(ctx).Exec(ctx, spelledOut(sql, rows)); err != nil {
				return fmt.Errorf("fill: %s: %w", sql, err)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, sql := range append(definitions, "VACUUM ANALYZE") {
		if _, err := db.Conn(ctx).Exec(ctx, sql); err != nil {
			return fmt.Errorf("fill: %s: %w", sql, err)
		}
	}
	return nil
}

// dropIndexes drops the indexes that can be rebuilt after the inserts, which takes a third of the time.
func dropIndexes(ctx context.Context, db *store.DB) (definitions []string, err error) {
	rows, err := db.Conn(ctx).Query(ctx, `SELECT i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid) FROM pg_index i
		WHERE i.indrelid::regclass::text = ANY ($1) AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid)`, Large())
	if err != nil {
		return nil, fmt.Errorf("look for indexes: %w", err)
	}
	defer rows.Close()
	var names []string
	for rows.Next() {
		var name, definition string
		if err := rows.Scan(&name, &definition); err != nil {
			return nil, fmt.Errorf("read index: %w", err)
		}
		names, definitions = append(names, name), append(definitions, definition)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("look for indexes: %w", err)
	}
	for _, name := range names {
		if _, err := db.Conn(ctx).Exec(ctx, "DROP INDEX "+name); err != nil {
			return nil, fmt.Errorf("drop index: %w", err)
		}
	}
	return definitions, nil
}
