package main

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5"

	"countersign/internal/store"
)

// explained runs queries and prints their plans.
type explained struct {
	store.Conn

	// large are the tables, with partitions, that no query may scan as a whole.
	large   []string
	scanned []string
}

var seqScan = regexp.MustCompile(`Seq Scan on (\w+).*\(actual rows=(\d+)`)

// Query implements the generated packages' view of a connection.
func (e *explained) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	rows, err := e.Conn.Query(
		ctx,
		"EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF, SUMMARY OFF) "+sql,
		append([]any{pgx.QueryExecModeCacheDescribe}, args...)...)
	if err != nil {
		return nil, err
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, err
	}
	for _, line := range lines {
		if strings.Contains(line, "never executed") {
			continue
		}
		fmt.Println(line)
		if m := seqScan.FindStringSubmatch(line); m != nil && e.isLarge(m[1], m[2] == "0") {
			e.scanned = append(e.scanned, strings.TrimSpace(line))
		}
	}
	return e.Conn.Query(ctx, sql, args...)
}

// isLarge takes the name of a table or partition. Empty partitions may be scanned.
func (e *explained) isLarge(table string, empty bool) bool {
	for _, name := range e.large {
		if rest, ok := strings.CutPrefix(table, name); ok && strings.Trim(rest, "_0123456789") == "" {
			return rest == "" || !empty
		}
	}
	return false
}

// err names the tables that were scanned as a whole.
func (e *explained) err() error {
	if len(e.scanned) == 0 {
		return nil
	}
	return fmt.Errorf("plans read whole tables: %s", strings.Join(e.scanned, ", "))
}
